//! `outrigger call`: one call a process, staged edits kept from one to the next.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use test_support::Fixture;

use crate::command::{command, outrigger};

fn project() -> Fixture {
    Fixture::new(
        "
//- /a.dart
void f() { dispose(x); }
//- /b.dart
void g() { dispose(y); }
",
    )
}

#[test]
fn a_staged_edit_is_resolved_by_another_process() {
    let fixture = project();
    let proposed = outrigger(
        &fixture,
        &["call", "ast_edit", "pattern=dispose($X)", "rewrite=$X.dispose()", "language=dart"],
    );
    assert_eq!(proposed.code, 0, "{proposed:?}");
    assert!(proposed.stdout.contains("(proposed) 2 replacements in 2 files"), "{proposed:?}");
    assert!(proposed.stdout.contains("call resolve with edit_id \"edit_1\""), "{proposed:?}");
    assert_eq!(fixture.read("a.dart"), "void f() { dispose(x); }\n");

    let accepted = outrigger(&fixture, &["call", "resolve", "edit_id=edit_1", "action=accept"]);
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert_eq!(fixture.read("a.dart"), "void f() { x.dispose(); }\n");
    assert_eq!(fixture.read("b.dart"), "void g() { y.dispose(); }\n");

    let again = outrigger(&fixture, &["call", "resolve", "edit_id=edit_1", "action=accept"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.contains("accepted"), "its fate is named: {again:?}");
}

#[test]
fn a_file_that_changed_in_between_refuses_the_whole_edit() {
    let fixture = project();
    outrigger(
        &fixture,
        &["call", "ast_edit", "pattern=dispose($X)", "rewrite=$X.dispose()", "language=dart"],
    );
    fixture.write("b.dart", "void g() { dispose(y); } // touched\n");
    let before = fixture.tree();
    let refused = outrigger(&fixture, &["call", "resolve", "edit_id=edit_1", "action=accept", "--json"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let answer: Value = serde_json::from_str(&refused.stdout).expect("one JSON object");
    assert_eq!(answer["is_error"], true);
    assert_eq!(answer["error"]["kind"], "conflict");
    assert!(answer["error"]["message"].as_str().unwrap().contains("b.dart"), "{answer}");
    assert_eq!(fixture.tree(), before);
}

#[test]
fn exit_codes_tell_an_answer_from_an_error_from_a_misuse() {
    let fixture = project();
    assert_eq!(outrigger(&fixture, &["call", "read", "path=a.dart"]).code, 0);
    let missing = outrigger(&fixture, &["call", "read", "path=c.dart"]);
    assert_eq!(missing.code, 1, "{missing:?}");
    assert!(missing.stdout.is_empty() && missing.stderr.contains("c.dart"), "{missing:?}");
    assert_eq!(outrigger(&fixture, &["call", "reed"]).code, 1, "an unknown tool is the tool's answer");
    assert_eq!(outrigger(&fixture, &["call", "read", "path"]).code, 2);
    assert_eq!(outrigger(&fixture, &["call"]).code, 2);
    let mixed = outrigger(&fixture, &["call", "read", r#"{"path": "a.dart"}"#, "lines=1"]);
    assert!(mixed.code == 2 && mixed.stderr.contains("stands alone"), "{mixed:?}");
    assert_eq!(outrigger(&fixture, &["call", "read", "--workspace", "nowhere"]).code, 2);
}

#[test]
fn json_carries_the_data_and_text_arguments_stay_text() {
    let fixture = Fixture::new("//- /1\none\n");
    let read = outrigger(&fixture, &["call", "read", "path=1", "--json"]);
    let answer: Value = serde_json::from_str(&read.stdout).expect("one JSON object");
    assert_eq!(answer["is_error"], false, "`1` is a path, not a number: {answer}");
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("one"));
    let object = outrigger(&fixture, &["call", "read", &json!({"path": "1"}).to_string()]);
    assert_eq!(object.code, 0, "{object:?}");
}

#[test]
fn arguments_too_long_for_a_command_line_come_on_standard_input() {
    let fixture = Fixture::empty();
    let content = "x".repeat(300_000);
    let mut child =
        command(&fixture).args(["call", "write", "-"]).stdin(Stdio::piped()).spawn().expect("start");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(json!({"path": "a", "content": content}).to_string().as_bytes()).expect("write");
    drop(stdin);
    assert!(child.wait().expect("its end").success());
    assert_eq!(fixture.read("a"), content);
}

/// `| head -1`: the reader goes away before the answer is written, or both outputs are closed.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let fixture = Fixture::empty();
    fixture.write("big.txt", "line\n".repeat(15_000));
    for closes in ["outrigger call read path=big.txt | :", "outrigger call read path=nowhere 2>&1 | :"] {
        let line =
            format!("set -o pipefail; {}", closes.replace("outrigger", env!("CARGO_BIN_EXE_outrigger")));
        let mut shell = std::process::Command::new("bash");
        shell
            .args(["-c", &line])
            .current_dir(fixture.root())
            .env("OUTRIGGER_STATE", fixture.outside().join("state"));
        let code = shell.status().expect("run bash").code().expect("an exit code");
        assert_eq!(code, i32::from(closes.contains("nowhere")), "{closes}");
    }
}

#[test]
fn nobody_to_ask_refuses_and_writes_nothing() {
    let fixture = project();
    for approve in ["ask", "deny"] {
        let refused =
            outrigger(&fixture, &["call", "write", "path=c.dart", "content=x", "--approve", approve]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.starts_with("refused:"), "{refused:?}");
    }
    assert!(!fixture.path("c.dart").exists());
    assert_eq!(outrigger(&fixture, &["call", "read", "path=a.dart", "--approve", "deny"]).code, 0);
}
