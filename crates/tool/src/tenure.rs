//! How long a tool's resource stays attached, and a registry open. Shared by the waits that end with it: for a layer,
//! for a gate, and for the tool itself.

use std::sync::Arc;

use crate::{Cancellation, Error};

/// One resource's stay in a registry, or the registry's own.
#[derive(Clone, Debug)]
pub(crate) struct Tenure {
    /// `None` for the registry as a whole: of names that no tool has.
    pub(crate) resource: Option<Arc<str>>,
    /// Cancelled when the resource is detached.
    pub(crate) detached: Cancellation,
}

impl Tenure {
    /// Waits until a call of `tool` has to stop, and says why: it was cancelled, or its resource has gone.
    ///
    /// # Cancel safety
    /// Safe to drop at any await.
    pub(crate) async fn stop(&self, tool: &str, cancellation: &Cancellation) -> Error {
        tokio::select! {
            biased;
            () = self.detached.cancelled() => Error::unavailable(match &self.resource {
                Some(resource) => {
                    format!("`{tool}` ended: its resource `{resource}` was detached from the run")
                }
                None => format!("`{tool}` ended: the run is closed"),
            }),
            () = cancellation.cancelled() => Error::cancelled(format!("`{tool}` was cancelled")),
        }
    }

    /// The same at once, where the call has to stop already.
    pub(crate) async fn stopped(&self, tool: &str, cancellation: &Cancellation) -> Option<Error> {
        if self.detached.is_cancelled() || cancellation.is_cancelled() {
            return Some(self.stop(tool, cancellation).await);
        }
        None
    }
}
