//! The guard where there is no subreaper (not Linux): a thread of the host that keeps the same two pipes, and knows the
//! child's process group only. A descendant that leaves the group survives, and so does everything if the host is
//! killed by SIGKILL. It must never signal a group whose leader has been reaped.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::CommandExt;
use std::process;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};

use crate::lifeline::{CLOSE, FAREWELL, LEFT, Streams, Theirs};

/// How often the thread looks whether the child has ended.
const GLANCE: Duration = Duration::from_millis(20);

/// Starts `command` as the leader of its own group, watched by a thread. There is no process to reap.
pub(crate) fn start(
    command: &mut process::Command,
    theirs: Theirs,
) -> io::Result<(Streams, Option<process::Child>)> {
    command.process_group(0);
    let mut child = command.spawn()?;
    let streams = Streams::take(&mut child);
    let mut status = PipeWriter::from(theirs.status);
    status.write_all(&child.id().to_ne_bytes())?;
    let watch = Watch { child, control: Some(theirs.control.into()), status, ended: false };
    thread::Builder::new().name("outrigger-group".to_owned()).spawn(move || watch.run())?;
    Ok((streams, None))
}

struct Watch {
    child: process::Child,
    /// None once there is nothing more to hear.
    control: Option<PipeReader>,
    status: PipeWriter,
    /// Ended and not reaped: so long its pid, and with it the group, is nobody else's.
    ended: bool,
}

impl Watch {
    fn run(mut self) {
        loop {
            self.obey();
            if !self.ended {
                self.look();
            }
            if self.ended && (self.control.is_none() || !self.is_group_alive()) {
                let _ = self.child.wait();
                self.report(FAREWELL);
                return;
            }
        }
    }

    /// Whether the child has ended, and what it left; it stays unreaped.
    fn look(&mut self) {
        let Some(pid) = self.group() else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Ok(Some(status)) = waitid(WaitId::Pid(pid), options) else { return };
        self.ended = true;
        // As `wait` has it: the signal, or the code in the next byte.
        let signal = status.terminating_signal();
        self.report(signal.or_else(|| status.exit_status().map(|code| code << 8)).unwrap_or_default());
        if self.is_group_alive() {
            self.report(LEFT);
        }
    }

    fn report(&mut self, number: i32) {
        let _ = self.status.write_all(&number.to_ne_bytes());
    }

    /// A group of which only ended members are left cannot be signalled on macOS and the BSDs. (On Linux, where this
    /// file is only tested, the unreaped leader counts as alive.)
    fn is_group_alive(&self) -> bool {
        self.group().is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn obey(&mut self) {
        let Some(control) = &mut self.control else { return thread::sleep(GLANCE) };
        let glance = Timespec { tv_sec: 0, tv_nsec: GLANCE.subsec_nanos().into() };
        match poll(&mut [PollFd::new(control, PollFlags::IN)], Some(&glance)) {
            Ok(1..) => {}
            _ => return,
        }
        let mut orders = [0; 16];
        let read = control.read(&mut orders).unwrap_or(0);
        let orders = &orders[..read];
        for order in orders {
            if let Some(signal) = Signal::from_named_raw(i32::from(*order)) {
                self.signal(signal);
            }
        }
        if orders.is_empty() || orders.contains(&CLOSE) {
            self.control = None;
            self.signal(Signal::KILL);
        }
    }

    /// The child is not yet reaped here, so its pid and group are its own.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group() {
            let _ = kill_process_group(group, signal);
        }
    }

    fn group(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifeline::{Report, lifeline};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the guard is tested below `Command`")]
    fn the_end_of_the_control_pipe_kills_the_group() {
        let (mut ours, theirs) = lifeline().unwrap();
        let mut command = process::Command::new("sh");
        command.args(["-c", "trap '' TERM; sleep 60 & echo ready; sleep 60"]).stdout(process::Stdio::piped());
        let (streams, guardian) = start(&mut command, theirs).unwrap();
        assert!(guardian.is_none());
        let mut ready = [0; 6];
        std::fs::File::from(streams.stdout.unwrap()).read_exact(&mut ready).unwrap();
        let Report::Number(pid) = ours.status.next() else { panic!("no pid") };
        assert!(pid > 1);
        ours.control.signal(Signal::TERM);
        drop(ours.control);
        assert_eq!(ours.status.next(), Report::Number(Signal::KILL.as_raw()));
        assert_eq!(last_words(&mut ours.status), Some(FAREWELL));
        until_gone(pid);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the guard is tested below `Command`")]
    fn what_an_ended_leader_leaves_is_killed_when_the_handle_is_dropped_though_another_holds_the_pipe() {
        let (mut ours, theirs) = lifeline().unwrap();
        let mut command = process::Command::new("sh");
        command.args(["-c", "sleep 60 & exit 3"]);
        let held = ours.control.another();
        start(&mut command, theirs).unwrap();
        let Report::Number(pid) = ours.status.next() else { panic!("no pid") };
        assert_eq!(ours.status.next(), Report::Number(3 << 8));
        assert_eq!(ours.status.next(), Report::Number(LEFT));
        assert!(test_kill_process_group(Pid::from_raw(pid).unwrap()).is_ok());
        drop(ours.control);
        assert_eq!(last_words(&mut ours.status), Some(FAREWELL));
        until_gone(pid);
        drop(held);
    }

    fn last_words(status: &mut crate::lifeline::Status) -> Option<i32> {
        std::iter::from_fn(|| match status.next() {
            Report::Number(number) => Some(number),
            Report::Broken => None,
        })
        .last()
    }

    /// Until the sleeper's new parent has reaped it.
    fn until_gone(pid: i32) {
        let group = Pid::from_raw(pid).unwrap();
        let start = std::time::Instant::now();
        while test_kill_process_group(group).is_ok() {
            assert!(start.elapsed() < Duration::from_secs(20), "the group is still there");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
