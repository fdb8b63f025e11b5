//! Everything that must pass, in one command: what tests need is installed first, then come the checks from the quick
//! to the slow. A phase that fails does not hide the others. It must never skip a phase silently: what is missing on
//! this machine is said.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::tidy;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Usual,
    /// Also the tests marked `#[ignore = "long"]`.
    Long,
}

/// Programs that tests start, and the Debian package each comes from.
const PROGRAMS: &[(&str, &str)] =
    &[("strace", "strace"), ("python3", "python3"), ("ps", "procps"), ("setsid", "util-linux")];

const CLIPPY: &[&str] = &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
const NEXTEST: &[&str] = &["nextest", "run", "--locked", "--workspace", "--no-fail-fast"];
/// Without nextest all tests of one program share a process, and some count that process's children.
const PLAIN: &[&str] = &["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast", "--"];
const DOCS: &[&str] = &["doc", "--locked", "--workspace", "--lib", "--no-deps"];

/// The variable that names real programs without which a test fails instead of skipping, and what it holds in CI.
const REQUIRED: &str = "REQUIRE_REAL";
const REAL: &[&str] = &["strace", "python3"];
const NO_FEATURES: &[&str] = &["check", "--package", "outrigger", "--no-default-features"];
const NO_LANGUAGE: &[&str] =
    &["check", "--package", "outrigger", "--no-default-features", "--features", "structural"];

/// Runs every phase; the last line says how long each took and which failed.
///
/// # Errors
/// When a phase failed.
pub fn run(extent: Extent) -> anyhow::Result<()> {
    install();
    let mut phases = Phases::default();
    phases.run("fmt", || cargo(&["fmt", "--all", "--check"]));
    phases.run("tidy", || tidy::run().inspect_err(|error| println!("{error:#}")).is_ok());
    phases.run("clippy", || cargo(CLIPPY));
    phases.run("features", || cargo(NO_FEATURES) && cargo(NO_LANGUAGE));
    phases.run("tests", || tests(extent));
    phases.run("doc tests", || cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]));
    phases.run("docs", || shown(command(DOCS).env("RUSTDOCFLAGS", "-D warnings")));
    phases.finish()
}

fn tests(extent: Extent) -> bool {
    let mut arguments = Vec::new();
    if quietly("cargo", &["nextest", "--version"]) {
        arguments.extend(NEXTEST);
        arguments.extend((extent == Extent::Long).then_some(["--run-ignored", "all"]).into_iter().flatten());
    } else {
        println!(
            "note: no cargo-nextest (`cargo install cargo-nextest --locked`), so `cargo test`, one at a time"
        );
        arguments.extend(PLAIN);
        arguments.extend((extent == Extent::Long).then_some("--include-ignored"));
        arguments.push("--test-threads=1");
    }
    cargo(&arguments)
}

/// Installs what is missing where that is possible without asking anyone.
fn install() {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| !is_installed(program)).collect();
    if missing.is_empty() {
        return;
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    println!("installing {}", packages.join(" "));
    let may_install = quietly("sh", &["-c", "test \"$(id -u)\" = 0 && command -v apt-get"]);
    let line = format!("apt-get update -qq && apt-get install -y -qq {}", packages.join(" "));
    if !may_install || !shown(Command::new("sh").args(["-c", &line]).env("DEBIAN_FRONTEND", "noninteractive"))
    {
        println!("note: could not install {}; tests that need it skip or fail", packages.join(" "));
    }
}

fn is_installed(program: &str) -> bool {
    quietly("sh", &["-c", &format!("command -v {program}")])
}

fn cargo(arguments: &[&str]) -> bool {
    shown(&mut command(arguments))
}

/// The cargo that runs this chore.
fn command(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(crate::root());
    if std::env::var_os("CI").is_some() && std::env::var_os(REQUIRED).is_none() {
        command.env(REQUIRED, REAL.join(","));
    }
    command
}

fn shown(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn quietly(program: &str, arguments: &[&str]) -> bool {
    shown(Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()))
}

#[derive(Debug, Default)]
struct Phases {
    done: Vec<(&'static str, Duration, bool)>,
}

impl Phases {
    fn run(&mut self, name: &'static str, phase: impl FnOnce() -> bool) {
        println!("\n== {name}");
        let start = Instant::now();
        let passed = phase();
        self.done.push((name, start.elapsed(), passed));
    }

    fn finish(self) -> anyhow::Result<()> {
        let failed: Vec<&str> =
            self.done.iter().filter(|(_, _, passed)| !passed).map(|(name, ..)| *name).collect();
        println!("\n{}", self.summary());
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let total: Duration = self.done.iter().map(|(_, time, _)| *time).sum();
        let told = self.done.iter().map(|(name, time, passed)| {
            let verdict = if *passed { "" } else { " FAILED" };
            format!("{name} {:.1} s{verdict}", time.as_secs_f64())
        });
        format!("test: {}; {:.0} s in all", told.collect::<Vec<_>>().join(", "), total.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_fails_is_told_and_does_not_hide_the_next() {
        let mut phases = Phases::default();
        phases.run("first", || false);
        phases.run("second", || true);
        assert!(
            phases.summary().starts_with("test: first 0.0 s FAILED, second 0.0 s;"),
            "{}",
            phases.summary()
        );
        assert_eq!(phases.finish().unwrap_err().to_string(), "failed: first");
    }

    #[test]
    fn an_absent_program_is_seen() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }
}
