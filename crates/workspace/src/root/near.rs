//! The nearest name to one that is missing, from the folder that should hold it.
//! It must never list more than a bounded part of a folder, and never suggest a name that is merely there.

use std::fs;
use std::path::Path;

use super::{Kind, Workspace};

/// A folder's first entries; looking at more would make a typing error slow.
const MAX_LISTED: usize = 2_000;

/// The missing path (absolute, inside) with its first missing name corrected, if a name is near enough.
pub(super) fn suggest(workspace: &Workspace, missing: &Path) -> Option<String> {
    let folder = missing.ancestors().skip(1).find(|ancestor| ancestor.is_dir())?;
    if !folder.starts_with(workspace.root()) {
        return None;
    }
    let mut rest = missing.strip_prefix(folder).ok()?.components();
    let wanted = rest.next()?.as_os_str().to_str()?;
    let nearest = fs::read_dir(folder)
        .ok()?
        .take(MAX_LISTED)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some((distance(wanted, &name)?, name)))
        .min()?
        .1;
    let named = folder.join(nearest);
    let corrected = rest.fold(named.clone(), |path, name| path.join(name));
    [corrected, named].iter().filter_map(|path| workspace.relative(path)).find(|path| exists(workspace, path))
}

/// Looks through the workspace, so that a link to outside tells nothing.
fn exists(workspace: &Workspace, path: &str) -> bool {
    workspace.resolve_new(path).is_ok_and(|located| located.kind != Kind::Absent)
}

/// Edits between two names (a swap of neighbours is one), ignoring case; `None` when they are too far apart to be a
/// typing error: more than a third of the longer name.
fn distance(left: &str, right: &str) -> Option<usize> {
    let (left, right) = (left.to_lowercase(), right.to_lowercase());
    let most = left.chars().count().max(right.chars().count()).div_ceil(3);
    Some(strsim::osa_distance(&left, &right)).filter(|edits| *edits <= most)
}
