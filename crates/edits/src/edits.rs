//! The handle through which everything else changes files. It joins snapshot, store and commit; each of them is a
//! room of its own.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tool::{Authority, WritePermit};
use workspace::Workspace;

use crate::change::{Change, Effect, EffectKind, FileChange, Pair};
use crate::commit::{Committed, Committer, recovered};
use crate::content::stamp;
use crate::diff::{Diff, Pager, Side};
use crate::disk::Disk;
use crate::error::Error;
use crate::limits::Limits;
use crate::picture::picture;
use crate::plan::Plan;
use crate::preview::Proposed;
use crate::proposal::{Proposal, Staged};
use crate::restore::Recovery;
use crate::state::{Opened, State};
use crate::store::{Fate, Store};
use crate::verify::verify;

/// The one door for changes of a workspace's files. Cheap to clone.
///
/// Every method may block on the disk: call it where blocking is allowed.
#[derive(Clone)]
#[must_use]
pub struct Edits {
    inner: Arc<Inner>,
}

struct Inner {
    workspace: Workspace,
    authority: Authority,
    limits: Limits,
    disk: Disk,
    state: State,
    opened: OnceLock<Opened>,
    /// Held by whoever opens the state folder.
    opening: Mutex<()>,
}

/// What is said of a state folder that is not open yet.
static NO_RECOVERY: Recovery = Recovery { found: false, completed: false, foreign: Vec::new() };

impl Edits {
    /// Opens the door with the default limits, and restores what an earlier process left half done. A state folder
    /// that cannot be used is no error here, since who only reads needs none: [`Edits::ready`] tells, and so does
    /// every call that needs it, which tries it anew.
    ///
    /// # Errors
    /// [`Error::StateNotAbsolute`] alone.
    pub fn open(workspace: Workspace, authority: Authority, state: State) -> Result<Self, Error> {
        Self::open_with(workspace, authority, state, Limits::default())
    }

    /// As [`Edits::open`], with limits of the host's.
    pub fn open_with(
        workspace: Workspace,
        authority: Authority,
        state: State,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::open_on(Disk::default(), workspace, authority, state, limits)
    }

    /// As [`Edits::open_with`], on a disk with faults.
    #[cfg(feature = "fault-injection")]
    pub fn open_faulty(
        workspace: Workspace,
        authority: Authority,
        state: State,
        limits: Limits,
        faults: Arc<dyn crate::fault::Faults>,
    ) -> Result<Self, Error> {
        Self::open_on(Disk::with_faults(faults), workspace, authority, state, limits)
    }

    fn open_on(
        disk: Disk,
        workspace: Workspace,
        authority: Authority,
        state: State,
        limits: Limits,
    ) -> Result<Self, Error> {
        if let Err(error @ Error::StateNotAbsolute { .. }) = state.given() {
            return Err(error);
        }
        let (opened, opening) = (OnceLock::new(), Mutex::default());
        let inner = Inner { workspace, authority, limits, disk, state, opened, opening };
        let edits = Self { inner: Arc::new(inner) };
        // Whoever needs it is told.
        let _ = edits.ready();
        Ok(edits)
    }

    /// Whether something can be staged or committed: opens the state folder, unless it is open.
    ///
    /// # Errors
    /// What such a call would answer.
    pub fn ready(&self) -> Result<(), Error> {
        self.opened().map(|_| ())
    }

    fn opened(&self) -> Result<&Opened, Error> {
        let Inner { workspace, limits, disk, state, opened, opening, .. } = &*self.inner;
        let _one = opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = opened.get() {
            return Ok(opened);
        }
        let now = state.open(disk, limits, workspace.root()).map_err(|error| self.advised(error))?;
        Ok(opened.get_or_init(|| now))
    }

    fn advised(&self, error: Error) -> Error {
        error.advised(&self.inner.state.advice)
    }

    /// The workspace whose files it changes.
    pub fn workspace(&self) -> &Workspace {
        &self.inner.workspace
    }

