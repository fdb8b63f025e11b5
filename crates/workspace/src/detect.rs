//! Whether a language's resource can serve this checkout: a root marker and an executable, each found or not, and
//! where it was looked for. It must never start what it finds, and never call one half enough.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::Workspace;

#[cfg(test)]
mod tests;

/// Where projects keep their own executables, nearest folder first.
const LOCAL_BINS: [&str; 3] = [".venv/bin", "venv/bin", "node_modules/.bin"];

/// The search path that executables are looked for in, after the project's own folders.
#[derive(Debug, Clone, Default)]
pub struct SearchPath(Option<OsString>);

impl SearchPath {
    /// The process's `PATH`.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    pub fn from_environment() -> Self {
        Self(std::env::var_os("PATH"))
    }

    /// The folders given.
    pub fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(std::env::join_paths(folders).ok())
    }
}

/// What was found for one resource, and what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// The nearest root marker, from the folder upward to the root.
    pub marker: Option<PathBuf>,
    /// The executable: the project's own before the search path's.
    pub executable: Option<PathBuf>,
    /// The names of the markers.
    pub markers_looked_for: Vec<String>,
    /// The names of the executables.
    pub executables_looked_for: Vec<String>,
    /// The folders that were searched for the executable, in order; the search path is one entry, `PATH`.
    pub places_searched: Vec<PathBuf>,
}

impl Detection {
    /// Both halves are there.
    pub fn is_usable(&self) -> bool {
        self.marker.is_some() && self.executable.is_some()
    }
}

/// What is missing, as a sentence says it; `usable` when nothing is.
impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let marker = quoted(&self.markers_looked_for);
        let executable = quoted(&self.executables_looked_for);
        match (&self.marker, &self.executable) {
            (Some(_), Some(_)) => f.write_str("usable"),
            (None, Some(_)) => write!(f, "no {marker} from here up to the workspace's root"),
            (Some(_), None) => write!(f, "no executable {executable} in {}", self.places()),
            (None, None) => write!(
                f,
                "no {marker} from here up to the workspace's root, and no executable {executable} in {}",
                self.places()
            ),
        }
    }
}

impl Detection {
    fn places(&self) -> String {
        self.places_searched
            .iter()
            .map(|place| format!("`{}`", place.display()))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl Workspace {
    /// Looks for a root marker (exact names, in order of preference) and an executable (likewise), from `folder`
    /// (absolute, inside) upward to the root.
    pub fn detect(
        &self,
        folder: &Path,
        markers: &[&str],
        executables: &[&str],
        search_path: &SearchPath,
    ) -> Detection {
        let upward: Vec<&Path> =
            folder.ancestors().take_while(|folder| folder.starts_with(self.root())).collect();
        let marker = upward
            .iter()
            .flat_map(|folder| markers.iter().map(|marker| folder.join(marker)))
            .find(|path| path.exists());
        let mut places_searched: Vec<PathBuf> = upward
            .iter()
            .flat_map(|folder| LOCAL_BINS.map(|bin| folder.join(bin)))
            .filter(|bin| bin.is_dir())
            .collect();
        let local = places_searched.iter().find_map(|bin| {
            executables.iter().find_map(|name| which::which_in(name, Some(bin), self.root()).ok())
        });
        let executable = local.or_else(|| {
            places_searched.push(PathBuf::from("PATH"));
            let path = search_path.0.as_ref()?;
            executables.iter().find_map(|name| which::which_in(name, Some(path), self.root()).ok())
        });
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Detection {
            marker,
            executable,
            markers_looked_for: owned(markers),
            executables_looked_for: owned(executables),
            places_searched,
        }
    }
}
