//! Runs the binary to its end. State goes beside the fixture, never to the user's own folder.

use std::process::{Command, Stdio};

use test_support::Fixture;

/// What a finished command left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The binary, with its state beside `fixture`, in the fixture's workspace.
pub(crate) fn command(fixture: &Fixture) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outrigger"));
    command.current_dir(fixture.root()).env("OUTRIGGER_STATE", fixture.outside().join("state"));
    command
}

/// Runs `outrigger ARGS` in the fixture's workspace.
pub(crate) fn outrigger(fixture: &Fixture, args: &[&str]) -> Ran {
    let output = command(fixture).args(args).stdin(Stdio::null()).output().expect("run the binary");
    Ran {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 errors"),
    }
}
