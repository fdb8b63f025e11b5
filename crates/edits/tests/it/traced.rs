//! Shows that the kills fall everywhere: every system call of a commit or a recovery that changes the workspace or
//! the state folder has a numbered step of its own, in front of it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use test_support::{Fixture, real};

use crate::scenario;

/// Calls with a descriptor that change what it leads to. All calls with a path are traced besides.
const WRITES: &str = "write,pwrite64,writev,pwritev,pwritev2,ftruncate,fallocate,fsync,fdatasync,sync_file_range,\
                      syncfs,fchmod,fchown,fsetxattr,fremovexattr,copy_file_range,sendfile,splice,ioctl";

/// Calls that change nothing, whatever their path.
const READS: [&str; 17] = [
    "statx",
    "stat",
    "lstat",
    "fstat",
    "newfstatat",
    "readlink",
    "readlinkat",
    "access",
    "faccessat",
    "faccessat2",
    "statfs",
    "execve",
    "getcwd",
    "getxattr",
    "lgetxattr",
    "listxattr",
    "llistxattr",
];

/// The calls that change something and have no step in front of them, and how many have one, by name.
fn trace(fixture: &Fixture, args: &[&str]) -> (Vec<String>, BTreeMap<String, usize>) {
    let (log, state) = (fixture.outside().join("trace"), fixture.outside().join("state"));
    let status = Command::new("strace")
        .args(["-f", "-y", "-s", "300", "-e", "signal=none", "-e", &format!("trace=%file,{WRITES}"), "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_edits-faulty"))
        .args([fixture.root(), state.as_path()])
        .args(args)
        .arg("mark")
        .status()
        .unwrap();
    assert!(status.success());
    let ours = [fixture.root().display().to_string(), state.display().to_string()];
    let (mut bare, mut counted, mut step) = (Vec::new(), BTreeMap::new(), false);
    for line in fs::read_to_string(log).unwrap().lines() {
        let Some((_, call)) = line.split_once(char::is_whitespace) else { continue };
        let call = call.trim_start();
        let name = call.split('(').next().unwrap_or_default();
        // The helper looks at such a path right before each step.
        if call.contains("\"/outrigger-step/") {
            step = true;
            continue;
        }
        let opens = matches!(name, "open" | "openat" | "openat2" | "creat");
        let changes =
            if opens { call.contains("O_CREAT") || call.contains("O_TRUNC") } else { !READS.contains(&name) };
        if !changes || !ours.iter().any(|path| call.contains(path)) {
            continue;
        }
        if std::mem::take(&mut step) {
            *counted.entry(name.to_owned()).or_default() += 1;
        } else {
            bare.push(call.to_owned());
        }
    }
    (bare, counted)
}

#[test]
fn every_call_of_a_commit_that_changes_the_disk_is_a_step() {
    if real("strace").is_none() {
        return;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for scenario in scenario::ALL {
        for weak in ["mark", "weak"] {
            let fixture = Fixture::empty();
            scenario::furnish(scenario, fixture.root());
            let (bare, counted) = trace(&fixture, &[scenario, weak]);
            assert!(bare.is_empty(), "{scenario}, {weak}: calls without a step: {bare:#?}");
            for (name, count) in counted {
                *seen.entry(name).or_default() += count;
            }
        }
    }
    // The trace sees what it should: a commit that did none of these would prove nothing.
    for name in [
        "open",
        "write",
        "pwrite64",
        "linkat",
        "renameat2",
        "unlinkat",
        "mkdirat",
        "fsync",
        "fchmod",
        "ftruncate",
    ] {
        assert!(seen.contains_key(name), "no {name} in {seen:?}");
    }
}

#[test]
fn every_call_of_a_recovery_that_changes_the_disk_is_a_step() {
    if real("strace").is_none() {
        return;
    }
    let mut restored = 0;
    for kill in (20..140).step_by(8) {
        let fixture = Fixture::empty();
        scenario::furnish("mixed", fixture.root());
        let state = fixture.outside().join("state");
        let helper = Command::new(env!("CARGO_BIN_EXE_edits-faulty"))
            .args([fixture.root(), state.as_path()])
            .args(["mixed", "kill", &kill.to_string()])
            .output()
            .unwrap();
        let (bare, counted) = trace(&fixture, &["recover"]);
        assert!(bare.is_empty(), "killed at {kill}: calls without a step: {bare:#?}");
        restored += counted.get("renameat2").copied().unwrap_or_default();
        if helper.status.success() {
            break;
        }
    }
    assert!(restored > 3, "recoveries put files back");
}
