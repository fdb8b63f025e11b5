//! Everything that can go wrong between a plan and its files, with data; turned into a tool's error in one place
//! (`error/told.rs`).
//! A message names every file it is about: whoever reads it acts on the list. It is whole: the system's word is in
//! it, and not a source besides, so that nobody who prints a chain says it twice.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use workspace::shown;

use crate::mismatch::{Difference, Mismatch};
use crate::render::counted;

mod told;

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path cannot be used.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// A path of git's own.
    #[error("`{}` belongs to git and is never written", shown(path))]
    Git {
        /// The path.
        path: String,
    },
    /// Something is where a file was to be created.
    #[error("`{}` exists already", shown(path))]
    Exists {
        /// The path.
        path: String,
    },
    /// An earlier step of the same plan took the file away.
    #[error("`{}` is gone: an earlier step of the same change renamed or deleted it", shown(path))]
    Gone {
        /// The path.
        path: String,
    },
    /// A folder where a file was meant.
    #[error("`{}` is a folder; files are changed one by one", shown(path))]
    Folder {
        /// The path.
        path: String,
    },
    /// A path that goes on below a file.
    #[error("`{}` goes on below `{}`, which is a file in this change", shown(path), shown(file))]
    BelowFile {
        /// The path.
        path: String,
        /// The file it goes on below.
        file: String,
    },
    /// A link where a file with content was meant.
    #[error("`{}` is a link that this change moves; edit the file it leads to", shown(path))]
    MovedLink {
        /// The path.
        path: String,
    },
    /// A replacement outside its file.
    #[error(
        "`{}`: the replacement of bytes {start}..{end} does not fit a file of {}",
        shown(path),
        counted(*len, "byte")
    )]
    OutOfBounds {
        /// The path.
        path: String,
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// Length of the file.
        len: usize,
    },
    /// Two replacements of the same bytes.
    #[error(
        "`{}`: the replacements of bytes {}..{} and {}..{} overlap",
        shown(path), first.start, first.end, second.start, second.end
    )]
    Overlap {
        /// The path.
        path: String,
        /// The earlier range.
        first: Range<usize>,
        /// The later range.
        second: Range<usize>,
    },
    /// The file has changed since the caller read it.
    #[error("`{}` has changed since it was read", shown(path))]
    Stale {
        /// The path.
        path: String,
    },
    /// Two paths of the change are one file.
    #[error("`{}` and `{}` are one file (hard links); change one of them", shown(first), shown(second))]
    SameFile {
        /// A path.
        first: String,
        /// Another name of the same file.
        second: String,
    },
    /// A file with several names would be torn from them.
    #[error("`{}` has {links} hard links; rename it and edit it in two changes", shown(path))]
    LinkedRename {
        /// The path before.
        path: String,
        /// How many names it has.
        links: u64,
    },
    /// A change of another workspace.
    #[error("the change is about `{}`, another workspace", show(root))]
    OtherWorkspace {
        /// That workspace.
        root: PathBuf,
    },
    /// A change that changes nothing.
    #[error("the change leaves every file as it is")]
    Nothing,
    /// The files are not as they were when the change was made.
    #[error("{}", mismatched(mismatches))]
    Mismatch {
        /// Every file that differs.
        mismatches: Vec<Mismatch>,
    },
    /// Not enough room for the new content.
    #[error(
        "`{}` has {free} bytes of disk space left and the change needs {needed}: {content} bytes of content beside \
         the old files, in whole blocks",
        show(folder)
    )]
    NoSpace {
        /// A folder on the full file system.
        folder: PathBuf,
        /// Bytes of content that are written before the old content goes.
        content: u64,
        /// Bytes needed for it.
        needed: u64,
        /// Bytes left.
        free: u64,
    },
    /// Another commit holds the lock for too long.
    #[error("another change of this workspace has held `{}` for {} s", show(lock), waited.as_secs_f32())]
    Locked {
        /// The lock file.
        lock: PathBuf,
        /// How long this one waited.
        waited: Duration,
    },
    /// The permit does not name a file of the change.
    #[error("the write permit does not name `{}`", shown(path))]
    NotPermitted {
        /// The path.
        path: String,
    },
    /// The permit is another registry's, or its call has ended.
    #[error("{}", .0.message)]
    Permit(tool::Error),
    /// A failure on the way; every file is as it was before.
    #[error("{cause}; every file is as it was before")]
    RolledBack {
        /// What failed.
        cause: Cause,
        /// Files in which somebody else's content stands and was left.
        foreign: Vec<Foreign>,
    },
    /// A failure on the way, and another one while restoring.
    #[error("{cause}; and restoring failed:{}", stuck_list(stuck))]
    NotRestored {
        /// What failed first.
        cause: Cause,
        /// Every file that is not as it was, and where its content is.
        stuck: Vec<Stuck>,
    },
    /// An earlier change that was cut off cannot be restored.
    #[error("an earlier change was cut off and cannot be restored:{}", stuck_list(stuck))]
    Unrecovered {
        /// Every file that is not as it was, and where its content is.
        stuck: Vec<Stuck>,
    },
    /// The state folder does not work, so nothing can be staged, committed or recovered.
    #[error("the state folder cannot be used: cannot {doing} `{}`: {why}", show(path))]
    State {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
        /// How another folder is named; empty where the host has not said.
        advice: String,
    },
    /// There is no state folder.
    #[error("there is no state folder: {why}")]
    NoState {
        /// Why not.
        why: String,
        /// How one is named; empty where the host has not said.
        advice: String,
    },
    /// A state folder that depends on where the process happens to be.
    #[error("the state folder `{}` is not an absolute path", show(folder))]
    StateNotAbsolute {
        /// The folder as it was given.
        folder: PathBuf,
    },
    /// The list of staged edits, or one of them, is not what was written.
    #[error("the staged edits in `{}` are damaged: {why}", show(path))]
    DamagedStaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The journal is not what was written: what an earlier change came to is unknown.
    #[error("the journal of an earlier change, `{}`, is damaged: {why}", show(path))]
    DamagedJournal {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {why}", shown(path))]
    Read {
        /// The path.
        path: String,
        /// What the system said.
        why: io::Error,
    },
    /// No such staged edit.
    #[error("there is no staged edit `{id}`")]
    UnknownEdit {
        /// What was asked for.
        id: String,
        /// The edits that are staged.
        pending: Vec<String>,
    },
    /// The staged edit has been dealt with.
    #[error("`{id}` is no longer staged: {fate}")]
    Finished {
        /// What was asked for.
        id: String,
        /// What became of it.
        fate: String,
        /// The edits that are staged.
        pending: Vec<String>,
    },
}

