//! A state folder that cannot be used: read tools work, write tools say what is wrong, `doctor` says it beforehand.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use test_support::Fixture;

use crate::command::{Ran, command};

/// Runs `outrigger ARGS` with no folder named by the environment but by `set`.
fn with(fixture: &Fixture, set: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = command(fixture);
    for name in ["OUTRIGGER_STATE", "XDG_STATE_HOME", "HOME"] {
        command.env_remove(name);
    }
    let output =
        command.envs(set.iter().copied()).args(args).stdin(Stdio::null()).output().expect("run the binary");
    Ran {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 errors"),
    }
}

const READ: [&str; 3] = ["call", "read", "path=a.txt"];
const WRITE: [&str; 5] = ["call", "write", "path=a.txt", "content=new", "--json"];

/// The error of a write call, once reading was found to work.
fn refusal(fixture: &Fixture, set: &[(&str, &str)]) -> Value {
    let read = with(fixture, set, &READ);
    assert_eq!((read.code, read.stderr.as_str()), (0, ""), "{read:?}");
    assert!(read.stdout.contains("1→old"), "{read:?}");
    let written = with(fixture, set, &WRITE);
    assert_eq!(written.code, 1, "{written:?}");
    assert_eq!(fixture.read("a.txt"), "old\n");
    let answer: Value = serde_json::from_str(&written.stdout).expect("JSON");
    assert_eq!(answer["error"]["kind"], "unavailable", "{answer}");
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.matches("os error").count() <= 1, "{message}");
    answer["error"].clone()
}

#[test]
fn a_folder_that_is_of_no_use_stops_writers_alone() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    for (set, why) in [
        (
            vec![("OUTRIGGER_STATE", "/proc/none")],
            "the state folder cannot be used: cannot make `/proc/none`: ",
        ),
        (vec![], "there is no state folder: none of `OUTRIGGER_STATE`, `XDG_STATE_HOME` and `HOME` is set"),
    ] {
        let error = refusal(&fixture, &set);
        assert!(error["message"].as_str().unwrap().starts_with(why), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("set `OUTRIGGER_STATE` to a folder"), "{error}");
        let doctor = with(&fixture, &set, &["doctor"]);
        assert_eq!(doctor.code, 0, "{doctor:?}");
        assert!(doctor.stdout.contains("NOT USABLE") && doctor.stdout.contains(why), "{doctor:?}");
    }
}

#[test]
fn a_relative_folder_is_taken_from_where_the_command_was_typed() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    let set = [("OUTRIGGER_STATE", "../outside/state")];
    let doctor = with(&fixture, &set, &["doctor", "--json"]);
    let report: Value = serde_json::from_str(&doctor.stdout).unwrap();
    assert_eq!(report["state_problem"], Value::Null, "{report}");
    let folder = PathBuf::from(report["state_folder"].as_str().unwrap());
    assert!(folder.is_absolute() && !folder.exists(), "a look leaves nothing behind: {report}");
    let written = with(&fixture, &set, &WRITE);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(fs::read_dir(fixture.outside().join("state")).unwrap().count(), 1);
    assert!(folder.join("lock").exists());
}

#[test]
fn what_is_damaged_is_said_with_the_next_step() {
    let fixture = Fixture::new("//- /a.txt\nold\n//- /a.py\nf(x)\n");
    let state = fixture.outside().join("state");
    let set = [("OUTRIGGER_STATE", state.to_str().unwrap())];
    let doctor = with(&fixture, &set, &["doctor", "--json"]);
    let report: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let folder = PathBuf::from(report["state_folder"].as_str().unwrap());
    fs::create_dir_all(&folder).unwrap();

    fs::write(folder.join("staged.json"), "{\"la").unwrap();
    let edit = ["call", "ast_edit", "pattern=f($X)", "rewrite=g($X)", "language=python"];
    for args in [&edit[..], &["call", "resolve", "edit_id=edit_1", "action=accept"]] {
        let ran = with(&fixture, &set, args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.starts_with("unavailable: the staged edits in `"), "{ran:?}");
        assert!(ran.stderr.contains("hint: move it away: staged edits are lost, files"), "{ran:?}");
    }
    assert!(
        with(&fixture, &set, &["doctor"]).stdout.contains("NOT USABLE    unavailable: the staged edits in")
    );

    fs::write(folder.join("journal.json"), "").unwrap();
    let error = refusal(&fixture, &set);
    assert!(error["message"].as_str().unwrap().starts_with("the journal of an earlier change, `"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("move the journal away"), "{error}");
}
