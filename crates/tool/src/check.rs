//! Checks arguments against their schema before they are decoded, so that a mistake is answered with its path, what
//! was expected and the nearest known name. It never repairs a value; its two liberties lose nothing: `null` equals
//! absent, and `3.0` is the integer 3, as JSON Schema has it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{Error, nearest};

/// The most mistakes one answer names.
const MAX_MISTAKES: usize = 5;

/// The arguments as they are checked and decoded: no arguments are an empty object, a `null` member that the schema
/// knows and does not require is absent, at any depth, and an integer spelt `3.0` is `3`.
pub(crate) fn tidied<'a>(schema: &Value, sent: &'a Value) -> Cow<'a, Value> {
    match sent {
        Value::Null => Cow::Owned(Value::Object(Map::new())),
        sent if untidy(sent) => Cow::Owned(tidy(schema, sent)),
        sent => Cow::Borrowed(sent),
    }
}

/// Whether there can be anything to tidy: most calls have nothing, and are not copied.
fn untidy(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(|member| member.is_null() || untidy(member)),
        Value::Array(items) => items.iter().any(untidy),
        Value::Number(number) => number.is_f64(),
        _ => false,
    }
}

fn tidy(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let absent = |name: &str| member(schema, name).is_some() && !is_required(schema, name);
            let kept = members.iter().filter(|(name, value)| !(value.is_null() && absent(name)));
            let below = |name: &str, value| tidy(member(schema, name).unwrap_or(&Value::Null), value);
            Value::Object(kept.map(|(name, value)| (name.clone(), below(name, value))).collect())
        }
        Value::Array(items) => {
            let schema = branches(schema).find_map(|branch| branch.get("items")).unwrap_or(&Value::Null);
            items.iter().map(|item| tidy(schema, item)).collect()
        }
        Value::Number(number) if branches(schema).any(|branch| branch["type"] == "integer") => {
            number.as_f64().and_then(whole).map_or_else(|| value.clone(), Value::from)
        }
        other => other.clone(),
    }
}

/// The integer that `number` is, where it is one that a double holds exactly.
#[expect(clippy::cast_possible_truncation, reason = "within 2^53 and without a fraction nothing is cut")]
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// The schema itself, or the branches of its `anyOf`.
fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    let several = schema.get("anyOf").and_then(Value::as_array);
    let itself = several.is_none().then_some(schema);
    several.into_iter().flatten().chain(itself)
}

fn member<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    branches(schema).find_map(|branch| branch.get("properties")?.get(name))
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
}

/// Compares `value` with `schema`.
///
/// # Errors
/// `BadArguments` that lists up to five mistakes, each with its path and what was expected.
pub(crate) fn check(tool: &str, schema: &Value, value: &Value) -> Result<(), Error> {
    let mut mistakes = Vec::new();
    walk(schema, value, "", &mut mistakes);
    if mistakes.is_empty() {
        return Ok(());
    }
    let more = mistakes.len().saturating_sub(MAX_MISTAKES);
    mistakes.truncate(MAX_MISTAKES);
    let mut message = format!("`{tool}`: {}", mistakes.join("; "));
    if more > 0 {
        message.push_str(&format!("; and {more} more"));
    }
    Err(Error::bad_arguments(message).with_hint(format!("arguments of `{tool}`: {}", signature(schema))))
}

/// The arguments in one line: `pattern, path?, max_results?`.
pub(crate) fn signature(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|members| !members.is_empty()) else {
        return "none".to_owned();
    };
    let mark = |name: &String| if is_required(schema, name) { name.clone() } else { format!("{name}?") };
    properties.keys().map(mark).collect::<Vec<_>>().join(", ")
}

fn walk(schema: &Value, value: &Value, path: &str, mistakes: &mut Vec<String>) {
    let Some(object) = schema.as_object() else { return };
    if let Some(branches) = object.get("anyOf").and_then(Value::as_array) {
        return walk_branches(branches, value, path, mistakes);
    }
    if !fits_type(object, value) {
        mistakes.push(format!("{} must be {}, found {}", place(path), expected(object), found(value)));
        return;
    }
    if let Some(allowed) = object.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        mistakes.push(not_allowed(path, allowed, value));
    }
    check_range(object, value, path, mistakes);
    check_length(object, value, path, mistakes);
    match value {
        Value::Object(members) => walk_members(object, members, path, mistakes),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(&schema["items"], item, &format!("{path}[{index}]"), mistakes);
            }
        }
        _ => {}
    }
}

/// A value fits `anyOf` when one branch has no mistake; else the nearest branch with the right type speaks.
fn walk_branches(branches: &[Value], value: &Value, path: &str, mistakes: &mut Vec<String>) {
    let mut best: Option<Vec<String>> = None;
    for branch in branches {
        let mut found = Vec::new();
        walk(branch, value, path, &mut found);
        if found.is_empty() {
            return;
        }
        let right_type = branch.as_object().is_some_and(|object| fits_type(object, value));
        if right_type && best.as_ref().is_none_or(|best| found.len() < best.len()) {
            best = Some(found);
        }
    }
    let kinds: Vec<String> = branches.iter().filter_map(Value::as_object).map(expected).collect();
    let wrong_type =
        || vec![format!("{} must be {}, found {}", place(path), kinds.join(" or "), found(value))];
    mistakes.extend(best.unwrap_or_else(wrong_type));
}

fn walk_members(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    path: &str,
    mistakes: &mut Vec<String>,
) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for (name, member) in members {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match properties.get(name) {
            Some(property) => walk(property, member, &below, mistakes),
            None => mistakes.push(unknown(&below, name, properties)),
        }
    }
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !members.contains_key(*name)) {
        let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let kind = properties.get(name).and_then(Value::as_object).map(expected).unwrap_or_default();
        mistakes.push(format!("`{below}` is required ({kind})"));
    }
}

