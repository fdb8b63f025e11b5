//! One server for one root: down, being started, up; and what is remembered of its ends.
//! A start belongs to no caller: who asked first may go away, the server comes up all the same. It must never hold its
//! lock over a wait.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Inner;
use crate::client::{Client, Host};
use crate::detect::Candidate;
use crate::error::Error;
use crate::servers::Server;
use crate::{error, limits};

#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) server: Arc<Server>,
    pub(crate) root: PathBuf,
    /// Ends a start that is under way.
    cancelled: CancellationToken,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    now: Now,
    /// When it ended by itself or did not come up, the last ones.
    ends: VecDeque<Instant>,
    pause: Option<Duration>,
    /// Taken out of its supervisor: nothing is started here any more.
    closed: bool,
}

#[derive(Debug, Default)]
enum Now {
    /// Never started, or stopped by us.
    #[default]
    Down,
    Starting(watch::Receiver<()>),
    Up {
        client: Arc<Client>,
        since: Instant,
    },
    /// It ended, or did not come up.
    Ended {
        why: String,
        not_installed: bool,
        again: Instant,
    },
}

/// A state, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Down,
    Starting,
    Up,
    Ended { why: String, wait: Option<Duration> },
}

impl Slot {
    pub(super) fn new(server: Arc<Server>, root: PathBuf) -> Self {
        Self { server, root, cancelled: CancellationToken::new(), state: Mutex::default() }
    }

    /// The server, if it runs.
    pub(super) fn running(&self) -> Option<Arc<Client>> {
        let mut state = self.state();
        self.notice_end(&mut state);
        match &state.now {
            Now::Up { client, .. } => Some(Arc::clone(client)),
            _ => None,
        }
    }

    /// The end of a start that is under way.
    pub(super) fn being_started(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let Now::Starting(done) = &self.state().now else { return None };
        let mut done = done.clone();
        // The sender says nothing: it goes away.
        Some(async move { while done.changed().await.is_ok() {} })
    }

    /// Why there is no server after a start.
    pub(super) fn outcome(&self) -> Result<(), Error> {
        let state = self.state();
        if state.closed {
            return Err(Error::Closing { server: self.server.id.clone() });
        }
        self.may_start(&state)
    }

    /// Whether it may be started now.
    fn may_start(&self, state: &State) -> Result<(), Error> {
        let Now::Ended { why, not_installed, again } = &state.now else { return Ok(()) };
        let (server, why) = (self.server.id.clone(), why.clone());
        let wait = again.saturating_duration_since(Instant::now());
        if *not_installed && !wait.is_zero() {
            return Err(Error::NotInstalled { server, why, install: self.server.install.clone() });
        }
        if state.is_degraded() {
            let (times, within) = (limits::ENDS, limits::ENDS_WITHIN);
            return Err(Error::Degraded { server, times, within, why });
        }
        if !wait.is_zero() {
            return Err(Error::BackingOff { server, wait, why });
        }
        Ok(())
    }

    /// Begins to start the server, unless somebody else has.
    pub(super) fn start(self: &Arc<Self>, inner: &Arc<Inner>, candidate: &Candidate) -> Result<(), Error> {
        let Some(executable) = candidate.detection.executable.clone() else { return Ok(()) };
        let mut state = self.state();
        if state.closed {
            return Err(Error::Closing { server: self.server.id.clone() });
        }
        if !matches!(state.now, Now::Down | Now::Ended { .. }) {
            return Ok(());
        }
        self.may_start(&state)?;
        let (starting, done) = watch::channel(());
        state.now = Now::Starting(done);
        drop(state);
        let server = inner.interpreter(&self.root).map_or_else(
            || Arc::clone(&self.server),
            |interpreter| Arc::new(self.server.with_interpreter(&interpreter)),
        );
        let (slot, mut host) = (Arc::clone(self), inner.host.clone());
        host.cancelled = self.cancelled.clone();
        let closed = inner.closed.clone();
        tokio::spawn(async move {
            let come_up = slot.come_up(server, executable, host);
            tokio::pin!(come_up);
            tokio::select! {
                () = &mut come_up => {}
                () = closed.cancelled() => {
                    slot.cancelled.cancel();
                    come_up.await;
                }
            }
            drop(starting);
        });
        Ok(())
    }

