//! A server's `WorkspaceEdit`, read item by item into operations in their order. An edit is one: what is not
//! understood, or wants a person's word, refuses the whole. It looks at no file.

use std::path::PathBuf;

use lsp_types::{Position, Range};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::uri;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Edit { path: PathBuf, version: Option<i64>, edits: Vec<TextEdit> },
    Create { path: PathBuf, clash: Clash },
    Rename { from: PathBuf, to: PathBuf, clash: Clash },
    Delete { path: PathBuf, recursive: bool, may_miss: bool },
}

/// Text to put in the place of a range of the text as it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextEdit {
    pub(crate) range: Range,
    pub(crate) text: String,
}

/// What to do where something is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    Refuse,
    Overwrite,
    Skip,
}

/// Reads an edit; `null` is none. Where both forms are given, `documentChanges` is the one that counts.
pub(crate) fn decode(edit: &Value, server: &str) -> Result<Vec<Operation>, Refusal> {
    if edit.is_null() {
        return Ok(Vec::new());
    }
    let reader = Reader { server, annotations: edit.get("changeAnnotations").and_then(Value::as_object) };
    if !edit.is_object() {
        return Err(reader.unreadable("it is no workspace edit"));
    }
    match (present(edit, "documentChanges"), present(edit, "changes")) {
        (Some(changes), _) => {
            reader.array(changes, "documentChanges")?.map(|change| reader.change(change)).collect()
        }
        (None, Some(changes)) => reader.map(changes),
        (None, None) => Ok(Vec::new()),
    }
}

fn present<'v>(value: &'v Value, field: &str) -> Option<&'v Value> {
    value.get(field).filter(|value| !value.is_null())
}

struct Reader<'a> {
    server: &'a str,
    annotations: Option<&'a Map<String, Value>>,
}

impl Reader<'_> {
    fn map(&self, changes: &Value) -> Result<Vec<Operation>, Refusal> {
        let changes = changes.as_object().ok_or_else(|| self.unreadable("`changes` is no map"))?;
        let file = |(uri, edits): (&String, &Value)| {
            Ok(Operation::Edit { path: path(uri)?, version: None, edits: self.edits(edits)? })
        };
        changes.iter().map(file).collect()
    }

    fn change(&self, change: &Value) -> Result<Operation, Refusal> {
        let Some(kind) = present(change, "kind") else { return self.document(change) };
        self.confirmed(change)?;
        let clash = || match (flag(change, "overwrite"), flag(change, "ignoreIfExists")) {
            (true, _) => Clash::Overwrite,
            (false, true) => Clash::Skip,
            (false, false) => Clash::Refuse,
        };
        match kind.as_str() {
            Some("create") => Ok(Operation::Create { path: self.uri(change, "uri")?, clash: clash() }),
            Some("rename") => Ok(Operation::Rename {
                from: self.uri(change, "oldUri")?,
                to: self.uri(change, "newUri")?,
                clash: clash(),
            }),
            Some("delete") => Ok(Operation::Delete {
                path: self.uri(change, "uri")?,
                recursive: flag(change, "recursive"),
                may_miss: flag(change, "ignoreIfNotExists"),
            }),
            _ => Err(Refusal::UnknownOperation { kind: kind.to_string() }),
        }
    }

    fn document(&self, change: &Value) -> Result<Operation, Refusal> {
        let Some(document) = present(change, "textDocument") else {
            return Err(Refusal::UnknownOperation { kind: change.to_string() });
        };
        let version = match present(document, "version") {
            None => None,
            Some(version) => Some(version.as_i64().ok_or_else(|| self.unreadable("a version is no number"))?),
        };
        let edits = present(change, "edits").ok_or_else(|| self.unreadable("a document has no `edits`"))?;
        Ok(Operation::Edit { path: self.uri(document, "uri")?, version, edits: self.edits(edits)? })
    }

    fn edits(&self, edits: &Value) -> Result<Vec<TextEdit>, Refusal> {
        self.array(edits, "edits")?.map(|edit| self.edit(edit)).collect()
    }

    fn edit(&self, edit: &Value) -> Result<TextEdit, Refusal> {
        self.confirmed(edit)?;
        // The two ways, one of them older, to say that `$1` is a place to fill in.
        if present(edit, "snippet").is_some() || edit.get("insertTextFormat") == Some(&Value::from(2)) {
            return Err(Refusal::Snippet);
        }
        let range =
            present(edit, "range").and_then(range).ok_or_else(|| self.unreadable("an edit has no range"))?;
        let text = edit.get("newText").and_then(Value::as_str);
        let text = text.ok_or_else(|| self.unreadable("an edit has no `newText`"))?.to_owned();
        Ok(TextEdit { range, text })
    }

    /// Refuses what its annotation wants a person to confirm.
    fn confirmed(&self, change: &Value) -> Result<(), Refusal> {
        let Some(id) = change.get("annotationId").and_then(Value::as_str) else { return Ok(()) };
        let Some(annotation) = self.annotations.and_then(|annotations| annotations.get(id)) else {
            return Ok(());
        };
        if !flag_of(annotation, "needsConfirmation") {
            return Ok(());
        }
        let said = |field| annotation.get(field).and_then(Value::as_str);
        let parts: Vec<&str> = [said("label"), said("description")].into_iter().flatten().collect();
        Err(Refusal::NeedsConfirmation {
            label: if parts.is_empty() { id.to_owned() } else { parts.join(": ") },
        })
    }

    fn array<'v>(&self, value: &'v Value, name: &str) -> Result<std::slice::Iter<'v, Value>, Refusal> {
        value
            .as_array()
            .map(|items| items.iter())
            .ok_or_else(|| self.unreadable(&format!("`{name}` is no list")))
    }

    fn uri(&self, value: &Value, field: &str) -> Result<PathBuf, Refusal> {
        let uri = value.get(field).and_then(Value::as_str);
        path(uri.ok_or_else(|| self.unreadable(&format!("`{field}` is missing")))?)
    }

    fn unreadable(&self, why: &str) -> Refusal {
        Refusal::Unreadable { server: self.server.to_owned(), why: why.to_owned() }
    }
}

