//! The host at the other end, as one that can be asked: requests of ours, matched to answers by id, and what the
//! host said it serves. It never waits for a host that did not declare the request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

use super::message::{self, Fault};
use super::outbox::Outbox;

/// What a host declares in `initialize`, and what is answered of it: a name that is not here is not served.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Capabilities {
    /// Answers `approval/ask`.
    #[serde(default)]
    pub(crate) approval: bool,
}

/// The host. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Host(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    outbox: Outbox,
    capabilities: Mutex<Capabilities>,
    pending: Mutex<HashMap<String, oneshot::Sender<Result<Value, Fault>>>>,
    next: AtomicU64,
}

/// Forgets a question whose asker has gone.
struct Forget<'a>(&'a Shared, &'a str);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(&self.0.pending).remove(self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self(Arc::new(Shared {
            outbox,
            capabilities: Mutex::default(),
            pending: Mutex::default(),
            next: AtomicU64::new(1),
        }))
    }

    pub(crate) fn declare(&self, capabilities: Capabilities) {
        *lock(&self.0.capabilities) = capabilities;
    }

    pub(crate) fn capabilities(&self) -> Capabilities {
        *lock(&self.0.capabilities)
    }

    /// Asks the host; `None` when it has gone.
    pub(crate) async fn ask(&self, method: &str, params: &Value) -> Option<Result<Value, Fault>> {
        let id = format!("outrigger-{}", self.0.next.fetch_add(1, Ordering::Relaxed));
        let (answer, answered) = oneshot::channel();
        lock(&self.0.pending).insert(id.clone(), answer);
        let _forget = Forget(&self.0, &id);
        self.0.outbox.send(message::request(&id, method, params)).await;
        tokio::select! {
            answer = answered => answer.ok(),
            () = self.0.outbox.closed() => None,
        }
    }

    /// Hands an answer to whoever asked; says whether somebody still waits for it.
    pub(crate) fn answered(&self, id: &Value, answer: Result<Value, Fault>) -> bool {
        let asked = id.as_str().and_then(|id| lock(&self.0.pending).remove(id));
        asked.is_some_and(|asker| asker.send(answer).is_ok())
    }

    /// Ends every question: the host will answer no more.
    pub(crate) fn gone(&self) {
        lock(&self.0.pending).clear();
    }
}
