//! What a commit is about to do, written down before it does it, so that whoever comes after a crash can put every
//! file back. It holds names and digests; contents are beside their files.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::content::Stamp;
use crate::disk::{Disk, draft};
use crate::error::Error;

/// How far a commit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// New contents are being written beside their files, which are untouched.
    Preparing,
    /// Files are being swapped: all of them must be put back.
    Prepared,
    /// Everything is new: what was old must go.
    Committed,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) phase: Phase,
    /// Part of every temporary name of this commit.
    pub(crate) id: String,
    pub(crate) root: PathBuf,
    /// Folders that are made for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) entries: Vec<Entry>,
}

/// One file of a commit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    pub(crate) way: Way,
    /// Beside the file: the new content, and after an exchange the old one.
    pub(crate) temp: PathBuf,
    /// Beside the file: the old content, where no exchange puts it into `temp`.
    pub(crate) backup: PathBuf,
    pub(crate) old: Option<Stamp>,
    pub(crate) new: Option<Stamp>,
    /// The file that moves here as it is.
    pub(crate) moved_from: Option<PathBuf>,
}

/// How one file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    /// Swapped for the new one.
    Replace,
    /// Overwritten, since it has other names that must stay the same file.
    InPlace,
    Create,
    Delete,
}

const NAME: &str = "journal.json";

impl Journal {
    /// The journal of a commit that was cut off in `root`. One that cannot be read is never passed over.
    pub(crate) fn read(state: &Path, root: &Path) -> Result<Option<Self>, Error> {
        let path = state.join(NAME);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::state("read", &path, error)),
        };
        let journal: Self = serde_json::from_slice(&bytes)
            .map_err(|error| Error::DamagedJournal { path: path.clone(), why: error.to_string() })?;
        if journal.root != root {
            let other = format!("it belongs to another workspace, `{}`", journal.root.display());
            return Err(Error::state("use", &path, io::Error::other(other)));
        }
        Ok(Some(journal))
    }

    /// Writes it down for good in a new phase. On failure the phase on the disk may be either, and stays in memory
    /// as it was unless the disk has the new one.
    pub(crate) fn enter(&mut self, disk: &Disk, state: &Path, phase: Phase) -> io::Result<()> {
        let before = std::mem::replace(&mut self.phase, phase);
        let written = serde_json::to_vec(&self)
            .map_err(io::Error::from)
            .and_then(|bytes| disk.replace_state(&state.join(NAME), &bytes));
        if written.is_err() {
            self.phase = before;
        }
        written.and_then(|()| disk.sync_folder(state))
    }

    /// Forgets a commit whose traces are gone.
    pub(crate) fn remove(disk: &Disk, state: &Path) -> io::Result<()> {
        Self::remove_draft(disk, state)?;
        disk.remove_if_there(&state.join(NAME))?;
        disk.sync_folder(state)
    }

    /// Forgets a journal that was cut off before it was one.
    pub(crate) fn remove_draft(disk: &Disk, state: &Path) -> io::Result<()> {
        disk.remove_if_there(&draft(&state.join(NAME)))
    }
}
