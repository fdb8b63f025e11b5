//! What the tool `lsp` asks servers, a file for each kind of question; `ask.rs` is the way they all take: which servers,
//! in which order, at which place, and how far the answer can be believed.
//! It must never change a file, and never call an empty answer "none" while the server was loading.

mod ask;
mod calls;
mod code_actions;
mod decode;
mod diagnostics;
mod hover;
mod locations;
mod marks;
mod places;
mod project;
mod signature;
mod status;
mod symbols;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use workspace::Workspace;

pub(crate) use ask::Subject;
pub(crate) use calls::Hierarchy;
pub(crate) use locations::Wanted;
pub(crate) use places::{Place, Spot};

use crate::on_write::OnWrite;
use crate::supervisor::Supervisor;
use crate::symbol::Syntax;

/// The servers of a run, and what is needed to ask them.
#[derive(Clone)]
pub(crate) struct Queries {
    servers: Supervisor,
    workspace: Workspace,
    syntax: Option<Arc<dyn Syntax>>,
    marks: Arc<marks::Marks>,
    on_write: Option<OnWrite>,
}

impl Queries {
    pub(crate) fn new(servers: Supervisor) -> Self {
        let workspace = servers.workspace().clone();
        Self { servers, workspace, syntax: None, marks: Arc::default(), on_write: None }
    }

    /// Tells code from comments and strings by `syntax`.
    pub(crate) fn with_syntax(self, syntax: Arc<dyn Syntax>) -> Self {
        Self { syntax: Some(syntax), ..self }
    }

    /// Notes in `on_write` what a question has shown, so that it is not told again.
    pub(crate) fn with_on_write(self, on_write: OnWrite) -> Self {
        Self { on_write: Some(on_write), ..self }
    }

    fn is_code(&self, path: &Path, text: &str, range: std::ops::Range<usize>) -> Option<bool> {
        self.syntax.as_ref().and_then(|syntax| syntax.is_code(path, text, range))
    }
}

impl std::fmt::Debug for Queries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queries").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// Runs what reads files beside the tasks that talk to servers.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(stopped) => std::panic::resume_unwind(stopped.into_panic()),
    }
}
