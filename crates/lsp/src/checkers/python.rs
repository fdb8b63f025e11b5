//! Python: the first of pyright, basedpyright, mypy and ruff that is there, with the project's own interpreter.
//! It must never believe an exit code: a checker that found no file ends as one that found no error.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::project::Project;
use super::report::{Checked, Place, Report, Unit, located};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &[
    "pyproject.toml",
    "pyrightconfig.json",
    "setup.py",
    "setup.cfg",
    "mypy.ini",
    "requirements.txt",
    "Pipfile",
];
/// Scripts without a project are checked from the workspace's root.
pub(super) const SOURCES: &[&str] = &["*.py"];
const CHECKERS: &[&str] = &["pyright", "basedpyright", "mypy", "ruff"];
const MYPY: &[&str] =
    &["--show-column-numbers", "--show-error-codes", "--no-color-output", "--no-pretty", "."];
/// Where a project keeps its interpreter.
const ENVIRONMENTS: [&str; 2] = [".venv/bin/python", "venv/bin/python"];

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let mut folders = project.outermost(MARKERS);
    folders.retain(|folder| project.count(folder, &["py", "pyi"]) > 0);
    if folders.is_empty() && project.count(project.workspace.root(), &["py"]) > 0 {
        folders.push(project.workspace.root().to_owned());
    }
    let mut checked = Vec::new();
    for folder in folders {
        let found =
            CHECKERS.iter().find_map(|name| Some((*name, project.executable(&folder, &[name]).ok()?)));
        let name = found.as_ref().map_or("pyright", |(name, _)| name);
        // No types are checked by it: a reader must not take its silence for theirs.
        let report = project.report(if name == "ruff" { "ruff (no types)" } else { name }, &folder);
        if checked.len() == limits::CHECKED_PROJECTS {
            checked.push(report.too_many());
            break;
        }
        checked.push(match found {
            Some(("mypy", program)) => mypy(project, &program, &folder, report).await,
            Some(("ruff", program)) => ruff(project, &program, &folder, report).await,
            Some((_, program)) => pyright(project, &program, &folder, report).await,
            None => {
                let why = project.executable(&folder, CHECKERS).err().unwrap_or_default();
                report.not_verified(why)
            }
        });
    }
    checked
}

async fn pyright(project: &Project<'_>, program: &Path, folder: &Path, mut report: Report<'_>) -> Checked {
    let interpreter = interpreter(project, folder);
    let interpreter = interpreter.as_ref().map(|path| path.to_string_lossy());
    let mut arguments = vec!["--outputjson"];
    arguments.extend(interpreter.iter().flat_map(|path| ["--pythonpath", path]));
    report.command(program, &arguments);
    let ran = match project.run(program, &arguments, folder).await {
        Ok(ran) => ran,
        Err(why) => return report.not_verified(why),
    };
    let Ok(told) = serde_json::from_str::<Value>(&ran.stdout) else {
        return report.not_verified(ran.failure());
    };
    for found in told["generalDiagnostics"].as_array().into_iter().flatten() {
        let severity = match found["severity"].as_str() {
            Some("error") | None => Severity::Error,
            Some("warning") => Severity::Warning,
            Some(_) => continue,
        };
        let start = &found["range"]["start"];
        let place = found["file"].as_str().filter(|file| !file.is_empty()).map(|file| Place {
            path: file.into(),
            line: number(&start["line"]) + 1,
            column: number(&start["character"]) + 1,
            counts: Encoding::Utf16,
        });
        report.add(place, severity, found["rule"].as_str(), found["message"].as_str().unwrap_or_default());
    }
    let files = number(&told["summary"]["filesAnalyzed"]);
    report.verified(files, files, Unit::Files)
}

async fn mypy(project: &Project<'_>, program: &Path, folder: &Path, mut report: Report<'_>) -> Checked {
    report.command(program, MYPY);
    let ran = match project.run(program, MYPY, folder).await {
        Ok(ran) => ran,
        Err(why) => return report.not_verified(why),
    };
    for line in ran.stdout.lines() {
        let Some((place, rest)) = located(line, Encoding::Utf32) else { continue };
        let Some((word, message)) = rest.split_once(": ") else { continue };
        let severity = match word {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => continue,
        };
        let coded = message.strip_suffix(']').and_then(|message| message.rsplit_once("  ["));
        let (message, code) = coded.map_or((message, None), |(message, code)| (message, Some(code)));
        report.add(Some(place), severity, code, message);
    }
    match mypy_files(&ran.stdout) {
        Some(files) => report.verified(files, files, Unit::Files),
        None => report.not_verified(ran.failure()),
    }
}

/// `(checked 3 source files)`, or `no issues found in 3 source files`.
fn mypy_files(text: &str) -> Option<usize> {
    let last = text.lines().rfind(|line| line.contains(" source file"))?;
    last.split(" source file").next()?.rsplit(' ').next()?.parse().ok()
}

async fn ruff(project: &Project<'_>, program: &Path, folder: &Path, mut report: Report<'_>) -> Checked {
    let arguments = ["check", "--output-format=json", "."];
    report.command(program, &arguments);
    let ran = match project.run(program, &arguments, folder).await {
        Ok(ran) => ran,
        Err(why) => return report.not_verified(why),
    };
    let files = match project.run(program, &["check", "--show-files", "."], folder).await {
        // Configuration is listed as well.
        Ok(listed) => listed
            .stdout
            .lines()
            .filter(|line| Path::new(line).extension().is_some_and(|end| end != "toml"))
            .count(),
        Err(why) => return report.not_verified(why),
    };
    let Ok(Value::Array(told)) = serde_json::from_str(&ran.stdout) else {
        return report.not_verified(ran.failure());
    };
    for found in &told {
        let code = found["code"].as_str();
        let syntax = code.is_none_or(|code| code == "invalid-syntax");
        let severity = if syntax { Severity::Error } else { Severity::Warning };
        let place = Place {
            path: found["filename"].as_str().unwrap_or_default().into(),
            line: number(&found["location"]["row"]),
            column: number(&found["location"]["column"]),
            counts: Encoding::Utf32,
        };
        report.add(Some(place), severity, code, found["message"].as_str().unwrap_or_default());
    }
    report.verified(files, files, Unit::Files)
}

/// A nested project is installed into the environment of the one around it.
fn interpreter(project: &Project<'_>, folder: &Path) -> Option<PathBuf> {
    let upward = folder.ancestors().take_while(|folder| folder.starts_with(project.workspace.root()));
    upward.flat_map(|folder| ENVIRONMENTS.map(|place| folder.join(place))).find(|path| path.exists())
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| number.try_into().ok()).unwrap_or(0)
}
