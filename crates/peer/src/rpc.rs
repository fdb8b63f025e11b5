//! One JSON-RPC 2.0 conversation over `Content-Length` frames: language servers, and whatever else speaks so.
//!
//! One task reads and hands each message to an [`RpcHandler`] in the order of arrival; one task writes what callers have
//! put into a bounded queue. A caller never waits for a write, and the reading never waits for the writing: peers exist
//! that read nothing while their own output is blocked. It must never let anything a peer writes, or fails to read, end
//! more than this conversation.

mod connection;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use connection::Connection;

/// What a conversation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RpcLimits {
    /// The largest message read, in bytes; a larger one is passed over and noted as noise.
    pub message: usize,
    /// Messages that wait to be written; one more closes the connection.
    pub queued_messages: usize,
    /// Bytes that wait to be written; more of them close the connection. A message that waits alone may be larger.
    pub queued_bytes: usize,
    /// How long the peer may take to read anything at all of what is being written; then the connection is closed.
    pub write_stall: Duration,
    /// Requests given up whose late answers are passed over in silence; beyond it the oldest are forgotten.
    pub tombstones: usize,
}

impl Default for RpcLimits {
    fn default() -> Self {
        Self {
            message: 64 << 20,
            queued_messages: 10_000,
            queued_bytes: 64 << 20,
            write_stall: Duration::from_secs(10),
            tombstones: 1_000,
        }
    }
}

/// What answers and hears the peer. Called by the reading task, in order of arrival: while a call runs nothing more is
/// read, so it must not block. What a flood leaves in it, it bounds itself. It is let go when the conversation ends.
pub trait RpcHandler: Send + Sync + 'static {
    /// Answers a request of the peer.
    fn request(&self, method: &str, params: Value) -> Result<Value, Fault>;
    /// Hears a notification.
    fn notification(&self, method: &str, params: Value);
    /// Hears of what was no message for us: stray lines, what does not parse, answers to nothing. Cut to a short length.
    fn noise(&self, text: &str) {
        let _ = text;
    }
}

/// An error that one side answers to a request of the other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Fault {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

impl Fault {
    /// The code for a method that is not known.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The code for a failure of the answering side itself, taken where a peer names none.
    pub const INTERNAL_ERROR: i64 = -32603;

    /// A fault without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The answer to a request nobody here knows.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("method `{method}` is not known"))
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RpcError {
    /// The peer answered an error.
    #[error("{0}")]
    Answered(Fault),
    #[error("no answer within {after:?}")]
    TimedOut { after: Duration },
    #[error("the connection is closed: {0}")]
    Closed(Closed),
}

/// Why a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Closed {
    /// The peer's output ended: it has ended itself, or has closed the stream.
    EndOfOutput,
    /// The peer closed its input and went on.
    EndOfInput,
    /// The peer read nothing for [`RpcLimits::write_stall`].
    WriteStalled,
    /// More was waiting to be written than the limits allow.
    Flood,
    /// By [`Rpc::close`], or because every handle was dropped.
    ClosedByUs,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EndOfOutput => "the peer's output has ended",
            Self::EndOfInput => "the peer has closed its input",
            Self::WriteStalled => "the peer does not read its input",
            Self::Flood => "too much waits to be read by the peer",
            Self::ClosedByUs => "it was closed on this side",
        })
    }
}

/// A handle to one peer; clones are the same conversation. It is closed when the last of them, and the last pending
/// request, is dropped.
#[derive(Clone)]
pub struct Rpc {
    open: Arc<Open>,
}

/// What all handles share; its end closes the conversation.
struct Open(Arc<Connection>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close(Closed::ClosedByUs);
    }
}

impl fmt::Debug for Rpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rpc").field("pending", &self.pending()).finish_non_exhaustive()
    }
}

impl Rpc {
    /// Starts to read and write, in two tasks of their own. Must be called on a tokio runtime with time enabled.
    ///
    /// Once closed, what the peer still writes is read and let go until the stream ends, so that it can end in peace.
    pub fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        limits: RpcLimits,
        handler: Arc<dyn RpcHandler>,
    ) -> Self {
        let connection = Arc::new(Connection::new(limits));
        tokio::spawn(read::run(Arc::clone(&connection), reader, handler));
        tokio::spawn(write::run(Arc::clone(&connection), writer));
        Self { open: Arc::new(Open(connection)) }
    }

    /// Asks the peer. The request is queued at the call, not at the first poll, and `limit` runs from then. Params that
    /// are `null` are left out.
    ///
    /// Everything that arrived before the answer has been handled when the future is ready.
    ///
    /// *Cancel safety*: a future that is dropped, or whose limit passes, sends `$/cancelRequest` once; the answer, should
    /// it still come, is passed over.
    pub fn request(
        &self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> impl Future<Output = Result<Value, RpcError>> + Send + use<> {
        let begun = Instant::now();
        let asked =
            self.open.0.ask(method, params).map(|(id, answer)| Asked { rpc: self.clone(), id, answer });
        async move {
            let mut asked = asked.map_err(RpcError::Closed)?;
            match timeout(limit.saturating_sub(begun.elapsed()), &mut asked.answer).await {
                Ok(Ok(answer)) => answer.map_err(RpcError::Answered),
                Ok(Err(_)) => Err(RpcError::Closed(asked.rpc.open.0.why().unwrap_or(Closed::ClosedByUs))),
                Err(_) => Err(RpcError::TimedOut { after: limit }),
            }
        }
    }

    /// Tells the peer something, in order with the requests. Never waits.
    pub fn notify(&self, method: &str, params: Value) -> Result<(), RpcError> {
        self.open.0.tell(method, params).map_err(RpcError::Closed)
    }

    /// Waits for the end of the conversation; then the peer's input is closed as well. After [`close`](Self::close) that
    /// is when all that was queued is written, or [`RpcLimits::write_stall`] has passed.
    ///
    /// *Cancel safety*: dropping the future loses nothing.
    pub fn closed(&self) -> impl Future<Output = Closed> + Send + use<> {
        let connection = Arc::clone(&self.open.0);
        async move { connection.ended().await }
    }

    /// Ends the conversation: what is pending fails at once, nothing more is taken, what is queued is still written, and
    /// then the peer's input ends.
    pub fn close(&self) {
        self.open.0.close(Closed::ClosedByUs);
    }

    /// Requests of ours that wait for an answer.
    pub fn pending(&self) -> usize {
        self.open.0.pending()
    }

    /// When something was last asked, told, answered or given up by us. What the peer says unasked does not count.
    pub fn last_exchange(&self) -> Instant {
        self.open.0.last_exchange()
    }
}

/// One request under way. Its end without an answer is told to the peer.
struct Asked {
    rpc: Rpc,
    id: i64,
    answer: oneshot::Receiver<Result<Value, Fault>>,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.rpc.open.0.give_up(self.id);
    }
}
