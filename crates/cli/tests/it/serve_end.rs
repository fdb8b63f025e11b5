//! The end of a session: nothing survives it, neither at the end of input nor when the process is killed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use test_support::Fixture;

use crate::session::Session;

/// Live processes whose environment holds the fixture's state folder: everything a session started, zombies left out
/// since they run nothing.
fn survivors(fixture: &Fixture) -> Vec<String> {
    let mark = fixture.outside().join("state").into_os_string().into_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("list processes").flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.windows(mark.len()).any(|window| window == mark) {
            found.push(
                fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default().replace('\0', " "),
            );
        }
    }
    found
}

fn wait_for_none(fixture: &Fixture) {
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let left = survivors(fixture);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < end, "survivors: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A session with a command, its child and a grandchild in a session of its own.
fn busy(fixture: &Fixture) -> Session {
    let mut session = Session::start(fixture, &["--approve", "auto"]);
    session.tool(1, "shell", json!({"command": "sleep 300 & setsid sleep 300 & touch started; sleep 300"}));
    while !fixture.path("started").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(survivors(fixture).len() >= 4, "the session and its sleepers: {:?}", survivors(fixture));
    session
}

#[test]
fn the_end_of_input_ends_the_run() {
    let fixture = Fixture::empty();
    let (status, took) = busy(&fixture).end();
    assert!(status.success());
    assert!(took < Duration::from_secs(10), "{took:?}");
    wait_for_none(&fixture);
}

#[test]
fn a_killed_session_leaves_nothing() {
    let fixture = Fixture::empty();
    busy(&fixture).kill();
    wait_for_none(&fixture);
}

#[test]
fn calls_that_were_asked_for_are_answered_before_the_end() {
    let fixture = Fixture::new("//- /a.txt\nhello\n");
    let mut session = Session::start(&fixture, &[]);
    session.tool(1, "read", json!({"path": "a.txt"}));
    let answer = session.answer(1);
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("hello"));
    let (status, took) = session.end();
    assert!(status.success() && took < Duration::from_secs(2), "{status} after {took:?}");
}
