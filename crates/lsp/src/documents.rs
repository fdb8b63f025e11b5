//! The documents a server holds open, and what text each was last sent.
//! A version must never be used twice, over a close and a new opening too, and a file has one document, whatever
//! links lead to it.

use std::path::PathBuf;
use std::sync::Arc;

/// A document as the server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Synced {
    /// Canonical.
    pub(crate) path: PathBuf,
    pub(crate) uri: Arc<str>,
    /// What was sent, a byte order mark included.
    pub(crate) text: Arc<str>,
    pub(crate) version: i32,
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) kind: ChangeKind,
}

/// With the protocol's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}
