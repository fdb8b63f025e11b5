//! JSON-RPC messages as text and back. A line that is no message becomes the error that answers it; it never ends
//! the session.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// JSON-RPC's own error codes.
pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// What a line holds.
#[derive(Debug)]
pub(crate) enum Message {
    Request { id: Value, method: String, params: Option<Box<RawValue>> },
    Notification { method: String, params: Option<Box<RawValue>> },
    Response { id: Value, answer: Result<Value, Fault> },
}

/// A JSON-RPC error: `code` and `message`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Fault {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The text that answers `id`.
    pub(crate) fn answer(&self, id: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": self.code, "message": self.message}}).to_string()
    }
}

/// What an id is: anything else would come back changed.
const NO_ID: &str = "an id is a string, or an integer of 64 bits";

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64() || id.is_null()
}

#[derive(Deserialize)]
struct Wire {
    jsonrpc: Option<String>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    error: Option<Fault>,
}

/// Tells `null` from absent.
fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// Reads one line. An error carries the id it answers, `null` where there is none to be found.
pub(crate) fn parse(line: &[u8]) -> Result<Message, (Value, Fault)> {
    let wire: Wire =
        serde_json::from_slice(line).map_err(|error| (Value::Null, not_a_message(line, &error)))?;
    if wire.jsonrpc.as_deref().is_some_and(|version| version != "2.0") {
        return Err((Value::Null, Fault::new(INVALID_REQUEST, "the protocol is JSON-RPC 2.0")));
    }
    let invalid =
        |id: &Option<Value>, why: &str| (id.clone().unwrap_or(Value::Null), Fault::new(INVALID_REQUEST, why));
    match wire {
        Wire { id: Some(id), .. } if !is_id(&id) => Err(invalid(&None, NO_ID)),
        Wire { id: Some(Value::Null), method: Some(_), .. } => Err(invalid(&None, NO_ID)),
        Wire { id: Some(id), method: Some(method), params, .. } => {
            Ok(Message::Request { id, method, params })
        }
        Wire { id: None, method: Some(method), params, .. } => Ok(Message::Notification { method, params }),
        Wire { id: Some(id), result: Some(result), .. } => Ok(Message::Response { id, answer: Ok(result) }),
        Wire { id: Some(id), error: Some(fault), .. } => Ok(Message::Response { id, answer: Err(fault) }),
        Wire { id, .. } => Err(invalid(&id, "a message has a method, or an id with a result or an error")),
    }
}

fn not_a_message(line: &[u8], error: &serde_json::Error) -> Fault {
    if line.trim_ascii_start().starts_with(b"[") {
        return Fault::new(INVALID_REQUEST, "batches are not served: send one message a line");
    }
    if error.is_data() {
        return Fault::new(INVALID_REQUEST, format!("not a JSON-RPC message: {error}"));
    }
    Fault::new(PARSE_ERROR, format!("not JSON: {error}"))
}

/// The text of a successful answer.
pub(crate) fn answer(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// The text of a request of ours.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// The text of a notification of ours.
pub(crate) fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &str) -> (Value, i64) {
        let (id, fault) = parse(line.as_bytes()).expect_err("a fault");
        (id, fault.code)
    }

    #[test]
    fn a_line_is_a_message_or_the_error_that_answers_it() {
        assert!(matches!(parse(br#"{"id":1,"method":"m","params":{"a":1.0}}"#), Ok(Message::Request { .. })));
        assert!(matches!(parse(br#"{"method":"m"}"#), Ok(Message::Notification { params: None, .. })));
        assert!(matches!(
            parse(br#"{"id":"o1","result":null}"#),
            Ok(Message::Response { answer: Ok(Value::Null), .. })
        ));
        assert!(matches!(
            parse(br#"{"id":"o1","error":{"code":1,"message":"no"}}"#),
            Ok(Message::Response { answer: Err(_), .. })
        ));
        assert_eq!(fault("{"), (Value::Null, PARSE_ERROR));
        assert_eq!(fault("[1]"), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault("3"), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":7}"#), (Value::from(7), INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":null,"method":"m"}"#), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":{},"method":"m"}"#), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":1e30,"method":"m"}"#), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":1.5,"method":"m"}"#), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#), (Value::Null, INVALID_REQUEST));
        assert_eq!(fault(r#"{"id":1,"method":5}"#), (Value::Null, INVALID_REQUEST));
    }
}
