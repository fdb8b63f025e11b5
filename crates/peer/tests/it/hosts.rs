//! Hosts that are not as a host should be: deaf to signals, forked. Each is this test program
//! again, started by a test.

use std::process::Command;

use peer::{Error, Host, Spawn};

use crate::mark::Mark;

/// What the ignored test `name` prints in a process that ignores `ignored`: what a program ignores, the one it becomes
/// ignores too.
fn output_of(name: &str, ignored: &str) -> String {
    let script = "import os, signal, sys
for name in sys.argv[1].split(): signal.signal(getattr(signal, name), signal.SIG_IGN)
os.execv(sys.argv[2], sys.argv[2:])";
    let output = Command::new("python3")
        .args(["-c", script, ignored])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("hosts::{name}"), "--ignored", "--nocapture"])
        .env("PEER_TEST_HOST", name)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn is_host(name: &str) -> bool {
    std::env::var("PEER_TEST_HOST").is_ok_and(|wanted| wanted == name)
}

#[test]
fn signals_that_the_host_ignores_are_not_ignored_by_the_child() {
    let text = output_of("deaf", "SIGTERM");
    assert!(text.contains("host still here, child: signal 15 (SIGTERM)"), "{text}");
}

#[tokio::test]
#[ignore = "the body of a host that another test starts"]
async fn deaf() {
    if !is_host("deaf") {
        return;
    }
    let itself = rustix::process::getpid();
    rustix::process::kill_process(itself, rustix::process::Signal::TERM).unwrap();
    let child = Mark::new().sh("kill -TERM $$; exit 9").await;
    println!("\nhost still here, child: {}", child.wait().await);
}

#[test]
fn a_host_that_ignores_the_end_of_children_can_still_start_them_after_one_that_is_missing() {
    let text = output_of("careless", "SIGCHLD");
    assert!(text.contains("missing: cannot start `no-such-thing`"), "{text}");
    assert!(text.contains("then: exit code 6, Itself"), "{text}");
}

#[tokio::test]
#[ignore = "the body of a host that another test starts"]
async fn careless() {
    if !is_host("careless") {
        return;
    }
    let mark = Mark::new();
    println!("\nmissing: {}", Host.spawn(mark.command("no-such-thing", &[])).await.unwrap_err());
    let mut child = mark.sh("exit 6").await;
    println!("then: {}, {:?}", child.wait().await, child.stop(&peer::Ladder::default()).await);
}

#[test]
fn a_forked_host_is_told_that_it_cannot_start_anything_and_does_not_kill_what_its_parent_started() {
    let text = output_of("forked", "");
    assert!(text.contains("fork: no thread"), "{text}");
    assert!(text.contains("parent: None"), "{text}");
}

#[test]
#[ignore = "the body of a host that another test starts"]
#[expect(unsafe_code, reason = "a fork without exec, as some hosts do it")]
fn forked() {
    if !is_host("forked") {
        return;
    }
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let child = first.block_on(Mark::new().sh("exec sleep 300"));
    // SAFETY: the copy uses no lock that another thread of this process can have held: those are idle.
    let fork = unsafe { libc::fork() };
    if fork == 0 {
        drop(child);
        let answer = runtime().block_on(Host.spawn(Mark::new().command("true", &[])));
        println!("\nfork: {}", if matches!(answer, Err(Error::NoThread { .. })) { "no thread" } else { "?" });
        // SAFETY: ends the copy at once, without what this process still has to do.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: waits for the one process just made.
    unsafe { libc::waitpid(fork, std::ptr::null_mut(), 0) };
    std::thread::sleep(std::time::Duration::from_millis(100));
    println!("\nparent: {:?}", child.exit());
}
