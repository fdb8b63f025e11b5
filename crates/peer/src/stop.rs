//! The stop ladder: close stdin, wait, SIGTERM to the group, wait, SIGKILL to the whole tree, wait until it is reaped.
//! It must never report an end it has not seen.

use std::time::Duration;

use rustix::process::Signal;
use tokio::time::timeout;

use crate::child::Child;

/// How long each rung of the ladder waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// After stdin is closed, before SIGTERM. Cut short when the child ends but leaves descendants.
    pub after_end_of_input: Duration,
    /// After SIGTERM, before SIGKILL.
    pub after_terminate: Duration,
    /// After SIGKILL, before [`Stopped::Stuck`].
    pub after_kill: Duration,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            after_end_of_input: Duration::from_secs(1),
            after_terminate: Duration::from_secs(2),
            after_kill: Duration::from_secs(5),
        }
    }
}

/// What it took to end a child and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Stopped {
    /// The whole tree ended without a signal.
    Itself,
    /// SIGTERM was enough.
    Terminated,
    /// SIGKILL was needed.
    Killed,
    /// Something is still there after SIGKILL: it waits in the kernel, or belongs to another user. Its guardian goes on
    /// killing it.
    Stuck,
    /// The guardian was killed before the tree had ended. What could still be found was killed; a process with a
    /// session and an environment of its own making cannot be found, and may still run.
    Unguarded,
}

impl Child {
    /// Ends the child and its descendants, as gently as they let us, and waits until none is left.
    ///
    /// If stdin has been taken, its holder drops it first; the ladder then starts with the wait.
    ///
    /// *Cancel safety*: dropping the future leaves the ladder where it is; a later call climbs it again from the start.
    pub async fn stop(&mut self, ladder: &Ladder) -> Stopped {
        let stopped = self.climb_down(ladder).await;
        if stopped != Stopped::Stuck && self.is_orphaned() { Stopped::Unguarded } else { stopped }
    }

    async fn climb_down(&mut self, ladder: &Ladder) -> Stopped {
        drop(self.stdin.take());
        let _ = timeout(ladder.after_end_of_input, self.wait()).await;
        // The guard says at once what the child's end left behind; only one that is itself stopped keeps us waiting.
        if self.exit().is_some() && timeout(ladder.after_kill, self.ended_alone()).await == Ok(true) {
            return Stopped::Itself;
        }
        if let Some(control) = &self.control {
            control.signal(Signal::TERM);
        }
        if timeout(ladder.after_terminate, self.gone()).await.is_ok() {
            return Stopped::Terminated;
        }
        drop(self.control.take());
        match timeout(ladder.after_kill, self.gone()).await {
            Ok(()) => Stopped::Killed,
            Err(_) => Stopped::Stuck,
        }
    }
}
