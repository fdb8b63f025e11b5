//! Servers for the tests of questions: those named, started as they are asked for, for the root of the workspace.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use workspace::Workspace;

use crate::Error;
use crate::client::{Client, Host};
use crate::outside::Tracked;
use crate::queries::servers::{Candidate, Purpose, Servers, Status};
use crate::servers::{Role, Server, Table};

/// The servers of one fixture.
#[derive(Debug)]
pub(super) struct Started {
    workspace: Workspace,
    table: Vec<Arc<Server>>,
    host: Host,
    running: Mutex<Vec<Arc<Client>>>,
}

impl Started {
    pub(super) fn new(workspace: Workspace, servers: &[&str]) -> Self {
        let mut environment = test_support::real_environment();
        environment.extend(std::env::var_os("HOME").map(|home| ("HOME".into(), home)));
        let table = Table::built_in().servers(true);
        let table = table.into_iter().filter(|server| servers.contains(&server.id.as_str())).collect();
        let tracked = Arc::new(Tracked::new(workspace.clone()));
        let host = Host { spawn: Arc::new(peer::Host), environment, tracked, open_documents: 64 };
        Self { workspace, table, host, running: Mutex::default() }
    }

    fn program(&self, server: &Server) -> Option<PathBuf> {
        let path = self.host.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path)?;
        let local = self.workspace.root().join("node_modules/.bin");
        let folders: Vec<PathBuf> = [local].into_iter().chain(std::env::split_paths(path)).collect();
        let names = server.executables();
        names
            .iter()
            .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
    }
}

impl Servers for Started {
    fn clients<'a>(
        &'a self,
        path: &'a Path,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Vec<Arc<Client>>, Error>> {
        Box::pin(async move {
            let mut running = self.running.lock().await;
            let mut clients = Vec::new();
            for server in self.table.iter().filter(|server| server.language(path).is_some()) {
                if purpose != Purpose::Diagnostics && server.role == Role::Linter {
                    continue;
                }
                let known = running.iter().find(|client| client.server().id == server.id).cloned();
                let client = if let Some(client) = known {
                    client
                } else {
                    let program = self.program(server).expect("tests ask only for what is there");
                    let root = self.workspace.root().to_owned();
                    let client = Client::start(server.clone(), root, program, self.host.clone()).await?;
                    running.push(client.clone());
                    client
                };
                clients.push(client);
            }
            Ok(clients)
        })
    }

    fn running(&self) -> Vec<Arc<Client>> {
        self.running.try_lock().map(|running| running.clone()).unwrap_or_default()
    }

    fn candidates(&self, path: &Path) -> Vec<Candidate> {
        let fitting = self.table.iter().filter(|server| server.language(path).is_some());
        fitting.map(|server| Candidate { server: server.clone(), missing: None }).collect()
    }

    fn in_use(&self, _: &Arc<Client>) -> Box<dyn Any + Send> {
        Box::new(())
    }

    fn statuses(&self) -> BoxFuture<'_, Vec<Status>> {
        Box::pin(async { Vec::new() })
    }

    fn reload<'a>(&'a self, _: Option<&'a Path>) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            let mut stopped = Vec::new();
            for client in self.running.lock().await.drain(..) {
                let _ = client.stop().await;
                stopped.push(client.server().id.clone());
            }
            Ok(stopped)
        })
    }

    fn host(&self) -> &Host {
        &self.host
    }
}
