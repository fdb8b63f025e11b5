//! Whether a language's resource can serve this checkout: a root marker and an executable, each found or not, and
//! where it was looked for. It must never start what it finds, and never call one half enough.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Workspace;

#[cfg(test)]
mod tests;

/// Where projects keep their own executables, nearest folder first.
const LOCAL_BINS: [&str; 3] = [".venv/bin", "venv/bin", "node_modules/.bin"];

/// Where executables are looked for after the project's own folders: a virtual environment, then the search path.
#[derive(Debug, Clone, Default)]
pub struct SearchPath {
    first: Option<PathBuf>,
    path: Option<OsString>,
}

impl SearchPath {
    /// The process's `VIRTUAL_ENV` and `PATH`.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    pub fn from_environment() -> Self {
        Self::from_variables(std::env::vars_os())
    }

    /// The `VIRTUAL_ENV` and `PATH` of an environment that was handed in.
    pub fn from_variables<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let mut search = Self::default();
        for (name, value) in variables {
            match name.as_ref().to_str() {
                Some("PATH") => search.path = Some(value.as_ref().to_owned()),
                Some("VIRTUAL_ENV") if !value.as_ref().is_empty() => {
                    search.first = Some(Path::new(value.as_ref()).join("bin"));
                }
                _ => {}
            }
        }
        search
    }

    /// The folders given.
    pub fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { first: None, path: std::env::join_paths(folders).ok() }
    }
}

/// What is sought for one resource.
#[derive(Clone, Copy)]
pub struct Sought<'a> {
    /// Names of root markers, in order of preference. Each may hold one `*`, which stands for anything.
    pub markers: &'a [&'a str],
    /// Names of the executable, in order of preference.
    pub executables: &'a [&'a str],
    /// Whether an executable of that name is the one that is meant; one that is not is passed over.
    pub fits: &'a dyn Fn(&Path) -> bool,
}

impl<'a> Sought<'a> {
    /// These markers and any executable of these names.
    pub fn new(markers: &'a [&'a str], executables: &'a [&'a str]) -> Self {
        Self { markers, executables, fits: &|_| true }
    }
}

impl fmt::Debug for Sought<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sought")
            .field("markers", &self.markers)
            .field("executables", &self.executables)
            .finish_non_exhaustive()
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
    /// Executables of the name that are not what is meant.
    pub passed_over: Vec<PathBuf>,
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
            (Some(_), None) => {
                write!(f, "no executable {executable} in {}{}", self.places(), self.others())
            }
            (None, None) => write!(
                f,
                "no {marker} from here up to the workspace's root, and no executable {executable} in {}{}",
                self.places(),
                self.others()
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

    fn others(&self) -> String {
        let named: Vec<String> =
            self.passed_over.iter().map(|path| format!("`{}`", path.display())).collect();
        if named.is_empty() { String::new() } else { format!(" ({} is another program)", named.join(", ")) }
    }
}

impl Workspace {
    /// Looks for a root marker and an executable, from `folder` (absolute, inside) upward to the root, then where
    /// `search_path` says.
    pub fn detect(&self, folder: &Path, sought: &Sought<'_>, search_path: &SearchPath) -> Detection {
        let Sought { markers, executables, fits } = *sought;
        let upward: Vec<&Path> =
            folder.ancestors().take_while(|folder| folder.starts_with(self.root())).collect();
        let marker = upward.iter().find_map(|folder| first_marker(folder, markers));
        let mut places_searched: Vec<PathBuf> = upward
            .iter()
            .flat_map(|folder| LOCAL_BINS.map(|bin| folder.join(bin)))
            .chain(search_path.first.clone())
            .filter(|bin| bin.is_dir())
            .collect();
        let mut passed_over = Vec::new();
        let mut look_in = |place: &OsStr| {
            let found =
                executables.iter().filter_map(|name| which::which_in(name, Some(place), self.root()).ok());
            found.into_iter().find(|path| {
                let fits = fits(path);
                if !fits && !passed_over.contains(path) {
                    passed_over.push(path.clone());
                }
                fits
            })
        };
        let mut executable = places_searched.iter().find_map(|place| look_in(place.as_os_str()));
        if executable.is_none() {
            places_searched.push(PathBuf::from("PATH"));
            executable = search_path.path.as_deref().and_then(look_in);
        }
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Detection {
            marker,
            executable,
            markers_looked_for: owned(markers),
            executables_looked_for: owned(executables),
            places_searched,
            passed_over,
        }
    }
}

/// The first of `markers` that is in `folder`.
pub fn first_marker(folder: &Path, markers: &[&str]) -> Option<PathBuf> {
    markers.iter().find_map(|marker| {
        if !marker.contains('*') {
            let path = folder.join(marker);
            return path.exists().then_some(path);
        }
        let entries = fs::read_dir(folder).ok()?;
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
        names
            .filter(|name| name.to_str().is_some_and(|name| matches_star(marker, name)))
            .min()
            .map(|name| folder.join(name))
    })
}

/// Whether `name` is what `pattern` says: the name itself, or what stands before and after its one `*`.
pub fn matches_star(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}
