//! Why a child could not be started.
//! It must never guess: a missing program and a missing folder are told apart, though the system answers alike.

use std::io;
use std::path::PathBuf;

/// A child could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start `{program}`: no such program")]
    NoProgram { program: String },
    #[error("cannot start `{program}`: the folder `{}` is missing or is not a folder", folder.display())]
    NoFolder { program: String, folder: PathBuf },
    #[error("cannot start `{program}` in `{}`: {source}", folder.display())]
    Start { program: String, folder: PathBuf, source: io::Error },
    #[error("cannot start `{program}`: the thread that starts programs has ended")]
    NoThread { program: String },
}
