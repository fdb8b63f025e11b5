//! What a call is about to change, and what was known before: heard from the write permit, before any byte changes.
//! It must never wait for a server.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool::WriteWatcher;

use super::registry::Snapshot;
use super::{Servers, owner};
use crate::client::Client;
use crate::documents::{ChangeKind, FileChange};
use crate::limits;
use crate::settle::Mark;

/// Hears one call's permits.
pub(super) struct Watch {
    servers: Arc<dyn Servers>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    files: BTreeMap<PathBuf, Before>,
    known: HashMap<Arc<str>, Known>,
}

/// A file before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Absent,
    Content(Vec<u8>),
    /// It is no file, or larger than what servers are sent.
    Unread,
}

/// What a running server knew before the call.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) client: Arc<Client>,
    pub(super) mark: Mark,
    pub(super) baseline: Snapshot,
}

/// What a call has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) changes: Vec<FileChange>,
    /// Files that went elsewhere: from, to.
    pub(super) moves: Vec<(PathBuf, PathBuf)>,
    pub(super) before: BTreeMap<PathBuf, Before>,
}

impl Watch {
    pub(super) fn new(servers: Arc<dyn Servers>) -> Self {
        Self { servers, heard: Mutex::default() }
    }

    /// What changed of what was named, by a look at the disk, and what was known.
    pub(super) fn finish(&self) -> (Written, HashMap<Arc<str>, Known>) {
        let heard = std::mem::take(&mut *self.heard());
        (written(heard.files), heard.known)
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WriteWatcher for Watch {
    fn about_to_write(&self, paths: &[PathBuf]) {
        let running = self.servers.running();
        let mut heard = self.heard();
        for path in paths {
            heard.files.entry(path.clone()).or_insert_with(|| read(path));
        }
        for client in running {
            heard.known.entry(owner(&client)).or_insert_with_key(|owner| {
                let baseline = Snapshot::of(owner, client.all_diagnostics());
                Known { mark: client.mark(), baseline, client }
            });
        }
    }
}

fn read(path: &Path) -> Before {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= limits::DOCUMENT => {
            std::fs::read(path).map_or(Before::Unread, Before::Content)
        }
        Ok(_) => Before::Unread,
        Err(_) => Before::Absent,
    }
}

fn written(files: BTreeMap<PathBuf, Before>) -> Written {
    let mut written = Written::default();
    let mut created: Vec<(PathBuf, Before)> = Vec::new();
    for (path, before) in files {
        let now = read(&path);
        let kind = match (&before, &now) {
            (Before::Absent, Before::Absent) => continue,
            (Before::Absent, _) => ChangeKind::Created,
            (_, Before::Absent) => ChangeKind::Deleted,
            (before, now) if before == now && now != &Before::Unread => continue,
            _ => ChangeKind::Changed,
        };
        if kind == ChangeKind::Created {
            created.push((path.clone(), now));
        }
        written.changes.push(FileChange { path: path.clone(), kind });
        written.before.insert(path, before);
    }
    let deleted = written.changes.iter().filter(|change| change.kind == ChangeKind::Deleted);
    for FileChange { path: from, .. } in deleted {
        let before = &written.before[from];
        let same = |(to, now): &(PathBuf, Before)| now == before || to.file_name() == from.file_name();
        if let Some(at) = created.iter().position(same) {
            written.moves.push((from.clone(), created.swap_remove(at).0));
        }
    }
    written
}
