//! From a path that a model wrote to a file's bytes, and from what can be wrong on the way to a tool's error.
//! It must never read a file past its limit, nor hand out one that is no text.

use outrigger::tool::Error;
use outrigger::workspace::{self, Kind, Located, Unread, Workspace, read_source, shown};

/// Larger files are not taken into memory.
pub(super) const MAX_FILE: u64 = 64 << 20;

/// A text file that was read.
pub(super) struct Source {
    /// Relative to the root.
    pub(super) relative: String,
    pub(super) bytes: Vec<u8>,
}

/// A file's bytes: text, though perhaps with bytes that are not UTF-8 (an edit elsewhere keeps them).
pub(super) fn load(workspace: &Workspace, path: &str) -> Result<Source, Error> {
    let Located { absolute, relative, kind, .. } = workspace.resolve(path).map_err(path_error)?;
    if kind == Kind::Folder {
        return Err(folder_error(&relative));
    }
    let bytes = match read_source(&absolute, MAX_FILE) {
        Err(Unread::NotUtf8 { .. }) => std::fs::read(&absolute).map_err(Unread::from),
        read => read,
    };
    match bytes {
        Ok(bytes) => Ok(Source { relative, bytes }),
        Err(unread) => Err(unread_error(&relative, &unread)),
    }
}

fn folder_error(relative: &str) -> Error {
    Error::bad_arguments(format!("`{}` is a folder", shown(relative)))
        .with_hint("name a file; `read` lists a folder's entries")
}

pub(super) fn unread_error(relative: &str, unread: &Unread) -> Error {
    let error = Error::failed(format!("`{}` is {unread}", shown(relative)));
    match unread {
        Unread::Utf16 | Unread::NotUtf8 { .. } => error.with_hint("convert it to UTF-8 first"),
        _ => error,
    }
}

/// What is wrong with a path, as the tools say it.
pub(super) fn path_error(error: workspace::Error) -> Error {
    let message = error.to_string();
    match error {
        workspace::Error::Leaves { .. } | workspace::Error::LinkLeaves { .. } => Error::refused(message)
            .with_hint("paths are relative to the workspace's root, or absolute and inside it"),
        workspace::Error::Unreadable { .. } => Error::failed(message),
        _ => Error::bad_arguments(message),
    }
}

/// A path that names a file, or nothing yet.
pub(super) fn target(workspace: &Workspace, path: &str) -> Result<Located, Error> {
    let located = workspace.resolve_new(path).map_err(path_error)?;
    if located.kind == Kind::Folder {
        return Err(folder_error(&located.relative));
    }
    Ok(located)
}
