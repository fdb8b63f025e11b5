//! The one JSON shape of a result, printed by `call --json` and sent by `serve`.

use outrigger::{Error, Output};
use serde::Serialize;
use serde_json::Value;

use outrigger::tool::Part;

/// `{content, data?, is_error, error?}`.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    content: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

impl From<Result<Output, Error>> for Answer {
    fn from(result: Result<Output, Error>) -> Self {
        match result {
            Ok(output) => {
                let Output { content, data, .. } = output;
                Self { content, data, is_error: false, error: None }
            }
            Err(error) => {
                let content = Output::text(error.to_string()).content;
                Self { content, data: None, is_error: true, error: Some(error) }
            }
        }
    }
}
