//! The guard where there is no subreaper (not Linux): a thread of the host that keeps the same two pipes, and knows the
//! child's process group only. A descendant that leaves the group survives, and so does everything if the host is
//! killed by SIGKILL. It must never signal a group whose leader has been reaped.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::lifeline::{Streams, Theirs};

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
    let watch = Watch { child, control: Some(theirs.control.into()), status };
    thread::Builder::new().name("outrigger-group".to_owned()).spawn(move || watch.run())?;
    Ok((streams, None))
}

struct Watch {
    child: process::Child,
    /// None once it has ended.
    control: Option<PipeReader>,
    status: PipeWriter,
}

impl Watch {
    fn run(mut self) {
        loop {
            self.obey();
            match self.child.try_wait() {
                Ok(None) => {}
                Ok(Some(exit)) => {
                    let _ = self.status.write_all(&exit.into_raw().to_ne_bytes());
                    return;
                }
                Err(_) => return,
            }
        }
    }

    fn obey(&mut self) {
        let Some(control) = &mut self.control else { return thread::sleep(GLANCE) };
        let glance = Timespec { tv_sec: 0, tv_nsec: i64::from(GLANCE.subsec_nanos()) };
        match poll(&mut [PollFd::new(control, PollFlags::IN)], Some(&glance)) {
            Ok(1..) => {}
            _ => return,
        }
        let mut orders = [0; 16];
        let read = control.read(&mut orders).unwrap_or(0);
        if read == 0 {
            self.control = None;
            self.signal(Signal::KILL);
        }
        for order in &orders[..read] {
            if let Some(signal) = Signal::from_named_raw(i32::from(*order)) {
                self.signal(signal);
            }
        }
    }

    /// The child is not yet reaped here, so its pid and group are its own.
    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, signal);
        }
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
        assert_eq!(ours.status.next(), Report::TreeGone);
        let group = Pid::from_raw(pid).unwrap();
        while rustix::process::test_kill_process_group(group).is_ok() {
            // Until the sleeper's new parent has reaped it; the harness gives up if that never happens.
            thread::yield_now();
        }
    }
}
