//! How a running tool calls another: through the surface it came from, never past the lower of that surface's
//! ceiling and its own tier, and never after its own call has ended.

use std::fmt;
use std::sync::Arc;

use crate::surface::{self, Request};
use crate::{Arguments, Call, Error, Output, Spec, Tier};

/// The most calls above one another: a tool that calls itself for ever is told so.
const MAX_DEPTH: usize = 32;

/// Re-entry into the registry from inside a call. Cheap to clone; useless once the call has ended.
#[derive(Clone)]
#[must_use]
pub struct Dispatch {
    parent: Arc<Call>,
}

impl Dispatch {
    pub(crate) fn new(parent: &Arc<Call>) -> Self {
        Self { parent: Arc::clone(parent) }
    }

    /// The highest tier that can be called from here.
    pub fn ceiling(&self) -> Tier {
        self.parent.origin.ceiling.min(self.parent.origin.grant)
    }

    /// The tools that can be called from here; none when the run has gone.
    pub fn specs(&self) -> Vec<Spec> {
        match (self.parent.origin.registry.upgrade(), self.scope()) {
            (Some(registry), Some(scope)) => registry.specs(|spec| scope.sees(spec), Spec::clone),
            _ => Vec::new(),
        }
    }

    /// Calls a tool by name, in this call's conversation; cancelled with it.
    ///
    /// # Errors
    /// The tool's own; `UnknownTool` as from the surface; `Refused` where this call has ended, where the wait for a
    /// gate would close a ring, or past 32 calls above one another; `Unavailable` where the run has gone.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the inner call.
    pub async fn call(&self, tool: &str, arguments: impl Into<Arguments>) -> Result<Output, Error> {
        let request = Request::new(tool, arguments);
        let origin = &self.parent.origin;
        let (Some(registry), Some(scope)) = (origin.registry.upgrade(), self.scope()) else {
            return Err(Error::unavailable(format!("`{tool}` cannot be called: the run has ended")));
        };
        if origin.life.ended() {
            return Err(Error::refused(format!(
                "`{tool}` was called from `{}` after that call had ended",
                self.parent.tool
            )));
        }
        if origin.lineage.depth() + 1 >= MAX_DEPTH {
            let message = format!("`{tool}` would be call number {MAX_DEPTH} above one another");
            return Err(
                Error::refused(message).with_hint("a tool probably calls itself; call it from outside")
            );
        }
        let request = request.cancellation(self.parent.cancellation.clone());
        surface::serve(&registry, &scope, Some(&self.parent), request).await
    }

    fn scope(&self) -> Option<surface::Scope> {
        self.parent.origin.scope.as_ref().map(|scope| scope.capped(self.ceiling()))
    }
}

impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch").field("parent", &self.parent).finish()
    }
}
