//! The root of a Go module: the `go.work` that uses it, or the module itself.
//! It must never take a `go.work` that does not use the module: the server would know nothing of its files.

use std::fs;
use std::path::{Path, PathBuf};

use super::{nearest, upward};

pub(super) fn root<'a>(folder: &'a Path, workspace: &'a Path) -> Option<&'a Path> {
    let module = nearest(folder, workspace, &["go.mod"]);
    let work = upward(folder, workspace).find(|folder| folder.join("go.work").is_file());
    match (work, module) {
        (Some(work), Some(module)) if !uses(work, module) => Some(module),
        (Some(work), _) => Some(work),
        (None, module) => module,
    }
}

/// Whether the `go.work` in `work` has a `use` of `module`, on a line of its own or in a block.
fn uses(work: &Path, module: &Path) -> bool {
    let Ok(text) = fs::read_to_string(work.join("go.work")) else { return false };
    let mut block = false;
    text.lines().any(|line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let named = match line.strip_prefix("use") {
            Some(rest) if rest.trim() == "(" => {
                block = true;
                return false;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest.trim(),
            _ if block && line == ")" => {
                block = false;
                return false;
            }
            _ if block => line,
            _ => return false,
        };
        let named = named.trim_matches(['"', '`']);
        // Components are compared: `./a` and `a/` are one.
        let used: PathBuf = work.join(named).components().collect();
        !named.is_empty() && used.canonicalize().unwrap_or(used) == *module
    })
}
