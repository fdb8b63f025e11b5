//! The end of a session: nothing survives it, neither at the end of input nor when the process is killed.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use test_support::Fixture;

use crate::command::command;
use crate::session::Session;

/// Live processes whose environment holds the fixture's state folder: everything a session started, zombies left out
/// since they run nothing.
pub(crate) fn survivors(fixture: &Fixture) -> Vec<String> {
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

pub(crate) fn wait_for_none(fixture: &Fixture) {
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

/// A host that writes and never reads: the pipe fills, calls wait for their turn, and the end of input still ends all.
#[test]
fn a_host_that_does_not_read_holds_neither_the_process_nor_its_memory() {
    let fixture = Fixture::empty();
    fixture.write("big.txt", "0123456789abcde\n".repeat(5_000));
    let mut command = command(&fixture);
    command
        .args(["serve", "--approve", "auto"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("start the binary");
    let mut stdin = child.stdin.take().expect("its input");
    let call = json!({"name": "read", "arguments": {"path": "big.txt"}});
    for id in 0..3_000 {
        let method = ["tools/call", "tools/list", "no such method"][id % 3];
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": call});
        writeln!(stdin, "{message}").expect("write");
    }
    std::thread::sleep(Duration::from_secs(1));
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("its status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its size");
    let kib: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kib < 200 << 10, "{kib} KiB are resident: answers pile up");
    let start = Instant::now();
    drop(stdin);
    while child.try_wait().expect("wait").is_none() {
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().expect("kill it");
            panic!("the process outlives its input");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
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
