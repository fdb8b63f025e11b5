//! One session: what is asked of the program, and how its next stop is waited for.
//!
//! Waiting is armed before anything is asked. It must never answer with a stop that the program has left meanwhile.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use workspace::Workspace;

use crate::adapters::Adapter;
use crate::breakpoints::Breakpoints;
use crate::connection::Connection;
use crate::error::{Error, Refusal};
use crate::handles::Handles;
use crate::keeper::{self, Ownership};
use crate::limits;
use crate::report::Report;
use crate::shared::Shared;
use crate::start::Plan;
use crate::state::{Ended, Intent, Phase, Reason, State, Stop};

/// What outlives the sessions of a conversation.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) workspace: Workspace,
    pub(crate) breakpoints: Arc<Breakpoints>,
    pub(crate) handles: Handles,
    pub(crate) stops: Arc<AtomicU64>,
}

/// A handle; when the last is dropped the session ends, with every process of it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) program: String,
    pub(crate) notes: Vec<String>,
    enters: bool,
    shared: Arc<Shared>,
    connection: Connection,
    pub(crate) common: Arc<Common>,
    /// What is known of the stop the program is at.
    report: Mutex<Option<Arc<Report>>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.abandoned.cancel();
    }
}

/// What a wait for the next stop has come to.
#[derive(Debug)]
pub(crate) enum Outcome {
    Stopped(Arc<Report>),
    Ended(Arc<Ended>),
    /// The limit has passed, or another call wants to be heard.
    Running,
}

/// How long to wait, and what ends the wait early.
#[derive(Debug)]
pub(crate) struct Patience {
    pub(crate) limit: Duration,
    /// Changes when another call arrives that must not wait.
    pub(crate) arrivals: watch::Receiver<u64>,
}

