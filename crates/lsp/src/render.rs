//! What a model reads: bounded text, and the same facts as data. Each line of a list starts with `path:line:column`.
//! It must never cut without saying how much, nor call "none" what was not answered.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use tool::Output;

use crate::queries::Place;

/// Characters of a line of source that are quoted.
const MAX_LINE: usize = 200;

/// An answer as it grows: a headline, lines, notes, and data.
#[derive(Debug, Default)]
pub(crate) struct Page {
    headline: String,
    lines: Vec<String>,
    notes: Vec<String>,
    data: Map<String, Value>,
}

impl Page {
    pub(crate) fn new(headline: impl Into<String>) -> Self {
        Self { headline: headline.into(), ..Self::default() }
    }

    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Something a reader must know of the answer; it stands below the list.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(crate) fn data(&mut self, name: &str, value: impl Into<Value>) {
        self.data.insert(name.to_owned(), value.into());
    }

    pub(crate) fn output(mut self) -> Output {
        if !self.notes.is_empty() {
            self.data.insert("notes".to_owned(), json!(self.notes));
        }
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        let text: Vec<String> = [self.headline].into_iter().chain(self.lines).chain(notes).collect();
        Output::text(text.join("\n")).with_data(Value::Object(self.data))
    }
}

/// `1 file`, `1,204 files`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        Some(stem) if noun != "key" => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{} {}", grouped(number), if number == 1 { noun } else { plural.as_str() })
}

/// `1204` as `1,204`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// ``; 50 of 1,204 shown`` where not all are.
pub(crate) fn cut(shown: usize, total: usize) -> String {
    if shown == total { String::new() } else { format!("; the first {} are listed", grouped(shown)) }
}

/// The first characters of a text on one line, saying how many were cut.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    let mut signs = text.char_indices();
    match signs.nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… (+{})", &text[..end], counted(1 + signs.count(), "character")),
    }
}

/// The first bytes of a text of several lines, saying how many were cut.
pub(crate) fn clip_bytes(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit);
    format!("{}…\n(+{})", &text[..end], counted(text.len() - end, "byte"))
}

/// A text on one line: white space and what steers a reader taken out.
pub(crate) fn flat(text: &str) -> String {
    workspace::shown(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// `` `a`, `b` and `c` ``.
pub(crate) fn named<S: AsRef<str>>(names: &[S]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let before = match index {
            0 => "",
            index if index + 1 == names.len() => " and ",
            _ => ", ",
        };
        let _ = write!(text, "{before}`{}`", name.as_ref());
    }
    text
}

/// `src/a.rs:3:5: fn a() {`.
pub(crate) fn place_line(place: &Place) -> String {
    match &place.reads {
        Some(reads) => format!("{}: {}", spot(place), clip(reads.trim(), MAX_LINE)),
        None => spot(place),
    }
}

/// `src/a.rs:3:5`, and where that is, if not among the workspace's own files.
pub(crate) fn spot(place: &Place) -> String {
    let mark = place.standing.mark();
    match place.position {
        Some(at) => format!("{}:{}:{}{mark}", workspace::shown(&place.path), at.line, at.column),
        None => format!("{}{mark}", workspace::shown(&place.path)),
    }
}

pub(crate) fn place_data(place: &Place) -> Value {
    let mut data = json!({ "path": place.path, "standing": place.standing.name() });
    if let Some(at) = place.position {
        data["line"] = json!(at.line);
        data["column"] = json!(at.column);
    }
    if let Some(reads) = &place.reads {
        data["text"] = json!(clip(reads.trim(), MAX_LINE));
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        assert_eq!(counted(1, "reference"), "1 reference");
        assert_eq!((counted(1_204, "file"), counted(2, "entry")), ("1,204 files".into(), "2 entries".into()));
        assert_eq!((cut(2, 2), cut(50, 1_204)), (String::new(), "; the first 50 are listed".into()));
    }

    #[test]
    fn what_is_cut_is_counted() {
        assert_eq!(clip("grüne", 3), "grü… (+2 characters)");
        assert_eq!(clip_bytes("aü", 2), "a…\n(+2 bytes)");
        assert_eq!(clip_bytes("aü", 3), "aü");
        assert_eq!(flat("a\n  b\u{202e}"), r"a b\u{202e}");
        assert_eq!(named(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
