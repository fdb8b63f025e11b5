//! The reading task: frames in, each told apart and handed on before the next is looked at. It must never take a server's
//! request for an answer because their ids are equal, and never end because of what it reads.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Map, Value};
use tokio::io::AsyncRead;
use tokio::task::coop::consume_budget;
use tokio_util::codec::FramedRead;

use crate::content_length::{ContentLength, Incoming};
use crate::rpc::connection::{Connection, Met};
use crate::rpc::{Closed, Fault, RpcHandler};

/// Characters of noise handed on.
const MAX_NOISE: usize = 500;

/// Reads to the end of the stream; what comes after the conversation's end is let go.
pub(super) async fn run(
    connection: Arc<Connection>,
    reader: impl AsyncRead + Send + Unpin,
    handler: Arc<dyn RpcHandler>,
) {
    // A handler that panics, or a runtime that ends, leaves nobody waiting.
    let _close = CloseOnDrop(Arc::clone(&connection));
    let mut frames = FramedRead::new(reader, ContentLength::new(connection.limits.message));
    {
        let mut over = std::pin::pin!(connection.over());
        let inbox = Inbox { connection: &connection, handler };
        loop {
            let incoming = tokio::select! {
                biased;
                _ = &mut over => break,
                incoming = frames.next() => incoming,
            };
            let Some(Ok(incoming)) = incoming else { return connection.close(Closed::EndOfOutput) };
            inbox.take(incoming);
            // A full buffer holds thousands of messages: the writing task has its turn between them.
            consume_budget().await;
        }
    }
    let _ = tokio::io::copy(frames.get_mut(), &mut tokio::io::sink()).await;
}

struct CloseOnDrop(Arc<Connection>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(Closed::ClosedByUs);
    }
}

struct Inbox<'a> {
    connection: &'a Connection,
    handler: Arc<dyn RpcHandler>,
}

impl Inbox<'_> {
    fn take(&self, incoming: Incoming) {
        match incoming {
            Incoming::Message(body) => match serde_json::from_slice(&body) {
                Ok(Value::Object(message)) => self.message(message),
                Ok(_) => self.noise("a message that is no object: ", &body),
                Err(error) => self.noise(&format!("a message that is not JSON ({error}): "), &body),
            },
            Incoming::Noise(bytes) => self.noise("", &bytes),
            Incoming::TooLong { announced } => {
                self.noise(&format!("a message of {announced} bytes was announced and passed over"), &[]);
            }
        }
    }

    /// The method decides before the id: both sides count their requests from the same numbers.
    fn message(&self, mut message: Map<String, Value>) {
        let id = message.remove("id").filter(|id| !id.is_null());
        match (message.remove("method"), id) {
            (Some(Value::String(method)), id) => {
                let params = message.remove("params").unwrap_or_default();
                match id {
                    Some(id) => self.connection.reply(id, self.handler.request(&method, params)),
                    None => self.handler.notification(&method, params),
                }
            }
            (None, Some(id)) => self.answer(&id, message),
            (None, None) => {
                self.noise("an answer to no request: ", Value::Object(message).to_string().as_bytes());
            }
            (Some(method), _) => self.noise("a method that is no text: ", method.to_string().as_bytes()),
        }
    }

    fn answer(&self, id: &Value, mut message: Map<String, Value>) {
        let answer = match message.remove("error") {
            None | Some(Value::Null) => Ok(message.remove("result").unwrap_or_default()),
            Some(error) => Err(fault(error)),
        };
        let met = id.as_i64().map_or(Met::Nothing, |id| self.connection.answered(id, answer));
        if met == Met::Nothing {
            self.noise("an answer to no request of ours: id ", id.to_string().as_bytes());
        }
    }

    fn noise(&self, what: &str, bytes: &[u8]) {
        // No character is longer than four bytes: more need not be looked at.
        let bytes = &bytes[..bytes.len().min(4 * MAX_NOISE)];
        let text =
            what.chars().chain(String::from_utf8_lossy(bytes).chars()).take(MAX_NOISE).collect::<String>();
        self.handler.noise(&text);
    }
}

/// An error however it is put: with a text for an object, or a number that is none.
fn fault(error: Value) -> Fault {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(Fault::INTERNAL_ERROR);
    let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
    let message = message.unwrap_or_else(|| error.as_str().map_or_else(|| error.to_string(), str::to_owned));
    let data = error.get("data").filter(|data| !data.is_null()).cloned();
    Fault { code, message, data }
}
