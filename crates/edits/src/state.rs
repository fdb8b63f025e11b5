//! The state folder: where journal, lock and staged edits are kept. It is opened when something first needs it, and a
//! folder that cannot be used is an error of whoever needs it, never of one who only reads. It is closed to others,
//! and what an earlier process left half done in the workspace is restored before anything else.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::error::Error;
use crate::journal::Journal;
use crate::limits::Limits;
use crate::lock::Lock;
use crate::restore::{Recovery, recover};
use crate::store::Store;

/// Where journal, lock and staged edits are kept: a folder for one workspace alone, outside of it, closed to others.
#[derive(Clone, Debug)]
pub struct State {
    /// Or why there is none.
    folder: Result<PathBuf, String>,
    staged: Kept,
    pub(crate) advice: String,
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    Memory,
    Folder,
}

/// The folder, ready for use.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) folder: PathBuf,
    pub(crate) store: Store,
    pub(crate) recovery: Recovery,
}

impl State {
    /// Staged edits live and die with this run; journal and lock are files all the same.
    pub fn memory(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Ok(folder.into()), staged: Kept::Memory, advice: String::new() }
    }

    /// Staged edits are files too, for other processes to resolve.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Ok(folder.into()), staged: Kept::Folder, advice: String::new() }
    }

    /// There is none, and `why`: nothing can be staged or committed.
    pub fn missing(why: impl Into<String>) -> Self {
        Self { folder: Err(why.into()), staged: Kept::Memory, advice: String::new() }
    }

    /// How a person names another folder: the hint of every error that another one would help.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Whether the folder can be used for the workspace `root`, found by trying. What is made for that is removed
    /// again, and nothing is recovered.
    ///
    /// # Errors
    /// What staging or committing would answer now.
    pub fn check(&self, root: &Path) -> Result<(), Error> {
        self.tried(root).map_err(|error| error.advised(&self.advice))
    }

    fn tried(&self, root: &Path) -> Result<(), Error> {
        let disk = Disk::default();
        let given = self.given()?;
        let made = missing(given);
        let probed = prepare(&disk, given).and_then(|folder| {
            let probe = folder.join(format!("probe-{}", std::process::id()));
            let written = disk.replace_state(&probe, b"probe").and_then(|()| disk.remove(&probe));
            written.map_err(|why| Error::state("write", &probe, why))?;
            Journal::read(&folder, root)?;
            self.store(&folder).check()
        });
        for folder in made {
            // Another process may be using it by now.
            let _ = disk.remove_folder(&folder);
        }
        probed
    }

    pub(crate) fn open(&self, disk: &Disk, limits: &Limits, root: &Path) -> Result<Opened, Error> {
        let folder = prepare(disk, self.given()?)?;
        let recovery = match Lock::take(disk, &folder.join("lock"), limits.lock_wait) {
            Ok(_lock) => recover(disk, &folder, root)?,
            // Whoever holds it is alive, and has recovered before it went on.
            Err(Error::Locked { .. }) => Recovery::default(),
            Err(error) => return Err(error),
        };
        let store = self.store(&folder);
        // Damaged or locked, staged edits are the business of whoever asks for one; a commit needs none of them.
        let _ = store.sweep(disk, limits);
        Ok(Opened { folder, store, recovery })
    }

    /// The folder as the host gave it.
    pub(crate) fn given(&self) -> Result<&Path, Error> {
        match &self.folder {
            Ok(folder) if folder.is_absolute() => Ok(folder),
            Ok(folder) => Err(Error::StateNotAbsolute { folder: folder.clone() }),
            Err(why) => Err(Error::NoState { why: why.clone(), advice: String::new() }),
        }
    }

    fn store(&self, folder: &Path) -> Store {
        match self.staged {
            Kept::Memory => Store::memory(folder),
            Kept::Folder => Store::folder(folder),
        }
    }
}

/// The folders that are not there, innermost first.
fn missing(folder: &Path) -> Vec<PathBuf> {
    folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// Makes the folder, and makes it private to its owner.
fn prepare(disk: &Disk, folder: &Path) -> Result<PathBuf, Error> {
    use std::os::unix::fs::MetadataExt;
    let failed = |doing, path: &Path| {
        let path = path.to_owned();
        move |why| Error::state(doing, &path, why)
    };
    for path in missing(folder).into_iter().rev() {
        match disk.make_folder(&path, 0o700) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed("make", &path)(error));
            }
            _ => {}
        }
    }
    let folder = folder.canonicalize().map_err(failed("open", folder))?;
    let meta = folder.metadata().map_err(failed("open", &folder))?;
    if !meta.is_dir() {
        return Err(failed("use", &folder)(io::ErrorKind::NotADirectory.into()));
    }
    if meta.mode() & 0o077 != 0 {
        let open = std::fs::File::open(&folder).map_err(failed("open", &folder))?;
        disk.set_mode(&open, &folder, 0o700).map_err(failed("close to others", &folder))?;
    }
    Ok(folder)
}
