//! One error, warning or remark of a server about a file.
//! It must never be told apart by its position alone: a diagnostic that moved is the same.

use std::fmt;

use serde_json::{Value, json};

/// A diagnostic as its server gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// Start and end as (line, character), both from 0, in the encoding of its client and of the text it was sent.
    pub(crate) start: (u32, u32),
    pub(crate) end: (u32, u32),
    pub(crate) severity: Severity,
    /// A number is kept as its digits.
    pub(crate) code: Option<String>,
    /// Who found it, as the server says: `rustc`, `clippy`, `Pyright`.
    pub(crate) source: Option<String>,
    pub(crate) message: String,
    /// The server's id in the table.
    pub(crate) server: String,
    pub(crate) stream: Stream,
    /// The document's version, where the server said it.
    pub(crate) version: Option<i32>,
}

impl Diagnostic {
    /// As the server is told what it is asked to mend.
    pub(crate) fn to_protocol(&self) -> Value {
        let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let code = self.code.as_ref().map(|code| match code.parse::<u32>() {
            Ok(number) => json!(number),
            Err(_) => json!(code),
        });
        let mut told = json!({
            "range": { "start": at(self.start), "end": at(self.end) },
            "severity": self.severity as u8 + 1,
            "message": self.message,
        });
        let more = [("code", code), ("source", self.source.as_ref().map(|source| json!(source)))];
        for (name, value) in more.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            told[name] = value;
        }
        told
    }
}

impl Diagnostic {
    /// Whether this is a server's own finding of what it also passes on from a compiler.
    pub(crate) fn is_echo_of(&self, other: &Self) -> bool {
        let itself = |it: &Self| it.source.as_ref().is_none_or(|source| *source == it.server);
        let same =
            self.server == other.server && self.start == other.start && self.severity == other.severity;
        same && self.code.is_some() && self.code == other.code && itself(self) && !itself(other)
    }
}

/// How bad it is. A diagnostic without a severity is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// The way a diagnostic came: each replaces only what came the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Stream {
    /// `textDocument/publishDiagnostics`.
    Push,
    /// `textDocument/diagnostic`, by the identifier of its provider.
    Pull(Option<String>),
    /// A request of the server's own.
    Asked,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        })
    }
}
