//! Gemini's function declarations: the OpenAPI subset, so without `additionalProperties`, `const` or `oneOf`.

use serde_json::{Map, Value, json};

use crate::Spec;

/// The keywords that Gemini's schema object knows and ours may carry.
const KEPT: [&str; 9] =
    ["type", "description", "enum", "items", "properties", "required", "minimum", "maximum", "anyOf"];

/// One `{functionDeclarations: […]}`, as in the `tools` of a request.
pub fn gemini(specs: &[Spec]) -> Value {
    let declarations: Vec<Value> = specs.iter().map(declare).collect();
    json!({"functionDeclarations": declarations})
}

fn declare(spec: &Spec) -> Value {
    let mut declaration = json!({"name": spec.name, "description": spec.description});
    let takes_arguments =
        spec.input_schema["properties"].as_object().is_some_and(|members| !members.is_empty());
    if takes_arguments {
        // An object without properties is refused there; a function without parameters leaves them out.
        declaration["parameters"] = subset(&spec.input_schema);
    }
    declaration
}

fn subset(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut kept = Map::new();
    for (keyword, value) in object {
        let value = match keyword.as_str() {
            "items" => subset(value),
            "anyOf" | "oneOf" => value.as_array().into_iter().flatten().map(subset).collect(),
            "properties" => {
                let members = value.as_object().into_iter().flatten();
                Value::Object(members.map(|(name, member)| (name.clone(), subset(member))).collect())
            }
            _ => value.clone(),
        };
        let keyword = if keyword == "oneOf" { "anyOf" } else { keyword };
        if KEPT.contains(&keyword) {
            kept.insert(keyword.to_owned(), value);
        }
    }
    Value::Object(kept)
}
