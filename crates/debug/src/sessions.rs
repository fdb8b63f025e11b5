//! What a host decides about debugging, and the conversations that debug: one session each.
//! It must never keep a conversation alive: its tool does.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use peer::{Host, Spawn};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use workspace::Workspace;

use crate::breakpoints::Breakpoints;
use crate::handles::Handles;
use crate::limits;
use crate::session::{Common, Patience, Session};

/// The supervisor of the debug sessions of a host: how adapters are started, and how long they may live. Clones are the
/// same supervisor.
#[derive(Clone, Debug)]
pub struct DebugSessions {
    pub(crate) spawn: Arc<dyn Spawn>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) adapters: Option<String>,
    pub(crate) life: Duration,
    pub(crate) wait: Duration,
    conversations: Arc<Mutex<HashMap<String, Weak<Conversation>>>>,
}

impl Default for DebugSessions {
    /// On this machine, with an empty environment, the built-in adapters, a life of 30 minutes and waits of 30 seconds.
    fn default() -> Self {
        Self {
            spawn: Arc::new(Host),
            environment: Vec::new(),
            adapters: None,
            life: limits::LIFE,
            wait: limits::WAIT,
            conversations: Arc::default(),
        }
    }
}

impl DebugSessions {
    /// Where adapters are started, and programs with them.
    #[must_use]
    pub fn spawn(self, spawn: Arc<dyn Spawn>) -> Self {
        Self { spawn, ..self }
    }

    /// What adapters and programs get for an environment; its `PATH` is where adapters are looked for.
    #[must_use]
    pub fn environment<K: Into<OsString>, V: Into<OsString>>(
        self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let environment = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { environment, ..self }
    }

    /// The same, unless an environment has been said already.
    #[must_use]
    pub fn environment_if_unsaid(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        if self.environment.is_empty() { self.environment(variables) } else { self }
    }

    /// Lays a table over the built-in adapters: TOML, a row an adapter (`[delve]`), with the fields of the built-in
    /// table. A table that cannot be read is the error of every call that needs it.
    #[must_use]
    pub fn adapters(self, table: impl Into<String>) -> Self {
        Self { adapters: Some(table.into()), ..self }
    }

    /// The life of a session from its launch, whatever happens in it.
    #[must_use]
    pub fn life(self, life: Duration) -> Self {
        Self { life, ..self }
    }

    /// How long a call waits for the next stop.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The conversation of that id: the one that is there, if its tool is the same workspace's.
    pub(crate) fn conversation(&self, workspace: &Workspace, id: &str) -> Arc<Conversation> {
        let mut known = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, conversation| conversation.strong_count() > 0);
        let there = known.get(id).and_then(Weak::upgrade);
        if let Some(there) = there.filter(|there| there.common.workspace.root() == workspace.root()) {
            return there;
        }
        let conversation = Arc::new(Conversation::new(workspace.clone()));
        known.insert(id.to_owned(), Arc::downgrade(&conversation));
        conversation
    }
}

/// One conversation: its session, and what outlives sessions.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) common: Arc<Common>,
    session: Mutex<Option<Arc<Session>>>,
    /// The program whose adapter is being started, and what ends that.
    opening: Mutex<Option<(String, CancellationToken)>>,
    /// One call at a time, in order of arrival.
    turn: tokio::sync::Mutex<()>,
    /// Counts the calls that end the wait of another.
    arrivals: watch::Sender<u64>,
}

/// The turn of one call.
pub(crate) type Turn<'a> = tokio::sync::MutexGuard<'a, ()>;

impl Conversation {
    fn new(workspace: Workspace) -> Self {
        let common = Common {
            workspace,
            breakpoints: Arc::new(Breakpoints::default()),
            handles: Handles::default(),
            stops: Arc::new(AtomicU64::new(0)),
        };
        Self {
            common: Arc::new(common),
            session: Mutex::default(),
            opening: Mutex::default(),
            turn: tokio::sync::Mutex::new(()),
            arrivals: watch::Sender::new(0),
        }
    }

    /// Waits for its turn.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        self.turn.lock().await
    }

    /// Ends the wait of the call whose turn it is.
    pub(crate) fn arrive(&self) {
        self.arrivals.send_modify(|count| *count += 1);
    }

    /// To be asked for by the call whose turn it is.
    pub(crate) fn patience(&self, limit: Duration) -> Patience {
        Patience { limit, arrivals: self.arrivals.subscribe() }
    }

    /// The program whose adapter is being started, and what ends that.
    pub(crate) fn opening(&self) -> Option<(String, CancellationToken)> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An adapter is being started, until the guard is dropped.
    pub(crate) fn opens(&self, program: &str) -> Opening<'_> {
        let end = CancellationToken::new();
        *self.opening.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((program.to_owned(), end.clone()));
        Opening { conversation: self, end }
    }

    /// The last session, ended or not.
    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn keep(&self, session: Arc<Session>) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    /// Lets go of a session that has not come to life.
    pub(crate) fn drop_session(&self) {
        drop(self.session.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// An adapter that is being started, before there is a session.
pub(crate) struct Opening<'a> {
    conversation: &'a Conversation,
    /// Cancelled when the start is to end.
    pub(crate) end: CancellationToken,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        drop(self.conversation.opening.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
