//! How long a tool's resource stays attached. Shared by the waits that end when it is detached: for a gate, and for
//! the tool itself.

use std::sync::Arc;

use crate::{Cancellation, Error};

/// One resource's stay in a registry.
#[derive(Clone, Debug)]
pub(crate) struct Tenure {
    pub(crate) resource: Arc<str>,
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
            () = self.detached.cancelled() => Error::unavailable(format!(
                "`{tool}` ended: its resource `{}` was detached from the run",
                self.resource
            )),
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
