//! The root of a Cargo package: its workspace, found by Cargo's own rules, without Cargo.
//! It must never take a workspace that excludes the package.

use std::fs;
use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use super::upward;

/// The workspace that the nearest manifest belongs to, or that manifest's folder. `None` without a manifest.
pub(super) fn root(folder: &Path, workspace: &Path) -> Option<PathBuf> {
    let mut manifests = upward(folder, workspace).filter(|folder| folder.join("Cargo.toml").is_file());
    let package = manifests.next()?;
    let manifest = read(package);
    if manifest.get("workspace").is_some_and(Value::is_table) {
        return Some(package.to_owned());
    }
    let pointed =
        manifest.get("package").and_then(|package| package.get("workspace")).and_then(Value::as_str);
    if let Some(pointed) = pointed {
        let root = plain(&package.join(pointed));
        return Some(if root.starts_with(workspace) { root } else { package.to_owned() });
    }
    let around = manifests.find(|above| match read(above).get("workspace") {
        Some(Value::Table(table)) => !excludes(table, above, package),
        _ => false,
    });
    Some(around.unwrap_or(package).to_owned())
}

/// A manifest that cannot be read says nothing: it is written while we look, or broken, and its folder still counts.
fn read(folder: &Path) -> Table {
    fs::read_to_string(folder.join("Cargo.toml")).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Below a folder of `exclude`, and below none of `members` as it is written there: Cargo's own test.
fn excludes(table: &Table, root: &Path, package: &Path) -> bool {
    let below = |list: &str| {
        let folders = table.get(list).and_then(Value::as_array).into_iter().flatten();
        folders.filter_map(Value::as_str).any(|folder| package.starts_with(plain(&root.join(folder))))
    };
    below("exclude") && !below("members")
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
