//! The one writer of standard output. Messages leave in the order they were given; when the host stops reading, the
//! outbox says so and nothing blocks for ever.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Messages that may wait for a host that reads slowly; further senders wait with them.
const QUEUE: usize = 16;

/// Where messages to the host go. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outbox(mpsc::Sender<String>);

/// The writing task.
#[derive(Debug)]
pub(crate) struct Writer(JoinHandle<()>);

impl Outbox {
    /// Starts writing to `output`.
    pub(crate) fn start(mut output: impl AsyncWrite + Unpin + Send + 'static) -> (Self, Writer) {
        let (sender, mut receiver) = mpsc::channel::<String>(QUEUE);
        let task = tokio::spawn(async move {
            while let Some(mut message) = receiver.recv().await {
                message.push('\n');
                let written = output.write_all(message.as_bytes()).await;
                if written.and(output.flush().await).is_err() {
                    tracing::warn!("the host no longer reads; the session ends");
                    return;
                }
            }
        });
        (Self(sender), Writer(task))
    }

    /// Sends one message; lost when the host no longer reads.
    pub(crate) async fn send(&self, message: String) {
        let _ = self.0.send(message).await;
    }

    /// Sends a message if that needs no waiting; else gives it back.
    pub(crate) fn try_send(&self, message: String) -> Result<(), String> {
        self.0.try_send(message).map_err(mpsc::error::TrySendError::into_inner)
    }

    /// Waits until the host no longer reads.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}

impl Writer {
    /// Writes what is left, for at most `grace`: a host that does not read cannot hold the process.
    pub(crate) async fn finish(mut self, grace: Duration) {
        if tokio::time::timeout(grace, &mut self.0).await.is_err() {
            self.0.abort();
        }
    }
}
