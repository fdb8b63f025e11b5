//! Edits that wait for an answer: numbered, bounded in number and age, remembered after they are finished. In memory
//! for one run, or as files of the state folder for several processes. It knows changes but never makes one.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::content::Stamp;
use crate::disk::{Disk, draft};
use crate::error::Error;
use crate::limits::{Limits, MAX_FATES};
use crate::lock::Lock;
use crate::proposal::{Proposal, Staged};
use crate::render::counted;

/// What became of a staged edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub(crate) enum Fate {
    /// With what each of its files held then.
    Accepted {
        files: Vec<(String, Option<Stamp>)>,
    },
    Discarded,
    Rejected {
        why: String,
    },
    Expired {
        why: String,
    },
}

impl std::fmt::Display for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Accepted { .. } => f.write_str("it was accepted"),
            Self::Discarded => f.write_str("it was discarded"),
            Self::Rejected { why } => write!(f, "it was rejected ({why})"),
            Self::Expired { why } => write!(f, "it expired ({why})"),
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    /// The last number given.
    last: u64,
    pending: BTreeMap<u64, Waiting>,
    /// The newest [`MAX_FATES`].
    fates: BTreeMap<u64, Finished>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Waiting {
    title: String,
    at: Duration,
}

#[derive(Debug, Serialize, Deserialize)]
struct Finished {
    #[serde(flatten)]
    fate: Fate,
    at: Duration,
}

/// Where edits wait.
#[derive(Debug)]
pub(crate) struct Store {
    state: PathBuf,
    memory: Option<Mutex<Memory>>,
}

#[derive(Debug, Default)]
struct Memory {
    index: Index,
    edits: BTreeMap<u64, Staged>,
}

const INDEX: &str = "staged.json";

impl Store {
    pub(crate) fn memory(state: &Path) -> Self {
        Self { state: state.to_owned(), memory: Some(Mutex::default()) }
    }

    pub(crate) fn folder(state: &Path) -> Self {
        Self { state: state.to_owned(), memory: None }
    }

