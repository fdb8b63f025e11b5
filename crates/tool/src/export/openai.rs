//! OpenAI's function definitions in strict mode: every property required, optional ones nullable, objects closed,
//! `oneOf` as `anyOf`, and no keyword that strict mode refuses.

use serde_json::{Map, Value, json};

use crate::Spec;

/// Keywords outside strict mode's subset.
const DROPPED: [&str; 3] = ["title", "format", "default"];

/// The definitions, one a tool, as in the `tools` of a chat completion.
pub fn openai(specs: &[Spec]) -> Value {
    specs.iter().map(define).collect()
}

fn define(spec: &Spec) -> Value {
    let parameters = strict(&spec.input_schema);
    json!({
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "strict": true, "parameters": parameters},
    })
}

fn strict(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut strict = Map::new();
    for (keyword, value) in object {
        match keyword.as_str() {
            dropped if DROPPED.contains(&dropped) => {}
            "anyOf" | "oneOf" => {
                let branches = value.as_array().into_iter().flatten().map(self::strict).collect();
                strict.insert("anyOf".to_owned(), branches);
            }
            "items" => {
                strict.insert(keyword.clone(), self::strict(value));
            }
            "properties" => {
                strict.insert(keyword.clone(), properties(object, value));
            }
            _ => {
                strict.insert(keyword.clone(), value.clone());
            }
        }
    }
    if let Some(members) = object.get("properties").and_then(Value::as_object) {
        strict.insert("required".to_owned(), members.keys().cloned().map(Value::from).collect());
        strict.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(strict)
}

fn properties(object: &Map<String, Value>, members: &Value) -> Value {
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let member = |(name, schema): (&String, &Value)| {
        let schema = strict(schema);
        (name.clone(), if required.contains(&name.as_str()) { schema } else { nullable(schema) })
    };
    members.as_object().into_iter().flatten().map(member).collect::<Map<_, _>>().into()
}

fn nullable(mut schema: Value) -> Value {
    let Some(object) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.push(json!({"type": "null"}));
        return schema;
    }
    match object.remove("type") {
        Some(Value::Array(mut types)) => {
            types.push(json!("null"));
            object.insert("type".to_owned(), Value::Array(types));
        }
        Some(only) => {
            object.insert("type".to_owned(), json!([only, "null"]));
        }
        None => {}
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}
