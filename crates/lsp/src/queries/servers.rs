//! What questions need of whoever keeps the servers of a run: which serve a file, which could, and what the others lack.
//! It must never start anything by itself.

use std::any::Any;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::Error;
use crate::client::{Client, Host};
use crate::servers::Server;

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

/// The servers of a run.
pub(crate) trait Servers: Send + Sync + Debug {
    /// Those that serve `path`, by priority; what does not run yet is started. None may be left for the purpose.
    fn clients<'a>(
        &'a self,
        path: &'a Path,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Vec<Arc<Client>>, Error>>;

    /// Those that run.
    fn running(&self) -> Vec<Arc<Client>>;

    /// Those of the table whose files include `path`, usable or not.
    fn candidates(&self, path: &Path) -> Vec<Candidate>;

    /// As long as what is returned lives, the client is neither stopped for idleness nor evicted.
    fn in_use(&self, client: &Arc<Client>) -> Box<dyn Any + Send>;

    /// Every server that runs or could, and what the others lack.
    fn statuses(&self) -> BoxFuture<'_, Vec<Status>>;

    /// Stops the servers of `path`, or all, forgets their failures, and says which were stopped.
    fn reload<'a>(&'a self, path: Option<&'a Path>) -> BoxFuture<'a, Result<Vec<String>, Error>>;

    /// Where programs are started, and in which environment.
    fn host(&self) -> &Host;
}

/// A server of the table for a kind of file.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) server: Arc<Server>,
    /// What is missing, as a sentence says it; nothing when it can serve.
    pub(crate) missing: Option<String>,
}

/// One server, as `status` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) server: String,
    pub(crate) root: PathBuf,
    /// `ready`, `loading …`, `crashed …`, `not detected`.
    pub(crate) state: String,
    /// What is known only of one that runs.
    pub(crate) running: Option<Running>,
    /// Which half is missing, the markers looked for, the places searched.
    pub(crate) missing: Option<String>,
}

/// A server's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) pid: u32,
    /// Bytes, of everything below it too.
    pub(crate) memory: Option<u64>,
    pub(crate) open_documents: usize,
}
