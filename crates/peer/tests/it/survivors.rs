//! Nobody is left: after a stop, after a drop, after the host's death by SIGKILL, after the guardian's.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use peer::{Child, Ladder, Stopped};
use rustix::process::{Signal, kill_process};
use tokio::io::AsyncReadExt;

use crate::mark::{Mark, PATIENCE, guardian_of, pid};

/// A child with descendants in its group, in sessions of their own, and with parents that have died.
const FAMILY: &str = "
trap '' TERM
sleep 300 &
setsid sleep 300 &
(setsid sh -c 'trap \"\" TERM HUP; sleep 300 & sleep 300' &)
sh -c 'sleep 300 & exec setsid sh -c \"trap : TERM; sleep 300 & sleep 300 & wait\"' &
echo ready
wait";
/// The shell, three sleepers of its own making, and the members of the two other shells.
const MEMBERS: usize = 9;

const HASTY: Ladder = Ladder {
    after_end_of_input: Duration::from_millis(10),
    after_terminate: Duration::from_millis(100),
    after_kill: PATIENCE,
};

async fn family(mark: &Mark) -> Child {
    let child = mark.sh(FAMILY).await;
    mark.until("the whole family", |alive| alive >= MEMBERS).await;
    child
}

async fn after_a_stop(times: usize) {
    for _ in 0..times {
        let mark = Mark::new();
        let mut child = family(&mark).await;
        assert_eq!(child.stop(&HASTY).await, Stopped::Killed);
        assert_eq!(mark.alive(), 0, "`stop` answered before the end");
        mark.nothing_left().await;
    }
}

async fn after_a_drop(times: usize) {
    for _ in 0..times {
        let mark = Mark::new();
        drop(family(&mark).await);
        mark.nothing_left().await;
    }
}

async fn after_the_hosts_death(times: usize) {
    for _ in 0..times {
        let mark = Mark::new();
        let mut host = start_host(&mark, FAMILY);
        mark.until("the host and its family", |alive| alive > MEMBERS).await;
        host.kill().unwrap();
        host.wait().unwrap();
        mark.nothing_left().await;
    }
}

#[tokio::test]
async fn a_stop_leaves_nobody() {
    after_a_stop(2).await;
}

#[tokio::test]
async fn a_drop_leaves_nobody() {
    after_a_drop(2).await;
}

#[tokio::test]
async fn the_death_of_the_host_leaves_nobody() {
    after_the_hosts_death(2).await;
}

#[tokio::test]
#[ignore = "long"]
async fn long_stops_drops_and_deaths_leave_nobody() {
    after_a_stop(20).await;
    after_a_drop(20).await;
    after_the_hosts_death(20).await;
}

/// This test program again, as a host that runs `script` and waits for its end.
fn start_host(mark: &Mark, script: &str) -> std::process::Child {
    let mut host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "survivors::as_host", "--ignored", "--nocapture"])
        .env("PEER_TEST_SCRIPT", script)
        .env("PEER_MARK", mark.text())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(host.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap() == "host is ready"), "the host ended early");
    host
}

#[tokio::test]
#[ignore = "the body of the host that other tests start and kill"]
async fn as_host() {
    let (Ok(mark), Ok(script)) = (std::env::var("PEER_MARK"), std::env::var("PEER_TEST_SCRIPT")) else {
        return;
    };
    let _child = Mark::of(&mark).sh(&script).await;
    println!("\nhost is ready");
    std::future::pending::<()>().await;
}

/// The ends of pipes that process `pid` writes to, as a fork of it would hold them.
fn writers(pid: u32) -> Vec<File> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().map(|entry| entry.unwrap().path());
    let is_pipe =
        |path: &PathBuf| fs::read_link(path).is_ok_and(|to| to.to_string_lossy().starts_with("pipe:"));
    let pipes: Vec<PathBuf> = entries.filter(is_pipe).collect();
    pipes.iter().filter_map(|path| File::options().write(true).open(path).ok()).collect()
}

