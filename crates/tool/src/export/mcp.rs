//! Tool definitions of the Model Context Protocol: `inputSchema`, and the tier as behaviour hints.

use serde_json::{Value, json};

use crate::{Spec, Tier};

/// The definitions, one a tool, as in the `tools` of a `tools/list` result.
pub fn mcp(specs: &[Spec]) -> Value {
    let define = |spec: &Spec| {
        json!({
            "name": spec.name,
            "description": spec.description,
            "inputSchema": spec.input_schema,
            "annotations": {"readOnlyHint": spec.tier == Tier::Read, "openWorldHint": spec.tier == Tier::Exec},
        })
    };
    specs.iter().map(define).collect()
}
