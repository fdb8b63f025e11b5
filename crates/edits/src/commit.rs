//! Makes a change, all of it or nothing: lock, recover, verify, write the new contents beside their files, journal,
//! swap file by file, journal, clean up. A failure on the way restores every file; a crash on the way is restored
//! by whoever comes next. No byte changes before the permit has begun, but for finishing an earlier commit that was
//! cut off.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use tool::{Authority, WritePermit};
use workspace::shown;

use crate::change::{After, Change, Effect, FileChange, Make};
use crate::content::{Kind, Stamp, look, read, stamp};
use crate::disk::{Disk, Placed};
use crate::error::{Cause, Error, Foreign};
use crate::journal::{Entry, Journal, Phase, Way};
use crate::lock::Lock;
use crate::mismatch::Difference;
use crate::restore::{Recovery, open_for_overwrite, parents, recover, settle};
use crate::verify::{existing_folder, verify};

/// A change that was made.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Committed {
    /// What happened, file by file.
    pub effects: Vec<Effect>,
    /// What the caller should be told besides: a weaker guarantee, an owner that could not be kept, what recovery
    /// of an earlier change found.
    pub notes: Vec<String>,
}

/// Who commits, and where it may.
pub(crate) struct Committer<'a> {
    pub(crate) disk: &'a Disk,
    pub(crate) state: &'a Path,
    pub(crate) authority: &'a Authority,
    pub(crate) lock_wait: Duration,
}

impl Committer<'_> {
    /// `made` is called once everything is new, while nobody else can commit.
    pub(crate) fn commit(
        &self,
        change: &Change,
        permit: WritePermit,
        made: impl FnOnce(&mut Committed),
    ) -> Result<Committed, Error> {
        permit.check(self.authority).map_err(Error::Permit)?;
        if let Some(file) = change.files().iter().find(|file| !permit.covers(&change.absolute(&file.path))) {
            return Err(Error::NotPermitted { path: file.path.clone() });
        }
        if change.is_empty() {
            return Ok(Committed { effects: Vec::new(), notes: Vec::new() });
        }
        let _lock = Lock::take(self.disk, &self.state.join("lock"), self.lock_wait)?;
        let recovery = recover(self.disk, self.state, change.root())?;
        verify(change)?;
        let mut commit = Commit {
            disk: self.disk,
            state: self.state,
            change,
            journal: journal(change),
            notes: recovered(&recovery),
            weaker: Vec::new(),
        };
        permit.begin(self.authority).map_err(Error::Permit)?;
        match commit.carry_out() {
            Ok(()) => {
                let mut committed = commit.finish();
                made(&mut committed);
                Ok(committed)
            }
            Err(cause) => Err(commit.undo(cause)),
        }
    }
}

pub(crate) fn recovered(recovery: &Recovery) -> Vec<String> {
    if !recovery.found {
        return Vec::new();
    }
    let came_to = if recovery.completed { "completed" } else { "undone" };
    let first = format!("an earlier change was cut off and has been {came_to}");
    std::iter::once(first).chain(recovery.foreign.iter().map(ToString::to_string)).collect()
}

/// The journal of a commit: every name it will use, before any of them exists.
fn journal(change: &Change) -> Journal {
    let id = format!("{:016x}", RandomState::new().build_hasher().finish());
    let mut folders = Vec::new();
    let mut entries = Vec::new();
    for (number, file) in change.files().iter().enumerate() {
        let path = change.absolute(&file.path);
        let existing = existing_folder(&path).to_owned();
        let missing = path.ancestors().skip(1).take_while(|folder| *folder != existing).map(Path::to_owned);
        folders.extend(missing);
        let beside = |end: &str| path.with_file_name(format!(".outrigger-{id}-{number}.{end}"));
        let way = match (&file.before, &file.after) {
            (None, _) => Way::Create,
            (_, None) => Way::Delete,
            // The count of names may have grown since the snapshot: what matters is now.
            (Some(_), Some(_)) if file.is_written() && has_other_names(&path) => Way::InPlace,
            (Some(_), Some(_)) => Way::Replace,
        };
        let moved_from = match &file.after {
            Some(After { make: Make::Moved { of }, .. }) => Some(change.absolute(of)),
            _ => None,
        };
        entries.push(Entry {
            temp: beside("new"),
            backup: beside("old"),
            old: file.before.as_ref().map(|seen| seen.stamp),
            new: file.after.as_ref().map(|after| after.stamp),
            path,
            way,
            moved_from,
        });
    }
    folders.sort();
    folders.dedup();
    Journal { phase: Phase::Preparing, id, root: change.root().to_owned(), folders, entries }
}

fn has_other_names(path: &Path) -> bool {
    look(path).is_ok_and(|seen| seen.is_some_and(|seen| seen.stamp.kind == Kind::File && seen.links > 1))
}

