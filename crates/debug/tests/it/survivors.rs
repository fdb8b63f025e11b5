//! Whatever ends a session, no process of it is left: adapter, its server, the program, and what that has started.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use outrigger_debug::DebugSessions;
use serde_json::json;

use crate::desk::{Desk, found};
use crate::native::compiled_with;

#[derive(Clone, Copy, Debug)]
enum End {
    Terminate,
    Drop,
    /// The call that waits for the launch is dropped.
    Cancel,
    /// The adapter is killed.
    Kill,
    Expiry,
}

const ENDS: [End; 5] = [End::Terminate, End::Drop, End::Cancel, End::Kill, End::Expiry];

const PYTHON: &str = "\
//- /setup.py
//- /loop.py
import subprocess, time
subprocess.Popen(['sleep', '1000'], start_new_session=True)
while True:
    time.sleep(0.01)
";

/// One session of a program that never ends and has a child in a session of its own.
async fn ends(desk: &Desk, program: &str, child: &str, adapter: &str, end: End) {
    let surface = desk.surface();
    let launch = json!({"action": "launch", "program": program});
    let launching = tokio::spawn(async move { surface.call("debug", launch).await });
    desk.process(child).await;
    if matches!(end, End::Cancel) {
        launching.abort();
        return desk.is_deserted().await;
    }
    launching.await.unwrap().unwrap();
    match end {
        End::Terminate => {
            desk.call("terminate", json!({})).await.is_state("terminated");
            assert_eq!(desk.survivors(), [], "{program}");
        }
        End::Drop => desk.detach(),
        End::Kill => {
            let pid = desk.process(adapter).await.to_string();
            assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
            let state = desk.call("continue", json!({})).await.data["state"].clone();
            assert!(state == "lost" || state == "exited", "{state}");
        }
        End::Expiry | End::Cancel => {}
    }
    desk.is_deserted().await;
}

fn settings(sessions: DebugSessions, end: End) -> DebugSessions {
    match end {
        End::Cancel => sessions,
        End::Expiry => sessions.wait(Duration::from_millis(500)).life(Duration::from_secs(4)),
        _ => sessions.wait(Duration::from_millis(500)),
    }
}

async fn rounds(count: usize) {
    for round in 0..count {
        for end in ENDS {
            println!("round {round}: {end:?}");
            if found("debugpy").is_some() {
                let desk = Desk::with(PYTHON, |sessions| settings(sessions, end));
                ends(&desk, "loop.py", "sleep 1000", "debugpy.adapter", end).await;
            }
            if let Some(desk) = compiled_with("lldb-dap", |sessions| settings(sessions, end)) {
                ends(&desk, "loop", "/workspace/loop", "lldb-dap", end).await;
            }
        }
    }
}

/// The variable that makes this program the host that is killed.
const HOST: &str = "OUTRIGGER_DEBUG_TEST_HOST";

#[tokio::test]
#[ignore = "the body of a host that another test starts"]
async fn host() {
    if std::env::var_os(HOST).is_none() {
        return;
    }
    let desk = Desk::with(PYTHON, |sessions| settings(sessions, End::Drop));
    desk.call("launch", json!({"program": "loop.py"})).await.is_state("running");
    desk.process("sleep 1000").await;
    println!("{HOST} {}", desk.mark().1);
    std::future::pending::<()>().await;
}

async fn hosts(count: usize) {
    if found("debugpy").is_none() {
        return;
    }
    for _ in 0..count {
        let mut host = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "survivors::host", "--ignored", "--nocapture"])
            .env(HOST, "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
        let mark = lines.find_map(|line| {
            let line = line.unwrap();
            line.split_once(HOST).map(|(_, mark)| mark.trim().to_owned())
        });
        let desk = Desk::new("").marked(mark.unwrap());
        assert!(desk.survivors().len() > 2, "the program is there");
        host.kill().unwrap();
        host.wait().unwrap();
        desk.is_deserted().await;
    }
}

#[tokio::test]
async fn nothing_is_left_when_the_host_is_killed() {
    hosts(2).await;
}

#[tokio::test]
async fn nothing_is_left_of_a_session_however_it_ends() {
    rounds(2).await;
}

#[tokio::test]
#[ignore = "long"]
async fn long_nothing_is_left_in_twenty_rounds() {
    rounds(20).await;
    hosts(20).await;
}
