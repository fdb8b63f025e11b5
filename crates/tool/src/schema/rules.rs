//! What a canonical schema may say: the common part of what every model's format accepts. Each finding names the
//! argument and the way out. It never changes a schema.

use serde_json::{Map, Value};

/// The most objects and lists inside one another, the arguments themselves included (the limit of OpenAI's strict
/// mode).
const MAX_DEPTH: usize = 10;

/// The longest name of an argument (Anthropic's limit), in characters.
const MAX_NAME: usize = 64;

const KNOWN: [&str; 14] = [
    "type",
    "description",
    "default",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// What keeps `schema` from being offered to every model; `None` when nothing does.
pub(crate) fn problem(schema: &Value) -> Option<String> {
    match schema.as_object() {
        Some(root)
            if root.get("type").is_some_and(|name| name == "object") && !root.contains_key("anyOf") =>
        {
            look(schema, "", 1)
        }
        _ => Some("its arguments must be a struct with named fields".to_owned()),
    }
}

fn look(schema: &Value, path: &str, depth: usize) -> Option<String> {
    let Some(object) = schema.as_object() else {
        return Some(format!("{} may be anything; give it a type", subject(path)));
    };
    if let Some(branches) = object.get("anyOf") {
        return look_at_branches(object, branches, path, depth);
    }
    if let Some(found) = keyword_problem(object, path) {
        return Some(found);
    }
    if depth > MAX_DEPTH && matches!(object.get("type"), Some(name) if name == "object" || name == "array") {
        return Some(format!("{} lies more than {MAX_DEPTH} levels deep", subject(path)));
    }
    match object.get("type").and_then(Value::as_str) {
        Some("object") => look_at_members(object, path, depth),
        Some("array") => match object.get("items") {
            Some(items) => look(items, &format!("{path}[]"), depth + 1),
            None => Some(format!("{} is a list of anything; give its elements a type", subject(path))),
        },
        Some("integer" | "number" | "boolean") if object.contains_key("enum") => {
            Some(format!("{} lists values that are no text; spell them as text", subject(path)))
        }
        Some("string" | "integer" | "number" | "boolean") => None,
        _ if may_be_null(object) => Some(format!(
            "{} may be null where nothing can be left out; use a type without null",
            subject(path)
        )),
        _ => Some(format!("{} has no single type", subject(path))),
    }
}

fn look_at_branches(
    object: &Map<String, Value>,
    branches: &Value,
    path: &str,
    depth: usize,
) -> Option<String> {
    let extra =
        object.keys().find(|keyword| !["anyOf", "description", "default"].contains(&keyword.as_str()));
    if extra.is_some() {
        return Some(format!("{} mixes fields of its own with an enum's; nest the enum", subject(path)));
    }
    branches.as_array()?.iter().find_map(|branch| match branch.get("anyOf") {
        Some(_) => Some(format!("{} is a choice of choices; make it one enum", subject(path))),
        None => look(branch, path, depth),
    })
}

fn look_at_members(object: &Map<String, Value>, path: &str, depth: usize) -> Option<String> {
    let members = object.get("properties").and_then(Value::as_object);
    if !path.is_empty() && members.is_none_or(Map::is_empty) {
        return Some(format!("{} is a struct without fields; leave it out or use a bool", subject(path)));
    }
    members.into_iter().flatten().find_map(|(name, member)| {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !(1..=MAX_NAME).contains(&name.len()) || !name.chars().all(fits) {
            return Some(format!(
                "{} needs a name of 1 to {MAX_NAME} of a-z, A-Z, 0-9 and _",
                subject(&below)
            ));
        }
        look(member, &below, depth + 1)
    })
}

fn keyword_problem(object: &Map<String, Value>, path: &str) -> Option<String> {
    object.iter().find_map(|(keyword, value)| match keyword.as_str() {
        "$ref" => Some(format!("{} contains itself; use a flat list with references by id", subject(path))),
        "additionalProperties" if *value != false => {
            Some(format!("{} is an open map; use a list of {{name, value}}", subject(path)))
        }
        "patternProperties" => {
            Some(format!("{} is an open map; use a list of {{name, value}}", subject(path)))
        }
        "prefixItems" => Some(format!("{} is a tuple; use a struct with named fields", subject(path))),
        // Met where it is referred to, which is the nearer place.
        "$defs" => None,
        known if KNOWN.contains(&known) => None,
        other => Some(format!("{} needs `{other}`, which not every model's format knows", subject(path))),
    })
}

fn may_be_null(object: &Map<String, Value>) -> bool {
    match object.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(name) => name == "null",
        None => false,
    }
}

fn subject(path: &str) -> String {
    if path.is_empty() { "its argument list".to_owned() } else { format!("its argument `{path}`") }
}
