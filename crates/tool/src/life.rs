//! The life of one call: whether it still runs, and whether it or a call it made has begun to change files. Private
//! to this crate: contexts, permits and the innermost wrapper share it, and nobody else can end or prolong a call.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::WriteWatcher;

/// Shared by everything that belongs to one call. Locks are taken from a call upward, never downward.
#[derive(Default)]
pub(crate) struct Life {
    /// The life of the call that made this one.
    parent: Option<Arc<Life>>,
    state: Mutex<State>,
    /// Told when the last of the calls below that had begun a commit has ended.
    settled: Notify,
}

#[derive(Default)]
struct State {
    ended: bool,
    /// Set by the first commit and never cleared: from then on cancellation waits for the tool's own answer.
    committing: bool,
    /// How many calls made by this one have begun a commit and not ended.
    committing_below: usize,
    /// Whether any call made by this one has ever begun a commit.
    changed_below: bool,
    /// Whether this call is counted in its parent's `committing_below`.
    counted: bool,
    watchers: Vec<Arc<dyn WriteWatcher>>,
}

/// What became of the attempt to end a call early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupted {
    /// It has ended and no file was changed through it.
    Unchanged,
    /// It has ended; calls that it made had changed files, and those calls had all ended.
    ChangedBelow,
    /// Its own commit has begun: only its own answer is true.
    Committing,
    /// A call that it made is committing: try again when that has [settled](Life::settled).
    CommittingBelow,
}

impl Life {
    /// The life of a call made by the owner of `parent`.
    pub(crate) fn below(parent: Option<Arc<Self>>) -> Self {
        Self { parent, ..Self::default() }
    }

    pub(crate) fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Ends the call unless a commit has begun.
    pub(crate) fn interrupt(&self) -> Interrupted {
        let mut state = self.lock();
        match *state {
            State { committing: true, .. } => return Interrupted::Committing,
            State { committing_below: 1.., .. } => return Interrupted::CommittingBelow,
            _ => state.ended = true,
        }
        if state.changed_below { Interrupted::ChangedBelow } else { Interrupted::Unchanged }
    }

    /// Waits until no call below is committing. It may wake early.
    pub(crate) async fn settled(&self) {
        let settled = self.settled.notified();
        if self.lock().committing_below > 0 {
            settled.await;
        }
    }

    /// Ends the call: its answer has been given, or nobody waits for it any more.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        self.leave_parent(&mut state);
    }

    /// Marks the first change of a file, here and in every call above; `false` when one of them has ended, and then
    /// nothing may change.
    pub(crate) fn begin_commit(&self) -> bool {
        let mut state = self.lock();
        if state.ended || !self.enter_parent(&mut state) {
            return false;
        }
        state.committing = true;
        true
    }

    fn enter_parent(&self, state: &mut State) -> bool {
        let Some(parent) = &self.parent else { return true };
        let mut above = parent.lock();
        if above.ended || !parent.enter_parent(&mut above) {
            return false;
        }
        if !std::mem::replace(&mut state.counted, true) {
            above.committing_below += 1;
            above.changed_below = true;
        }
        true
    }

    fn leave_parent(&self, state: &mut State) {
        let busy = state.committing_below > 0 || (state.committing && !state.ended);
        if busy || !std::mem::take(&mut state.counted) {
            return;
        }
        let Some(parent) = &self.parent else { return };
        let mut above = parent.lock();
        above.committing_below -= 1;
        if above.committing_below == 0 {
            parent.settled.notify_waiters();
            parent.leave_parent(&mut above);
        }
    }

    pub(crate) fn watch(&self, watcher: Arc<dyn WriteWatcher>) {
        self.lock().watchers.push(watcher);
    }

    /// Everybody to tell before this call changes a file: the watchers of the calls above first.
    pub(crate) fn watchers(&self) -> Vec<Arc<dyn WriteWatcher>> {
        let mut all = self.parent.as_ref().map(|parent| parent.watchers()).unwrap_or_default();
        all.extend_from_slice(&self.lock().watchers);
        all
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        write!(f, "Life {{ ended: {}, committing: {} }}", state.ended, state.committing)
    }
}

/// Ends a life when dropped: held by the surface for as long as it awaits the answer.
pub(crate) struct LifeGuard(pub(crate) Arc<Life>);

impl Drop for LifeGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}