    /// Removes what a process left that was killed while it staged or finished an edit.
    pub(crate) fn sweep(&self, disk: &Disk, limits: &Limits) -> Result<(), Error> {
        if self.memory.is_some() {
            return Ok(());
        }
        let failed = |why| Error::state("tidy", &self.state, why);
        let _lock = Lock::take(disk, &self.state.join("staged.lock"), limits.lock_wait)?;
        let index: Index = load(&self.state.join(INDEX))?.unwrap_or_default();
        for entry in std::fs::read_dir(&self.state).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let number: Option<u64> = stem.strip_prefix("edit_").and_then(|number| number.parse().ok());
            let orphan = number.is_some_and(|number| !index.pending.contains_key(&number));
            let unfinished =
                path == draft(&self.state.join(INDEX)) || number.is_some() && path == draft(&path);
            if orphan || unfinished {
                disk.remove_if_there(&path).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Whether the list of staged edits can be read.
    pub(crate) fn check(&self) -> Result<(), Error> {
        load::<Index>(&self.state.join(INDEX)).map(|_| ())
    }

    pub(crate) fn stage(&self, disk: &Disk, limits: &Limits, proposal: Proposal) -> Result<Staged, Error> {
        if proposal.is_empty() {
            return Err(Error::Nothing);
        }
        self.open(disk, limits, |desk| {
            let at = now();
            let mut expired = Vec::new();
            while desk.index.pending.len() >= limits.pending.max(1) {
                let Some(oldest) = desk.index.pending.keys().next().copied() else { break };
                let why = format!("at most {} staged and newer ones came", are(limits.pending.max(1)));
                desk.finish(oldest, Fate::Expired { why });
                expired.push(name(oldest));
            }
            let number = desk.index.last + 1;
            let staged = proposal.staged(name(number), expired, at);
            desk.put(number, &staged)?;
            desk.index.last = number;
            desk.index.pending.insert(number, Waiting { title: staged.title.clone(), at });
            Ok(staged)
        })
    }

    pub(crate) fn get(&self, disk: &Disk, limits: &Limits, id: &str) -> Result<Staged, Error> {
        self.open(disk, limits, |desk| {
            let number = desk.pending(id)?;
            desk.get(number)
        })
    }

    pub(crate) fn finish(&self, disk: &Disk, limits: &Limits, id: &str, fate: Fate) -> Result<(), Error> {
        self.open(disk, limits, |desk| {
            let number = desk.pending(id)?;
            desk.finish(number, fate);
            Ok(())
        })
    }

    /// The edits that are staged, each with its title.
    pub(crate) fn pending(&self, disk: &Disk, limits: &Limits) -> Result<Vec<(String, String)>, Error> {
        self.open(disk, limits, |desk| {
            let pending = &desk.index.pending;
            Ok(pending.iter().map(|(number, waiting)| (name(*number), waiting.title.clone())).collect())
        })
    }

    /// The edit whose acceptance, after `staged` was proposed, put `now` into a file.
    pub(crate) fn culprit(
        &self,
        disk: &Disk,
        limits: &Limits,
        staged: &Staged,
        (path, now): (&str, Option<Stamp>),
    ) -> Result<Option<String>, Error> {
        self.open(disk, limits, |desk| {
            let did_it = |finished: &Finished| match &finished.fate {
                Fate::Accepted { files } => {
                    finished.at >= staged.at
                        && files.iter().any(|(file, stamp)| file == path && *stamp == now)
                }
                _ => false,
            };
            Ok(desk.index.fates.iter().rev().find(|(_, fate)| did_it(fate)).map(|(number, _)| name(*number)))
        })
    }

    fn open<T>(
        &self,
        disk: &Disk,
        limits: &Limits,
        work: impl FnOnce(&mut Desk<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(memory) = &self.memory {
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            let Memory { index, edits } = &mut *memory;
            let mut desk = Desk { disk, index, gone: Vec::new(), shelf: Shelf::Memory(edits) };
            desk.expire(limits.life);
            let done = work(&mut desk);
            desk.clear()?;
            return done;
        }
        let _lock = Lock::take(disk, &self.state.join("staged.lock"), limits.lock_wait)?;
        let path = self.state.join(INDEX);
        let mut index = load(&path)?.unwrap_or_default();
        let before = encoded(&path, &index)?;
        let mut desk = Desk { disk, index: &mut index, gone: Vec::new(), shelf: Shelf::Folder(&self.state) };
        desk.expire(limits.life);
        let done = work(&mut desk);
        let after = encoded(&path, desk.index)?;
        if after != before {
            let written = disk.replace_state(&path, &after).and_then(|()| disk.sync_folder(&self.state));
            written.map_err(|why| Error::state("write", &path, why))?;
        }
        desk.clear()?;
        done
    }
}

/// The store, opened by one holder of the lock.
struct Desk<'a> {
    disk: &'a Disk,
    index: &'a mut Index,
    /// Finished edits whose content goes once the index says so.
    gone: Vec<u64>,
    shelf: Shelf<'a>,
}

enum Shelf<'a> {
    Memory(&'a mut BTreeMap<u64, Staged>),
    Folder(&'a Path),
}

impl Desk<'_> {
    fn expire(&mut self, life: Duration) {
        let now = now();
        let old = |waiting: &Waiting| now.saturating_sub(waiting.at) >= life;
        let expired: Vec<u64> = self
            .index
            .pending
            .iter()
            .filter(|(_, waiting)| old(waiting))
            .map(|(number, _)| *number)
            .collect();
        for number in expired {
            let why = format!("an edit stays staged for {}", spelled(life));
            self.finish(number, Fate::Expired { why });
        }
    }

    fn pending(&self, id: &str) -> Result<u64, Error> {
        let pending = || self.index.pending.keys().map(|number| name(*number)).collect();
        let unknown = || Error::UnknownEdit { id: id.to_owned(), pending: pending() };
        let number: u64 =
            id.strip_prefix("edit_").and_then(|number| number.parse().ok()).ok_or_else(unknown)?;
        if name(number) != id || number > self.index.last || number == 0 {
            return Err(unknown());
        }
        if self.index.pending.contains_key(&number) {
            return Ok(number);
        }
        let fate = self.index.fates.get(&number);
        let fate = fate.map_or("it was finished long ago".to_owned(), |finished| finished.fate.to_string());
        Err(Error::Finished { id: id.to_owned(), fate, pending: pending() })
    }

    fn finish(&mut self, number: u64, fate: Fate) {
        self.index.pending.remove(&number);
        self.index.fates.insert(number, Finished { fate, at: now() });
        while self.index.fates.len() > MAX_FATES {
            self.index.fates.pop_first();
        }
        // What an accepted edit wrote matters only to edits that were staged before it was accepted.
        let oldest = self.index.pending.values().map(|waiting| waiting.at).min();
        for finished in self.index.fates.values_mut() {
            if let Fate::Accepted { files } = &mut finished.fate
                && oldest.is_none_or(|oldest| finished.at < oldest)
            {
                files.clear();
            }
        }
        self.gone.push(number);
    }

    fn put(&mut self, number: u64, staged: &Staged) -> Result<(), Error> {
        match &mut self.shelf {
            Shelf::Memory(edits) => {
                edits.insert(number, staged.clone());
                Ok(())
            }
            Shelf::Folder(state) => {
                let path = file(state, number);
                let bytes = encoded(&path, staged)?;
                let written = self.disk.replace_state(&path, &bytes);
                written.map_err(|why| Error::state("write", &path, why))
            }
        }
    }

    fn get(&mut self, number: u64) -> Result<Staged, Error> {
        let missing = |path: &Path| Error::state("read", path, io::ErrorKind::NotFound.into());
        match &mut self.shelf {
            Shelf::Memory(edits) => edits.get(&number).cloned().ok_or_else(|| missing(name(number).as_ref())),
            Shelf::Folder(state) => {
                let path = file(state, number);
                load(&path)?.ok_or_else(|| missing(&path))
            }
        }
    }

    /// Drops the contents of finished edits, after the index says so.
    fn clear(self) -> Result<(), Error> {
        match self.shelf {
            Shelf::Memory(edits) => edits.retain(|number, _| !self.gone.contains(number)),
            Shelf::Folder(state) => {
                for number in self.gone {
                    let path = file(state, number);
                    let removed = self.disk.remove_if_there(&path);
                    removed.map_err(|why| Error::state("remove", &path, why))?;
                }
            }
        }
        Ok(())
    }
}

fn name(number: u64) -> String {
    format!("edit_{number}")
}

fn file(state: &Path, number: u64) -> PathBuf {
    state.join(format!("{}.json", name(number)))
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn are(edits: usize) -> String {
    format!("{} {}", counted(edits, "edit"), if edits == 1 { "is" } else { "are" })
}

fn spelled(life: Duration) -> String {
    if life.as_secs() >= 60 && life.as_secs().is_multiple_of(60) {
        return format!("{} min", life.as_secs() / 60);
    }
    format!("{} s", life.as_secs_f32())
}

fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::state("read", path, error)),
    };
    let damaged =
        |error: serde_json::Error| Error::DamagedStaged { path: path.to_owned(), why: error.to_string() };
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

fn encoded<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::state("encode", path, error.into()))
}
