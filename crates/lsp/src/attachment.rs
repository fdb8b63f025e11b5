//! What stands around other tools than those of the servers: the layer that tells what a write made worse, and the
//! check of a proposal. It outlives the servers' own tools, and must never keep a server alive.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use edits::Preview;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use tool::Layer;
use workspace::Workspace;

use crate::client::Client;
use crate::error::Error;
use crate::on_write::{Judge, OnWrite, Servers};
use crate::supervisor::{Purpose, Supervisor, WeakSupervisor};

/// The servers of a run, as long as somebody else holds them: made once for a run, while servers may be attached,
/// detached and attached anew.
#[derive(Clone)]
pub struct Attachment {
    servers: Arc<Attached>,
    on_write: OnWrite,
    workspace: PathBuf,
}

#[derive(Default)]
struct Attached(Mutex<Option<WeakSupervisor>>);

impl Attachment {
    /// For the run of `workspace`, with nothing attached.
    pub fn new(workspace: &Workspace) -> Self {
        let servers = Arc::new(Attached::default());
        let workspace = workspace.root().to_owned();
        let on_write = OnWrite::new(Arc::clone(&servers) as Arc<dyn Servers>, workspace.clone());
        Self { servers, on_write, workspace }
    }

    /// From here on these are the servers.
    pub fn attach(&self, servers: &Supervisor) {
        *self.servers.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers.downgrade());
    }

    /// The servers that are attached.
    pub fn supervisor(&self) -> Option<Supervisor> {
        self.servers.supervisor()
    }

    /// The layer for every tool of the run, inside its gates: errors and warnings that a call introduced are added to
    /// its result, behind what the tool said.
    pub fn layer(&self) -> impl Layer + use<> {
        self.on_write.clone()
    }

    /// What a staged change would introduce.
    pub fn preview(&self) -> Arc<dyn Preview> {
        Arc::new(Judge::new(Arc::clone(&self.servers) as Arc<dyn Servers>, self.workspace.clone()))
    }

    pub(crate) fn on_write(&self) -> &OnWrite {
        &self.on_write
    }
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attachment").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Attached {
    fn supervisor(&self) -> Option<Supervisor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(WeakSupervisor::upgrade)
    }
}

impl Servers for Attached {
    fn running(&self) -> Vec<Arc<Client>> {
        self.supervisor().map(|servers| servers.running()).unwrap_or_default()
    }

    fn diagnosing(&self, path: PathBuf) -> BoxFuture<'_, Result<Vec<Arc<Client>>, Error>> {
        async move {
            match self.supervisor() {
                Some(servers) => servers.clients(&path, Purpose::Diagnostics).await,
                None => Ok(Vec::new()),
            }
        }
        .boxed()
    }

    fn outside_changes(&self) -> BoxFuture<'_, ()> {
        async move {
            let Some(servers) = self.supervisor() else { return };
            let clients = servers.running();
            if clients.is_empty() {
                return;
            }
            let Ok(now) = servers.host().tracked.look().await else { return };
            join_all(clients.iter().map(|client| client.outside_changes(&now))).await;
        }
        .boxed()
    }
}
