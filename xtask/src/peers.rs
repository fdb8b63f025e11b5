//! The real servers, adapters and interpreters that tests talk to: installed by the scripts of `peers/`, each proved by
//! running it, into one folder for all checkouts of this user; then told to the tests by a file in the target folder.
//!
//! It must never install what is there and works, hide one part's failure or its success behind another's, or take a
//! program's name for the program.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail};
use test_support::real::{self, REAL, Real};

/// Overrides the folder that everything is installed into.
const FOLDER: &str = "OUTRIGGER_PEERS";

/// One script, and when it is due.
#[derive(Debug)]
struct Part {
    name: &'static str,
    script: &'static str,
}

macro_rules! part {
    ($name:literal) => {
        Part { name: $name, script: include_str!(concat!("../../peers/", $name, ".sh")) }
    };
}

/// The machine's own packages come first: the others are brought with them.
const SYSTEM: Part = part!("system");
/// Two at a time; what stands later in a row may use what stands earlier. The first is waited for longest.
const ROWS: [&[Part]; 2] = [
    &[part!("python"), part!("go")],
    &[part!("rust"), part!("typescript"), part!("typescript7"), part!("sid")],
];

/// Go uses what is installed and asks nobody for more; its toolchain is the one beside it.
const VARIABLES: &[(&str, &str)] = &[("GOPROXY", "off"), ("GOTELEMETRY", "off"), ("GOTOOLCHAIN", "local")];

/// Installs what is missing and writes the environment file.
///
/// # Errors
/// When a program of the table is still missing, after everything else was installed.
pub fn run() -> anyhow::Result<()> {
    let home = folder()?;
    for name in ["bin", "logs", "stamps"] {
        fs::create_dir_all(home.join(name)).with_context(|| format!("cannot make `{}`", home.display()))?;
    }
    let lock = File::create(home.join("lock"))?;
    lock.lock().context("cannot lock the folder")?;

    let host = vec![("PATH".into(), env::var_os("PATH").unwrap_or_default())];
    let peers = environment(&home)?;
    let install = |part: &Part| part.install(&home, &host, &peers);
    install(&SYSTEM);
    thread::scope(|scope| {
        for row in ROWS {
            scope.spawn(move || row.iter().for_each(install));
        }
    });

    let peers = environment(&home)?;
    let (proved, missing): (Vec<&Real>, Vec<&Real>) =
        REAL.iter().partition(|known| known.proved(&peers).is_some());
    write(peers, &proved)?;
    if !missing.is_empty() {
        bail!("missing: {}", names(&missing));
    }
    Ok(())
}

/// The variables of the environment file, or none before it was written.
pub fn variables() -> Vec<(OsString, OsString)> {
    let text = file().ok().and_then(|file| fs::read_to_string(file).ok());
    real::parse(&text.unwrap_or_default())
}

impl Part {
    /// Runs the script unless its programs work already, from this machine or from an earlier run of the same script.
    fn install(&self, home: &Path, host: &[(OsString, OsString)], peers: &[(OsString, OsString)]) {
        let stamp = home.join("stamps").join(self.name);
        let mine: Vec<&Real> = REAL.iter().filter(|known| known.part == self.name).collect();
        let all = |environment: &[(OsString, OsString)], fits: fn(&PathBuf) -> bool| {
            mine.iter().all(|known| known.proved(environment).is_some_and(|program| fits(&program)))
        };
        if !mine.is_empty() && all(host, |program| !is_shim(program)) {
            println!("{}: this machine has {}", self.name, names(&mine));
            return;
        }
        let same = fs::read_to_string(&stamp).is_ok_and(|installed| installed == self.script);
        if same && all(peers, |_| true) {
            println!("{}: installed", self.name);
            return;
        }
        _ = fs::remove_file(&stamp);
        let start = Instant::now();
        match self.bring(home, peers) {
            Ok(()) => {
                _ = fs::write(&stamp, self.script);
                println!("{}: installed in {:.0} s", self.name, start.elapsed().as_secs_f64());
            }
            Err(error) => println!("{}: FAILED: {error:#}", self.name),
        }
    }

