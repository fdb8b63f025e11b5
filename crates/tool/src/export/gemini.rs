//! Gemini's function declarations: the OpenAPI subset, so without `additionalProperties`, `default` or a list of
//! types, and with nothing beside an `anyOf`.

use serde_json::{Map, Value, json};

use super::described;
use crate::Spec;

/// The keywords that Gemini's schema object knows and ours may carry.
const KEPT: [&str; 11] = [
    "type",
    "enum",
    "items",
    "properties",
    "required",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

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
    if let Some(branches) = object.get("anyOf").and_then(Value::as_array) {
        return json!({"anyOf": alternatives(branches, described(object))});
    }
    let mut kept = Map::new();
    if let Some(description) = described(object) {
        kept.insert("description".to_owned(), description.into());
    }
    for (keyword, value) in object.iter().filter(|(keyword, _)| KEPT.contains(&keyword.as_str())) {
        let value = match keyword.as_str() {
            "items" => subset(value),
            "properties" => {
                let members = value.as_object().into_iter().flatten();
                Value::Object(members.map(|(name, member)| (name.clone(), subset(member))).collect())
            }
            _ => value.clone(),
        };
        kept.insert(keyword.to_owned(), value);
    }
    Value::Object(kept)
}

/// The branches of an `anyOf`, which must stand alone there: its description moves into the first of them.
fn alternatives(branches: &[Value], description: Option<String>) -> Vec<Value> {
    let mut branches: Vec<Value> = branches.iter().map(subset).collect();
    if let (Some(first), Some(outer)) = (branches.first_mut(), description) {
        let own = first["description"].as_str().map(|own| format!("\n{own}")).unwrap_or_default();
        first["description"] = format!("{outer}{own}").into();
    }
    branches
}