fn path(uri: &str) -> Result<PathBuf, Refusal> {
    uri::path(uri).ok_or_else(|| Refusal::NoFile { uri: uri.to_owned() })
}

/// An option of an operation.
fn flag(change: &Value, option: &str) -> bool {
    change.get("options").is_some_and(|options| flag_of(options, option))
}

fn flag_of(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

/// A range, whichever end is named first; its ends are clamped where they are looked for in a text.
pub(crate) fn range(value: &Value) -> Option<Range> {
    let number = |value: &Value, field| {
        let number = value.get(field)?.as_u64()?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let position = |field| {
        let position = value.get(field)?;
        Some(Position::new(number(position, "line")?, number(position, "character")?))
    };
    Some(Range::new(position("start")?, position("end")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(edit: &Value) -> String {
        decode(edit, "ls").unwrap_err().to_string()
    }

    fn span(line: u32, start: u32, end: u32) -> Value {
        json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
    }

    #[test]
    fn a_map_has_an_edit_for_each_file() {
        let edit = json!({"changes": {"file:///w/a%20b.ts": [{"range": span(1, 2, 3), "newText": "x"}]}});
        let range = Range::new(Position::new(1, 2), Position::new(1, 3));
        assert_eq!(
            decode(&edit, "ls").unwrap(),
            [Operation::Edit {
                path: "/w/a b.ts".into(),
                version: None,
                edits: vec![TextEdit { range, text: "x".to_owned() }]
            }]
        );
        assert_eq!(decode(&Value::Null, "ls").unwrap(), []);
        assert_eq!(decode(&json!({"changes": null}), "ls").unwrap(), []);
    }

    #[test]
    fn operations_keep_their_order_and_overwriting_beats_ignoring() {
        let edit = json!({
            "changes": {"file:///w/not-this": []},
            "documentChanges": [
                {"kind": "create", "uri": "file:///w/c", "options": {"overwrite": true, "ignoreIfExists": true}},
                {"textDocument": {"uri": "file:///w/a", "version": 7}, "edits": []},
                {"kind": "rename", "oldUri": "file:///w/a", "newUri": "file:///w/b", "options": {"ignoreIfExists": true}},
                {"kind": "delete", "uri": "file:///w/d", "options": {"recursive": true, "ignoreIfNotExists": true}},
            ],
        });
        assert_eq!(
            decode(&edit, "ls").unwrap(),
            [
                Operation::Create { path: "/w/c".into(), clash: Clash::Overwrite },
                Operation::Edit { path: "/w/a".into(), version: Some(7), edits: Vec::new() },
                Operation::Rename { from: "/w/a".into(), to: "/w/b".into(), clash: Clash::Skip },
                Operation::Delete { path: "/w/d".into(), recursive: true, may_miss: true },
            ]
        );
    }

    #[test]
    fn what_is_not_understood_refuses_the_whole() {
        let with = |change: Value| {
            refused(&json!({"documentChanges": [
                {"textDocument": {"uri": "file:///w/a", "version": null}, "edits": []},
                change,
            ]}))
        };
        assert_eq!(
            with(json!({"kind": "chmod", "uri": "file:///w/a"})),
            "the edit asks for `\"chmod\"`, which is not understood; the edit is one, and is not made in part"
        );
        assert!(with(json!({"uri": "file:///w/a"})).starts_with("the edit asks for `{\"uri\""));
        assert_eq!(with(json!({"kind": "delete", "uri": "jdt://x"})), "`jdt://x` is no file of this machine");
        assert_eq!(with(json!({"kind": "delete"})), "the answer of ls cannot be read: `uri` is missing");
        assert_eq!(refused(&json!([])), "the answer of ls cannot be read: it is no workspace edit");
        assert_eq!(
            refused(&json!({"changes": {"file:///w/a": [{"range": span(0, 0, 1)}]}})),
            "the answer of ls cannot be read: an edit has no `newText`"
        );
        assert_eq!(
            refused(
                &json!({"changes": {"file:///w/a": [{"range": {"start": {"line": -1}}, "newText": ""}]}})
            ),
            "the answer of ls cannot be read: an edit has no range"
        );
    }

    #[test]
    fn what_wants_a_persons_word_or_a_cursor_is_refused() {
        let edit = |annotation: Value, extra: Value| {
            let mut text_edit = json!({"range": span(0, 0, 1), "newText": "x", "annotationId": "a"});
            text_edit.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            json!({
                "documentChanges": [{"textDocument": {"uri": "file:///w/a", "version": null}, "edits": [text_edit]}],
                "changeAnnotations": {"a": annotation},
            })
        };
        let asks =
            json!({"label": "Rename in comments", "needsConfirmation": true, "description": "3 places"});
        assert_eq!(
            refused(&edit(asks, json!({}))),
            "the edit wants a person's word first: Rename in comments: 3 places"
        );
        assert!(decode(&edit(json!({"label": "x"}), json!({})), "ls").is_ok());
        let snippet = "the edit inserts a snippet with places to fill in, which is no text";
        assert_eq!(refused(&edit(json!({}), json!({"insertTextFormat": 2}))), snippet);
        assert_eq!(
            refused(&edit(json!({}), json!({"snippet": {"kind": "snippet", "value": "$1"}}))),
            snippet
        );
        let file = json!({
            "documentChanges": [{"kind": "delete", "uri": "file:///w/a", "annotationId": "a"}],
            "changeAnnotations": {"a": {"label": "Delete", "needsConfirmation": true}},
        });
        assert_eq!(refused(&file), "the edit wants a person's word first: Delete");
    }

    #[test]
    fn numbers_out_of_reach_are_clamped() {
        let far =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 4_294_967_296_u64, "character": 1}});
        assert_eq!(range(&far).unwrap().end.line, u32::MAX);
    }
}
