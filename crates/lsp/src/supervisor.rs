//! Keeps the servers of a run: one for each id and root, started once for all who ask at once, started again after an
//! end with growing pauses, stopped when left alone. `slot.rs` is one server's states, `room.rs` makes room and stops
//! the idle, `status.rs` tells what there is.
//!
//! It must never stop a server that somebody holds, and never start one whose detection lacks a half.

mod room;
mod slot;
mod status;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use peer::Stopped;
use tokio_util::sync::{CancellationToken, DropGuard};
use workspace::Workspace;
use workspace::detect::SearchPath;

use crate::client::{Client, Host};
use crate::detect::{Candidate, Search};
use crate::error::Error;
use crate::language_servers::LanguageServers;
use crate::limits;
use crate::outside::Tracked;
use crate::roots;
use crate::servers::{Overrides, Role, Server, Table, Trust};
use slot::Slot;
#[cfg(test)]
pub(crate) use status::Running;
pub(crate) use status::Status;

/// Where a workspace lays its own rows over the table.
const WORKSPACE_FILE: &str = ".outrigger/servers.toml";

/// The language servers of one run. Cheap to clone; when the last handle is dropped, every server is killed.
#[derive(Clone, Debug)]
pub struct Supervisor {
    inner: Arc<Inner>,
}

/// What servers are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Questions about a symbol: primary servers only.
    Navigation,
    /// Diagnostics and code actions: linters too.
    Diagnostics,
    /// Outlines and searches by name.
    Symbols,
}

/// How a server was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stopping {
    /// The id of its row.
    pub server: String,
    /// The folder it was started for.
    pub root: PathBuf,
    /// What it took.
    pub stopped: Stopped,
}

/// A server of the table, for one folder.
type Key = (String, PathBuf);

#[derive(Debug)]
struct Inner {
    search: Search,
    servers: Vec<Arc<Server>>,
    /// What overrides said that could not be used.
    notes: Vec<String>,
    host: Host,
    virtual_environment: Option<PathBuf>,
    most: usize,
    idle: Duration,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    closed: CancellationToken,
    /// Ends what is being started, and the search for idle servers, with the last handle.
    _end: DropGuard,
    tidying: std::sync::Once,
}

