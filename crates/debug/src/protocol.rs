//! The part of the Debug Adapter Protocol that is used, read leniently: a field that is missing, `null` or of another
//! type is as good as absent, and an item of a list that cannot be read costs itself alone.
//! It must never fail on what an adapter sends, and none of its types leaves the crate.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What an adapter says it can do; `capabilities` events add to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities(Map<String, Value>);

impl Capabilities {
    pub(crate) fn add(&mut self, body: &Value) {
        if let Value::Object(more) = body {
            self.0.extend(more.clone());
        }
    }

    /// Whether the flag of that name is up.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.0.get(flag).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn exception_filters(&self) -> Vec<ExceptionFilter> {
        self.0.get("exceptionBreakpointFilters").map(items).unwrap_or_default()
    }
}

/// One kind of exception that an adapter can stop at.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExceptionFilter {
    pub(crate) filter: String,
    #[serde(default)]
    pub(crate) default: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) name: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Source {
    pub(crate) path: Option<String>,
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StackFrame {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) source: Option<Source>,
    #[serde(default)]
    pub(crate) line: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) variables_reference: i64,
    #[serde(default)]
    pub(crate) expensive: bool,
    pub(crate) named_variables: Option<u64>,
    pub(crate) indexed_variables: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) value: String,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) variables_reference: i64,
    pub(crate) indexed_variables: Option<u64>,
}

/// The answer to `evaluate` (`result`) and to `setVariable` (`value`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Evaluated {
    #[serde(alias = "value")]
    pub(crate) result: String,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) variables_reference: i64,
    pub(crate) indexed_variables: Option<u64>,
}

/// A breakpoint as an adapter sees it, in an answer or an event.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Breakpoint {
    pub(crate) id: Option<i64>,
    pub(crate) verified: Option<bool>,
    pub(crate) message: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) source: Option<Source>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stopped {
    pub(crate) reason: String,
    pub(crate) description: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) thread_id: Option<i64>,
    pub(crate) hit_breakpoint_ids: Vec<i64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Continued {
    pub(crate) thread_id: Option<i64>,
    pub(crate) all_threads_continued: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OutputEvent {
    pub(crate) category: Option<String>,
    pub(crate) output: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ExceptionInfo {
    pub(crate) exception_id: String,
    pub(crate) description: Option<String>,
}

/// `body` as `T`, fields that are `null` being absent; `None` when it is something else.
pub(crate) fn read<T: DeserializeOwned>(body: Value) -> Option<T> {
    serde_json::from_value(without_nulls(body)).ok()
}

/// The items of a list that can be read.
pub(crate) fn items<T: DeserializeOwned>(list: &Value) -> Vec<T> {
    list.as_array().into_iter().flatten().cloned().filter_map(read).collect()
}

/// As [`items`], every item in its place.
pub(crate) fn each<T: DeserializeOwned + Default>(list: &Value) -> Vec<T> {
    list.as_array().into_iter().flatten().cloned().map(|item| read(item).unwrap_or_default()).collect()
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        other => other,
    }
}

/// Why a request failed, in the adapter's words: `message`, or the text in `body.error` with its variables filled in,
/// which says more where both are there.
pub(crate) fn failure(message: &Map<String, Value>) -> String {
    let short = message.get("message").and_then(Value::as_str).unwrap_or_default();
    let error = message.get("body").and_then(|body| body.get("error"));
    let long = error.and_then(|error| {
        let format = error.get("format")?.as_str()?;
        let variables = error.get("variables").and_then(Value::as_object);
        Some(variables.into_iter().flatten().fold(format.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default())
        }))
    });
    match long.as_deref().unwrap_or_default() {
        "" if short.is_empty() => "it gave no reason".to_owned(),
        "" => short.to_owned(),
        long if short.contains(long) => short.to_owned(),
        long => long.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_null_or_wrong_costs_itself_alone() {
        let frames: Vec<StackFrame> = items(&json!([
            {"id": 1, "name": "a", "line": null, "source": null, "new": {}},
            {"id": "x"},
            7,
            {"id": 2, "line": 3, "source": {"path": "/a.c"}},
        ]));
        assert_eq!(frames.iter().map(|frame| (frame.id, frame.line)).collect::<Vec<_>>(), [(1, 0), (2, 3)]);
        let points: Vec<Breakpoint> = each(&json!([{"verified": true}, "?", {"line": 3}]));
        assert_eq!(points.iter().map(|point| point.line).collect::<Vec<_>>(), [None, None, Some(3)]);
    }

    #[test]
    fn the_reason_of_a_failure_is_found_wherever_it_stands() {
        let said = |value: Value| failure(value.as_object().unwrap());
        assert_eq!(said(json!({"message": "no such file"})), "no such file");
        assert_eq!(
            said(
                json!({"message": null, "body": {"error": {"format": "no {what}", "variables": {"what": "target"}}}})
            ),
            "no target"
        );
        let both =
            json!({"message": "Failed to launch", "body": {"error": {"format": "Failed to launch: x"}}});
        assert_eq!(said(both), "Failed to launch: x");
        assert_eq!(said(json!({"message": ""})), "it gave no reason");
    }
}
