//! The lexer of pattern variables, shared by patterns and rewrites.
//! It knows `$NAME`, `$_`, `$$$NAME`, `$$$` and `\$`, and nothing about any language.

use std::ops::Range;

/// The name of a variable that binds nothing.
pub(crate) const UNNAMED: &str = "_";

/// A part of a pattern or a rewrite. Ranges are of the text that was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Literal text, escapes resolved.
    Text(String),
    /// `$NAME`: one node. A name that starts with `_` binds nothing.
    One { name: String, range: Range<usize> },
    /// `$$$NAME`: a run of siblings; `$$$` alone has the name `_`.
    Many { name: String, range: Range<usize> },
}

/// Whether a variable of this name binds what it stands for.
pub(crate) fn binds(name: &str) -> bool {
    !name.starts_with('_')
}

/// Splits `text` into pieces. Names are taken as long as they go: `$NAMEs` is `$NAME` and `s`.
pub(crate) fn scan(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let dollars = bytes[at..].iter().take_while(|&&byte| byte == b'$').count();
        let name_start = at + dollars;
        let name = &text[name_start..name_start + name_len(&bytes[name_start..])];
        let end = name_start + name.len();
        let range = at..end;
        match dollars {
            0 if text[at..].starts_with("\\$") => {
                literal.push('$');
                at += 2;
                continue;
            }
            0 => {
                let next = text[at..].chars().next().map_or(1, char::len_utf8);
                literal.push_str(&text[at..at + next]);
                at += next;
                continue;
            }
            1 if !name.is_empty() => {
                flush(&mut literal, &mut pieces);
                pieces.push(Piece::One { name: name.to_owned(), range });
            }
            3 => {
                flush(&mut literal, &mut pieces);
                let name = if name.is_empty() { UNNAMED } else { name };
                pieces.push(Piece::Many { name: name.to_owned(), range });
            }
            _ => literal.push_str(&text[range]),
        }
        at = end;
    }
    flush(&mut literal, &mut pieces);
    pieces
}

fn flush(literal: &mut String, pieces: &mut Vec<Piece>) {
    if !literal.is_empty() {
        pieces.push(Piece::Text(std::mem::take(literal)));
    }
}

fn name_len(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(first) if first.is_ascii_uppercase() || *first == b'_' => bytes
            .iter()
            .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_')
            .count(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        scan(text)
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => format!("[{text}]"),
                Piece::One { name, range } => format!("<{name}@{}..{}>", range.start, range.end),
                Piece::Many { name, range } => format!("<*{name}@{}..{}>", range.start, range.end),
            })
            .collect()
    }

    #[test]
    fn variables_are_told_from_text() {
        assert_eq!(show("f($X, $$$REST)"), "[f(]<X@2..4>[, ]<*REST@6..13>[)]");
        assert_eq!(show("$_ $_X $$$ $$$_"), "<_@0..2>[ ]<_X@3..6>[ ]<*_@7..10>[ ]<*_@11..15>");
        assert_eq!(show("$A1_B$C"), "<A1_B@0..5><C@5..7>");
    }

    #[test]
    fn other_dollars_are_text() {
        assert_eq!(show("\\$HOME $x $ $1"), "[$HOME $x $ $1]");
        assert_eq!(show("$$X"), "[$$X]");
        assert_eq!(show("$$$$X"), "[$$$$X]");
        assert_eq!(show("é$É"), "[é$É]");
        assert_eq!(show("\\\\"), "[\\\\]");
    }
}
