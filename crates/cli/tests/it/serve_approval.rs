//! Approval through the pipe: asked of a host that declared it, refused at once for one that did not.

use serde_json::{Value, json};
use test_support::Fixture;

use crate::session::Session;

fn declared(fixture: &Fixture) -> Session {
    let mut session = Session::start(fixture, &[]);
    session.request("hello", "initialize", json!({"capabilities": {"approval": true}}));
    let hello = session.answer("hello");
    assert_eq!(hello["result"]["name"], "outrigger");
    assert_eq!(hello["result"]["capabilities"], json!({"approval": true}));
    session
}

fn question(session: &mut Session) -> Value {
    session.until("a question", |message| message["method"] == "approval/ask")
}

fn reply(session: &mut Session, question: &Value, verdict: Value) {
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": verdict}));
}

#[test]
fn a_host_that_declared_nothing_is_never_asked() {
    let fixture = Fixture::empty();
    let mut session = Session::start(&fixture, &[]);
    let refused = session.call(1, "write", json!({"path": "a", "content": "x"}));
    assert_eq!(refused["error"]["kind"], "refused", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("approval"), "{refused}");
    assert!(!session.saw(|message| message["method"] == "approval/ask"));
    assert!(fixture.tree().is_empty());
}

#[test]
fn the_card_shows_the_call_and_the_verdict_decides() {
    let fixture = Fixture::empty();
    let mut session = declared(&fixture);
    session.tool(1, "write", json!({"path": "a", "content": "x"}));
    let asked = question(&mut session);
    let card = &asked["params"]["card"];
    assert_eq!((&card["tool"], &card["tier"]), (&json!("write"), &json!("write")), "{card}");
    assert!(card["arguments"].as_str().unwrap().contains("path: a"), "{card}");
    reply(&mut session, &asked, json!({"verdict": "deny", "message": "not in this folder"}));
    let denied = session.answer(1);
    assert!(
        denied["result"]["error"]["message"].as_str().unwrap().contains("not in this folder"),
        "{denied}"
    );
    assert!(fixture.tree().is_empty());

    session.tool(2, "write", json!({"path": "a", "content": "x"}));
    let asked = question(&mut session);
    reply(&mut session, &asked, json!({"verdict": "allow_once"}));
    assert_eq!(session.answer(2)["result"]["is_error"], false);
    assert_eq!(fixture.read("a"), "x");
}

#[test]
fn allowed_for_the_run_is_not_asked_again_for_that_tool_only() {
    let fixture = Fixture::empty();
    let mut session = declared(&fixture);
    session.tool(1, "write", json!({"path": "a", "content": "x"}));
    let asked = question(&mut session);
    reply(&mut session, &asked, json!({"verdict": "allow_for_run"}));
    assert_eq!(session.answer(1)["result"]["is_error"], false);
    assert_eq!(session.call(2, "write", json!({"path": "b", "content": "y"}))["is_error"], false);
    session.tool(3, "edit", json!({"path": "a", "old": "x", "new": "z"}));
    let asked = question(&mut session);
    reply(&mut session, &asked, json!({"verdict": "maybe"}));
    let refused = session.answer(3);
    let error = &refused["result"]["error"];
    assert_eq!(error["kind"], "refused", "a verdict we cannot read is a no");
    assert!(error["message"].as_str().unwrap().contains("allow_once"), "and says what would be one: {error}");
    assert_eq!(fixture.read("a"), "x");
}

#[test]
fn a_question_ends_with_its_call_and_with_the_host() {
    let fixture = Fixture::empty();
    let mut session = declared(&fixture);
    session.tool(1, "write", json!({"path": "a", "content": "x"}));
    let asked = question(&mut session);
    session.send(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}}));
    assert_eq!(session.answer(1)["result"]["error"]["kind"], "cancelled");
    reply(&mut session, &asked, json!({"verdict": "allow_once"}));
    assert_eq!(session.call(2, "read", json!({"path": "."}))["is_error"], false);
    assert!(fixture.tree().is_empty(), "a late answer allows nothing");
    session.tool(3, "write", json!({"path": "a", "content": "x"}));
    question(&mut session);
    assert!(session.end().0.success(), "an open question does not hold the run");
    assert!(fixture.tree().is_empty());
}
