//! The language servers of a run: their tools, and what stands around other tools, which outlives an attachment and
//! keeps no server alive. It must never start one.

use std::sync::Arc;

use edits::Preview;
pub use lsp::LanguageServers;
use lsp::{Attachment, Lsp, LspRename, LspRenameFile, Supervisor};
use peer::Stopped;
use tool::{Layer, Tool};
use workspace::Workspace;

use crate::{Ended, Parts};

/// The resource's name.
pub(crate) const RESOURCE: &str = "language_servers";

/// The servers that are attached now, if any are.
#[derive(Clone, Debug)]
pub(crate) struct Attached(Attachment);

impl Attached {
    /// For a run of `workspace`.
    pub(crate) fn new(workspace: &Workspace) -> Self {
        Self(Attachment::new(workspace))
    }

    /// New servers, and their tools.
    pub(crate) fn tools(&self, servers: &LanguageServers, parts: &Parts) -> Vec<Arc<dyn Tool>> {
        let servers = servers.clone().environment_if_unsaid(environment());
        let supervisor = Supervisor::new(parts.workspace().clone(), servers);
        self.0.attach(&supervisor);
        let edits = parts.edits();
        let lsp = Lsp::new(supervisor.clone()).attached_to(&self.0);
        let rename = LspRename::new(supervisor.clone(), edits.clone());
        let rename_file = LspRenameFile::new(supervisor, edits.clone());
        #[cfg(feature = "structural")]
        let (lsp, rename) = {
            let code: Arc<dyn lsp::Syntax> = Arc::new(crate::code::Code::default());
            (lsp.with_syntax(Arc::clone(&code)), rename.with_syntax(code))
        };
        vec![tool::tool(lsp), tool::tool(rename), tool::tool(rename_file)]
    }

    /// The layer that tells what a write introduced.
    pub(crate) fn layer(&self) -> impl Layer + use<> {
        self.0.layer()
    }

    /// Judges a staged change before it is made.
    pub(crate) fn preview(&self) -> Arc<dyn Preview> {
        self.0.preview()
    }

    pub(crate) fn supervisor(&self) -> Option<Supervisor> {
        self.0.supervisor()
    }
}

/// What servers see when the host names nothing.
#[expect(clippy::disallowed_methods, reason = "the run builder is where a host's environment is read")]
fn environment() -> impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os()
}

/// Ends the servers, and says which had to be made to end.
pub(crate) async fn stop(servers: Option<Supervisor>) -> Ended {
    let Some(servers) = servers else { return Ended::default() };
    let stopped = servers.close().await;
    let by_force = stopped.iter().filter(|it| it.stopped != Stopped::Itself);
    let forced = by_force.map(|it| format!("{} in `{}`: {:?}", it.server, it.root.display(), it.stopped));
    Ended { forced: forced.collect(), processes: stopped.len() }
}

/// Ends the servers of a resource that was detached. Without a runtime they are killed.
pub(crate) fn stop_in_background(servers: Option<Supervisor>) {
    if let (Some(servers), Ok(runtime)) = (servers, tokio::runtime::Handle::try_current()) {
        runtime.spawn(async move { servers.close().await });
    }
}