fn unknown(path: &str, name: &str, properties: &Map<String, Value>) -> String {
    match nearest(name, properties.keys().map(String::as_str), 1).first() {
        Some(near) => format!("`{path}` is no argument here; did you mean `{near}`?"),
        None => format!("`{path}` is no argument here"),
    }
}

fn not_allowed(path: &str, allowed: &[Value], value: &Value) -> String {
    let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let near = value.as_str().and_then(|text| nearest(text, names.iter().copied(), 1).first().copied());
    let meant = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("{} must be one of {}, found {}{meant}", place(path), names.join(", "), found(value))
}

fn check_range(schema: &Map<String, Value>, value: &Value, path: &str, mistakes: &mut Vec<String>) {
    let Some(number) = value.as_f64() else { return };
    if let Some(least) = schema.get("minimum").and_then(Value::as_f64)
        && number < least
    {
        mistakes.push(format!("{} must be at least {least}, found {value}", place(path)));
    }
    if let Some(most) = schema.get("maximum").and_then(Value::as_f64)
        && number > most
    {
        mistakes.push(format!("{} must be at most {most}, found {value}", place(path)));
    }
}

fn check_length(schema: &Map<String, Value>, value: &Value, path: &str, mistakes: &mut Vec<String>) {
    let (length, unit, least, most) = match value {
        Value::String(text) => (text.chars().count(), "characters", "minLength", "maxLength"),
        Value::Array(items) => (items.len(), "elements", "minItems", "maxItems"),
        _ => return,
    };
    let limit = |keyword| schema.get(keyword).and_then(Value::as_u64);
    if let Some(least) = limit(least).filter(|least| (length as u64) < *least) {
        mistakes.push(format!("{} must have at least {least} {unit}, found {length}", place(path)));
    }
    if let Some(most) = limit(most).filter(|most| length as u64 > *most) {
        mistakes.push(format!("{} must have at most {most} {unit}, found {length}", place(path)));
    }
}

fn fits_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let fits = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::String(name)) => fits(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}

fn expected(schema: &Map<String, Value>) -> String {
    let article = |name: &str| match name {
        "object" | "array" | "integer" => format!("an {name}"),
        other => format!("a {other}"),
    };
    match schema.get("type") {
        Some(Value::String(name)) => article(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(article).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    }
}

/// The place of a mistake: the root has no name.
fn place(path: &str) -> String {
    if path.is_empty() { "the arguments".to_owned() } else { format!("`{path}`") }
}

fn found(value: &Value) -> String {
    const MOST: usize = 40;
    let text = match value {
        Value::Object(_) => return "an object".to_owned(),
        Value::Array(_) => return "an array".to_owned(),
        other => other.to_string(),
    };
    if text.chars().count() <= MOST {
        text
    } else {
        format!("{}…", text.chars().take(MOST).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Args {
        pattern: String,
        max_results: Option<u32>,
        mode: Option<Mode>,
        rules: Option<Vec<Rule>>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Fast,
        Good,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Rule {
        pattern: String,
        note: Option<String>,
    }

    fn mistake(value: Value) -> String {
        let schema = crate::schema::of::<Args>();
        check("find", &schema, &tidied(&schema, &value))
            .map_or_else(|error| error.message, |()| "fits".to_owned())
    }

    #[test]
    fn mistakes_are_named_with_path_expectation_and_nearest_name() {
        assert_eq!(
            mistake(json!({"pattern": "x", "max_result": 3})),
            "`find`: `max_result` is no argument here; did you mean `max_results`?"
        );
        assert_eq!(mistake(json!({})), "`find`: `pattern` is required (a string)");
        assert_eq!(mistake(json!({"pattern": 3})), "`find`: `pattern` must be a string, found 3");
        assert_eq!(
            mistake(json!({"pattern": "x", "max_results": -1})),
            "`find`: `max_results` must be at least 0, found -1"
        );
        assert_eq!(
            mistake(json!({"pattern": "x", "max_results": 1.5})),
            "`find`: `max_results` must be an integer, found 1.5"
        );
        assert_eq!(
            mistake(json!({"pattern": "x", "mode": "fats"})),
            "`find`: `mode` must be one of fast, good, found \"fats\"; did you mean `fast`?"
        );
        assert_eq!(
            mistake(json!({"pattern": "x", "rules": [{"pattern": "y"}, {"patern": "z"}]})),
            "`find`: `rules[1].patern` is no argument here; did you mean `pattern`?; `rules[1].pattern` is required (a string)"
        );
        assert_eq!(mistake(json!([1])), "`find`: the arguments must be an object, found an array");
    }

    #[test]
    fn an_integer_may_be_spelt_as_a_float_and_has_the_range_of_its_type() {
        assert_eq!(mistake(json!({"pattern": "x", "max_results": 3.0})), "fits");
        assert_eq!(
            mistake(json!({"pattern": "x", "max_results": 5_000_000_000_u64})),
            "`find`: `max_results` must be at most 4294967295, found 5000000000"
        );
    }

    #[test]
    fn null_equals_absent_where_nothing_is_required() {
        assert_eq!(mistake(json!({"pattern": "x", "max_results": null, "mode": null})), "fits");
        assert_eq!(mistake(json!({"pattern": "x", "rules": [{"pattern": "y", "note": null}]})), "fits");
        assert_eq!(mistake(json!(null)), "`find`: `pattern` is required (a string)");
        assert_eq!(
            mistake(json!({"pattern": "x", "moode": null})),
            "`find`: `moode` is no argument here; did you mean `mode`?"
        );
        assert_eq!(mistake(json!({"pattern": null})), "`find`: `pattern` must be a string, found null");
    }
}
