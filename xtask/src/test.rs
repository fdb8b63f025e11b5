//! Everything that must pass, in one command: what tests need is installed first, then come the checks from the quick
//! to the slow. A phase that fails does not hide the others. It must never skip a phase silently: what is missing on
//! this machine is said.

use std::env;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;
use test_support::real;

use crate::{peers, tidy};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Usual,
    /// Also the tests marked `#[ignore = "long"]`.
    Long,
}

const CLIPPY: &[&str] = &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
const NEXTEST: &[&str] = &["nextest", "run", "--locked", "--workspace", "--no-fail-fast"];
/// Without nextest all tests of one program share a process, and some count that process's children.
const PLAIN: &[&str] = &["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast", "--"];
const DOCS: &[&str] = &["doc", "--locked", "--workspace", "--lib", "--no-deps"];

const NO_FEATURES: &[&str] = &["check", "--package", "outrigger", "--no-default-features"];
const NO_LANGUAGE: &[&str] =
    &["check", "--package", "outrigger", "--no-default-features", "--features", "structural"];

/// Runs every phase; the last line says how long each took and which failed.
///
/// # Errors
/// When a phase failed.
pub fn run(extent: Extent) -> anyhow::Result<()> {
    let mut phases = Phases::default();
    phases.run("peers", installed);
    phases.run("fmt", || cargo(&["fmt", "--all", "--check"]));
    phases.run("tidy", || tidy::run().inspect_err(|error| println!("{error:#}")).is_ok());
    phases.run("clippy", || cargo(CLIPPY));
    phases.run("features", || cargo(NO_FEATURES) && cargo(NO_LANGUAGE));
    phases.run("tests", || tests(extent));
    phases.run("doc tests", || tested(&["test", "--workspace", "--doc", "--no-fail-fast"]));
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
    tested(&arguments)
}

/// Where nobody asked for every real program, one that cannot be had here is told and its tests skip.
fn installed() -> bool {
    let done = peers::run().inspect_err(|error| println!("{error:#}"));
    done.is_ok() || env::var_os("CI").is_none()
}

fn cargo(arguments: &[&str]) -> bool {
    shown(&mut command(arguments))
}

/// The cargo that runs this chore.
fn command(arguments: &[&str]) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(crate::root());
    command
}

/// The same for tests, with the real programs on its path; in CI each of them must be there.
fn tested(arguments: &[&str]) -> bool {
    let mut command = command(arguments);
    command.envs(peers::variables());
    if env::var_os("CI").is_some() && env::var_os(real::REQUIRED).is_none() {
        let names: Vec<&str> = real::REAL.iter().map(|known| known.name).collect();
        command.env(real::REQUIRED, names.join(","));
    }
    shown(&mut command)
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
}
