//! The life of one call: whether it still runs, and whether it has begun to change files. Private to this crate:
//! contexts, permits and the innermost wrapper share it, and nobody else can end or prolong a call.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::WriteWatcher;

/// Shared by everything that belongs to one call.
#[derive(Default)]
pub(crate) struct Life {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ended: bool,
    /// Set by the first commit and never cleared: from then on cancellation waits for the tool's own answer.
    committing: bool,
    watchers: Vec<Arc<dyn WriteWatcher>>,
}

impl Life {
    pub(crate) fn ended(&self) -> bool {
        self.lock().ended
    }

    /// Ends the call unless a commit has begun; says whether it ended.
    pub(crate) fn interrupt(&self) -> bool {
        let mut state = self.lock();
        if !state.committing {
            state.ended = true;
        }
        state.ended
    }

    /// Ends the call: its answer has been given, or nobody waits for it any more.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
    }

    /// Marks the first change of a file; `false` when the call has ended, and then nothing may change.
    pub(crate) fn begin_commit(&self) -> bool {
        let mut state = self.lock();
        state.committing |= !state.ended;
        !state.ended
    }

    pub(crate) fn watch(&self, watcher: Arc<dyn WriteWatcher>) {
        self.lock().watchers.push(watcher);
    }

    pub(crate) fn watchers(&self) -> Vec<Arc<dyn WriteWatcher>> {
        self.lock().watchers.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
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
