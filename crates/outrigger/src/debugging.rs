//! The debug adapters of a run: one conversation's session, as long as it is attached. It must never start one.

use std::sync::Arc;

pub use debug::DebugSessions;
use debug::Debugger;
use tool::Tool;

use crate::Parts;

/// The resource's name.
pub(crate) const RESOURCE: &str = "debuggers";

/// What adapters and programs see when the host names nothing.
#[expect(clippy::disallowed_methods, reason = "the run builder is where a host's environment is read")]
pub(crate) fn in_environment(sessions: DebugSessions) -> DebugSessions {
    sessions.environment_if_unsaid(std::env::vars_os())
}

/// The tool of one attachment.
pub(crate) fn tools(sessions: &DebugSessions, conversation: &str, parts: &Parts) -> Vec<Arc<dyn Tool>> {
    vec![tool::tool(Debugger::new(parts.workspace().clone(), sessions.clone(), conversation))]
}
