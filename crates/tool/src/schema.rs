//! The schema of a tool's arguments, derived once and brought into one canonical, flat form that every export starts
//! from: objects closed, no argument nullable (absent and `null` are one), enums as plain lists, integers with their
//! range, no titles or formats. What no export could say right is found by [`problem`], never guessed at.

mod rules;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub(crate) use rules::problem;

/// Keywords that say nothing to a model or that some format refuses. A set takes a repeated element and keeps one.
const DROPPED: [&str; 8] =
    ["$schema", "title", "format", "uniqueItems", "deprecated", "examples", "readOnly", "writeOnly"];

/// The largest integer that every JSON reader keeps exact (RFC 7493): 2^53 - 1.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// The canonical schema of `T`.
pub(crate) fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    canonical(&mut schema, Place::Elsewhere);
    if let Some(root) = schema.as_object_mut() {
        root.remove("description");
        root.entry("type").or_insert_with(|| json!("object"));
        if root.get("type").is_some_and(|name| name == "object") && !root.contains_key("additionalProperties")
        {
            root.entry("properties").or_insert_with(|| json!({}));
            root.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    schema
}

/// Whether an object of this schema must have the member `name`.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
}

/// Where a schema stands: only a member may be left out, so only there `null` means absent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Member,
    Elsewhere,
}

/// Rewrites `schema` and everything below it.
fn canonical(schema: &mut Value, place: Place) {
    let Some(object) = schema.as_object_mut() else { return };
    if place == Place::Member {
        drop_null(object);
    }
    give_range(object);
    for keyword in DROPPED {
        object.remove(keyword);
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(only) = object.remove("const") {
        object.insert("enum".to_owned(), json!([only]));
    }
    flatten_enum(object);
    // The variants of an enum exclude each other by their tag or name, so that one of them is any of them.
    if let Some(branches) = object.remove("oneOf") {
        object.insert("anyOf".to_owned(), branches);
    }
    for (keyword, below) in object.iter_mut() {
        match (keyword.as_str(), below) {
            ("properties", Value::Object(members)) => {
                members.values_mut().for_each(|member| canonical(member, Place::Member));
            }
            ("anyOf", Value::Array(branches)) => {
                for branch in branches {
                    canonical(branch, Place::Elsewhere);
                }
            }
            ("items", items) => canonical(items, Place::Elsewhere),
            _ => {}
        }
    }
    if object.contains_key("properties") {
        object.insert("additionalProperties".to_owned(), json!(false));
    }
}

/// `T | null` becomes `T`: an optional argument is one that may be left out.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = object.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
    if branches.len() == 1
        && let Value::Object(only) = branches.remove(0)
    {
        object.remove("anyOf");
        for (key, value) in only {
            // The property's own description is nearer to the reader than its type's.
            object.entry(key).or_insert(value);
        }
    }
}

/// Says in the schema what the Rust type holds, so that a number too large is answered with its place.
fn give_range(object: &mut Map<String, Value>) {
    let (least, most) = match object.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int64" | "int" | "int128") => (-MAX_INTEGER, MAX_INTEGER),
        Some("uint64" | "uint" | "uint128") => (0, MAX_INTEGER),
        _ => return,
    };
    object.entry("minimum").or_insert(json!(least));
    object.entry("maximum").or_insert(json!(most));
}

/// A `oneOf` of constant texts becomes an `enum`, its branches' descriptions becoming lines of the description.
fn flatten_enum(object: &mut Map<String, Value>) {
    let Some(branches) = object.get("oneOf").and_then(Value::as_array) else { return };
    let mut values = Vec::new();
    let mut lines = Vec::new();
    for branch in branches {
        let spelled: Vec<Value> = match (branch.get("const"), branch.get("enum").and_then(Value::as_array)) {
            (Some(only), _) => vec![only.clone()],
            (None, Some(several)) => several.clone(),
            (None, None) => return,
        };
        if !spelled.iter().all(Value::is_string) {
            return;
        }
        if let Some(text) = branch.get("description").and_then(Value::as_str) {
            let names: Vec<String> =
                spelled.iter().map(|value| format!("`{}`", value.as_str().unwrap_or("?"))).collect();
            lines.push(format!("{}: {text}", names.join(", ")));
        }
        values.extend(spelled);
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), Value::Array(values));
    if !lines.is_empty() {
        let head = object
            .get("description")
            .and_then(Value::as_str)
            .map(|text| format!("{text}\n"))
            .unwrap_or_default();
        object.insert("description".to_owned(), json!(format!("{head}{}", lines.join("\n"))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    enum Action {
        /// Writes it.
        #[serde(rename = "accept")]
        Accept,
        #[serde(rename = "discard")]
        Discard,
    }

    /// Not shown.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Args {
        /// What to do.
        action: Action,
        /// Perhaps.
        other: Option<Action>,
        most: Option<u32>,
        list: Vec<Item>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Item {
        label: String,
    }

    #[test]
    fn the_canonical_form_is_closed_flat_and_without_null() {
        let action = json!(["discard", "accept"]);
        let schema = of::<Args>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["action", "list"],
                "properties": {
                    "action": {"type": "string", "enum": action, "description": "What to do.\n`accept`: Writes it."},
                    "other": {"type": "string", "enum": action, "description": "Perhaps.\n`accept`: Writes it."},
                    "most": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                    "list": {"type": "array", "items": {
                        "type": "object", "additionalProperties": false, "required": ["label"],
                        "properties": {"label": {"type": "string"}},
                    }},
                },
            }),
            "{schema:#}"
        );
    }
}