/// What made a commit stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// Somebody else changed a file while the change was being made.
    #[error("`{}` was {what} by somebody else while the change was being made", shown(path))]
    Foreign {
        /// The file.
        path: String,
        /// What happened to it.
        what: Difference,
    },
    /// The system refused.
    #[error("cannot {doing} `{}`: {why}", shown(path))]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        why: io::Error,
    },
}

/// A file that could not be restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// The file.
    pub path: PathBuf,
    /// Where its old content is, if it was moved away.
    pub backup: Option<PathBuf>,
    /// What the system said.
    pub why: String,
}

/// A file in which recovery found content that is neither the old nor the new one, and left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Foreign {
    /// The file.
    pub path: PathBuf,
    /// Where the content from before the change was put, if there was any.
    pub kept: Option<PathBuf>,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` was changed by somebody else and left", show(&self.path))?;
        match &self.kept {
            Some(kept) => write!(f, "; what it held before the change is in `{}`", show(kept)),
            None => Ok(()),
        }
    }
}

fn mismatched(mismatches: &[Mismatch]) -> String {
    let each: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    each.join("; ")
}

fn stuck_list(stuck: &[Stuck]) -> String {
    let line = |Stuck { path, backup, why }: &Stuck| {
        let place = backup.as_ref().map(|backup| format!(", its content is in `{}`", show(backup)));
        format!("\n  `{}`: {why}{}", show(path), place.unwrap_or_default())
    };
    stuck.iter().map(line).collect()
}

impl Error {
    /// Something about the state folder that did not work.
    pub(crate) fn state(doing: &'static str, path: &Path, why: io::Error) -> Self {
        Self::State { doing, path: path.to_owned(), why, advice: String::new() }
    }

    /// With the host's word on how another state folder is named, where that is what helps.
    pub(crate) fn advised(mut self, host: &str) -> Self {
        if let Self::State { advice, .. } | Self::NoState { advice, .. } = &mut self {
            host.clone_into(advice);
        }
        self
    }
}

fn show(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}
