//! Real commands, and what is left of them.

use std::time::{Duration, Instant};

use outrigger::tool::{Cancellation, ErrorKind, Request, Tier};
use serde_json::json;

use super::super::testing::Host;

#[test]
fn output_and_exit_code() {
    let host = Host::new("//- /a.txt\n");
    let output = host.call("shell", json!({"command": "ls; echo err >&2; echo out; exit 3"})).unwrap();
    assert_eq!(output.to_text(), "a.txt\nerr\nout\n(exit code 3)");
    assert_eq!(
        output.data.unwrap(),
        json!({"exit_code": 3, "signal": null, "output_bytes": 14, "dropped_bytes": 0, "leftovers_stopped": false})
    );
    assert_eq!(host.says("shell", json!({"command": "true"})), "(no output)\n(exit code 0)");
    assert_eq!(host.says("shell", json!({"command": "printf x"})), "x\n(exit code 0)");
}

#[test]
fn a_command_line_is_one_argument_whatever_it_holds() {
    let host = Host::new("");
    let says = host.says("shell", json!({"command": "echo \"$0\" '\"$x' \"it's\"; cat; echo $((1+1))"}));
    assert_eq!(says, "sh \"$x it's\n2\n(exit code 0)", "and there is no input");
}

#[test]
fn a_death_by_signal_is_told() {
    let host = Host::new("");
    let output = host.call("shell", json!({"command": "kill -SEGV $$"})).unwrap();
    assert_eq!(output.to_text(), "(no output)\n(signal 11 (SIGSEGV))");
    assert_eq!(output.data.unwrap()["signal"], 11);
}

#[test]
fn long_output_keeps_head_and_tail() {
    let host = Host::new("");
    let output = host.call("shell", json!({"command": "seq 1 100000"})).unwrap();
    let text = output.to_text();
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n99999\n100000\n(exit code 0)"));
    assert!(text.contains("\n… (523359 bytes dropped) …\n"), "{}", &text[48_000..50_000]);
    let data = output.data.unwrap();
    assert_eq!((&data["output_bytes"], &data["dropped_bytes"]), (&json!(588_895), &json!(523_359)));
}

#[test]
fn what_a_command_leaves_running_is_stopped() {
    let host = Host::new("");
    let started = Instant::now();
    let output = host
        .call("shell", json!({"command": "(sleep 300; touch late) & setsid sleep 300 & echo $!"}))
        .unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    let text = output.to_text();
    assert!(text.ends_with("\n(exit code 0)\n(processes it left running were stopped)"), "{text}");
    assert_eq!(output.data.unwrap()["leftovers_stopped"], true);
    let pid = text.lines().next().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{text}");
}

#[test]
fn a_command_that_runs_too_long_is_stopped_and_shows_its_output() {
    let host = Host::new("");
    let error =
        host.call("shell", json!({"command": "echo begun; sleep 300", "timeout_seconds": 1})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert_eq!(error.message, "`echo begun; sleep 300` was stopped after 1 s; its last output:\nbegun\n");
    let error = host.fails("shell", json!({"command": "true", "timeout_seconds": 601}));
    assert_eq!(error, "bad_arguments: `timeout_seconds` is at most 600, not 601");
}

#[test]
fn a_cancelled_command_is_stopped_with_all_it_started() {
    let host = Host::new("");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let cancellation = Cancellation::new();
        let command = "sleep 300 & echo $! > pid; mv pid started; wait";
        let request = Request::new("shell", json!({"command": command})).cancellation(cancellation.clone());
        let surface = host.registry.surface(Tier::Exec);
        let call = tokio::spawn(async move { surface.request(request).await });
        let started = host.fixture.path("started");
        let pid = until(|| std::fs::read_to_string(&started).ok()).await;
        cancellation.cancel();
        assert_eq!(call.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
        let process = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
        until(|| (!process.exists()).then_some(())).await;
    });
}

/// Looks until there is something to see.
async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..2_000 {
        if let Some(seen) = look() {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nothing to be seen within 20 s");
}
