//! Diagnostics as servers send them, read one by one. One odd item must never lose the others, and what it lacks is
//! filled in with the worse: no severity is an error, no range is the first line.

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Severity, Stream};

/// A diagnostic of the protocol. `None` where it says nothing at all.
pub(crate) fn one(item: &Value, server: &str, stream: &Stream, version: Option<i32>) -> Option<Diagnostic> {
    let message = match &item["message"] {
        Value::String(text) => text.clone(),
        // Markup, which newer servers may send.
        markup => markup["value"].as_str()?.to_owned(),
    };
    let range = &item["range"];
    Some(Diagnostic {
        start: position(&range["start"]),
        end: position(&range["end"]),
        severity: severity(&item["severity"]),
        code: code(&item["code"]),
        source: item["source"].as_str().map(str::to_owned),
        message,
        server: server.to_owned(),
        stream: stream.clone(),
        version,
    })
}

/// A diagnostic of tsserver's own protocol: lines and columns count from 1, in UTF-16.
pub(crate) fn of_tsserver(item: &Value, server: &str) -> Option<Diagnostic> {
    let place = |at: &Value| {
        let from_one = |name: &str| number(&at[name]).saturating_sub(1);
        (from_one("line"), from_one("offset"))
    };
    let severity = match item["category"].as_str() {
        Some("warning") => Severity::Warning,
        Some("message") => Severity::Information,
        Some("suggestion") => Severity::Hint,
        _ => Severity::Error,
    };
    Some(Diagnostic {
        start: place(&item["start"]),
        end: place(&item["end"]),
        severity,
        code: code(&item["code"]),
        source: Some(item["source"].as_str().unwrap_or("typescript").to_owned()),
        message: item["text"].as_str()?.to_owned(),
        server: server.to_owned(),
        stream: Stream::Asked,
        version: None,
    })
}

fn position(at: &Value) -> (u32, u32) {
    (number(&at["line"]), number(&at["character"]))
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

fn severity(value: &Value) -> Severity {
    match value.as_u64() {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    }
}

/// A number, a string, or the object that some servers send; an empty one is none.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(object) => code(object.get("value")?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(item: Value) -> Option<Diagnostic> {
        one(&item, "x", &Stream::Push, Some(3))
    }

    #[test]
    fn what_is_missing_is_the_worse() {
        let bare = read(json!({ "message": "m" })).unwrap();
        assert_eq!(
            (bare.severity, bare.code, bare.start, bare.source),
            (Severity::Error, None, (0, 0), None)
        );
        assert_eq!(read(json!({ "severity": 1 })), None);
        assert_eq!(read(json!("text")), None);
        let odd =
            read(json!({ "message": { "kind": "markdown", "value": "m" }, "severity": "bad", "range": 3 }));
        assert_eq!(odd.map(|odd| (odd.message, odd.severity)), Some(("m".to_owned(), Severity::Error)));
    }

    #[test]
    fn a_code_is_the_same_whether_it_is_a_number_or_a_string() {
        for code in [json!(2304), json!("2304"), json!({ "value": "2304", "target": "u" })] {
            assert_eq!(read(json!({ "message": "m", "code": code })).unwrap().code.as_deref(), Some("2304"));
        }
        assert_eq!(read(json!({ "message": "m", "code": "" })).unwrap().code, None);
    }

    #[test]
    fn tsserver_counts_from_one() {
        let item = json!({
            "start": { "line": 2, "offset": 5 }, "end": { "line": 2, "offset": 8 },
            "text": "Cannot find name 'x'.", "code": 2304, "category": "error",
        });
        let read = of_tsserver(&item, "t").unwrap();
        assert_eq!((read.start, read.end), ((1, 4), (1, 7)));
        assert_eq!(
            (read.severity, read.code.as_deref(), read.source.as_deref()),
            (Severity::Error, Some("2304"), Some("typescript"))
        );
        assert_eq!(
            of_tsserver(&json!({ "text": "s", "category": "suggestion" }), "t").unwrap().severity,
            Severity::Hint
        );
    }
}
