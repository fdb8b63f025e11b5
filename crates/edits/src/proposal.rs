//! A change on its way to somebody's answer: what is proposed, and what it is called once it waits. Data alone.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::change::Change;

/// A change to be staged.
#[derive(Clone, Debug)]
#[must_use]
pub struct Proposal {
    title: String,
    change: Change,
    origin: String,
    repeat: Option<Repeat>,
    warnings: Vec<String>,
    force: Vec<String>,
}

/// The tool call that proposes a change anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: serde_json::Value,
}

impl Proposal {
    /// Proposes `change`; `title` says what it does, such as `12 replacements in 4 files`, and `origin` which tool
    /// made it.
    pub fn new(title: impl Into<String>, origin: impl Into<String>, change: Change) -> Self {
        let (title, origin) = (title.into(), origin.into());
        Self { title, change, origin, repeat: None, warnings: Vec::new(), force: Vec::new() }
    }

    /// The exact call to repeat when the files have changed.
    pub fn repeat(mut self, tool: impl Into<String>, arguments: serde_json::Value) -> Self {
        self.repeat = Some(Repeat { tool: tool.into(), arguments });
        self
    }

    /// What its reader should know.
    pub fn warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings = warnings;
        self
    }

    /// Why accepting it needs `force`: such as each place that would not parse. Empty: it does not.
    pub fn needs_force(mut self, reasons: Vec<String>) -> Self {
        self.force = reasons;
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.change.is_empty()
    }

    pub(crate) fn staged(self, id: String, expired: Vec<String>, at: Duration) -> Staged {
        let Self { title, change, origin, repeat, warnings, force } = self;
        Staged { id, title, origin, repeat, warnings, force, change, expired, at }
    }
}

/// A staged edit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Staged {
    /// Such as `edit_1`.
    pub id: String,
    /// What it does.
    pub title: String,
    /// Which tool made it.
    pub origin: String,
    /// The call to repeat.
    pub repeat: Option<Repeat>,
    /// What its reader should know.
    pub warnings: Vec<String>,
    /// Why accepting it needs `force`; empty when it does not.
    pub force: Vec<String>,
    /// The change.
    pub change: Change,
    /// Edits that expired to make room for this one.
    #[serde(skip)]
    pub expired: Vec<String>,
    pub(crate) at: Duration,
}
