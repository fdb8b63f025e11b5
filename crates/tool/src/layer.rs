//! A layer is a tool that wraps a tool. The registry keeps layers as factories, so that a tool attached later is
//! wrapped like the others, and knows none of them by name.

use std::sync::Arc;

use crate::Tool;

/// Wraps every tool of a registry, and the answer to unknown names ([`Call::is_unknown`](crate::Call::is_unknown)).
///
/// A call that has to stop, because it was cancelled or its resource has gone, is polled once more through the layers and
/// then dropped, unless a commit has begun: what a layer must not lose after that it does before its next await, or when
/// it is dropped.
pub trait Layer: Send + Sync {
    /// The wrapped tool; its `spec` must be the inner one's.
    fn wrap(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool>;
}

impl<F: Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync> Layer for F {
    fn wrap(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self(inner)
    }
}