impl Session {
    pub(crate) fn new(plan: &Plan, shared: Arc<Shared>, connection: Connection, common: Arc<Common>) -> Self {
        Self {
            program: plan.program.clone(),
            notes: plan.notes.clone(),
            enters: plan.enters || plan.ownership == Ownership::Attached,
            shared,
            connection,
            common,
            report: Mutex::default(),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn adapter(&self) -> &Adapter {
        &self.shared.adapter
    }

    pub(crate) fn state(&self) -> State {
        self.shared.standing.now()
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state().phase, Phase::Ended(_))
    }

    /// How it ended, in words.
    pub(crate) fn end(&self) -> Option<String> {
        keeper::told(&self.state().phase, &self.program)
    }

    /// The stop the program is at, or why it is at none.
    pub(crate) fn stop(&self) -> Result<Arc<Stop>, Error> {
        match self.state().phase {
            Phase::Stopped(stop) => Ok(stop),
            Phase::Configuring | Phase::Running => Err(Error::Running),
            Phase::Ended(_) => Err(Error::NoSession { because: self.because() }),
        }
    }

    pub(crate) fn because(&self) -> String {
        self.end().map(|end| format!(": {end}")).unwrap_or_default()
    }

    /// Ends it and waits until nothing of it is left.
    pub(crate) async fn terminate(&self) {
        self.shared.stop.cancel();
        self.shared.gone.cancelled().await;
    }

    /// Waits until nothing is left of a session that has ended.
    pub(crate) async fn gone(&self) {
        self.shared.gone.cancelled().await;
    }

    pub(crate) async fn ask(
        &self,
        command: &str,
        arguments: serde_json::Value,
    ) -> Result<serde_json::Value, Error> {
        let answer = self.connection.request(command, arguments, limits::REQUEST).await;
        answer.map_err(|why| self.refused(command, why))
    }

    pub(crate) fn refused(&self, command: &str, why: Refusal) -> Error {
        Error::Adapter { what: format!("`{}` refused `{command}`", self.adapter().id), why, hint: None }
    }

    /// Lets the program go on as `command` says, and waits for what comes of it.
    pub(crate) async fn resume(
        &self,
        command: &str,
        intent: Intent,
        thread: Option<i64>,
        patience: Patience,
    ) -> Result<Outcome, Error> {
        let stop = self.stop()?;
        let thread = match thread.or(stop.thread) {
            Some(thread) => thread,
            None => self.report(&stop).await.thread.unwrap_or_default(),
        };
        let state = self.shared.standing.subscribe();
        self.shared.standing.resumes(intent);
        let answer = self.connection.request(command, json!({"threadId": thread}), limits::REQUEST);
        let outcome = self.outcome(state, patience);
        tokio::pin!(answer, outcome);
        tokio::select! {
            biased;
            answer = &mut answer => match answer {
                Ok(_) | Err(Refusal::Closed) => Ok(outcome.await),
                Err(why) => {
                    self.shared.standing.stays(&stop);
                    Err(self.refused(command, why))
                }
            },
            outcome = &mut outcome => Ok(outcome),
        }
    }

    /// Waits for the next stop or the end, from where the program is now.
    pub(crate) async fn wait(&self, patience: Patience) -> Outcome {
        self.outcome(self.shared.standing.subscribe(), patience).await
    }

    /// Stops the program where it is. One that has stopped already is left there.
    pub(crate) async fn pause(&self, thread: Option<i64>, patience: Patience) -> Result<Outcome, Error> {
        let state = self.shared.standing.subscribe();
        if matches!(self.state().phase, Phase::Stopped(_)) {
            return Ok(self.outcome(state, patience).await);
        }
        let thread = match thread.or(self.state().thread) {
            Some(thread) => thread,
            None => self
                .threads()
                .await
                .ok()
                .and_then(|threads| threads.first().map(|thread| thread.id))
                .unwrap_or(1),
        };
        self.shared.standing.intends(Intent::Pause);
        match self.connection.request("pause", json!({"threadId": thread}), limits::REQUEST).await {
            Ok(_) | Err(Refusal::Closed) => Ok(self.outcome(state, patience).await),
            // It has stopped by itself while it was asked to.
            Err(_) if !matches!(self.state().phase, Phase::Running) => {
                Ok(self.outcome(state, patience).await)
            }
            Err(why) => {
                self.shared.standing.intends(Intent::Run);
                Err(self.refused("pause", why))
            }
        }
    }

    async fn outcome(&self, mut state: watch::Receiver<State>, patience: Patience) -> Outcome {
        let deadline = Instant::now() + patience.limit;
        let mut arrivals = patience.arrivals;
        loop {
            let there = |state: &State| matches!(state.phase, Phase::Stopped(_) | Phase::Ended(_));
            let phase = tokio::select! {
                biased;
                state = state.wait_for(there) => state.map(|state| state.phase.clone()),
                _ = arrivals.changed() => return Outcome::Running,
                () = sleep_until(deadline) => return Outcome::Running,
            };
            let stop = match phase {
                Ok(Phase::Stopped(stop)) => stop,
                Ok(Phase::Ended(ended)) => return Outcome::Ended(ended),
                _ => return Outcome::Running,
            };
            let unasked = match stop.reason {
                Reason::Entry => !self.enters,
                Reason::Exit => true,
                _ => false,
            };
            if unasked && self.passes(&stop, &mut state).await {
                continue;
            }
            let report = self.report(&stop).await;
            if self.shared.standing.stop().is_some_and(|now| now.number == stop.number) {
                return Outcome::Stopped(report);
            }
        }
    }

    /// Whether the program leaves a stop that nobody asked for: some adapters let it go by themselves.
    async fn passes(&self, stop: &Arc<Stop>, state: &mut watch::Receiver<State>) -> bool {
        let left = |state: &State| !matches!(&state.phase, Phase::Stopped(now) if now.number == stop.number);
        let settle = Duration::from_millis(self.adapter().settle_ms);
        if timeout(settle, state.wait_for(left)).await.is_ok() {
            return true;
        }
        self.shared.standing.resumes(Intent::Run);
        let thread = stop.thread.unwrap_or(1);
        let asked = self.connection.request("continue", json!({"threadId": thread}), limits::REQUEST);
        let refused = matches!(asked.await, Err(Refusal::Answered(_)));
        // A program that is about to end may do so while it is asked to go on.
        let stays = refused && stop.reason != Reason::Exit;
        if stays {
            self.shared.standing.stays(stop);
        }
        !stays
    }

    /// What is known of a stop; asked once.
    pub(crate) async fn report(&self, stop: &Arc<Stop>) -> Arc<Report> {
        let known = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.stop.number == stop.number) {
            return known;
        }
        let report = Arc::new(self.look(stop).await);
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&report));
        report
    }
}