impl Supervisor {
    /// Starts nothing. Reads the workspace's own rows, if it has any.
    pub fn new(workspace: Workspace, servers: LanguageServers) -> Self {
        let environment = servers.environment.unwrap_or_default();
        let mut table = Table::built_in();
        let mut notes = Vec::new();
        for overrides in &servers.overrides {
            notes.extend(table.lay_over(overrides, Trust::Full));
        }
        let trust = if servers.trusts_workspace { Trust::Full } else { Trust::Harmless };
        notes.extend(lay_over_workspace(&mut table, &workspace, trust));
        let variable =
            |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let closed = CancellationToken::new();
        let inner = Inner {
            servers: table.servers(servers.project_code),
            notes,
            virtual_environment: variable("VIRTUAL_ENV").map(PathBuf::from),
            search: Search {
                workspace: workspace.clone(),
                path: SearchPath::from_variables(environment.iter().map(|(name, value)| (name, value))),
                project_code: servers.project_code,
            },
            host: Host {
                spawn: servers.spawn,
                environment,
                tracked: Arc::new(Tracked::new(workspace)),
                open_documents: servers.open_documents,
                cancelled: closed.clone(),
            },
            most: servers.most,
            idle: servers.idle,
            slots: Mutex::default(),
            _end: closed.clone().drop_guard(),
            closed,
            tidying: std::sync::Once::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The servers of the table whose files include `path` (absolute), usable or not, by priority.
    pub(crate) fn candidates(&self, path: &Path) -> Vec<Candidate> {
        self.inner.search.candidates(&self.inner.servers, path)
    }

    /// Those that serve `path`, by priority, linters only where they are wanted; what does not run is started. Those
    /// that cannot be had are left out as long as there is another.
    ///
    /// # Errors
    /// Why the first could not be had, when none could.
    ///
    /// *Cancel safety*: a server that is being started comes up all the same.
    pub(crate) async fn clients(&self, path: &Path, purpose: Purpose) -> Result<Vec<Arc<Client>>, Error> {
        let serving = self.inner.search.serving(self.candidates(path));
        let wanted = serving
            .into_iter()
            .filter(|candidate| purpose == Purpose::Diagnostics || candidate.server.role == Role::Primary);
        let got = join_all(wanted.map(|candidate| self.client(candidate))).await;
        let mut clients = Vec::new();
        let mut first = None;
        for one in got {
            match one {
                Ok(client) => clients.push(client),
                Err(error) => first = first.or(Some(error)),
            }
        }
        match first {
            Some(error) if clients.is_empty() => Err(error),
            _ => Ok(clients),
        }
    }

    /// Those that could serve `path` besides, whom others of their family stand before: started one by one, until one
    /// fits.
    pub(crate) async fn stand_in(&self, path: &Path, fits: impl Fn(&Client) -> bool) -> Option<Arc<Client>> {
        let candidates = self.candidates(path);
        let serving = self.inner.search.serving(candidates.clone());
        let serves = |it: &Candidate| serving.iter().any(|serving| serving.server.id == it.server.id);
        let others = candidates
            .into_iter()
            .filter(|it| it.is_usable() && it.server.role == Role::Primary && !serves(it));
        for candidate in others {
            let Ok(client) = self.client(candidate).await else { continue };
            // What a server registers comes after it has come up.
            let asked = client.sync(path).await;
            client.ready(limits::READINESS).await;
            if asked.is_ok() && fits(&client) {
                return Some(client);
            }
        }
        None
    }

    /// The server of one candidate, started if it does not run.
    async fn client(&self, candidate: Candidate) -> Result<Arc<Client>, Error> {
        let slot = self.slot(&candidate)?;
        loop {
            if let Some(client) = slot.running() {
                return Ok(client);
            }
            if let Some(starting) = slot.being_started() {
                starting.await;
                slot.outcome()?;
                continue;
            }
            self.inner.make_room(&slot)?;
            self.tidy_up_from_now_on();
            slot.start(&self.inner, &candidate)?;
        }
    }

    fn slot(&self, candidate: &Candidate) -> Result<Arc<Slot>, Error> {
        let server = &candidate.server;
        if self.inner.closed.is_cancelled() {
            return Err(Error::Closing { server: server.id.clone() });
        }
        let key = (server.id.clone(), candidate.root.clone());
        let new = || Arc::new(Slot::new(server.clone(), candidate.root.clone()));
        Ok(Arc::clone(self.inner.slots().entry(key).or_insert_with(new)))
    }

    /// Those that run.
    pub(crate) fn running(&self) -> Vec<Arc<Client>> {
        self.inner.slots().values().filter_map(|slot| slot.running()).collect()
    }

    /// The files of the run.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.inner.search.workspace
    }

    /// Where programs are started, and in which environment.
    pub(crate) fn host(&self) -> &Host {
        &self.inner.host
    }

    /// Whether code of the project may be run.
    pub(crate) fn runs_project_code(&self) -> bool {
        self.inner.search.project_code
    }

    /// Stops the servers that serve `path`, or all, and forgets their ends. Those that ran are returned.
    pub(crate) async fn reload(&self, path: Option<&Path>) -> Vec<Stopping> {
        let of_path: Option<Vec<Key>> = path.map(|path| {
            let key = |it: Candidate| (it.server.id.clone(), it.root);
            self.candidates(path).into_iter().map(key).collect()
        });
        let taken = |key: &Key| of_path.as_ref().is_none_or(|keys| keys.contains(key));
        let slots: Vec<Arc<Slot>> =
            self.inner.slots().extract_if(|key, _| taken(key)).map(|(_, slot)| slot).collect();
        stop(slots).await
    }

    /// Stops every server, all at once, and starts none from here on. What it took is returned.
    ///
    /// *Cancel safety*: dropping the future leaves the rest to be killed with the last handle.
    pub async fn close(&self) -> Vec<Stopping> {
        self.inner.closed.cancel();
        let slots: Vec<Arc<Slot>> = self.inner.slots().drain().map(|(_, slot)| slot).collect();
        stop(slots).await
    }

    /// For whoever must not keep the servers of a run alive.
    pub(crate) fn downgrade(&self) -> WeakSupervisor {
        WeakSupervisor(Arc::downgrade(&self.inner))
    }
}

/// A handle that keeps no server alive.
#[derive(Clone, Debug)]
pub(crate) struct WeakSupervisor(std::sync::Weak<Inner>);

impl WeakSupervisor {
    /// The supervisor, as long as somebody else holds it.
    pub(crate) fn upgrade(&self) -> Option<Supervisor> {
        self.0.upgrade().map(|inner| Supervisor { inner })
    }
}

impl Inner {
    /// The interpreter a server is told of. It runs it, so that one of the project is none where project code may not
    /// be run.
    fn interpreter(&self, root: &Path) -> Option<PathBuf> {
        let (workspace, started_in) = (self.search.workspace.root(), self.virtual_environment.as_deref());
        let found = roots::interpreter(root, workspace, started_in)?;
        (self.search.project_code || !found.starts_with(workspace)).then_some(found)
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the servers of `slots`, all at once.
async fn stop(slots: Vec<Arc<Slot>>) -> Vec<Stopping> {
    let stopping = slots.into_iter().map(|slot| async move {
        let (client, starting) = (slot.close(), slot.being_started());
        let Some(client) = client else {
            if let Some(starting) = starting {
                starting.await;
            }
            return None;
        };
        let stopped = client.stop().await;
        Some(Stopping { server: slot.server.id.clone(), root: slot.root.clone(), stopped })
    });
    join_all(stopping).await.into_iter().flatten().collect()
}

/// What the workspace's own file says that could not be used.
fn lay_over_workspace(table: &mut Table, workspace: &Workspace, trust: Trust) -> Vec<String> {
    let path = workspace.root().join(WORKSPACE_FILE);
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => return vec![format!("`{WORKSPACE_FILE}` cannot be read: {error}")],
    };
    match Overrides::parse(&text) {
        Ok(overrides) => {
            let left_out = table.lay_over(&overrides, trust);
            left_out.into_iter().map(|note| format!("in `{WORKSPACE_FILE}`: {note}")).collect()
        }
        Err(why) => vec![format!("`{WORKSPACE_FILE}` is not used: {why}")],
    }
}
