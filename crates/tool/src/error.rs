//! What a tool answers when it cannot do what was asked: a kind to test, a message that names the subject, and a
//! hint that names the next step. It never carries a source chain: the reader is a model, not a debugger.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What went wrong, for a program to act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The arguments do not fit the schema or contradict each other.
    BadArguments,
    /// No tool of that name is visible on this surface.
    UnknownTool,
    /// The resource behind the tool is not there, or has gone.
    Unavailable,
    /// A rule, a person or a missing permission said no.
    Refused,
    /// The world has changed since the caller looked; nothing was done.
    Conflict,
    /// A named limit of time has passed.
    TimedOut,
    /// The caller cancelled, and nothing was done or all of it was stopped.
    Cancelled,
    /// The tool tried and failed.
    Failed,
    /// Outrigger or a tool broke a promise of its own.
    Bug,
}

impl ErrorKind {
    /// The kind as it is written in JSON, such as `bad_arguments`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BadArguments => "bad_arguments",
            Self::UnknownTool => "unknown_tool",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Conflict => "conflict",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Bug => "bug",
        }
    }
}

/// A tool's failure: `kind`, `message` (names the subject, lower case, no full stop) and `hint` (the next step).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Error {
    /// For programs.
    pub kind: ErrorKind,
    /// What happened, with the subject in backticks.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        impl Error {
            $($(#[$doc])* #[must_use] pub fn $name(message: impl Into<String>) -> Self {
                Self::new(ErrorKind::$kind, message)
            })*
        }
    };
}

constructors! {
    /// The arguments do not fit.
    bad_arguments => BadArguments,
    /// No such tool here.
    unknown_tool => UnknownTool,
    /// The resource is not there.
    unavailable => Unavailable,
    /// A rule or a person said no.
    refused => Refused,
    /// The world has changed; nothing was done.
    conflict => Conflict,
    /// A limit of time has passed.
    timed_out => TimedOut,
    /// The caller cancelled.
    cancelled => Cancelled,
    /// Tried and failed.
    failed => Failed,
    /// A broken promise of ours.
    bug => Bug,
}

impl Error {
    /// An error of `kind` without a hint.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Adds the next step.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Cuts message and hint to `limit` bytes together, on a character, counting what was cut.
    pub(crate) fn bounded(mut self, limit: usize) -> Self {
        let hint = self.hint.as_ref().map_or(0, String::len);
        if self.message.len() + hint > limit {
            let half = limit / 2;
            self.message = cut(self.message, half);
            self.hint = self.hint.map(|hint| cut(hint, half));
        }
        self
    }
}

/// `text` in at most `limit` bytes, with the count of what was cut inside them.
fn cut(mut text: String, limit: usize) -> String {
    /// The most that the count takes.
    const NOTICE: usize = 48;
    if text.len() > limit {
        let keep = text.floor_char_boundary(limit.saturating_sub(NOTICE));
        let lost = text.len() - keep;
        text.truncate(keep);
        text.push_str(&format!("… (+{lost} bytes cut)"));
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_as_kind_message_and_next_step() {
        let error =
            Error::conflict("`a.dart` changed since it was staged").with_hint("propose the edit again");
        assert_eq!(
            error.to_string(),
            "conflict: `a.dart` changed since it was staged\nhint: propose the edit again"
        );
        let json = serde_json::to_value(&error).unwrap();
        assert_eq!(json["kind"], "conflict");
        assert_eq!(serde_json::from_value::<Error>(json).unwrap(), error);
    }
}
