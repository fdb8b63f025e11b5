//! What can be wrong with a path, a glob or a walk: one enum, each message naming the path and what was tried.
//! It must never name a path outside the workspace that the caller did not write.

use std::io;
use std::path::PathBuf;

/// Why a path could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The workspace's own folder cannot be opened.
    #[error("cannot open the workspace `{}`: {source}", path.display())]
    Root {
        /// The folder as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The workspace's root is not a folder.
    #[error("the workspace `{}` is not a folder", path.display())]
    RootNotFolder {
        /// The root as it was given.
        path: PathBuf,
    },
    /// The workspace's root is not UTF-8.
    #[error("the workspace's path `{}` is not UTF-8", path.display())]
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
    #[error("`{path}` leaves the workspace")]
    Leaves {
        /// The path as it was given.
        path: String,
    },
    /// A path whose link leads outside the root.
    #[error("`{path}` leaves the workspace through the link `{link}`")]
    LinkLeaves {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
    },
    /// Nothing of that name.
    #[error("`{path}` does not exist{}", suggestion(near.as_deref()))]
    NotFound {
        /// The path as it was given.
        path: String,
        /// The path with its first missing name replaced by the nearest name in that folder.
        near: Option<String>,
    },
    /// A link to nothing.
    #[error("`{path}` does not exist: the link `{link}` leads to `{target}`, which is missing")]
    Dangling {
        /// The path as it was given.
        path: String,
        /// The link, relative to the root.
        link: String,
        /// Where it leads, as the link says.
        target: String,
    },
    /// Links that lead in a circle.
    #[error("`{path}` follows more than {limit} links; they lead in a circle")]
    LinkLoop {
        /// The path as it was given.
        path: String,
        /// How many links were followed.
        limit: usize,
    },
    /// A path that goes on below a file.
    #[error("`{path}` goes on below `{file}`, which is not a folder")]
    NotAFolder {
        /// The path as it was given.
        path: String,
        /// The file, relative to the root.
        file: String,
    },
    /// A socket, pipe or device.
    #[error("`{path}` is neither a file nor a folder")]
    Special {
        /// The path as it was given.
        path: String,
    },
    /// A path that leads to a name that is not UTF-8.
    #[error("`{path}` leads to a name that is not UTF-8")]
    NotUtf8 {
        /// The path as it was given.
        path: String,
    },
    /// The system refused to look.
    #[error("cannot look at `{path}`: {source}")]
    Unreadable {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A glob that cannot be compiled.
    #[error("the glob `{glob}` is not valid: {reason}")]
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
    near.map(|near| format!("; the nearest name is `{near}`")).unwrap_or_default()
}
