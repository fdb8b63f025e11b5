//! What a server has told since it was started: progress, status, registrations, words to its user.
//! Written by the reading task alone, message by message; whoever waits for a change waits here. It must never hold
//! its lock over a wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::diagnostics::Store;
use crate::limits;
use crate::progress::Progress;
use crate::readiness::Status;
use crate::registrations::Registrations;
use crate::servers::Server;
use crate::settle::Heard;

/// Shared by the handler, which writes it, and the client, which reads it.
#[derive(Debug)]
pub(crate) struct Live {
    told: Mutex<Told>,
    changed: watch::Sender<()>,
    closing: AtomicBool,
}

#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) progress: Progress,
    pub(crate) status: Option<Status>,
    /// Whether the last word of its log about loading was that it has loaded.
    pub(crate) loaded_by_log: bool,
    pub(crate) registrations: Registrations,
    pub(crate) diagnostics: Store,
    /// By which it is told what its diagnostics are about.
    pub(crate) heard: Heard,
    /// The last errors and warnings meant for the user.
    pub(crate) messages: VecDeque<String>,
    /// When the server got its first document: some begin to load only then.
    pub(crate) first_document: Option<Instant>,
}

impl Live {
    pub(crate) fn new(server: &Server) -> Self {
        let (changed, _) = watch::channel(());
        let told = Told { diagnostics: Store::new(server), ..Told::default() };
        Self { told: Mutex::new(told), changed, closing: AtomicBool::new(false) }
    }

    /// What was told. Let go before anything is waited for.
    pub(crate) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what was told, and wakes whoever waits.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Told)) {
        change(&mut self.told());
        self.changed.send_replace(());
    }

    /// Is marked whenever something was told.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// From here on every request of the server is answered with nothing.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.changed.send_replace(());
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

impl Told {
    /// Reads `experimental/serverStatus`.
    pub(crate) fn hear_status(&mut self, params: &Value) {
        let was_loading = self.status.as_ref().is_none_or(|status| !status.quiescent);
        if was_loading && params["quiescent"] == true {
            self.heard.check_due();
        }
        self.status = Some(Status {
            health: params["health"].as_str().unwrap_or("ok").to_owned(),
            quiescent: params["quiescent"].as_bool().unwrap_or(true),
            message: params["message"].as_str().map(cut),
        });
    }

    /// Reads `window/showMessage`: what is an error or a warning is kept.
    pub(crate) fn hear_message(&mut self, params: &Value) {
        const WARNING: i64 = 2;
        let (Some(kind), Some(text)) = (params["type"].as_i64(), params["message"].as_str()) else { return };
        if kind > WARNING {
            return;
        }
        if self.messages.len() == limits::MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(cut(text));
    }
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(limits::MESSAGE)].to_owned()
}
