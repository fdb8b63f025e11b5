//! The ladder: how far it had to go, and how long that took.

use std::time::{Duration, Instant};

use peer::{Child, Exit, Ladder, Stopped};
use rustix::process::{Signal, kill_process};
use tokio::io::AsyncReadExt;

use crate::mark::{Mark, PATIENCE, guardian_of, until};

const QUICK: Ladder = Ladder {
    after_end_of_input: Duration::from_millis(200),
    after_terminate: Duration::from_millis(400),
    after_kill: PATIENCE,
};
/// A rung that is not meant to end by time.
const PATIENT: Ladder =
    Ladder { after_end_of_input: PATIENCE, after_terminate: PATIENCE, after_kill: PATIENCE };

async fn ready(child: &mut Child) {
    let mut line = [0; 6];
    child.take_stdout().unwrap().read_exact(&mut line).await.unwrap();
    assert_eq!(&line, b"ready\n");
}

#[tokio::test]
async fn a_child_that_reads_its_input_ends_by_itself() {
    let mark = Mark::new();
    let mut child = mark.sh("cat; exit 4").await;
    assert_eq!(child.stop(&PATIENT).await, Stopped::Itself);
    assert_eq!(child.exit(), Some(Exit::Code(4)));
    mark.nothing_left().await;
}

#[tokio::test]
async fn sigterm_reaches_the_group() {
    let mark = Mark::new();
    let mut child = mark.sh("(sleep 300) & echo ready; sleep 300").await;
    ready(&mut child).await;
    let ladder = Ladder { after_end_of_input: Duration::ZERO, ..PATIENT };
    assert_eq!(child.stop(&ladder).await, Stopped::Terminated);
    assert_eq!(child.exit(), Some(Exit::Signal(15)));
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_child_that_ignores_sigterm_is_killed() {
    let mark = Mark::new();
    let mut child = mark.sh("trap '' TERM; echo ready; while :; do sleep 1; done").await;
    ready(&mut child).await;
    let start = Instant::now();
    assert_eq!(child.stop(&QUICK).await, Stopped::Killed);
    assert!(start.elapsed() >= QUICK.after_end_of_input + QUICK.after_terminate);
    assert_eq!(child.exit(), Some(Exit::Signal(9)));
    mark.nothing_left().await;
    assert_eq!(child.stop(&QUICK).await, Stopped::Itself, "a second stop finds nothing to do");
}

#[tokio::test]
async fn what_an_ended_child_leaves_behind_is_terminated() {
    let mark = Mark::new();
    let mut child = mark.sh("setsid sleep 300 & echo ready; exit 5").await;
    ready(&mut child).await;
    assert_eq!(child.wait().await, Exit::Code(5));
    let sleepers = || child.processes().iter().filter(|process| process.name == "sleep").count();
    until("one process left behind", || sleepers() == 1).await;
    assert_eq!(mark.alive(), 1);
    assert_eq!(child.stop(&PATIENT).await, Stopped::Terminated);
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_stop_that_is_dropped_halfway_can_be_repeated() {
    let mark = Mark::new();
    let mut child = mark.sh("trap '' TERM; echo ready; while :; do sleep 1; done").await;
    ready(&mut child).await;
    assert!(tokio::time::timeout(Duration::from_millis(50), child.stop(&PATIENT)).await.is_err());
    assert_eq!(child.exit(), None);
    assert_eq!(child.stop(&QUICK).await, Stopped::Killed);
    mark.nothing_left().await;
}

#[tokio::test]
async fn what_is_still_there_after_sigkill_is_admitted() {
    let mark = Mark::new();
    let mut child = mark.sh("trap '' TERM; echo ready; while :; do sleep 1; done").await;
    ready(&mut child).await;
    // As if the kernel did not let go of the tree.
    kill_process(guardian_of(&child), Signal::STOP).unwrap();
    let at_once = Ladder { after_kill: Duration::from_millis(10), ..QUICK };
    assert_eq!(child.stop(&at_once).await, Stopped::Stuck);
    kill_process(guardian_of(&child), Signal::CONT).unwrap();
    mark.nothing_left().await;
}
