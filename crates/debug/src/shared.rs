//! What the adapter's events tell: the one place where they are understood. Unknown events are passed over.
//! It must never hold the session's handle: a session that nobody holds ends.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::adapters::Adapter;
use crate::breakpoints::Breakpoints;
use crate::connection::Handler;
use crate::output::{Output, Stream};
use crate::protocol::{self, Capabilities};
use crate::state::{Intent, Phase, Standing};

/// What the session, its keeper and the reading task have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) adapter: Arc<Adapter>,
    pub(crate) standing: Standing,
    pub(crate) output: Output,
    pub(crate) breakpoints: Arc<Breakpoints>,
    capabilities: Mutex<Capabilities>,
    /// The session is to end.
    pub(crate) stop: CancellationToken,
    /// Nobody holds the session any more.
    pub(crate) abandoned: CancellationToken,
    /// Nothing of it is left.
    pub(crate) gone: CancellationToken,
}

impl Shared {
    pub(crate) fn new(adapter: Arc<Adapter>, standing: Standing, breakpoints: Arc<Breakpoints>) -> Self {
        Self {
            adapter,
            standing,
            output: Output::default(),
            breakpoints,
            capabilities: Mutex::default(),
            stop: CancellationToken::new(),
            abandoned: CancellationToken::new(),
            gone: CancellationToken::new(),
        }
    }

    pub(crate) fn capabilities(&self) -> Capabilities {
        self.capabilities.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn can(&self, body: &Value) {
        self.capabilities.lock().unwrap_or_else(PoisonError::into_inner).add(body);
    }

    /// Waits until the program has ended, as the adapter says.
    pub(crate) async fn over(&self) {
        let mut state = self.standing.subscribe();
        // The sender is part of `self`.
        let _ = state.wait_for(|state| state.exited || state.terminated).await;
    }

    /// A stop at the entry that was asked for may come as one at a breakpoint of the adapter's own.
    fn stopped(&self, mut event: protocol::Stopped) {
        let ours = event.hit_breakpoint_ids.iter().any(|id| self.breakpoints.knows(*id));
        let enters = self.standing.now().intent == Intent::Enter;
        if enters && !ours && !event.hit_breakpoint_ids.is_empty() {
            "entry".clone_into(&mut event.reason);
            event.hit_breakpoint_ids.clear();
        }
        self.standing.stopped(event);
    }

    fn wrote(&self, event: &protocol::OutputEvent) {
        match event.category.as_deref() {
            Some("stdout") => self.output.program(Stream::Stdout, &event.output),
            Some("stderr") => self.output.program(Stream::Stderr, &event.output),
            Some("telemetry") => {}
            _ => {
                self.code_in_words(&event.output);
                // Log messages come as the adapter's own words.
                if self.standing.now().phase != Phase::Configuring && self.breakpoints.has_logs() {
                    self.output.program(Stream::Console, &event.output);
                }
                self.output.console(&event.output);
            }
        }
    }

    fn code_in_words(&self, text: &str) {
        let Some(words) = &self.adapter.exit_code_after else { return };
        let Some((_, after)) = text.split_once(words.as_str()) else { return };
        let end = after.find(|sign: char| !sign.is_ascii_digit() && sign != '-').unwrap_or(after.len());
        if let Ok(code) = after[..end].parse() {
            self.standing.exit_code(code);
        }
    }
}

impl Handler for Shared {
    fn event(&self, name: &str, body: Value) {
        match name {
            "initialized" => self.standing.initialized(),
            "stopped" => self.stopped(protocol::read(body).unwrap_or_default()),
            "continued" => self.standing.continued(&protocol::read(body).unwrap_or_default()),
            "exited" => self.standing.exited(body["exitCode"].as_i64()),
            "terminated" => self.standing.terminated(),
            "output" => self.wrote(&protocol::read(body).unwrap_or_default()),
            "breakpoint" => {
                let mut body = body;
                let changed = protocol::read(body["breakpoint"].take());
                self.breakpoints.changed(changed.unwrap_or_default());
            }
            "capabilities" => self.can(&body["capabilities"]),
            _ => {}
        }
    }

    fn noise(&self, text: &str) {
        self.output.console(text);
        self.output.console("\n");
    }
}
