//! C and C++: every unit of `compile_commands.json` through the compiler it is built with, for its syntax and types
//! alone. It must never let a compiler write: its outputs are taken out of the command.
//!
//! `clangd --check` is no substitute: it tells neither columns nor warnings nor the errors of headers.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::project::Project;
use super::report::{Checked, Report, Unit, located};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &["compile_commands.json"];
/// The folder of a build is mostly ignored, so it is looked into by name.
const BUILDS: &[&str] = &["", "build", "out", "builddir", "cmake-build-debug", "out/Debug"];
const NAME: &str = "compile commands";
/// Names of compilers, less their version and target.
const COMPILERS: &[&str] = &["cc", "c++", "gcc", "g++", "clang", "clang++"];
/// Options that write a file, with the file that follows them.
const WRITES_TO: &[&str] = &["-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics", "-dumpdir"];
/// Options that write a file, alone.
const WRITES: &[&str] = &["-MD", "-MMD", "-MP", "-MG", "-c", "-S", "-E", "-save-temps"];
/// A tab counts as one column in both families.
const CHECK: &[&str] = &["-fsyntax-only", "-ftabstop=1"];

/// One compile command.
struct Entry {
    folder: PathBuf,
    arguments: Vec<String>,
}

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let root = project.workspace.root();
    let mut databases: Vec<PathBuf> = BUILDS.iter().map(|build| root.join(build)).collect();
    databases.extend(project.folders(MARKERS));
    let database = databases.iter().map(|folder| folder.join(MARKERS[0])).find(|file| file.is_file());
    let Some(database) = database else { return Vec::new() };
    let mut report = project.report(NAME, database.parent().unwrap_or(root));
    report.command(Path::new("each compiler"), CHECK);
    let entries = match entries(&database) {
        Ok(entries) => entries,
        Err(why) => return vec![report.not_verified(why)],
    };
    let deadline = Instant::now() + limits::CHECKER;
    let (mut checked, mut failed) = (0, None);
    for entry in entries.iter().take(limits::CHECKED_UNITS) {
        match timeout_at(deadline, unit(project, entry, &mut report)).await {
            Ok(Ok(())) => checked += 1,
            Ok(Err(why)) => failed = failed.or(Some(why)),
            Err(_) => break,
        }
    }
    vec![match failed {
        Some(why) => report.not_verified(format!("{checked} of {} units were checked: {why}", entries.len())),
        None if entries.is_empty() => report.not_verified("it names no file"),
        None => report.verified(checked, entries.len(), Unit::Files),
    }]
}

async fn unit(project: &Project<'_>, entry: &Entry, report: &mut Report<'_>) -> Result<(), String> {
    let (compiler, arguments) = syntax_only(&entry.arguments)?;
    let program = match Path::new(compiler) {
        path if path.is_absolute() => path.to_owned(),
        _ => project.executable(project.workspace.root(), &[compiler])?,
    };
    let ran = project.run(&program, &arguments, &entry.folder).await?;
    report.based_on(&entry.folder);
    let mut told = false;
    for line in ran.stderr.lines() {
        let Some((place, rest)) = located(line, Encoding::Utf8) else { continue };
        let Some((word, message)) = rest.split_once(": ") else { continue };
        let severity = match word {
            "error" | "fatal error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => continue,
        };
        told = true;
        let flagged = message.strip_suffix(']').and_then(|message| message.rsplit_once(" [-W"));
        let (message, code) = flagged.map_or((message, None), |(message, flag)| (message, Some(flag)));
        report.add(Some(place), severity, code, message);
    }
    if ran.exit.is_success() || told { Ok(()) } else { Err(ran.failure()) }
}

/// The compiler of a command, behind a launcher such as a cache, and arguments with which it writes nothing.
fn syntax_only(command: &[String]) -> Result<(&str, Vec<&str>), String> {
    let at = command.iter().take(2).position(|word| is_compiler(word));
    let at = at.ok_or_else(|| format!("`{}` is no compiler known here", command.join(" ")))?;
    let mut arguments = Vec::new();
    let mut words = command[at + 1..].iter().map(String::as_str);
    while let Some(word) = words.next() {
        if WRITES_TO.contains(&word) {
            words.next();
        } else if !WRITES.contains(&word)
            && !WRITES_TO.iter().any(|option| word.starts_with(option))
            && !word.starts_with("-Wp,-M")
        {
            arguments.push(word);
        }
    }
    arguments.extend(CHECK);
    Ok((&command[at], arguments))
}

fn is_compiler(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.').trim_end_matches('-');
    COMPILERS.iter().any(|compiler| name == *compiler || name.ends_with(&format!("-{compiler}")))
}

fn entries(database: &Path) -> Result<Vec<Entry>, String> {
    let text = std::fs::read_to_string(database).map_err(|error| error.to_string())?;
    let told: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("it is not as it should be: {error}"))?;
    let entry = |told: &Value| {
        let folder = database.parent()?.join(told["directory"].as_str()?);
        let listed = told["arguments"].as_array();
        let listed =
            listed.map(|words| words.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect());
        let arguments = listed.or_else(|| Some(words(told["command"].as_str()?)))?;
        Some(Entry { folder, arguments })
    };
    Ok(told.iter().filter_map(entry).collect())
}

/// A command line as a shell reads quotes and backslashes.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut signs = command.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(signs.next()),
            (sign, Some(open)) if sign == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (sign, None) if sign.is_whitespace() => words.extend(word.take()),
            (sign, _) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_a_shell_reads_it() {
        assert_eq!(words(r#"cc -DX=\"a\ b\" "c d"'e' ''"#), ["cc", "-DX=\"a b\"", "c de", ""]);
    }

    #[test]
    fn what_a_compiler_would_write_is_taken_out() {
        let command = words("ccache /usr/bin/x86_64-linux-gnu-g++-12 -O2 -MD -MF a.d -ob.o -c a.cc -o a.o");
        let (compiler, arguments) = syntax_only(&command).unwrap();
        assert_eq!(compiler, "/usr/bin/x86_64-linux-gnu-g++-12");
        assert_eq!(arguments, ["-O2", "a.cc", "-fsyntax-only", "-ftabstop=1"]);
        assert!(syntax_only(&words("rm -rf x")).unwrap_err().contains("no compiler"));
    }
}
