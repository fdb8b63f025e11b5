//! Tool definitions in the formats that model providers and MCP clients read. Each is made from the canonical
//! schema; none loses an argument, and what a format has no keyword for is said in the description.

mod anthropic;
mod gemini;
mod mcp;
mod openai;

use serde_json::{Map, Value};

pub use anthropic::anthropic;
pub use gemini::gemini;
pub use mcp::mcp;
pub use openai::openai;

/// The description of a property, with its default in words.
fn described(property: &Map<String, Value>) -> Option<String> {
    let text = property.get("description").and_then(Value::as_str);
    match (text, property.get("default")) {
        (None, None) => None,
        (Some(text), None) => Some(text.to_owned()),
        (None, Some(default)) => Some(format!("Default: {default}.")),
        (Some(text), Some(default)) => Some(format!("{text}\nDefault: {default}.")),
    }
}
