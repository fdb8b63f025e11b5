//! What servers answer, decoded item by item: one odd item is counted and told, and costs no other.
//! It must never take an answer that it does not understand for an empty one.

use lsp_types::{Position, Range};
use serde_json::Value;

use super::places::Spot;

/// The items of an answer, and how many could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded<T> {
    pub(crate) items: Vec<T>,
    pub(crate) odd: usize,
}

impl<T> Decoded<T> {
    /// Reads an array, a single item or `null`.
    pub(crate) fn each(answer: &Value, read: impl Fn(&Value) -> Option<T>) -> Self {
        let items = match answer {
            Value::Null => &[],
            Value::Array(items) => items.as_slice(),
            single => std::slice::from_ref(single),
        };
        let read: Vec<T> = items.iter().filter_map(read).collect();
        Self { odd: items.len() - read.len(), items: read }
    }

    /// What is one thing, or nothing.
    pub(crate) fn one(item: Option<T>) -> Self {
        Self { items: item.into_iter().collect(), odd: 0 }
    }

    /// Nothing at all: an item that was not understood is something.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.odd == 0
    }
}

/// Every `Location` of an answer.
pub(crate) fn locations(answer: &Value) -> Decoded<Spot> {
    Decoded::each(answer, location)
}

/// `Location`, or `LocationLink` at the name of its target.
fn location(item: &Value) -> Option<Spot> {
    if let Some(uri) = text(item, "targetUri") {
        let at = item.get("targetSelectionRange").or_else(|| item.get("targetRange"));
        return Some(Spot::new(uri, range(at?)?));
    }
    Some(Spot::new(text(item, "uri")?, range(item.get("range")?)?))
}

pub(crate) fn range(value: &Value) -> Option<Range> {
    Some(Range::new(position(value.get("start")?)?, position(value.get("end")?)?))
}

fn position(value: &Value) -> Option<Position> {
    Some(Position::new(number(value, "line")?, number(value, "character")?))
}

/// A number of the protocol; some servers name places below zero, or behind 32 bits for "the end".
fn number(value: &Value, name: &str) -> Option<u32> {
    let number = value.get(name)?;
    if let Some(number) = number.as_u64() {
        return Some(u32::try_from(number).unwrap_or(u32::MAX));
    }
    number.as_i64().map(|_| 0)
}

pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// What kind of thing a symbol is, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    const KINDS: [&str; 26] = [
        "file",
        "module",
        "namespace",
        "package",
        "class",
        "method",
        "property",
        "field",
        "constructor",
        "enum",
        "interface",
        "function",
        "variable",
        "constant",
        "string",
        "number",
        "boolean",
        "array",
        "object",
        "key",
        "null",
        "enum member",
        "struct",
        "event",
        "operator",
        "type parameter",
    ];
    let number = value.get("kind").and_then(Value::as_u64).and_then(|kind| usize::try_from(kind).ok());
    number.and_then(|kind| KINDS.get(kind.checked_sub(1)?).copied()).unwrap_or("symbol")
}

/// `MarkupContent`, `MarkedString`, several of them, or plain text.
pub(crate) fn markup(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let parts: Vec<String> =
                parts.iter().filter_map(markup).filter(|part| !part.trim().is_empty()).collect();
            (!parts.is_empty()).then(|| parts.join("\n\n"))
        }
        Value::Object(_) => {
            let content = text(value, "value")?;
            Some(match text(value, "language") {
                Some(language) if !content.trim().is_empty() => format!("```{language}\n{content}\n```"),
                _ => content.to_owned(),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 1 }, "end": { "line": line, "character": 2 } })
    }

    fn lines(answer: &Value) -> (Vec<u32>, usize) {
        let decoded = Decoded::each(answer, location);
        (decoded.items.iter().map(|spot| spot.range.unwrap().start.line).collect(), decoded.odd)
    }

    #[test]
    fn every_shape_of_a_location_is_read() {
        let link = json!({ "targetUri": "file:///a", "targetRange": at(0), "targetSelectionRange": at(3) });
        assert_eq!(lines(&json!({ "uri": "file:///a", "range": at(1) })), (vec![1], 0));
        assert_eq!(lines(&json!([{ "uri": "file:///a", "range": at(2) }, link])), (vec![2, 3], 0));
        assert_eq!(lines(&json!({ "targetUri": "file:///a", "targetRange": at(4) })), (vec![4], 0));
        assert_eq!(lines(&Value::Null), (vec![], 0));
        assert_eq!(lines(&json!([])), (vec![], 0));
    }

    #[test]
    fn an_odd_item_costs_no_other_and_is_counted() {
        let answer = json!([{ "uri": "file:///a", "range": at(1) }, { "uri": 3 }, null, { "uri": "file:///b", "range": at(2) }]);
        assert_eq!(lines(&answer), (vec![1, 2], 2));
        assert!(!Decoded::each(&json!(["?"]), location).is_empty());
        let below = json!({ "start": { "line": -1, "character": 0 }, "end": { "line": 0, "character": 9_999_999_999_u64 } });
        assert_eq!(range(&below), Some(Range::new(Position::new(0, 0), Position::new(0, u32::MAX))));
    }

    #[test]
    fn hover_comes_in_five_shapes() {
        assert_eq!(markup(&json!("a")).unwrap(), "a");
        assert_eq!(markup(&json!({ "kind": "markdown", "value": "a" })).unwrap(), "a");
        assert_eq!(
            markup(&json!({ "language": "rust", "value": "fn a()" })).unwrap(),
            "```rust\nfn a()\n```"
        );
        assert_eq!(
            markup(&json!(["a", { "language": "rust", "value": "b" }, ""])).unwrap(),
            "a\n\n```rust\nb\n```"
        );
        assert_eq!(markup(&json!([])), None);
    }
}
