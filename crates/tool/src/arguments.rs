//! A call's arguments: the JSON text as it was sent beside the parsed value, so that a digest is of what was sent.
//! They are never changed in place; a layer that rewrites them makes new ones.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::Error;

/// Arguments of one call: cheap to clone.
#[derive(Clone, Debug)]
pub struct Arguments {
    sent: Arc<Sent>,
}

#[derive(Debug)]
struct Sent {
    value: Value,
    raw: OnceLock<String>,
}

impl Arguments {
    /// Parses the text a host received.
    ///
    /// # Errors
    /// `BadArguments` where the text is not JSON, with the place.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Error::bad_arguments(format!("the arguments are not JSON: {error}"))
                .with_hint("send one JSON object, such as {\"path\": \"src/main.rs\"}")
        })?;
        Ok(Self { sent: Arc::new(Sent { value, raw: OnceLock::from(text.to_owned()) }) })
    }

    /// The parsed value.
    pub fn value(&self) -> &Value {
        &self.sent.value
    }

    /// The text as it was sent, or the compact text of a value that was never sent as text.
    pub fn raw(&self) -> &str {
        self.sent.raw.get_or_init(|| self.sent.value.to_string())
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self { sent: Arc::new(Sent { value, raw: OnceLock::new() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_that_was_sent_is_kept() {
        let sent = r#"{"b": 1,  "a": 1.0}"#;
        assert_eq!(Arguments::parse(sent).unwrap().raw(), sent);
        assert_eq!(Arguments::from(serde_json::json!({"a": 1})).raw(), r#"{"a":1}"#);
        let error = Arguments::parse("{\"a\": }").unwrap_err();
        assert!(error.message.contains("line 1 column 7"), "{error}");
    }
}
