//! Whether a server's diagnostics are those of what was written: by the sign its row of the table names, never by a
//! matching version, and never by silence alone. Each way stands in a file of its own; `heard.rs` keeps the signs.
//! It must never call anything settled that the server may still change: what is not known is told so.

mod file_status;
mod flycheck;
mod heard;
mod progress;
mod pull;
mod quiet;
#[cfg(test)]
mod rounds;
mod tsserver;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::client::Client;
use crate::documents::Synced;
use crate::limits;
use crate::live::Told;
use crate::readiness::Readiness;
use crate::servers::Settle;
use crate::uri;

pub(crate) use heard::Heard;

/// A moment to compare with: before a write.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    heard: Heard,
}

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) quick: Duration,
    /// In all, while a check runs that the write started.
    pub(crate) check: Duration,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// Files on disk, saved.
    Saved,
    /// Texts that only the server has: no compiler sees them.
    Unwritten,
}

/// What is known of a server's diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// They are those of the text.
    Settled,
    /// Some are; the rest may be missing or old.
    Partial { waiting_for: String },
    /// They may be those of an older text.
    Unknown { why: String },
}

/// One wait: what it is about, and how far it has come.
struct Scene<'a> {
    client: &'a Client,
    mark: &'a Mark,
    /// The open documents that were written.
    own: Vec<Synced>,
    /// The other open documents.
    others: Vec<Synced>,
    reached: Mutex<Reached>,
}

/// How far a wait has come, for when it is cut off.
struct Reached {
    some: bool,
    waiting_for: String,
}

impl Client {
    /// The moment before a write.
    pub(crate) fn mark(&self) -> Mark {
        Mark { heard: self.live().told().heard.clone() }
    }

    /// Waits until the diagnostics are those of `paths` as they were written after `mark`.
    ///
    /// *Cancel safety*: dropping the future cancels what was asked.
    pub(crate) async fn settle(
        &self,
        mark: &Mark,
        paths: &[PathBuf],
        patience: Patience,
        occasion: Occasion,
    ) -> Settlement {
        let began = Instant::now();
        if let Readiness::Loading { waiting_for } = self.loaded(patience.quick).await {
            let why = match self.end() {
                Some(_) => format!("{} has ended", self.server().id),
                None => format!("still loading: {waiting_for}"),
            };
            return Settlement::Unknown { why };
        }
        let paths: Vec<PathBuf> = paths.iter().map(|path| uri::canonical(path)).collect();
        let (own, others): (Vec<Synced>, Vec<Synced>) =
            self.all_documents().into_iter().partition(|document| paths.contains(&document.path));
        let reached = Mutex::new(Reached { some: false, waiting_for: "an answer".to_owned() });
        let scene = Scene { client: self, mark, own, others, reached };
        let settled = scene.settle(occasion);
        tokio::pin!(settled);
        loop {
            let end = began + scene.limit(patience);
            tokio::select! {
                settlement = &mut settled => return scene.checked(settlement),
                () = sleep_until(end) => {
                    if began + scene.limit(patience) <= Instant::now() {
                        return scene.cut_off(began.elapsed());
                    }
                }
                _ = self.ended() => {
                    return Settlement::Unknown { why: format!("{} has ended", self.server().id) };
                }
            }
        }
    }
}

impl Scene<'_> {
    async fn settle(&self, occasion: Occasion) -> Settlement {
        match &self.client.server().settle {
            Settle::Pull => pull::settle(self).await,
            Settle::Flycheck => flycheck::settle(self, occasion).await,
            Settle::FileStatus => file_status::settle(self).await,
            Settle::Tsserver => tsserver::settle(self).await,
            Settle::Progress { token } => progress::settle(self, token).await,
            Settle::Quiet { ms } => quiet::settle(self, *ms).await,
        }
    }

    /// What is waited for now. With `some`, part of the answer is there.
    fn waits_for(&self, what: impl Into<String>, some: bool) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        *reached = Reached { some, waiting_for: what.into() };
    }

    fn limit(&self, patience: Patience) -> Duration {
        let told = self.client.live().told();
        let checks = told.heard.checks();
        let ours = checks.begun > self.mark.heard.checks().begun;
        if ours { patience.check.max(patience.quick) } else { patience.quick }
    }

    fn cut_off(&self, after: Duration) -> Settlement {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.some {
            return Settlement::Partial { waiting_for: reached.waiting_for.clone() };
        }
        let why = format!("no answer in {:.0} s, waiting for {}", after.as_secs_f64(), reached.waiting_for);
        Settlement::Unknown { why }
    }

    /// A server that reports more than is kept is never known in full.
    fn checked(&self, settlement: Settlement) -> Settlement {
        if settlement == Settlement::Settled && self.client.live().told().diagnostics.has_lost() {
            return Settlement::Partial { waiting_for: "more diagnostics than are kept".to_owned() };
        }
        settlement
    }

    /// Waits until `look` is content with what was told; it may name the moment to look again.
    async fn until(&self, mut look: impl FnMut(&Told, Instant) -> Look) {
        let mut changes = self.client.live().changes();
        loop {
            changes.borrow_and_update();
            let looked = look(&self.client.live().told(), Instant::now());
            match looked {
                Look::Content => return,
                Look::Again(at) => {
                    tokio::select! {
                        _ = changes.changed() => {}
                        () = sleep_until(at) => {}
                    }
                }
                Look::Wait => drop(changes.changed().await),
            }
        }
    }

    /// Asks a cheap question about each document. A server that works in order has told by its answer what came
    /// before.
    async fn fence(&self, documents: impl IntoIterator<Item = &Synced>) {
        let asked = documents.into_iter().map(|document| {
            let params = json!({ "textDocument": { "uri": &*document.uri } });
            self.client.request("textDocument/documentSymbol", params)
        });
        // That it was answered counts, not what.
        drop(join_all(asked).await);
    }
}

/// What a look at what was told came to.
enum Look {
    Content,
    /// Nothing to do before this moment unless something is told.
    Again(Instant),
    Wait,
}

/// Content once `last` lies `calm` back.
fn calm(last: Option<Instant>, calm: Duration, now: Instant) -> Look {
    match last.map(|last| last + calm) {
        Some(end) if end > now => Look::Again(end),
        _ => Look::Content,
    }
}

/// Pauses before a server that calls its answer outdated is asked again.
async fn pause() {
    sleep_until(Instant::now() + limits::RETRY_PAUSE).await;
}

impl fmt::Display for Settlement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settled => f.write_str("settled"),
            Self::Partial { waiting_for } => write!(f, "partial (waiting for {waiting_for})"),
            Self::Unknown { why } => write!(f, "unknown ({why})"),
        }
    }
}
