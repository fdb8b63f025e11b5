//! Why a child could not be started.
//! It must never guess: a missing program and a missing folder are told apart, though the system answers alike.

use std::io;
use std::path::PathBuf;

/// A child could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot start `{program}`: no such program")]
    NoProgram { program: String },
    #[error("cannot start `{program}`: the folder `{}` is missing or is not a folder", folder.display())]
    NoFolder { program: String, folder: PathBuf },
    #[error("cannot start `{program}` in `{}`: {source}", folder.display())]
    Start { program: String, folder: PathBuf, source: io::Error },
    #[error("cannot start `{program}`: {waiting} programs already wait to be started")]
    Busy { program: String, waiting: usize },
    /// After a fork without exec the thread is the parent's alone.
    #[error("cannot start `{program}`: this process has no thread that starts programs, or it has ended")]
    NoThread { program: String },
}
