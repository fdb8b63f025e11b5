//! What belongs to git: `.git` at any depth, and the folder that a `.git` file or link at the root leads to.
//! It must never decide what may be read; it only tells what must not be changed.

use std::fs;
use std::path::{Path, PathBuf};

/// A `.git` file is one short line; more is something else.
const MAX_POINTER: u64 = 4096;

/// Whether a name of the path is `.git`, in any case: some file systems fold it.
pub(super) fn has_git_component(path: &Path) -> bool {
    path.components().any(|component| component.as_os_str().eq_ignore_ascii_case(".git"))
}

/// Folders inside the root that hold git's data under another name: `.git` a link, or a file `gitdir: …`.
pub(super) fn stores(root: &Path) -> Vec<PathBuf> {
    let pointer = root.join(".git");
    let small_file =
        pointer.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_POINTER);
    let named = if small_file {
        fs::read_to_string(&pointer)
            .ok()
            .and_then(|text| text.trim().strip_prefix("gitdir:").map(|path| root.join(path.trim())))
    } else {
        Some(pointer)
    };
    named
        .and_then(|path| fs::canonicalize(path).ok())
        .filter(|path| path != root && path.starts_with(root))
        .into_iter()
        .collect()
}
