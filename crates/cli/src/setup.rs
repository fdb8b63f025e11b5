//! The run behind every command: the workspace, syntax trees, language servers, debug adapters and the host's own tools. One place decides what the
//! reference host attaches.

use std::path::Path;

use anyhow::{Result, anyhow};
use outrigger::tool::{Approver, Decision, Policy, Spec};
use outrigger::workspace::Workspace;
use outrigger::{AllowAll, DebugSessions, Grammars, LanguageServers, Run, RunBuilder, Tier};

use crate::args::Approve;
use crate::host;

/// The resource that brings the host's own tools.
pub(crate) const HOST: &str = "host";

/// The one conversation that a run of this host debugs in.
const CONVERSATION: &str = "outrigger";

/// A run of `folder` to be, with everything this host has.
pub(crate) fn builder(folder: &Path) -> Result<RunBuilder> {
    with(folder, Grammars::bundled())
}

/// The same for a run of one call, which has nothing to keep for a second.
pub(crate) fn once(folder: &Path) -> Result<RunBuilder> {
    with(folder, Grammars::bundled().cache_bytes(0))
}

fn with(folder: &Path, grammars: Grammars) -> Result<RunBuilder> {
    let workspace =
        Workspace::open(folder).map_err(|error| anyhow!("{error}; name a folder with --workspace"))?;
    Ok(Run::builder(workspace)
        .syntax(grammars)
        .language_servers(LanguageServers::default())
        .debuggers(DebugSessions::default(), CONVERSATION)
        .resource(HOST, |parts| host::host_tools(parts.workspace(), parts.edits())))
}

/// Puts `approve` on a run, asking through `asker` where it is `ask`.
pub(crate) fn approving(builder: RunBuilder, approve: Approve, asker: impl Approver + 'static) -> RunBuilder {
    match approve {
        Approve::Auto => builder.approver(AllowAll),
        Approve::Ask => builder.approver(asker),
        Approve::Deny => builder.policy(DenyAll),
    }
}

/// Lets read tools pass and nothing else.
struct DenyAll;

impl Policy for DenyAll {
    fn decide(&self, spec: &Spec, _call: &outrigger::tool::Call) -> Decision {
        if spec.tier == Tier::Read {
            return Decision::Allow;
        }
        Decision::Deny("this session was started with --approve deny".to_owned())
    }
}
