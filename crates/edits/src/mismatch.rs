//! How a file can differ from its snapshot. Only words and kinds: `verify.rs` finds the differences.

use std::fmt;

use serde::Serialize;
use workspace::shown;

/// A file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The file, relative to the root.
    pub path: String,
    /// What happened to it.
    #[serde(flatten)]
    pub what: Difference,
    /// The accepted edit that did it, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<String>,
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// Other content.
    Changed,
    /// The very content that was to be written.
    AlreadyDone,
    /// It does not exist any more.
    Deleted,
    /// It exists now.
    Created,
    /// A link is there now.
    BecameLink,
    /// A folder is there now.
    BecameFolder,
    /// A file is there now.
    BecameFile,
    /// Neither file, link nor folder.
    BecameSpecial,
    /// Other permission bits.
    ModeChanged {
        /// Before.
        from: String,
        /// Now.
        to: String,
    },
    /// Nobody may write it.
    ReadOnly,
    /// This process may not write it.
    NotWritable,
    /// This process may not change its folder.
    FolderNotWritable,
    /// Its folder is now a link, a file, or gone.
    FolderMoved,
    /// It cannot be read.
    Unreadable {
        /// What the system said.
        why: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed",
            Self::AlreadyDone => "already holds the proposed content",
            Self::Deleted => "deleted",
            Self::Created => "created",
            Self::BecameLink => "became a link",
            Self::BecameFolder => "became a folder",
            Self::BecameFile => "became a file",
            Self::BecameSpecial => "became a special file",
            Self::ModeChanged { from, to } => return write!(f, "mode changed from {from} to {to}"),
            Self::ReadOnly => "read-only",
            Self::NotWritable => "not writable by this process",
            Self::FolderNotWritable => "its folder is not writable by this process",
            Self::FolderMoved => "its folder was moved or replaced",
            Self::Unreadable { why } => return write!(f, "cannot be read ({why})"),
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", shown(&self.path), self.what)?;
        match &self.caused_by {
            Some(edit) => write!(f, " (by accepting `{edit}`)"),
            None => Ok(()),
        }
    }
}

impl Mismatch {
    pub(crate) fn is_permission(&self) -> bool {
        matches!(self.what, Difference::ReadOnly | Difference::NotWritable | Difference::FolderNotWritable)
    }
}
