//! Anthropic's tool definitions: `{name, description, input_schema}`, the schema as it is.

use serde_json::{Value, json};

use crate::Spec;

/// The definitions, one a tool.
pub fn anthropic(specs: &[Spec]) -> Value {
    let define = |spec: &Spec| json!({"name": spec.name, "description": spec.description, "input_schema": spec.input_schema});
    specs.iter().map(define).collect()
}
