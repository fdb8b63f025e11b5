//! The port through which a proposed change is judged before it is made, such as by a language server. This crate
//! declares it and never implements it.

use std::path::PathBuf;

use tool::{BoxFuture, Output, ReadContext};

/// One file of a proposed change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposed {
    /// The file; after a rename, under its new name.
    pub path: PathBuf,
    /// Its name before a rename.
    pub renamed_from: Option<PathBuf>,
    /// Its content now; `None` when it would be created.
    pub before: Option<Vec<u8>>,
    /// Its content then; `None` when it would be deleted.
    pub after: Option<Vec<u8>>,
}

/// Says what a change would introduce, without making it.
pub trait Preview: Send + Sync {
    /// The answer to `resolve` with `action: "check"`.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is cancelled.
    fn preview(&self, files: Vec<Proposed>, cx: ReadContext) -> BoxFuture<'_, Result<Output, tool::Error>>;
}
