//! What changed behind our back: a shell command, git, the user's editor. The tracked files of the workspace are
//! listed with their stamps, and two lists compared.
//! It must never read a file's content, and never call a change by another kind than it was.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use workspace::Workspace;

use crate::documents::{ChangeKind, FileChange};
use crate::error::Error;
use crate::stamp::{Stamp, USUAL_TICK};

#[cfg(test)]
mod tests;

/// The tracked files of a workspace, shared by all servers of a run: one walk serves them all.
#[derive(Debug)]
pub(crate) struct Tracked {
    workspace: Workspace,
    latest: Mutex<Option<Arc<Snapshot>>>,
}

impl Tracked {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace, latest: Mutex::default() }
    }

    /// Lists the files as they are now.
    pub(crate) async fn look(&self) -> Result<Arc<Snapshot>, Error> {
        let workspace = self.workspace.clone();
        let walk = tokio::task::spawn_blocking(move || Snapshot::take(&workspace));
        let snapshot = walk.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        let snapshot = Arc::new(snapshot);
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// The files as they were last listed, listed now if they never were: what a new server starts from.
    pub(crate) async fn latest(&self) -> Result<Arc<Snapshot>, Error> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match latest {
            Some(latest) => Ok(latest),
            None => self.look().await,
        }
    }
}

/// The tracked files at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    files: BTreeMap<PathBuf, Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    stamp: Stamp,
    /// A later change would show in the stamp.
    settled: bool,
}

impl Seen {
    fn of(path: &Path, now: SystemTime) -> Option<Self> {
        let stamp = Stamp::of(path).ok().flatten()?;
        Some(Self { stamp, settled: stamp.is_settled(now, USUAL_TICK) })
    }
}

impl Snapshot {
    fn take(workspace: &Workspace) -> Result<Self, Error> {
        let scope = workspace.scope(None)?;
        let walk = workspace.walk(&scope, &|_| true, &|| false)?;
        let now = SystemTime::now();
        let seen = walk.files.into_iter().filter_map(|file| {
            let seen = Seen::of(&file.absolute, now)?;
            Some((file.absolute, seen))
        });
        Ok(Self { files: seen.collect() })
    }
}

/// What one server knows of the tracked files: a list, and what it was told since.
#[derive(Debug)]
pub(crate) struct Known {
    listed: Arc<Snapshot>,
    told: HashMap<PathBuf, Option<Seen>>,
}

impl Known {
    pub(crate) fn new(listed: Arc<Snapshot>) -> Self {
        Self { listed, told: HashMap::new() }
    }

    /// Notes that the server has been told what is in `path` now.
    pub(crate) fn told(&mut self, path: &Path) {
        // It was told of what is there now: a write within the same tick is announced by whoever made it.
        let seen = Stamp::of(path).ok().flatten().map(|stamp| Seen { stamp, settled: true });
        self.told.insert(path.to_owned(), seen);
    }

    /// What the server does not know of `now`, which it knows from here on. A file that was written right before it
    /// was listed counts as changed: its stamp would not show it.
    pub(crate) fn catch_up(&mut self, now: &Arc<Snapshot>) -> Vec<FileChange> {
        let (listed, told) =
            (std::mem::replace(&mut self.listed, Arc::clone(now)), std::mem::take(&mut self.told));
        let before =
            |path: &PathBuf| told.get(path).copied().unwrap_or_else(|| listed.files.get(path).copied());
        let change = |path: &PathBuf, kind| FileChange { path: path.clone(), kind };
        let known = listed.files.keys().chain(told.keys().filter(|path| !listed.files.contains_key(*path)));
        let gone = known.filter(|path| before(path).is_some() && !now.files.contains_key(*path));
        // A file that is told but not tracked is not gone because the list lacks it.
        let gone = gone.filter(|path| !path.exists()).map(|path| change(path, ChangeKind::Deleted));
        let here = now.files.iter().filter_map(|(path, now)| match before(path) {
            None => Some(change(path, ChangeKind::Created)),
            Some(before) if before.stamp != now.stamp || !before.settled => {
                Some(change(path, ChangeKind::Changed))
            }
            Some(_) => None,
        });
        gone.chain(here).collect()
    }
}
