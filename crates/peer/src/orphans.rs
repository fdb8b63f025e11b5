//! What a killed guardian leaves behind: found in `/proc` by the guardian's session or by a mark in the environment, and
//! killed until none is found. It must never be the first resort, and never signal a process it has not just looked at.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, process, thread};

use rustix::process::{Pid, Signal, kill_process};

use crate::tree::{self, Process};

/// The variable every process of a tree carries, unless it makes an environment of its own.
const VARIABLE: &str = "OUTRIGGER_GUARD";
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The text that tells one tree's processes from all others.
#[derive(Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{count}-{};", process::id(), now.as_nanos()))
    }

    /// Puts the mark on `command`, beside those of the trees that this host is itself part of.
    pub(crate) fn put(&self, command: &mut process::Command, environment: &[(OsString, OsString)]) {
        if cfg!(target_os = "linux") {
            let outer = environment.iter().rev().find(|(name, _)| name == VARIABLE);
            let mut value = outer.map(|(_, value)| value.clone()).unwrap_or_default();
            value.push(&self.0);
            command.env(VARIABLE, value);
        }
    }

    fn is_on(&self, pid: u32) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.windows(self.0.len()).any(|part| part == self.0.as_bytes())
    }
}

/// Kills what is left of a tree until nothing of it is found. `guardian` has ended and is not yet reaped.
pub(crate) fn kill_all(guardian: Option<u32>, mark: &Mark) {
    let mut pause = FIRST_PAUSE;
    loop {
        let session = guardian.filter(|pid| is_unreaped(*pid));
        let belongs = |process: &Process| {
            !process.zombie && (session == Some(process.session) || mark.is_on(process.pid))
        };
        let left: Vec<Process> = tree::all().into_iter().filter(belongs).collect();
        if left.is_empty() {
            return;
        }
        for process in left {
            kill(process.pid, || tree::process(process.pid).is_some_and(|now| belongs(&now)));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

/// Until it is reaped its pid is nobody else's, and so is its session. A host may reap behind our back.
fn is_unreaped(guardian: u32) -> bool {
    tree::process(guardian).is_some_and(|process| process.zombie && process.parent == process::id())
}

/// Kills the process that `pid` means if it belongs to the tree, and none that is given the pid meanwhile.
fn kill(pid: u32, belongs: impl Fn() -> bool) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    #[cfg(target_os = "linux")]
    if let Ok(handle) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        if belongs() {
            let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
        }
        return;
    }
    // No handles on processes (Linux before 5.3): the moment between the look and the signal stays.
    if belongs() {
        let _ = kill_process(pid, Signal::KILL);
    }
}
