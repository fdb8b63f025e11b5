//! Brings what was sent into the form that is checked and decoded. It never repairs a value; its liberties lose
//! nothing: `null` equals absent, and `3.0` is the integer 3, as JSON Schema has it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::schema::requires;

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
            let absent = |name: &str| member(schema, name).is_some() && !requires(schema, name);
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
