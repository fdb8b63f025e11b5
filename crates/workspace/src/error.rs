//! What can be wrong with a path, a glob or a walk: one enum, each message naming the path and what was tried.
//! It must never name a path outside the workspace that the caller did not write. Each message is whole: the system's
//! word is in it, and not a source besides, so that nobody who prints a chain says it twice.

use std::io;
use std::path::{Path, PathBuf};

use crate::shown;

/// Why a path could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The workspace's own folder cannot be opened.
    #[error("cannot open the workspace `{}`: {why}", folder(path))]
    Root {
        /// The folder as it was given.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The workspace's root is not a folder.
    #[error("the workspace `{}` is not a folder", folder(path))]
    RootNotFolder {
        /// The root as it was given.
        path: PathBuf,
    },
    /// The workspace's root is not UTF-8.
    #[error("the workspace's path `{}` is not UTF-8", folder(path))]
    RootNotUtf8 {
        /// The root, canonical.
        path: PathBuf,
    },
    /// An empty path.
    #[error("the path is empty; `.` names the workspace's root")]
    Empty,
    /// A path with a NUL byte, which no file can have.
    #[error("the path `{}` holds a NUL byte", path.escape_debug())]
    Nul {
        /// The path as it was given.
        path: String,
    },
    /// A path that ends outside the root once `..` and links are followed.
    #[error("`{}` leaves the workspace", shown(path))]
    Leaves {
        /// The path as it was given.
        path: String,
    },
    /// A path whose link leads outside the root.
    #[error("`{}` leaves the workspace through the link `{}`", shown(path), shown(link))]
    LinkLeaves {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
    },
    /// Nothing of that name.
    #[error("`{}` does not exist{}", shown(path), suggestion(near.as_deref()))]
    NotFound {
        /// The path as it was given.
        path: String,
        /// The path with its first missing name replaced by the nearest name in that folder.
        near: Option<String>,
    },
    /// A path that names a folder by its `/` where there is nothing, and a file is meant.
    #[error("`{}` ends in `/`, which names a folder, and there is none", shown(path))]
    EndsInSlash {
        /// The path as it was given.
        path: String,
    },
    /// A link to nothing.
    #[error(
        "`{}` does not exist: the link `{}` leads to `{}`, which is missing",
        shown(path),
        shown(link),
        shown(target)
    )]
    Dangling {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
        /// Where it leads, as the link says.
        target: String,
    },
    /// Links that lead in a circle.
    #[error("`{}` follows more than {limit} links; they lead in a circle", shown(path))]
    LinkLoop {
        /// The path as it was given.
        path: String,
        /// How many links were followed.
        limit: usize,
    },
    /// A path that goes on below a file.
    #[error("`{}` goes on below `{}`, which is not a folder", shown(path), shown(file))]
    NotAFolder {
        /// The path as it was given.
        path: String,
        /// The file, relative to the root.
        file: String,
    },
    /// A socket, pipe or device.
    #[error("`{}` is neither a file nor a folder", shown(path))]
    Special {
        /// The path as it was given.
        path: String,
    },
    /// A path that leads to a name that is not UTF-8.
    #[error("`{}` leads to a name that is not UTF-8", shown(path))]
    NotUtf8 {
        /// The path as it was given.
        path: String,
    },
    /// The system refused to look.
    #[error("cannot look at `{}`: {why}", shown(path))]
    Unreadable {
        /// The path as it was given.
        path: String,
        /// What the system said.
        why: io::Error,
    },
    /// A glob that cannot be compiled.
    #[error("the glob `{}` is not valid: {}", shown(glob), shown(reason))]
    Glob {
        /// The glob as it was given.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The caller stopped the walk.
    #[error("the walk was cancelled")]
    Cancelled,
}

fn suggestion(near: Option<&str>) -> String {
    near.map(|near| format!("; the nearest name is `{}`", shown(near))).unwrap_or_default()
}

fn folder(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}
