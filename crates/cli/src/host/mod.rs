//! The host's own plain tools: what every agent runtime has, so that wrappers, the bridge and the tour have something
//! real to act on. One file a tool; `load.rs` and `form.rs` are what they share about files, `commit.rs` the way out.
//! They must never change a file but through `edits`, nor start a process but through `peer`.

mod apply_patch;
mod commit;
mod edit;
mod form;
mod load;
mod read;
mod shell;
mod write;

use std::sync::Arc;

use outrigger::edits::Edits;
use outrigger::peer::Host;
use outrigger::tool::{Tool, tool};
use outrigger::workspace::Workspace;

/// `read`, `write`, `edit`, `apply_patch` and `shell` over one workspace.
pub(crate) fn host_tools(workspace: &Workspace, edits: &Edits) -> Vec<Arc<dyn Tool>> {
    let (workspace, edits) = (|| workspace.clone(), || edits.clone());
    vec![
        tool(read::Read { workspace: workspace() }),
        tool(write::Write { workspace: workspace(), edits: edits() }),
        tool(edit::Edit { workspace: workspace(), edits: edits() }),
        tool(apply_patch::ApplyPatch { workspace: workspace(), edits: edits() }),
        tool(shell::Shell { workspace: workspace(), spawn: Arc::new(Host), environment: environment() }),
    ]
}

/// Commands see what the person who started the host sees.
#[expect(clippy::disallowed_methods, reason = "the host reads its own environment, once")]
fn environment() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().collect()
}

#[cfg(test)]
mod testing;
