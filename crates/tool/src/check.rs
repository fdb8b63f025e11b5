//! Checks arguments against their schema before they are decoded, so that a mistake is answered with its path, what
//! was expected and the nearest known name. It never changes a value, and builds no text before there is a mistake.

use std::fmt;

use serde_json::{Map, Value};

use crate::schema::requires;
use crate::{Error, nearest};

/// The most mistakes one answer names.
const MAX_MISTAKES: usize = 5;

/// Compares `value` with `schema`.
///
/// # Errors
/// `BadArguments` that lists up to five mistakes, each with its path and what was expected.
pub(crate) fn check(tool: &str, schema: &Value, value: &Value) -> Result<(), Error> {
    let mut mistakes = Vec::new();
    walk(schema, value, Place::Root, &mut mistakes);
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
    let mark = |name: &String| if requires(schema, name) { name.clone() } else { format!("{name}?") };
    properties.keys().map(mark).collect::<Vec<_>>().join(", ")
}

/// Where a value stands in the arguments. Displayed as a mistake names it: the root has no name.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Member(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(above, name) => {
                above.write(f)?;
                write!(f, ".{name}")
            }
            Self::Element(above, index) => {
                above.write(f)?;
                write!(f, "[{index}]")
            }
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Root = self {
            return f.write_str("the arguments");
        }
        f.write_str("`")?;
        self.write(f)?;
        f.write_str("`")
    }
}

/// What one schema object asks for, read in one pass: looking each keyword up costs more than the whole check.
#[derive(Default)]
struct Rules<'a> {
    any_of: Option<&'a Vec<Value>>,
    kind: Option<&'a Value>,
    allowed: Option<&'a Vec<Value>>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    shortest: Option<u64>,
    longest: Option<u64>,
    fewest: Option<u64>,
    most: Option<u64>,
    properties: Option<&'a Map<String, Value>>,
    required: Option<&'a Vec<Value>>,
    items: Option<&'a Value>,
}

impl<'a> Rules<'a> {
    fn of(schema: &'a Value) -> Self {
        let mut rules = Self::default();
        for (keyword, rule) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "anyOf" => rules.any_of = rule.as_array(),
                "type" => rules.kind = Some(rule),
                "enum" => rules.allowed = rule.as_array(),
                "minimum" => rules.minimum = rule.as_f64(),
                "maximum" => rules.maximum = rule.as_f64(),
                "minLength" => rules.shortest = rule.as_u64(),
                "maxLength" => rules.longest = rule.as_u64(),
                "minItems" => rules.fewest = rule.as_u64(),
                "maxItems" => rules.most = rule.as_u64(),
                "properties" => rules.properties = rule.as_object(),
                "required" => rules.required = rule.as_array(),
                "items" => rules.items = Some(rule),
                _ => {}
            }
        }
        rules
    }

    fn fits_type(&self, value: &Value) -> bool {
        match self.kind.and_then(Value::as_str) {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("null") => value.is_null(),
            _ => true,
        }
    }

    fn expected(&self) -> String {
        match self.kind.and_then(Value::as_str) {
            Some(name @ ("object" | "array" | "integer")) => format!("an {name}"),
            Some(name) => format!("a {name}"),
            None => "a value".to_owned(),
        }
    }
}

fn walk(schema: &Value, value: &Value, place: Place<'_>, mistakes: &mut Vec<String>) {
    let rules = Rules::of(schema);
    if let Some(branches) = rules.any_of {
        return walk_branches(branches, value, place, mistakes);
    }
    if !rules.fits_type(value) {
        mistakes.push(format!("{place} must be {}, found {}", rules.expected(), found(value)));
        return;
    }
    if let Some(allowed) = rules.allowed.filter(|allowed| !allowed.contains(value)) {
        mistakes.push(not_allowed(place, allowed, value));
    }
    match value {
        Value::Object(members) => walk_members(&rules, members, place, mistakes),
        Value::Array(items) => {
            check_length(items.len(), "elements", rules.fewest, rules.most, place, mistakes);
            for (index, item) in items.iter().enumerate() {
                walk(rules.items.unwrap_or(&Value::Null), item, Place::Element(&place, index), mistakes);
            }
        }
        Value::String(text) if rules.shortest.is_some() || rules.longest.is_some() => {
            let length = text.chars().count();
            check_length(length, "characters", rules.shortest, rules.longest, place, mistakes);
        }
        Value::Number(_) => check_range(&rules, value, place, mistakes),
        _ => {}
    }
}

