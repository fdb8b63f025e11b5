//! Everything that can go wrong between a plan and its files, with data; turned into a tool's error in one place.
//! A message names every file it is about: whoever reads it acts on the list.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::mismatch::{Difference, Mismatch};

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path cannot be used.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// A path of git's own.
    #[error("`{path}` belongs to git and is never written")]
    Git {
        /// The path.
        path: String,
    },
    /// Something is where a file was to be created.
    #[error("`{path}` exists already")]
    Exists {
        /// The path.
        path: String,
    },
    /// An earlier step of the same plan took the file away.
    #[error("`{path}` is gone: an earlier step of the same change renamed or deleted it")]
    Gone {
        /// The path.
        path: String,
    },
    /// A folder where a file was meant.
    #[error("`{path}` is a folder; files are changed one by one")]
    Folder {
        /// The path.
        path: String,
    },
    /// A path that goes on below a file.
    #[error("`{path}` goes on below `{file}`, which is a file in this change")]
    BelowFile {
        /// The path.
        path: String,
        /// The file it goes on below.
        file: String,
    },
    /// A link where a file with content was meant.
    #[error("`{path}` is a link that this change moves; edit the file it leads to")]
    MovedLink {
        /// The path.
        path: String,
    },
    /// A replacement outside its file.
    #[error("`{path}`: the replacement of bytes {start}..{end} does not fit a file of {len} bytes")]
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
    #[error("`{path}`: the replacements of bytes {}..{} and {}..{} overlap", first.start, first.end, second.start, second.end)]
    Overlap {
        /// The path.
        path: String,
        /// The earlier range.
        first: Range<usize>,
        /// The later range.
        second: Range<usize>,
    },
    /// The file has changed since the caller read it.
    #[error("`{path}` has changed since it was read")]
    Stale {
        /// The path.
        path: String,
    },
    /// Two paths of the change are one file.
    #[error("`{first}` and `{second}` are one file (hard links); change one of them")]
    SameFile {
        /// A path.
        first: String,
        /// Another name of the same file.
        second: String,
    },
    /// A file with several names would be torn from them.
    #[error("`{path}` has {links} hard links; rename it and edit it in two changes")]
    LinkedRename {
        /// The path before.
        path: String,
        /// How many names it has.
        links: u64,
    },
    /// A change of another workspace.
    #[error("the change is about `{}`, another workspace", root.display())]
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
    #[error("`{}` has {free} bytes of disk space left and the change needs {needed}", folder.display())]
    NoSpace {
        /// A folder on the full file system.
        folder: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes left.
        free: u64,
    },
    /// Another commit holds the lock for too long.
    #[error("another change of this workspace has held `{}` for {} s", lock.display(), waited.as_secs_f32())]
    Locked {
        /// The lock file.
        lock: PathBuf,
        /// How long this one waited.
        waited: Duration,
    },
    /// The permit does not name a file of the change.
    #[error("the write permit does not name `{path}`")]
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
    /// The state folder does not work.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    State {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The path.
        path: String,
        /// What the system said.
        source: io::Error,
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
    #[error("`{path}` was {what} by somebody else while the change was being made")]
    Foreign {
        /// The file.
        path: String,
        /// What happened to it.
        what: Difference,
    },
    /// The system refused.
    #[error("cannot {doing} `{path}`: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
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
        write!(f, "`{}` was changed by somebody else and left", self.path.display())?;
        match &self.kept {
            Some(kept) => write!(f, "; what it held before the change is in `{}`", kept.display()),
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
        let place = backup.as_ref().map(|backup| format!(", its content is in `{}`", backup.display()));
        format!("\n  `{}`: {why}{}", path.display(), place.unwrap_or_default())
    };
    stuck.iter().map(line).collect()
}

impl From<Error> for tool::Error {
    fn from(error: Error) -> Self {
        use workspace::Error as At;
        let message = error.to_string();
        match error {
            Error::Permit(error) => error,
            Error::Path(At::Leaves { .. } | At::LinkLeaves { .. }) => {
                Self::refused(message).with_hint("only files inside the workspace are changed")
            }
            Error::Git { .. } => Self::refused(message).with_hint("use git itself to change its data"),
            Error::NotPermitted { .. } => Self::refused(message),
            Error::Mismatch { mismatches } if mismatches.iter().all(Mismatch::is_permission) => {
                Self::refused(message)
                    .with_hint("make it writable first if it is meant to change; nothing was written")
            }
            Error::Stale { .. } | Error::Mismatch { .. } => {
                Self::conflict(message).with_hint("read the files again; nothing was written")
            }
            Error::Exists { .. } => {
                Self::conflict(message).with_hint("choose another path, or edit the file")
            }
            Error::RolledBack { cause: Cause::Foreign { .. }, foreign } => {
                with_foreign(Self::conflict(message).with_hint("read the files again"), &foreign)
            }
            Error::RolledBack { foreign, .. } => with_foreign(Self::failed(message), &foreign),
            Error::Locked { .. } => Self::timed_out(message).with_hint("try again when it has finished"),
            Error::NotRestored { .. } | Error::Unrecovered { .. } => Self::failed(message)
                .with_hint("remove the obstacle; the next change tries to restore them again"),
            Error::UnknownEdit { pending, .. } => Self::bad_arguments(message).with_hint(staged(&pending)),
            Error::Finished { pending, .. } => Self::conflict(message).with_hint(staged(&pending)),
            Error::NoSpace { .. } | Error::State { .. } | Error::Read { .. } => Self::failed(message),
            _ => Self::bad_arguments(message),
        }
    }
}

fn with_foreign(mut error: tool::Error, foreign: &[Foreign]) -> tool::Error {
    for foreign in foreign {
        error.message.push_str(&format!("; but {foreign}"));
    }
    error
}

fn staged(pending: &[String]) -> String {
    if pending.is_empty() {
        return "no edit is staged".to_owned();
    }
    format!("staged now: {}", pending.join(", "))
}
