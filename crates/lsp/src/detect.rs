//! Which servers could serve a file, and for each whether it can: a marker, a program, and what else its row asks for.
//! It must never start one to find out.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use workspace::Workspace;
use workspace::detect::{Detection, SearchPath, Sought};

use crate::roots;
use crate::servers::{Package, Server};

/// A server whose files include the one asked about.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) server: Arc<Server>,
    /// The folder it would be started for. Canonical.
    pub(crate) root: PathBuf,
    pub(crate) detection: Detection,
    /// Why it cannot serve though both halves are there.
    pub(crate) unfit: Option<String>,
}

impl Candidate {
    /// Marker and program are there, and nothing speaks against it.
    pub(crate) fn is_usable(&self) -> bool {
        self.detection.is_usable() && self.unfit.is_none()
    }

    /// What is missing, as a sentence says it.
    pub(crate) fn why_not(&self) -> String {
        self.unfit.clone().unwrap_or_else(|| self.detection.to_string())
    }

    /// The program lies in the project.
    fn is_local(&self, workspace: &Path) -> bool {
        self.detection.executable.as_ref().is_some_and(|path| path.starts_with(workspace))
    }
}

/// Where servers are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) workspace: Workspace,
    pub(crate) path: SearchPath,
    /// Whether programs that lie in the workspace may be started.
    pub(crate) project_code: bool,
}

impl Search {
    /// Every server that has a language for `path` (absolute), usable or not, in the order of the table.
    pub(crate) fn candidates(&self, servers: &[Arc<Server>], path: &Path) -> Vec<Candidate> {
        let Some(folder) = path.parent() else { return Vec::new() };
        let fitting = servers.iter().filter(|server| server.language(path).is_some());
        fitting.map(|server| self.candidate(server, folder)).collect()
    }

    /// One server for the files of one folder.
    pub(crate) fn candidate(&self, server: &Arc<Server>, folder: &Path) -> Candidate {
        let root = self.workspace.root();
        let markers: Vec<&str> = server.markers.iter().map(String::as_str).collect();
        let executables = server.executables();
        let fits = |path: &Path| {
            (self.project_code || !path.starts_with(root))
                && server.package.as_ref().is_none_or(|package| belongs_to(path, package))
        };
        let sought = Sought { markers: &markers, executables: &executables, fits: &fits };
        let detection = self.workspace.detect(folder, &sought, &self.path);
        let unfit = server.not_with.as_ref().and_then(|package| {
            let (at, version) = installed(folder, root, package)?;
            Some(format!("`{}` is {} {version}, which it cannot work with", at.display(), package.name))
        });
        Candidate { server: server.clone(), root: roots::root(server, folder, root), detection, unfit }
    }

    /// Of usable candidates those that serve: of each family one, the project's own before one of the search path.
    pub(crate) fn serving(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let root = self.workspace.root();
        let usable: Vec<Candidate> = candidates.into_iter().filter(Candidate::is_usable).collect();
        let chosen = |candidate: &Candidate| {
            let Some(family) = &candidate.server.family else { return true };
            let mut relatives = usable.iter().filter(|other| other.server.family.as_ref() == Some(family));
            let first = relatives.clone().next();
            let own = relatives.find(|other| other.is_local(root));
            own.or(first).is_some_and(|chosen| chosen.server.id == candidate.server.id)
        };
        usable.iter().filter(|candidate| chosen(candidate)).cloned().collect()
    }
}

/// Whether the program, links followed, is a file of the package.
fn belongs_to(program: &Path, package: &Package) -> bool {
    let Ok(real) = program.canonicalize() else { return false };
    let nearest = real.ancestors().skip(1).find_map(manifest);
    nearest.is_some_and(|(name, version)| {
        name.as_deref() == Some(package.name.as_str()) && major(&version) >= Some(package.from_major)
    })
}

/// The package as it is installed for a folder, if it is one of the versions that are meant.
fn installed(folder: &Path, workspace: &Path, package: &Package) -> Option<(PathBuf, String)> {
    let upward = folder.ancestors().take_while(|folder| folder.starts_with(workspace));
    let (at, version) = upward
        .map(|folder| folder.join("node_modules").join(&package.name))
        .find_map(|at| manifest(&at).map(|(_, version)| (at, version)))?;
    (major(&version) >= Some(package.from_major)).then_some((at, version))
}

/// Name and version of the `package.json` in a folder, if it is one of a package.
fn manifest(folder: &Path) -> Option<(Option<String>, String)> {
    let text = fs::read_to_string(folder.join("package.json")).ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    let version = manifest.get("version")?.as_str()?.to_owned();
    Some((manifest.get("name").and_then(Value::as_str).map(str::to_owned), version))
}

fn major(version: &str) -> Option<u64> {
    version.split('.').next()?.parse().ok()
}