#[tokio::test]
async fn a_drop_leaves_nobody_though_others_hold_its_pipes() {
    let mark = Mark::new();
    let child = family(&mark).await;
    let held = writers(std::process::id());
    assert!(!held.is_empty());
    drop(child);
    mark.nothing_left().await;
    let mut child = family(&mark).await;
    let held_too = writers(std::process::id());
    assert_eq!(child.stop(&HASTY).await, Stopped::Killed);
    mark.nothing_left().await;
    drop((held, held_too));
}

#[tokio::test]
async fn the_death_of_the_host_is_seen_though_others_hold_its_pipes() {
    let mark = Mark::new();
    let mut host = start_host(&mark, FAMILY);
    mark.until("the host and its family", |alive| alive > MEMBERS).await;
    let held = writers(host.id());
    assert!(held.len() >= 3);
    host.kill().unwrap();
    host.wait().unwrap();
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_child_dies_with_its_guardian_though_the_host_does_nothing() {
    let mark = Mark::new();
    let mut host = start_host(&mark, "exec sleep 300");
    let named = |process: &peer::Process| process.name == "tree-guard";
    let guardian = pid(peer::descendants(host.id()).into_iter().find(named).unwrap().pid);
    mark.until("host, guardian and child", |alive| alive == 3).await;
    kill_process(pid(host.id()), Signal::STOP).unwrap();
    kill_process(guardian, Signal::KILL).unwrap();
    mark.until("the host alone", |alive| alive == 1).await;
    host.kill().unwrap();
    host.wait().unwrap();
    mark.nothing_left().await;
}

#[test]
fn the_end_of_a_runtime_leaves_nobody() {
    let mark = Mark::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let child = runtime.block_on(family(&mark));
    runtime.spawn(async move {
        let _child = child;
        std::future::pending::<()>().await;
    });
    runtime.shutdown_background();
    tokio::runtime::Runtime::new().unwrap().block_on(mark.nothing_left());
}

#[tokio::test]
async fn a_guardian_ignores_what_ends_others() {
    let mark = Mark::new();
    let child = mark.sh("exec sleep 300").await;
    let guardian = guardian_of(&child);
    for signal in
        [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::PIPE, Signal::TSTP]
    {
        kill_process(guardian, signal).unwrap();
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!((child.exit(), mark.alive()), (None, 1));
    drop(child);
    mark.nothing_left().await;
}

#[tokio::test]
async fn hundreds_of_processes_die() {
    let mark = Mark::new();
    // A binary tree of 511, every other generation in sessions of its own.
    let script = "import os, time
for depth in range(8):
    for _ in range(2):
        if os.fork() == 0:
            if depth % 2: os.setsid()
            break
    else:
        break
time.sleep(300)";
    let child = mark.python(script).await;
    mark.until("a large tree", |alive| alive == 511).await;
    drop(child);
    mark.nothing_left().await;
}

#[tokio::test]
async fn processes_that_keep_changing_their_pid_die() {
    let mark = Mark::new();
    // Five runners that fork, let the parent die, and lead a new session at every step; for ten seconds at most, so
    // that a failure does not burden the machine for ever.
    let script = "import os, time
end = time.time() + 10
for _ in range(5):
    if os.fork() == 0:
        while time.time() < end:
            if os.fork(): os._exit(0)
            os.setsid()
        os._exit(0)
print('ready', flush=True)
time.sleep(300)";
    let mut child = mark.python(script).await;
    let mut stdout = child.take_stdout().unwrap();
    let mut ready = [0; 6];
    stdout.read_exact(&mut ready).await.unwrap();
    mark.until("runners", |alive| alive > 3).await;
    drop(child);
    // A glance at `/proc` can miss a runner; the end of the stream that they all hold cannot.
    let end = tokio::time::timeout(Duration::from_secs(5), stdout.read_u8()).await;
    assert!(end.expect("a runner got away").is_err());
    mark.nothing_left().await;
}