    /// The state folder, canonical, once it is open.
    pub fn state(&self) -> Option<&Path> {
        self.inner.opened.get().map(|opened| &*opened.folder)
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// What opening found of a change that was cut off, in words; empty when there was none.
    pub fn recovered(&self) -> Vec<String> {
        recovered(self.recovery())
    }

    /// What opening found of a change that was cut off.
    pub fn recovery(&self) -> &Recovery {
        self.inner.opened.get().map_or(&NO_RECOVERY, |opened| &opened.recovery)
    }

    /// Compares a plan with the disk: what each file is and will be. Writes nothing.
    pub fn snapshot(&self, plan: &Plan) -> Result<Change, Error> {
        picture(&self.inner.workspace, plan)
    }

    /// Makes a change, all of it or nothing. `permit` must name [`Change::paths`].
    pub fn commit(&self, change: &Change, permit: WritePermit) -> Result<Committed, Error> {
        self.make(change, permit, |_| ())
    }

    fn make(
        &self,
        change: &Change,
        permit: WritePermit,
        made: impl FnOnce(&mut Committed),
    ) -> Result<Committed, Error> {
        self.confined(change)?;
        let Inner { disk, authority, limits, .. } = &*self.inner;
        let state = &*self.opened()?.folder;
        Committer { disk, state, authority, lock_wait: limits.lock_wait }
            .commit(change, permit, made)
            .map_err(|error| self.advised(error))
    }

    /// A change may come out of a file or a host's memory: its paths are looked at once more.
    fn confined(&self, change: &Change) -> Result<(), Error> {
        let workspace = &self.inner.workspace;
        if change.root() != workspace.root() {
            return Err(Error::OtherWorkspace { root: change.root().to_owned() });
        }
        for path in change.files().iter().flat_map(FileChange::mentioned) {
            let absolute = change.absolute(path);
            if workspace.relative(&absolute).as_deref() != Some(path) {
                return Err(workspace::Error::Leaves { path: path.to_owned() }.into());
            }
            if workspace.is_git_internal(&absolute) {
                return Err(Error::Git { path: path.to_owned() });
            }
        }
        Ok(())
    }

    /// Snapshot and commit at once. `permit` gets the paths to ask for.
    pub fn apply(
        &self,
        plan: &Plan,
        permit: impl FnOnce(Vec<PathBuf>) -> Result<WritePermit, tool::Error>,
    ) -> Result<Committed, Error> {
        let change = self.snapshot(plan)?;
        let permit = permit(change.paths()).map_err(Error::Permit)?;
        self.commit(&change, permit)
    }

    /// One page of a change's diff, from the files as they are now; a file that has changed is an error.
    pub fn diff(&self, change: &Change, page: usize) -> Result<Diff, Error> {
        let mut pager = Pager::new(page, self.inner.limits.diff_lines);
        for (effect, pair) in change.effects_with_files() {
            let (old, new) = (pair.old_bytes(change)?, pair.new_bytes(change)?);
            let old_path = pair.before.map_or(effect.path.as_str(), |file| file.path.as_str());
            pager.file(
                old.as_deref().map(|bytes| Side { path: old_path, bytes }),
                new.as_deref().map(|bytes| Side { path: &effect.path, bytes }),
            );
        }
        Ok(pager.finish())
    }

    /// A change's files with their contents before and after, from the files as they are now; a file that has
    /// changed is an error.
    pub fn proposed(&self, change: &Change) -> Result<Vec<Proposed>, Error> {
        let file = |(effect, pair): (Effect, Pair<'_>)| {
            let renamed_from = match &effect.kind {
                EffectKind::Renamed { from } => Some(change.absolute(from)),
                _ => None,
            };
            let (before, after) = (pair.old_bytes(change)?, pair.new_bytes(change)?);
            Ok(Proposed { path: change.absolute(&effect.path), renamed_from, before, after })
        };
        change.effects_with_files().into_iter().map(file).collect()
    }

    /// Stages a change under a new id.
    pub fn stage(&self, proposal: Proposal) -> Result<Staged, Error> {
        self.store(|store, disk, limits| store.stage(disk, limits, proposal))
    }

    /// A staged edit, or what became of it.
    pub fn staged(&self, id: &str) -> Result<Staged, Error> {
        self.store(|store, disk, limits| store.get(disk, limits, id))
    }

    /// The staged edits: id and title, oldest first.
    pub fn pending(&self) -> Result<Vec<(String, String)>, Error> {
        self.store(Store::pending)
    }

    /// Makes a staged change. Where a file differs from its snapshot nothing is written, the error names every such
    /// file, and the edit stays staged.
    pub fn accept(&self, staged: &Staged, permit: WritePermit) -> Result<Committed, Error> {
        // Another process may have dealt with it since `staged` was read.
        self.staged(&staged.id)?;
        // Marked before anybody else can commit: whoever accepts it a moment later is told so.
        let mark = |committed: &mut Committed| {
            let stamp = |file: &FileChange| file.after.as_ref().map(|after| after.stamp);
            let files = staged.change.files().iter().map(|file| (file.path.clone(), stamp(file))).collect();
            if let Err(error) = self.finish(&staged.id, Fate::Accepted { files }) {
                committed.notes.push(format!("`{}` could not be marked as accepted: {error}", staged.id));
            }
        };
        self.make(&staged.change, permit, mark).map_err(|error| self.explained(staged, error))
    }

    /// Compares every file of a staged edit with its snapshot, as accepting it would, and writes nothing.
    pub fn verify(&self, staged: &Staged) -> Result<(), Error> {
        verify(&staged.change).map_err(|error| self.explained(staged, error))
    }

    /// Adds to each mismatch which accepted edit caused it; or says that the edit itself has been dealt with.
    fn explained(&self, staged: &Staged, error: Error) -> Error {
        let Error::Mismatch { mut mismatches } = error else { return error };
        if let Err(finished @ Error::Finished { .. }) = self.staged(&staged.id) {
            return finished;
        }
        for mismatch in &mut mismatches {
            let Ok(now) = stamp(&staged.change.absolute(&mismatch.path)) else { continue };
            let at = (&*mismatch.path, now);
            let culprit = self.store(|store, disk, limits| store.culprit(disk, limits, staged, at));
            mismatch.caused_by = culprit.unwrap_or_default();
        }
        Error::Mismatch { mismatches }
    }

    /// Drops a staged edit.
    pub fn discard(&self, id: &str) -> Result<(), Error> {
        self.finish(id, Fate::Discarded)
    }

    /// Drops a staged edit because a person or a rule said no to it.
    pub fn reject(&self, id: &str, why: impl Into<String>) -> Result<(), Error> {
        self.finish(id, Fate::Rejected { why: why.into() })
    }

    fn store<T>(&self, work: impl FnOnce(&Store, &Disk, &Limits) -> Result<T, Error>) -> Result<T, Error> {
        let Inner { disk, limits, .. } = &*self.inner;
        work(&self.opened()?.store, disk, limits).map_err(|error| self.advised(error))
    }

    fn finish(&self, id: &str, fate: Fate) -> Result<(), Error> {
        self.store(|store, disk, limits| store.finish(disk, limits, id, fate))
    }
}

impl fmt::Debug for Edits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { workspace, state, .. } = &*self.inner;
        f.debug_struct("Edits").field("root", &workspace.root()).field("state", state).finish_non_exhaustive()
    }
}
