//! OpenAI's function definitions in strict mode: every property required, optional ones nullable, objects closed, and
//! no keyword that strict mode refuses.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::described;
use crate::{Spec, schema};

/// Keywords outside strict mode's subset; what they say goes into the description.
const DROPPED: [&str; 4] = ["default", "description", "minLength", "maxLength"];

/// The longest description of a function, in characters.
const MAX_DESCRIPTION: usize = 1024;

/// The definitions, one a tool, as in the `tools` of a chat completion. A description past 1,024 characters, the
/// most that is accepted there, is cut at a word.
pub fn openai(specs: &[Spec]) -> Value {
    specs.iter().map(define).collect()
}

fn define(spec: &Spec) -> Value {
    let parameters = strict(&spec.input_schema);
    let description = shortened(&spec.description);
    json!({
        "type": "function",
        "function": {"name": spec.name, "description": description, "strict": true, "parameters": parameters},
    })
}

fn shortened(text: &str) -> Cow<'_, str> {
    if text.chars().count() <= MAX_DESCRIPTION {
        return Cow::Borrowed(text);
    }
    let head: String = text.chars().take(MAX_DESCRIPTION - 2).collect();
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    Cow::Owned(format!("{} …", &head[..end]))
}

fn strict(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return schema.clone() };
    let mut strict = Map::new();
    let lengths =
        [("minLength", "At least"), ("maxLength", "At most")].into_iter().filter_map(|(keyword, words)| {
            object.get(keyword).map(|length| format!("{words} {length} characters."))
        });
    let description: Vec<String> = described(object).into_iter().chain(lengths).collect();
    if !description.is_empty() {
        strict.insert("description".to_owned(), description.join(" ").into());
    }
    for (keyword, value) in object {
        let value = match keyword.as_str() {
            dropped if DROPPED.contains(&dropped) => continue,
            "anyOf" => value.as_array().into_iter().flatten().map(self::strict).collect(),
            "items" => self::strict(value),
            "properties" => properties(schema, value),
            _ => value.clone(),
        };
        strict.insert(keyword.clone(), value);
    }
    if let Some(members) = object.get("properties").and_then(Value::as_object) {
        strict.insert("required".to_owned(), members.keys().cloned().map(Value::from).collect());
        strict.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(strict)
}

fn properties(given: &Value, members: &Value) -> Value {
    let member = |(name, schema): (&String, &Value)| {
        let schema = strict(schema);
        (name.clone(), if schema::requires(given, name) { schema } else { nullable(schema) })
    };
    members.as_object().into_iter().flatten().map(member).collect::<Map<_, _>>().into()
}

fn nullable(mut schema: Value) -> Value {
    let Some(object) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.push(json!({"type": "null"}));
        return schema;
    }
    if let Some(only) = object.get_mut("type") {
        *only = json!([only.take(), "null"]);
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}
