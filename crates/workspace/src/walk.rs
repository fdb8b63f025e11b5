//! Listing the files of a scope by ripgrep's rules: ignore files honoured with or without git, hidden entries and
//! links passed over. The walk is parallel; it must never let timing show in its result.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::{Error, Kind, Scope, Skipped, Workspace};

#[cfg(test)]
mod tests;

/// A file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path.
    pub absolute: PathBuf,
    /// Relative to the root, with `/`. The exact name: an answer takes [`shown`](crate::shown()) of it.
    pub relative: String,
    /// Its length in bytes when it was listed.
    pub len: u64,
}

/// The files of a scope.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// In the byte order of `relative`.
    pub files: Vec<Found>,
    /// What was left out.
    pub skipped: Skipped,
}

/// Which relative paths a caller wants.
type Wanted<'a> = &'a (dyn Fn(&str) -> bool + Sync);

impl Workspace {
    /// Lists the files of `scope` whose relative path is `wanted`. A file that was named itself is always listed.
    /// `cancelled` is asked at every entry; [`Error::Cancelled`] once it says yes. No file at all is not an error.
    pub fn walk(
        &self,
        scope: &Scope,
        wanted: Wanted<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Walk, Error> {
        if let Some(file) = scope.file() {
            let (absolute, relative) = (file.absolute.clone(), file.relative.clone());
            let len = match fs::metadata(&absolute) {
                Ok(metadata) => metadata.len(),
                Err(why) => return Err(Error::Unreadable { path: relative, why }),
            };
            return Ok(Walk { files: vec![Found { absolute, relative, len }], skipped: Skipped::default() });
        }
        let gathered = Mutex::new(Gathered::default());
        builder(scope).build_parallel().run(|| {
            Box::new(|entry| {
                let mut visit = Visit { workspace: self, scope, wanted, gathered: &gathered };
                if cancelled() { visit.cancel() } else { visit.entry(entry) }
            })
        });
        gathered.into_inner().unwrap_or_else(PoisonError::into_inner).finish(scope)
    }
}

fn builder(scope: &Scope) -> WalkBuilder {
    let mut builder = WalkBuilder::new(&scope.start.absolute);
    builder
        .require_git(false)
        // An ignore file may bring hidden names back, but never git's own folder.
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

#[derive(Default)]
struct Gathered {
    files: Vec<(Found, Option<Identity>)>,
    skipped: Skipped,
    listed: Tally,
    visited: Tally,
    start_failed: Option<io::Error>,
    cancelled: bool,
}

/// A file's device and inode: two names of one file have the same.
type Identity = (u64, u64);

/// How many entries of each kind. What was listed in the folders visited, less what the walk then visited, is what
/// the rules left out: the walker itself does not tell.
#[derive(Default)]
struct Tally {
    files: usize,
    folders: usize,
    hidden_files: usize,
    hidden_folders: usize,
}

impl Tally {
    fn add(&mut self, name: &str, kind: Kind) {
        *match (kind, name.starts_with('.')) {
            (Kind::Folder, true) => &mut self.hidden_folders,
            (Kind::Folder, false) => &mut self.folders,
            (_, true) => &mut self.hidden_files,
            (_, false) => &mut self.files,
        } += 1;
    }
}

impl Gathered {
    fn finish(mut self, scope: &Scope) -> Result<Walk, Error> {
        if self.cancelled {
            return Err(Error::Cancelled);
        }
        if let Some(why) = self.start_failed {
            return Err(Error::Unreadable { path: scope.start.relative.clone(), why });
        }
        self.files.sort_unstable_by(|(left, _), (right, _)| left.relative.cmp(&right.relative));
        let (mut skipped, mut seen) = (self.skipped, HashSet::new());
        let before = self.files.len();
        self.files.retain(|(_, identity)| identity.is_none_or(|identity| seen.insert(identity)));
        skipped.duplicates = before - self.files.len();
        // A file made or removed during the walk may be in one tally only.
        skipped.ignored = self.listed.files.saturating_sub(self.visited.files);
        skipped.ignored_folders = self.listed.folders.saturating_sub(self.visited.folders);
        skipped.hidden = self.listed.hidden_files.saturating_sub(self.visited.hidden_files);
        skipped.hidden_folders = self.listed.hidden_folders.saturating_sub(self.visited.hidden_folders);
        Ok(Walk { files: self.files.into_iter().map(|(found, _)| found).collect(), skipped })
    }
}

struct Visit<'a> {
    workspace: &'a Workspace,
    scope: &'a Scope,
    wanted: Wanted<'a>,
    gathered: &'a Mutex<Gathered>,
}

impl Visit<'_> {
    fn cancel(&mut self) -> WalkState {
        self.gather(|gathered| gathered.cancelled = true);
        WalkState::Quit
    }

    fn entry(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.failed(error);
                return WalkState::Continue;
            }
        };
        let Some(relative) = self.workspace.relative(entry.path()) else {
            self.gather(|gathered| gathered.skipped.names_not_utf8 += 1);
            return WalkState::Skip;
        };
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        if kind.is_dir() {
            self.folder(&entry, &relative);
        } else if kind.is_symlink() {
            self.gather(|gathered| gathered.skipped.links += 1);
        } else if self.wants(entry.path(), &relative) {
            if kind.is_file() {
                self.file(&entry, relative);
            } else {
                self.gather(|gathered| gathered.skipped.special += 1);
            }
        }
        WalkState::Continue
    }

    fn wants(&self, absolute: &Path, relative: &str) -> bool {
        (self.wanted)(relative) && self.scope.includes(absolute)
    }

    fn file(&mut self, entry: &DirEntry, relative: String) {
        let metadata = entry.metadata();
        self.gather(|gathered| {
            gathered.visited.add(name(&relative), Kind::File);
            match metadata {
                Ok(metadata) => {
                    let (absolute, len) = (entry.path().to_owned(), metadata.len());
                    gathered.files.push((Found { absolute, relative, len }, identity(&metadata)));
                }
                Err(_) => gathered.skipped.unreadable += 1,
            }
        });
    }

    /// Tallies what is in a folder the walk will look into. A folder that cannot be listed is the walker's to report.
    fn folder(&mut self, entry: &DirEntry, relative: &str) {
        let mut listed = Tally::default();
        for child in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let (path, file_name) = (child.path(), child.file_name());
            let (Some(name), Ok(kind)) = (file_name.to_str(), child.file_type()) else { continue };
            if kind.is_dir() && name != ".git" {
                listed.add(name, Kind::Folder);
            } else if kind.is_file() && self.wants(&path, &below(relative, name)) {
                listed.add(name, Kind::File);
            }
        }
        self.gather(|gathered| {
            let total = &mut gathered.listed;
            total.files += listed.files;
            total.folders += listed.folders;
            total.hidden_files += listed.hidden_files;
            total.hidden_folders += listed.hidden_folders;
            if entry.depth() > 0 {
                gathered.visited.add(name(relative), Kind::Folder);
            }
        });
    }

    fn failed(&mut self, error: ignore::Error) {
        let at_start = error.depth() == Some(0);
        self.gather(|gathered| {
            gathered.skipped.unreadable += 1;
            if at_start {
                gathered.start_failed =
                    Some(error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into()));
            }
        });
    }

    fn gather(&self, change: impl FnOnce(&mut Gathered)) {
        change(&mut self.gathered.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn name(relative: &str) -> &str {
    relative.rsplit('/').next().unwrap_or(relative)
}

fn below(folder: &str, name: &str) -> String {
    if folder == "." { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such identity")]
fn identity(metadata: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<Identity> {
    None
}