struct Commit<'a> {
    disk: &'a Disk,
    state: &'a Path,
    change: &'a Change,
    journal: Journal,
    notes: Vec<String>,
    /// Files that were replaced after looking, since their file system cannot swap.
    weaker: Vec<String>,
}

impl Commit<'_> {
    fn carry_out(&mut self) -> Result<(), Cause> {
        self.enter(Phase::Preparing)?;
        for folder in self.journal.folders.clone() {
            self.disk.make_folder(&folder, 0o777).map_err(self.io("make the folder", &folder))?;
        }
        for (entry, file) in self.journal.entries.clone().iter().zip(self.change.files()) {
            self.prepare(entry, file)?;
        }
        self.enter(Phase::Prepared)?;
        for entry in self.journal.entries.clone() {
            self.swap(&entry)?;
        }
        for folder in parents(&self.journal) {
            self.disk.sync_folder(&folder).map_err(self.io("sync the folder", &folder))?;
        }
        self.enter(Phase::Committed)
    }

    fn enter(&mut self, phase: Phase) -> Result<(), Cause> {
        let written = self.journal.enter(self.disk, self.state, phase);
        // Once the disk says that everything is new, it is: a sync that fails after that changes nothing.
        if self.journal.phase == Phase::Committed && phase == Phase::Committed {
            if let Err(error) = written {
                self.notes.push(format!("the change may not survive a power failure: {error}"));
            }
            return Ok(());
        }
        written.map_err(self.io("write the journal in", self.state))
    }

    /// Writes the new content beside the file, and for a file with several names the old one too.
    fn prepare(&mut self, entry: &Entry, file: &FileChange) -> Result<(), Cause> {
        let Some(after) = &file.after else { return Ok(()) };
        if let Some(from) = &entry.moved_from {
            self.move_beside(entry, from)?;
        } else {
            let bytes = self.change.new_bytes(file, after).map_err(|error| cause(file, error))?;
            let like = after.make.source().map(|of| self.change.absolute(of));
            self.write_beside(entry, &entry.temp, &bytes, like.as_deref())?;
        }
        if stamp(&entry.temp).map_err(self.io("read", &entry.path))? != entry.new {
            return Err(self.foreign(&entry.path, Difference::Changed));
        }
        if entry.way == Way::InPlace {
            let old = read(&entry.path).map_err(self.io("read", &entry.path))?;
            self.write_beside(entry, &entry.backup, &old, Some(&entry.path))?;
        }
        Ok(())
    }

    fn write_beside(
        &mut self,
        entry: &Entry,
        path: &Path,
        bytes: &[u8],
        like: Option<&Path>,
    ) -> Result<(), Cause> {
        // Nobody else may read it before it has the mode of the file it replaces.
        let mode = if like.is_some() { 0o600 } else { 0o666 };
        let io = |doing| self.io(doing, &entry.path);
        let file = self.disk.create(path, mode).map_err(io("create a file beside"))?;
        self.disk.write(&file, path, bytes).map_err(io("write the content of"))?;
        let mut lost = Vec::new();
        if let Some(like) = like {
            let source = crate::content::open(like).map_err(self.io("read", like))?;
            lost = self.disk.dress(&file, path, &source).map_err(io("set the mode of"))?;
        }
        self.disk.sync(&file, path).map_err(io("sync the content of"))?;
        let shown = self.shown(&entry.path);
        self.notes.extend(lost.into_iter().map(|what| format!("the {what} of `{shown}` could not be kept")));
        Ok(())
    }

    /// Gives the file that moves a second name beside where it goes; where that is refused, copies it.
    fn move_beside(&mut self, entry: &Entry, from: &Path) -> Result<(), Cause> {
        let Err(error) = self.disk.link(from, &entry.temp) else { return Ok(()) };
        if error.kind() == io::ErrorKind::StorageFull {
            return Err(self.io("move", &entry.path)(error));
        }
        let seen = look(from).map_err(self.io("read", from))?;
        if seen.is_some_and(|seen| seen.stamp.kind == Kind::Link) {
            let target = std::fs::read_link(from).map_err(self.io("read", from))?;
            return self.disk.symlink(&target, &entry.temp).map_err(self.io("move", &entry.path));
        }
        let bytes = read(from).map_err(self.io("read", from))?;
        self.write_beside(entry, &entry.temp, &bytes, Some(from))
    }

    fn swap(&mut self, entry: &Entry) -> Result<(), Cause> {
        match entry.way {
            Way::Replace => self.replace(entry),
            Way::InPlace => self.overwrite(entry),
            Way::Create => match self.disk.place(&entry.temp, &entry.path) {
                Ok(placed) => {
                    self.weaker(placed, entry);
                    Ok(())
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Err(self.foreign(&entry.path, Difference::Created))
                }
                Err(error) => Err(self.io("create", &entry.path)(error)),
            },
            Way::Delete => match self.disk.place(&entry.path, &entry.backup) {
                Ok(_) => self.came_out(entry, &entry.backup),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(self.foreign(&entry.path, Difference::Deleted))
                }
                Err(error) => Err(self.io("delete", &entry.path)(error)),
            },
        }
    }

    fn replace(&mut self, entry: &Entry) -> Result<(), Cause> {
        match self.disk.exchange(&entry.temp, &entry.path) {
            Ok(true) => return self.came_out(entry, &entry.temp),
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(self.foreign(&entry.path, Difference::Deleted));
            }
            Err(error) => return Err(self.io("swap", &entry.path)(error)),
        }
        self.came_out(entry, &entry.path)?;
        if self.disk.link(&entry.path, &entry.backup).is_err() {
            let old = read(&entry.path).map_err(self.io("read", &entry.path))?;
            self.write_beside(entry, &entry.backup, &old, Some(&entry.path))?;
        }
        self.disk.rename(&entry.temp, &entry.path).map_err(self.io("replace", &entry.path))?;
        self.weaker(Placed::AfterLooking, entry);
        Ok(())
    }

    fn overwrite(&mut self, entry: &Entry) -> Result<(), Cause> {
        let io = |doing| self.io(doing, &entry.path);
        let new = read(&entry.temp).map_err(io("read"))?;
        let file = open_for_overwrite(&entry.path).map_err(io("open"))?;
        self.came_out(entry, &entry.path)?;
        self.disk.overwrite(&file, &entry.path, &new).map_err(io("write"))?;
        self.disk.sync(&file, &entry.path).map_err(io("sync"))?;
        let shown = self.shown(&entry.path);
        self.notes.push(format!(
            "`{shown}` has other hard links and was written in place: its other names, which may lie outside the \
             workspace, hold the new content too, and a write by somebody else in the same instant would have been \
             lost"
        ));
        Ok(())
    }

    /// What lies at `place` must be the content that was verified.
    fn came_out(&self, entry: &Entry, place: &Path) -> Result<(), Cause> {
        let out: Option<Stamp> = stamp(place).map_err(self.io("read", place))?;
        if out == entry.old {
            return Ok(());
        }
        let what = match out.map(|out| out.kind) {
            Some(Kind::File) => Difference::Changed,
            Some(Kind::Link) => Difference::BecameLink,
            Some(Kind::Folder) => Difference::BecameFolder,
            Some(Kind::Special) => Difference::BecameSpecial,
            None => Difference::Deleted,
        };
        Err(self.foreign(&entry.path, what))
    }

    fn weaker(&mut self, placed: Placed, entry: &Entry) {
        if placed == Placed::AfterLooking {
            self.weaker.push(self.shown(&entry.path));
        }
    }

    /// Everything is new: drops what was old. What cannot be dropped stays in the journal for the next recovery.
    fn finish(mut self) -> Committed {
        match settle(self.disk, self.state, &mut self.journal) {
            Ok(_) => {
                if let Err(error) = Journal::remove(self.disk, self.state) {
                    self.notes.push(format!("the journal could not be removed yet: {error}"));
                }
            }
            Err(stuck) => {
                self.notes.extend(stuck.iter().map(|stuck| {
                    format!("`{}` could not be removed yet: {}", stuck.path.display(), stuck.why)
                }));
            }
        }
        if let Some((first, others)) = self.weaker.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            self.notes.push(format!(
                "the file system of `{first}`{more} cannot swap files: a write by somebody else in the same instant \
                 would have been lost"
            ));
        }
        Committed { effects: self.change.effects(), notes: self.notes }
    }

    /// Puts every file back, and says what made it necessary.
    fn undo(mut self, cause: Cause) -> Error {
        let foreign: Vec<Foreign> = match settle(self.disk, self.state, &mut self.journal) {
            Ok(foreign) => foreign,
            Err(stuck) => return Error::NotRestored { cause, stuck },
        };
        // A journal that stays only makes the next recovery look again.
        let _ = Journal::remove(self.disk, self.state);
        Error::RolledBack { cause, foreign }
    }

    fn foreign(&self, path: &Path, what: Difference) -> Cause {
        Cause::Foreign { path: self.shown(path), what }
    }

    fn io(&self, doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Cause + use<> {
        let path = self.shown(path);
        move |why| Cause::Io { doing, path, why }
    }

    fn shown(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.change.root()).unwrap_or(path);
        shown(&relative.to_string_lossy()).into_owned()
    }
}

fn cause(file: &FileChange, error: Error) -> Cause {
    match error {
        Error::Read { path, why } => Cause::Io { doing: "read", path, why },
        _ => Cause::Foreign { path: file.path.clone(), what: Difference::Changed },
    }
}