/// A value fits `anyOf` when one branch has no mistake; else the nearest branch with the right type speaks.
fn walk_branches(branches: &[Value], value: &Value, place: Place<'_>, mistakes: &mut Vec<String>) {
    let mut best: Option<Vec<String>> = None;
    for branch in branches {
        let mut found = Vec::new();
        walk(branch, value, place, &mut found);
        if found.is_empty() {
            return;
        }
        let right_type = Rules::of(branch).fits_type(value);
        if right_type && best.as_ref().is_none_or(|best| found.len() < best.len()) {
            best = Some(found);
        }
    }
    let kinds: Vec<String> = branches.iter().map(|branch| Rules::of(branch).expected()).collect();
    let wrong_type = || vec![format!("{place} must be {}, found {}", kinds.join(" or "), found(value))];
    mistakes.extend(best.unwrap_or_else(wrong_type));
}

fn walk_members(
    rules: &Rules<'_>,
    members: &Map<String, Value>,
    place: Place<'_>,
    mistakes: &mut Vec<String>,
) {
    let property = |name: &str| rules.properties.and_then(|properties| properties.get(name));
    for (name, member) in members {
        let below = Place::Member(&place, name);
        match property(name) {
            Some(property) => walk(property, member, below, mistakes),
            None => mistakes.push(unknown(below, name, rules.properties)),
        }
    }
    let required = rules.required.into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !members.contains_key(*name)) {
        let kind = property(name).map(|property| Rules::of(property).expected()).unwrap_or_default();
        mistakes.push(format!("{} is required ({kind})", Place::Member(&place, name)));
    }
}

fn unknown(place: Place<'_>, name: &str, properties: Option<&Map<String, Value>>) -> String {
    let known = properties.into_iter().flat_map(Map::keys).map(String::as_str);
    match nearest(name, known, 1).first() {
        Some(near) => format!("{place} is no argument here; did you mean `{near}`?"),
        None => format!("{place} is no argument here"),
    }
}

fn not_allowed(place: Place<'_>, allowed: &[Value], value: &Value) -> String {
    let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let near = value.as_str().and_then(|text| nearest(text, names.iter().copied(), 1).first().copied());
    let meant = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("{place} must be one of {}, found {}{meant}", names.join(", "), found(value))
}

fn check_range(rules: &Rules<'_>, value: &Value, place: Place<'_>, mistakes: &mut Vec<String>) {
    let Some(number) = value.as_f64() else { return };
    if let Some(least) = rules.minimum.filter(|least| number < *least) {
        mistakes.push(format!("{place} must be at least {least}, found {value}"));
    }
    if let Some(most) = rules.maximum.filter(|most| number > *most) {
        mistakes.push(format!("{place} must be at most {most}, found {value}"));
    }
}

fn check_length(
    length: usize,
    unit: &str,
    least: Option<u64>,
    most: Option<u64>,
    place: Place<'_>,
    mistakes: &mut Vec<String>,
) {
    if let Some(least) = least.filter(|least| (length as u64) < *least) {
        mistakes.push(format!("{place} must have at least {least} {unit}, found {length}"));
    }
    if let Some(most) = most.filter(|most| length as u64 > *most) {
        mistakes.push(format!("{place} must have at most {most} {unit}, found {length}"));
    }
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
    use crate::tidy::tidied;

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
    fn null_equals_absent_where_nothing_requires() {
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
