//! One conversation with a debug adapter: messages with a `seq`, answers with a `request_seq`, events in order.
//!
//! One task reads and hands events to a [`Handler`] in the order of arrival; everything that came before an answer has
//! been handled when the answer is there. One task writes. It must never wait for an adapter that does not read, leave a
//! reverse request unanswered, or end because of what it reads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use peer::{ContentLength, Incoming};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, FramedWrite};
use tokio_util::sync::CancellationToken;

use crate::error::Refusal;
use crate::{limits, protocol};

type Answer = Result<Value, String>;

/// What hears the adapter. It is called by the reading task and must not block.
pub(crate) trait Handler: Send + Sync + 'static {
    fn event(&self, name: &str, body: Value);
    /// What belongs to no message.
    fn noise(&self, text: &str);
}

/// A handle; clones are the same conversation. The conversation ends when the last is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    open: Arc<Open>,
}

#[derive(Debug)]
struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[derive(Debug)]
struct Inner {
    last: AtomicI64,
    waiting: Mutex<HashMap<i64, oneshot::Sender<Answer>>>,
    outgoing: mpsc::Sender<String>,
    closed: CancellationToken,
    /// The adapter's input is closed.
    input_ended: CancellationToken,
}

impl Connection {
    /// Starts to read and to write. Must be called on a runtime with time enabled.
    pub(crate) fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        handler: Arc<dyn Handler>,
    ) -> Self {
        let (outgoing, queue) = mpsc::channel(limits::QUEUED);
        let inner = Arc::new(Inner {
            last: AtomicI64::new(0),
            waiting: Mutex::default(),
            outgoing,
            closed: CancellationToken::new(),
            input_ended: CancellationToken::new(),
        });
        tokio::spawn(read(Arc::clone(&inner), reader, handler));
        tokio::spawn(write(Arc::clone(&inner), writer, queue));
        Self { open: Arc::new(Open(inner)) }
    }

    /// Asks. The request is queued at the call, not at the first poll, and `limit` runs from the first poll.
    ///
    /// *Cancel safety*: a dropped future forgets the answer.
    pub(crate) fn request(
        &self,
        command: &str,
        arguments: Value,
        limit: Duration,
    ) -> impl Future<Output = Result<Value, Refusal>> + Send + use<> {
        let inner = Arc::clone(&self.open.0);
        let seq = inner.next();
        let (sender, answer) = oneshot::channel();
        inner.lock().insert(seq, sender);
        let request = json!({"seq": seq, "type": "request", "command": command, "arguments": arguments});
        inner.send(request);
        let asked = Asked { inner, seq };
        async move {
            let answered = timeout(limit, answer).await;
            drop(asked);
            match answered {
                Ok(Ok(answer)) => answer.map_err(Refusal::Answered),
                Ok(Err(_)) => Err(Refusal::Closed),
                Err(_) => Err(Refusal::TimedOut(limit.as_secs())),
            }
        }
    }

    /// Ends the conversation: nothing more is handled, and the adapter's input is closed.
    pub(crate) fn close(&self) {
        self.open.0.close();
    }

    /// Waits until the conversation has ended.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        self.open.0.closed.clone().cancelled_owned()
    }

    /// Waits until the adapter's input is closed.
    pub(crate) fn input_ended(&self) -> impl Future<Output = ()> + Send + use<> {
        self.open.0.input_ended.clone().cancelled_owned()
    }
}

/// A request under way; its end makes room.
struct Asked {
    inner: Arc<Inner>,
    seq: i64,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.inner.lock().remove(&self.seq);
    }
}

impl Inner {
    fn next(&self) -> i64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<i64, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An adapter that lets the queue fill up has stopped reading.
    fn send(&self, message: Value) {
        if self.closed.is_cancelled() || self.outgoing.try_send(message.to_string()).is_err() {
            self.close();
        }
    }

    fn close(&self) {
        self.closed.cancel();
        self.lock().clear();
    }

    fn take(&self, mut message: Map<String, Value>, handler: &dyn Handler) {
        let body = message.remove("body").unwrap_or_default();
        let text = |message: &Map<String, Value>, name| {
            message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        match text(&message, "type").as_str() {
            "event" => handler.event(&text(&message, "event"), body),
            "response" => {
                let seq = message.get("request_seq").and_then(Value::as_i64).unwrap_or_default();
                let Some(waiting) = self.lock().remove(&seq) else { return };
                let answer = if message.get("success").and_then(Value::as_bool).unwrap_or(false) {
                    Ok(body)
                } else {
                    message.insert("body".to_owned(), body);
                    Err(protocol::failure(&message))
                };
                // Whoever has just given up needs no answer.
                let _ = waiting.send(answer);
            }
            "request" => self.refuse(&message),
            _ => handler.noise("a message of no known type"),
        }
    }

    /// Adapters wait for an answer; none of what they may ask for is offered to them.
    fn refuse(&self, message: &Map<String, Value>) {
        let command = message.get("command").and_then(Value::as_str).unwrap_or_default();
        self.send(json!({
            "seq": self.next(),
            "type": "response",
            "request_seq": message.get("seq").cloned().unwrap_or_default(),
            "success": false,
            "command": command,
            "message": format!("`{command}` is not supported"),
        }));
    }
}

async fn read(inner: Arc<Inner>, reader: impl AsyncRead + Send + Unpin, handler: Arc<dyn Handler>) {
    let mut frames = FramedRead::new(reader, ContentLength::new(limits::MESSAGE));
    loop {
        let incoming = tokio::select! {
            biased;
            () = inner.closed.cancelled() => break,
            incoming = frames.next() => incoming,
        };
        match incoming {
            Some(Ok(Incoming::Message(body))) => match serde_json::from_slice(&body) {
                Ok(Value::Object(message)) => inner.take(message, &*handler),
                _ => handler.noise(&String::from_utf8_lossy(&body)),
            },
            Some(Ok(Incoming::Noise(bytes))) => handler.noise(&String::from_utf8_lossy(&bytes)),
            Some(Ok(Incoming::TooLong { announced })) => {
                handler.noise(&format!("a message of {announced} bytes was passed over"));
            }
            Some(Err(_)) | None => return inner.close(),
        }
        // A full buffer holds thousands of messages: the writing task has its turn between them.
        tokio::task::coop::consume_budget().await;
    }
    drop(handler);
    // So that the adapter can end in peace.
    let _ = tokio::io::copy(frames.get_mut(), &mut tokio::io::sink()).await;
}

async fn write(inner: Arc<Inner>, writer: impl AsyncWrite + Send + Unpin, mut queue: mpsc::Receiver<String>) {
    let mut frames = FramedWrite::new(writer, ContentLength::new(limits::MESSAGE));
    loop {
        let message = tokio::select! {
            biased;
            () = inner.closed.cancelled() => break,
            message = queue.recv() => message,
        };
        let Some(message) = message else { break };
        if !matches!(timeout(limits::WRITE_STALL, frames.send(message)).await, Ok(Ok(()))) {
            break;
        }
    }
    // A socket's two halves are one stream: it does not end by being dropped.
    let _ = timeout(limits::FAREWELL, frames.get_mut().shutdown()).await;
    drop(frames);
    inner.input_ended.cancel();
    // An adapter that dies closes its input first; the end of its output says what it said last.
    if timeout(limits::LAST_WORDS, inner.closed.cancelled()).await.is_err() {
        inner.close();
    }
}
