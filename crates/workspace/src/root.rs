//! The contained root: what a caller wrote becomes a path inside the workspace, or an error that says why not.
//! It must never hand out a path that lies outside, and never tell whether something outside exists.

mod follow;
mod git;
mod near;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use follow::Place;

/// The folder of one run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspace {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    /// Folders that git keeps its own data in though they are not called `.git`.
    git_stores: Vec<PathBuf>,
}

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// Nothing yet ([`Workspace::resolve_new`] only).
    Absent,
}

/// A path inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The path with every link followed.
    pub absolute: PathBuf,
    /// `absolute` relative to the root, with `/`; `.` for the root. The exact name: an answer takes
    /// [`shown`](crate::shown()) of it.
    pub relative: String,
    /// What is there.
    pub kind: Kind,
    /// Whether a link of the workspace was followed: `relative` is then the link's target.
    pub through_link: bool,
}

impl Workspace {
    /// Opens a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let root = fs::canonicalize(path).map_err(|why| Error::Root { path: path.to_owned(), why })?;
        if !root.is_dir() {
            return Err(Error::RootNotFolder { path: path.to_owned() });
        }
        if root.to_str().is_none() {
            return Err(Error::RootNotUtf8 { path: root });
        }
        let git_stores = git::stores(&root);
        Ok(Self { inner: Arc::new(Inner { root, git_stores }) })
    }

    /// The root, canonical.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// A path that must exist: relative to the root, or absolute and inside it.
    pub fn resolve(&self, path: &str) -> Result<Located, Error> {
        let located = self.locate(path)?;
        if located.kind == Kind::Absent {
            let near = near::suggest(self, &located.absolute);
            return Err(Error::NotFound { path: path.to_owned(), near });
        }
        Ok(located)
    }

    /// A path that need not exist: its nearest existing ancestor is resolved and must be a folder inside the root.
    ///
    /// A link to nothing is an error here too: what is written through it would appear somewhere else.
    pub fn resolve_new(&self, path: &str) -> Result<Located, Error> {
        let located = self.locate(path)?;
        if located.kind == Kind::Absent && names_folder(path) {
            return Err(Error::EndsInSlash { path: path.to_owned() });
        }
        Ok(located)
    }

    fn locate(&self, path: &str) -> Result<Located, Error> {
        if path.is_empty() {
            return Err(Error::Empty);
        }
        if path.contains('\0') {
            return Err(Error::Nul { path: path.to_owned() });
        }
        let Place { absolute, missing, kind, through_link } = follow::follow(self.root(), path)?;
        let absolute = if missing.as_os_str().is_empty() { absolute } else { absolute.join(missing) };
        let Some(relative) = self.relative(&absolute) else {
            return Err(Error::NotUtf8 { path: path.to_owned() });
        };
        if kind == Kind::File && names_folder(path) {
            return Err(Error::NotAFolder { path: path.to_owned(), file: relative });
        }
        Ok(Located { absolute, relative, kind, through_link })
    }

    /// An absolute path relative to the root, with `/`; `.` for the root. `None` when it lies outside
    /// (links are not followed here) or is not UTF-8.
    pub fn relative(&self, absolute: &Path) -> Option<String> {
        show(absolute.strip_prefix(self.root()).ok()?)
    }

    /// Whether an absolute, resolved path is git's own: `.git` or anything below one, also where a `.git` file or
    /// link at the root leads. Reading it is fine; changing it is not.
    pub fn is_git_internal(&self, absolute: &Path) -> bool {
        let inside = absolute.strip_prefix(self.root()).unwrap_or(absolute);
        git::has_git_component(inside)
            || self.inner.git_stores.iter().any(|store| absolute.starts_with(store))
    }
}

fn names_folder(path: &str) -> bool {
    path.ends_with('/') || path.ends_with("/.")
}

/// A relative path with `/`, whatever the system's separator; `.` when empty.
fn show(relative: &Path) -> Option<String> {
    let mut shown = String::new();
    for component in relative.components() {
        let Component::Normal(name) = component else { return None };
        if !shown.is_empty() {
            shown.push('/');
        }
        shown.push_str(name.to_str()?);
    }
    if shown.is_empty() {
        shown.push('.');
    }
    Some(shown)
}