    async fn come_up(&self, server: Arc<Server>, executable: PathBuf, host: Host) {
        let started = Client::start(server, self.root.clone(), executable, host).await;
        let mut state = self.state();
        match started {
            // The client is dropped, and so killed.
            Ok(_) if state.closed => state.now = Now::Down,
            Err(Error::Closing { .. }) => state.now = Now::Down,
            Ok(client) => state.now = Now::Up { client, since: Instant::now() },
            Err(error) => self.ended(&mut state, error.to_string(), Duration::ZERO, Instant::now()),
        }
    }

    /// Sees that the server has ended.
    fn notice_end(&self, state: &mut State) {
        let Now::Up { client, since } = &state.now else { return };
        let Some(ended) = client.end() else { return };
        let (lived, at) = (ended.at.saturating_duration_since(*since), ended.at);
        let why = error::ended(&ended.how, &ended.stderr);
        self.ended(state, why, lived, at);
    }

    /// It ended at `at`, which may be noticed later.
    fn ended(&self, state: &mut State, why: String, lived: Duration, at: Instant) {
        let not_installed = self.server.says_not_installed(&why);
        let pause = match state.pause {
            Some(last) if lived < limits::HEALTHY => (last * 2).min(limits::LONGEST_PAUSE),
            _ => limits::FIRST_PAUSE,
        };
        if !not_installed {
            state.ends.push_back(at);
            if state.ends.len() > limits::ENDS {
                state.ends.pop_front();
            }
        }
        state.pause = Some(pause);
        let pause = if not_installed { limits::LONGEST_PAUSE } else { pause };
        state.now = Now::Ended { why, not_installed, again: at + pause };
    }

    /// Takes the server away if nobody else holds it and `stays` says no. Whoever asks next starts another.
    pub(super) fn take_unless(&self, stays: impl FnOnce(&Client) -> bool) -> Option<Arc<Client>> {
        let mut state = self.state();
        let Now::Up { client, .. } = &state.now else { return None };
        if Arc::strong_count(client) > 1 || client.pending() > 0 || stays(client) {
            return None;
        }
        match std::mem::take(&mut state.now) {
            Now::Up { client, .. } => Some(client),
            _ => None,
        }
    }

    /// When the server was last asked or told something, if it runs.
    pub(super) fn last_exchange(&self) -> Option<Instant> {
        match &self.state().now {
            Now::Up { client, .. } => Some(client.last_exchange()),
            _ => None,
        }
    }

    /// Whether a process is there or about to be.
    pub(super) fn is_occupied(&self) -> bool {
        self.running().is_some() || matches!(self.state().now, Now::Starting(_))
    }

    /// Starts nothing from here on; the server is returned, to be stopped.
    pub(super) fn close(&self) -> Option<Arc<Client>> {
        let mut state = self.state();
        state.closed = true;
        self.cancelled.cancel();
        if !matches!(state.now, Now::Up { .. }) {
            return None;
        }
        match std::mem::take(&mut state.now) {
            Now::Up { client, .. } => Some(client),
            _ => None,
        }
    }

    /// Its state, for `status`.
    pub(super) fn told(&self) -> Told {
        let mut state = self.state();
        self.notice_end(&mut state);
        let degraded = state.is_degraded();
        match &state.now {
            Now::Down => Told::Down,
            Now::Starting(_) => Told::Starting,
            Now::Up { .. } => Told::Up,
            Now::Ended { why, again, .. } => {
                let wait = again.saturating_duration_since(Instant::now());
                Told::Ended { why: why.clone(), wait: (!degraded).then_some(wait) }
            }
        }
    }

    /// Lets a server that ended be started again at once.
    #[cfg(test)]
    pub(super) fn end_pause(&self) {
        if let Now::Ended { again, .. } = &mut self.state().now {
            *again = Instant::now();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// It has ended too often in too short a time.
    fn is_degraded(&self) -> bool {
        let first = self.ends.front().filter(|_| self.ends.len() >= limits::ENDS);
        first.is_some_and(|first| first.elapsed() <= limits::ENDS_WITHIN)
    }
}
