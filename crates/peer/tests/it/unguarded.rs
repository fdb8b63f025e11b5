//! Guardians that are killed: what they leave is found and killed, and nobody is told that all went well.

use std::time::Duration;

use peer::{Exit, Ladder, Stopped};
use rustix::process::{Signal, kill_process};

use crate::mark::{Mark, guardian_of, until};

#[tokio::test]
async fn the_death_of_the_guardian_takes_child_and_group_along() {
    let mark = Mark::new();
    let mut child = mark.sh("sleep 300 & sleep 300").await;
    mark.until("the child and its sleepers", |alive| alive == 3).await;
    kill_process(guardian_of(&child), Signal::KILL).unwrap();
    assert_eq!(child.wait().await, Exit::Signal(9));
    assert_eq!(child.stop(&Ladder::default()).await, Stopped::Unguarded);
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_child_that_kills_its_guardian_does_not_free_what_it_started() {
    let mark = Mark::new();
    let mut child = mark.sh("setsid sleep 300 & sleep 0.2; kill -9 $PPID; sleep 300").await;
    assert_eq!(child.stop(&Ladder::default()).await, Stopped::Unguarded);
    mark.nothing_left().await;
}

#[tokio::test]
async fn a_guardian_killed_after_the_childs_end_frees_nobody() {
    for script in
        ["setsid sleep 300 & exit 3", "sleep 300 & exit 3", "env -i PEER_MARK=$PEER_MARK sleep 300 & exit 3"]
    {
        let mark = Mark::new();
        let mut child = mark.sh(script).await;
        assert_eq!(child.wait().await, Exit::Code(3));
        let sleepers = || child.processes().into_iter().filter(|process| process.name == "sleep").count();
        until("one process left behind", || sleepers() == 1).await;
        let sleeper = child.processes().into_iter().find(|process| process.name == "sleep").unwrap();
        kill_process(crate::mark::pid(sleeper.parent), Signal::KILL).unwrap();
        let patient = Ladder { after_terminate: Duration::from_secs(10), ..Ladder::default() };
        assert_eq!(child.stop(&patient).await, Stopped::Unguarded, "{script}");
        assert_eq!((child.exit(), mark.alive()), (Some(Exit::Code(3)), 0), "{script}");
        mark.nothing_left().await;
    }
}

#[tokio::test]
async fn the_trees_of_a_host_that_is_itself_a_child_carry_both_marks() {
    let mark = Mark::new();
    let mut child = mark.sh("echo $OUTRIGGER_GUARD").await;
    let mut text = String::new();
    let mut stdout = child.take_stdout().unwrap();
    tokio::io::AsyncReadExt::read_to_string(&mut stdout, &mut text).await.unwrap();
    let outer = text.trim().to_owned();
    let command =
        mark.command("sh", &["-c", "echo $OUTRIGGER_GUARD"]).environment([("OUTRIGGER_GUARD", &outer)]);
    let mut inner = peer::Spawn::spawn(&peer::Host, command).await.unwrap();
    let mut text = String::new();
    let mut stdout = inner.take_stdout().unwrap();
    tokio::io::AsyncReadExt::read_to_string(&mut stdout, &mut text).await.unwrap();
    assert!(text.trim().len() > outer.len() && text.starts_with(&outer), "{text}");
}