    fn bring(&self, home: &Path, peers: &[(OsString, OsString)]) -> anyhow::Result<()> {
        let log = home.join("logs").join(self.name);
        let output = File::create(&log)?;
        let scripts = crate::root().join("peers");
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail"]).arg(scripts.join(format!("{}.sh", self.name)));
        command.envs(peers.iter().map(|(key, value)| (key, value)));
        command.env("PEERS", home).env("SCRIPTS", &scripts).current_dir(home);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let status = command.status().context("`bash` does not start")?;
        if !status.success() {
            let told = fs::read_to_string(&log).unwrap_or_default();
            let last = told.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word");
            bail!("{status}: {last} (`{}`)", log.display());
        }
        Ok(())
    }
}

/// A shim of rustup works or not by what else is installed, so the part that installs it is due all the same.
fn is_shim(program: &Path) -> bool {
    program.with_file_name("rustup").exists()
}

/// What a child needs to find what is, or will be, installed in `home`.
fn environment(home: &Path) -> anyhow::Result<Vec<(OsString, OsString)>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mine = [home.join("bin"), home.join("venv/bin")];
    let inherited = env::split_paths(&path).filter(|folder| !mine.contains(folder)).collect::<Vec<_>>();
    let path = env::join_paths(mine.iter().chain(&inherited))?;
    let mut variables = vec![("PATH".into(), path)];
    variables.extend(VARIABLES.iter().map(|(key, value)| (key.into(), value.into())));
    if let Ok(go) = home.join("bin/go").canonicalize() {
        let root = go.parent().and_then(Path::parent).context("`go` lies in no folder")?;
        variables.push(("GOROOT".into(), root.into()));
    }
    Ok(variables)
}

/// Writes the file in one step: tests of another checkout may be reading it.
fn write(mut variables: Vec<(OsString, OsString)>, proved: &[&Real]) -> anyhow::Result<()> {
    let proved: Vec<&str> = proved.iter().map(|known| known.name).collect();
    variables.push((real::PROVED.into(), proved.join(",").into()));
    let mut text = String::new();
    for (key, value) in variables {
        let value = value.into_string().ok().context("a variable is not UTF-8")?;
        text.push_str(&format!("{}={value}\n", key.display()));
    }
    let file = file()?;
    let folder = file.parent().context("the file lies in no folder")?;
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".env.{}", std::process::id()));
    fs::write(&fresh, text)?;
    fs::rename(&fresh, &file).with_context(|| format!("cannot write `{}`", file.display()))
}

fn file() -> anyhow::Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(crate::root()).no_deps().exec()?;
    Ok(metadata.target_directory.join(real::FILE).into())
}

fn folder() -> anyhow::Result<PathBuf> {
    let folder = match env::var_os(FOLDER) {
        Some(folder) => PathBuf::from(folder),
        None => crate::cache()?.join("peers"),
    };
    Ok(std::path::absolute(folder)?)
}

fn names(programs: &[&Real]) -> String {
    programs.iter().map(|known| known.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    const PART: Part = Part { name: "no-such-script", script: "exit 1" };

    #[test]
    fn every_program_of_the_table_comes_from_a_part() {
        let parts: Vec<&str> =
            ROWS.iter().copied().flatten().chain([&SYSTEM]).map(|part| part.name).collect();
        for known in REAL {
            assert!(parts.contains(&known.part), "{} comes from {}", known.name, known.part);
        }
    }

    #[test]
    fn a_part_that_fails_says_why_and_leaves_no_stamp() {
        let fixture = Fixture::new("//- /logs/x\n//- /stamps/no-such-script\nan older script");
        let error = PART.bring(fixture.root(), &[]).unwrap_err().to_string();
        assert!(error.contains("no-such-script.sh"), "{error}");
        PART.install(fixture.root(), &[], &[]);
        assert!(!fixture.path("stamps/no-such-script").exists());
    }
}
