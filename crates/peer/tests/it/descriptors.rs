//! Descriptors and memory: nothing of the host's reaches a child, and nothing of a child's stays with the host.

use std::fs::{self, File};
use std::num::NonZeroI32;
use std::os::fd::AsRawFd;

use peer::{Exit, Host, Spawn};
use tokio::io::AsyncReadExt;

use crate::mark::{Mark, guardian_of, until};

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test]
async fn a_child_inherits_no_descriptor() {
    let inheritable = File::open("/etc/passwd").unwrap();
    rustix::io::fcntl_setfd(&inheritable, rustix::io::FdFlags::empty()).unwrap();
    let mut child = Host.spawn(Mark::new().command("ls", &["/proc/self/fd"])).await.unwrap();
    let mut listed = String::new();
    child.take_stdout().unwrap().read_to_string(&mut listed).await.unwrap();
    assert!(inheritable.as_raw_fd() > 2);
    // The fourth is the listing itself.
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn a_guardian_holds_three_descriptors_and_little_memory() {
    let ballast = vec![7u8; 256 << 20];
    let mark = Mark::new();
    let child = mark.sh("sleep 300").await;
    let guardian = guardian_of(&child).as_raw_nonzero();
    until("little memory", || anonymous_kib(guardian) < 2_048).await;
    let descriptors = || fs::read_dir(format!("/proc/{guardian}/fd")).unwrap().count();
    // A fourth is open while it reads what memory to give back.
    until("three descriptors", || descriptors() == 3).await;
    assert_eq!(fs::read_link(format!("/proc/{guardian}/cwd")).unwrap().to_str(), Some("/"));
    assert_eq!(ballast[ballast.len() - 1], 7);
}

fn anonymous_kib(pid: NonZeroI32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Anonymous:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn two_hundred_children_leave_no_descriptor() {
    let mark = Mark::new();
    let run = async || {
        let mut child = mark.sh("exit 0").await;
        assert_eq!(child.wait().await, Exit::Code(0));
        child.take_stdin()
    };
    run().await;
    mark.nothing_left().await;
    let before = open_descriptors();
    for _ in 0..200 {
        run().await;
        assert!(Host.spawn(mark.command("no-such-thing", &[])).await.is_err());
    }
    mark.nothing_left().await;
    until("the same descriptors as before", || open_descriptors() == before).await;
}
