//! Which folder a server is started for: the rule of its row, from a file's folder upward to the workspace.
//! It must never run a tool to find out, and never leave the workspace.

mod cargo;
mod go;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use workspace::detect::first_marker;

use crate::servers::{RootRule, Server};

/// The folder for a file in `folder` (canonical, inside `workspace`). The workspace's root where the rule finds none.
pub(crate) fn root(server: &Server, folder: &Path, workspace: &Path) -> PathBuf {
    let markers: Vec<&str> = server.markers.iter().map(String::as_str).collect();
    let found = match &server.root {
        RootRule::Nearest => nearest(folder, workspace, &markers),
        RootRule::Outermost => {
            upward(folder, workspace).filter(|folder| first_marker(folder, &markers).is_some()).last()
        }
        RootRule::Workspace => None,
        RootRule::FirstOf(groups) => groups.iter().find_map(|group| {
            let names: Vec<&str> = group.iter().map(String::as_str).collect();
            nearest(folder, workspace, &names)
        }),
        RootRule::Cargo => {
            return cargo::root(folder, workspace)
                .or_else(|| nearest(folder, workspace, &markers).map(Path::to_owned))
                .unwrap_or_else(|| workspace.to_owned());
        }
        RootRule::Go => go::root(folder, workspace),
    };
    found.unwrap_or(workspace).to_owned()
}

/// The interpreter of the nearest virtual environment, from `root` upward; a nested project uses that of the one
/// around it. After those of the workspace the one that the run was started in.
pub(crate) fn interpreter(root: &Path, workspace: &Path, started_in: Option<&Path>) -> Option<PathBuf> {
    let own = upward(root, workspace).flat_map(|folder| [folder.join(".venv"), folder.join("venv")]);
    let environments = own.filter(|folder| folder.join("pyvenv.cfg").is_file());
    environments
        .chain(started_in.map(Path::to_owned))
        .map(|folder| folder.join("bin/python"))
        .find(|python| python.is_file())
}

/// `folder` and those above it, to the workspace's root.
fn upward<'a>(folder: &'a Path, workspace: &'a Path) -> impl Iterator<Item = &'a Path> {
    folder.ancestors().take_while(move |folder| folder.starts_with(workspace))
}

fn nearest<'a>(folder: &'a Path, workspace: &'a Path, names: &[&str]) -> Option<&'a Path> {
    upward(folder, workspace).find(|folder| first_marker(folder, names).is_some())
}
