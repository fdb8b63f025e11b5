//! What must not run side by side, and the refusal of waits that could never end. One table a registry; a gate is
//! held per key, never globally. It never holds a lock while a call runs, only a turn.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::call::Lineage;
use crate::tenure::Tenure;
use crate::{Call, Error, Output, Spec, Tool};

/// What a tool must not run beside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gate {
    /// Anything.
    Parallel,
    /// Another call that holds the same key, such as `edits`.
    Exclusive(String),
    /// Another call of the same conversation that holds the same key, such as `debug`.
    PerConversation(String),
}

impl Gate {
    fn key(&self, call: &Call) -> Option<Key> {
        match self {
            Self::Parallel => None,
            Self::Exclusive(key) => Some(Key::Exclusive(key.clone())),
            Self::PerConversation(key) => Some(Key::PerConversation(key.clone(), call.conversation.clone())),
        }
    }
}

/// What is held: an [exclusive](Gate::Exclusive) key is never one of a conversation's, however they are spelt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Exclusive(String),
    PerConversation(String, Option<Arc<str>>),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Exclusive(key) | Self::PerConversation(key, _)) = self;
        f.write_str(key)
    }
}

/// Who holds each key and who waits for it, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    keys: Mutex<HashMap<Key, Queue>>,
}

#[derive(Debug)]
struct Queue {
    holder: Lineage,
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    who: Lineage,
    wake: oneshot::Sender<Turn>,
}

/// A held key; dropping it wakes the next waiter.
#[derive(Debug)]
struct Turn {
    gates: Arc<Gates>,
    key: Key,
    passed_on: bool,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.passed_on {
            pass_on(&self.gates, &self.key);
        }
    }
}

/// Gives `key` to the next waiter that is still there; forgets the key when nobody waits.
fn pass_on(gates: &Arc<Gates>, key: &Key) {
    loop {
        let waiter = {
            let mut keys = gates.lock();
            let Some(queue) = keys.get_mut(key) else { return };
            let Some(waiter) = queue.waiting.pop_front() else {
                keys.remove(key);
                return;
            };
            queue.holder = waiter.who.clone();
            waiter
        };
        let turn = Turn { gates: Arc::clone(gates), key: key.clone(), passed_on: false };
        match waiter.wake.send(turn) {
            Ok(()) => return,
            Err(mut unwanted) => unwanted.passed_on = true,
        }
    }
}

/// Leaves the queue when the waiting call is dropped.
struct Waiting<'a> {
    gates: &'a Gates,
    key: &'a Key,
    serial: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(queue) = self.gates.lock().get_mut(self.key) {
            queue.waiting.retain(|waiter| waiter.who.serial() != self.serial);
        }
    }
}

impl Gates {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Queue>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `key`, in order of arrival.
    async fn turn(self: &Arc<Self>, key: Key, who: Lineage) -> Result<Turn, Error> {
        let woken = {
            let mut keys = self.lock();
            if !keys.contains_key(&key) {
                keys.insert(key.clone(), Queue { holder: who, waiting: VecDeque::new() });
                return Ok(Turn { gates: Arc::clone(self), key, passed_on: false });
            }
            if let Some(ring) = ring(&keys, &key, &who) {
                return Err(refusal(&who, &key, &ring));
            }
            let (wake, woken) = oneshot::channel();
            if let Some(queue) = keys.get_mut(&key) {
                queue.waiting.push_back(Waiter { who: who.clone(), wake });
            }
            woken
        };
        let _waiting = Waiting { gates: self, key: &key, serial: who.serial() };
        woken.await.map_err(|_| Error::bug(format!("the gate `{key}` was lost")))
    }
}

/// The tools on the ring that would close if `who` waited for `key`: a holder waits for each of its descendants, and
/// a waiting descendant waits for the holder of its own key.
fn ring(keys: &HashMap<Key, Queue>, key: &Key, who: &Lineage) -> Option<Vec<String>> {
    let mut seen = vec![key];
    let mut open: Vec<(&Key, Vec<String>)> = vec![(key, Vec::new())];
    while let Some((key, path)) = open.pop() {
        let Some(queue) = keys.get(key) else { continue };
        let mut path = path;
        path.push(queue.holder.tool().to_owned());
        if who.descends_from(&queue.holder) {
            return Some(path);
        }
        for (next, other) in keys {
            let blocked = other.waiting.iter().any(|waiter| waiter.who.descends_from(&queue.holder));
            if blocked && !seen.contains(&next) {
                seen.push(next);
                open.push((next, path.clone()));
            }
        }
    }
    None
}

fn refusal(who: &Lineage, key: &Key, ring: &[String]) -> Error {
    let path =
        std::iter::once(who.tool()).chain(ring.iter().map(String::as_str)).collect::<Vec<_>>().join(" → ");
    Error::refused(format!("`{}` would wait for itself at `{key}`: {path}", who.tool()))
        .with_hint("let the outer call end first, then make this call on its own")
}

/// `inner` behind the gate that its spec names; as it is where that is none.
pub(crate) fn gated(inner: Arc<dyn Tool>, gates: &Arc<Gates>, tenure: Tenure) -> Arc<dyn Tool> {
    match inner.spec().gate {
        Gate::Parallel => inner,
        _ => Arc::new(Gated { inner, gates: Arc::clone(gates), tenure }),
    }
}

struct Gated {
    inner: Arc<dyn Tool>,
    gates: Arc<Gates>,
    tenure: Tenure,
}

impl Tool for Gated {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            let Some(key) = self.inner.spec().gate.key(&call) else { return self.inner.call(call).await };
            let _turn = tokio::select! {
                biased;
                error = self.tenure.stop(&call.tool, &call.cancellation) => return Err(error),
                turn = self.gates.turn(key, call.origin.lineage.clone()) => turn?,
            };
            self.inner.call(call).await
        }
        .boxed()
    }
}
