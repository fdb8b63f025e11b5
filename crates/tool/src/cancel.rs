//! Cancellation of one call, cloneable and hierarchical. It never interrupts code by force: it is asked or awaited.

use tokio_util::sync::CancellationToken;

/// A call's cancellation. Cancelling it cancels its children, never its parent.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// One that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that is cancelled with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Cancels; a second time does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it has been cancelled. Cheap: meant for loops.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is cancelled.
    ///
    /// # Cancel safety
    /// Safe to drop at any await.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
