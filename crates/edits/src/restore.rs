//! Puts files back after a commit that failed or was cut off. Whoever wrote a journal may have died anywhere, and so
//! may whoever restores: what to do is read off the disk, file by file, and doing it twice does no harm. Content
//! that is neither the old nor the new one is somebody else's: it is reported and left.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::content::{Kind, Seen, Stamp, look, read};
use crate::disk::Disk;
use crate::error::{Error, Foreign, Stuck};
use crate::journal::{Entry, Journal, Phase, Way};
use crate::limits::MAX_KEPT;

/// What an earlier, cut-off commit came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// Whether there was one.
    pub found: bool,
    /// Whether it had been completed, so that its files hold the new content; else they hold the old one.
    pub completed: bool,
    /// Files with somebody else's content, which were left.
    pub foreign: Vec<Foreign>,
}

/// Restores or cleans up after a commit that was cut off. The caller holds the lock.
pub(crate) fn recover(disk: &Disk, state: &Path, root: &Path) -> Result<Recovery, Error> {
    let failed = |doing| move |why| Error::state(doing, &state.join("journal.json"), why);
    let Some(mut journal) = Journal::read(state, root)? else {
        Journal::remove_draft(disk, state).map_err(failed("remove the draft of"))?;
        return Ok(Recovery::default());
    };
    let completed = journal.phase == Phase::Committed;
    let foreign = settle(disk, state, &mut journal).map_err(|stuck| Error::Unrecovered { stuck })?;
    Journal::remove(disk, state).map_err(failed("remove"))?;
    Ok(Recovery { found: true, completed, foreign })
}

/// Brings every file of the journal to where its phase says, and removes what is beside them. The journal stays.
pub(crate) fn settle(disk: &Disk, state: &Path, journal: &mut Journal) -> Result<Vec<Foreign>, Vec<Stuck>> {
    let (mut foreign, mut stuck) = (Vec::new(), Vec::new());
    if journal.phase == Phase::Prepared {
        // Deletions first: a file that was moved is then known by the inode that is back in its old place.
        let (deletions, others): (Vec<&Entry>, Vec<&Entry>) =
            journal.entries.iter().partition(|entry| entry.way == Way::Delete);
        for entry in deletions.into_iter().chain(others) {
            match restore(disk, state, journal, entry) {
                Ok(found) => foreign.extend(found),
                Err(error) => stuck.push(Stuck {
                    path: entry.path.clone(),
                    backup: holder(entry),
                    why: error.to_string(),
                }),
            }
        }
    }
    if stuck.is_empty() {
        if journal.phase == Phase::Prepared {
            // From here on the files are nobody's business but their owner's. Where the disk is too full to write
            // that down, restoring once more does no harm.
            let _ = journal.enter(disk, state, Phase::Preparing);
        }
        stuck = clean(disk, journal);
    }
    if stuck.is_empty() { Ok(foreign) } else { Err(stuck) }
}

/// Removes what a commit put beside its files, and the folders it made if nothing is in them.
fn clean(disk: &Disk, journal: &Journal) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    for entry in &journal.entries {
        for path in [&entry.temp, &entry.backup] {
            if let Err(error) = disk.remove_if_there(path) {
                stuck.push(Stuck { path: path.clone(), backup: None, why: error.to_string() });
            }
        }
    }
    if journal.phase != Phase::Committed {
        for folder in journal.folders.iter().rev() {
            match disk.remove_folder(folder) {
                Err(error) if !gone_or_used(&error) => {
                    stuck.push(Stuck { path: folder.clone(), backup: None, why: error.to_string() });
                }
                _ => {}
            }
        }
    }
    for folder in parents(journal) {
        match disk.sync_folder(&folder) {
            Err(error) if !crate::content::absent(&error) => {
                stuck.push(Stuck { path: folder, backup: None, why: error.to_string() });
            }
            _ => {}
        }
    }
    stuck
}

fn gone_or_used(error: &io::Error) -> bool {
    crate::content::absent(error)
        || matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists)
}

/// Every folder in which a name of this commit appears or goes.
pub(crate) fn parents(journal: &Journal) -> Vec<PathBuf> {
    let files = journal.entries.iter().map(|entry| &entry.path);
    let mut parents: Vec<PathBuf> =
        files.chain(&journal.folders).filter_map(|path| path.parent()).map(Path::to_owned).collect();
    parents.sort();
    parents.dedup();
    parents
}

/// Where the old content of a file is, if it is not in the file.
fn holder(entry: &Entry) -> Option<PathBuf> {
    let holds = |path: &PathBuf| look(path).is_ok_and(|seen| seen.map(|seen| seen.stamp) == entry.old);
    entry.old?;
    [&entry.temp, &entry.backup].into_iter().find(|path| holds(path)).cloned()
}

fn restore(disk: &Disk, state: &Path, journal: &Journal, entry: &Entry) -> io::Result<Option<Foreign>> {
    match entry.way {
        Way::Replace => restore_replaced(disk, state, journal, entry),
        Way::InPlace => restore_in_place(disk, state, journal, entry),
        Way::Create => restore_created(disk, entry),
        Way::Delete => restore_deleted(disk, state, journal, entry),
    }
}

fn stamp_of(seen: Option<&Seen>) -> Option<Stamp> {
    seen.map(|seen| seen.stamp)
}

/// Whether the file holds what the commit put there: by content, or as the very file that was moved.
fn is_new(entry: &Entry, now: Option<&Seen>) -> io::Result<bool> {
    if stamp_of(now) == entry.new {
        return Ok(true);
    }
    let moved = entry.moved_from.as_ref().map(|path| look(path)).transpose()?.flatten();
    Ok(moved.zip(now).is_some_and(|(moved, now)| moved.same_inode(now)))
}

fn restore_replaced(
    disk: &Disk,
    state: &Path,
    journal: &Journal,
    entry: &Entry,
) -> io::Result<Option<Foreign>> {
    let (now, temp) = (look(&entry.path)?, look(&entry.temp)?);
    // Before the swap `temp` holds the new content; after it, whatever was in the file, be it foreign.
    let holder = match &temp {
        Some(temp) if Some(temp.stamp) == entry.new => return Ok(None),
        Some(_) => &entry.temp,
        None if look(&entry.backup)?.is_some() => &entry.backup,
        None => return Ok(is_new(entry, now.as_ref())?.then(|| lost(entry))),
    };
    if stamp_of(now.as_ref()) == look(holder)?.map(|seen| seen.stamp) {
        return Ok(None);
    }
    if !is_new(entry, now.as_ref())? {
        return keep(disk, state, journal, entry, holder).map(Some);
    }
    if !disk.exchange(holder, &entry.path)? {
        disk.rename(holder, &entry.path)?;
        return Ok(None);
    }
    // What came out must be what the commit had put in; else somebody wrote it just now.
    let out = look(holder)?;
    if is_new(entry, out.as_ref())? { Ok(None) } else { keep(disk, state, journal, entry, holder).map(Some) }
}

fn restore_in_place(
    disk: &Disk,
    state: &Path,
    journal: &Journal,
    entry: &Entry,
) -> io::Result<Option<Foreign>> {
    let now = look(&entry.path)?;
    if stamp_of(now.as_ref()) == entry.old {
        return Ok(None);
    }
    let backup = look(&entry.backup)?;
    if stamp_of(backup.as_ref()) != entry.old {
        return Ok(Some(lost(entry)));
    }
    let ours = now.is_some_and(|now| now.stamp.kind == Kind::File) && {
        let (now, old) = (read(&entry.path)?, read(&entry.backup)?);
        is_mixture(&now, &old, &read(&entry.temp)?)
    };
    if !ours {
        return keep(disk, state, journal, entry, &entry.backup).map(Some);
    }
    let file = open_for_overwrite(&entry.path)?;
    disk.overwrite(&file, &entry.path, &read(&entry.backup)?)?;
    disk.sync(&file, &entry.path)?;
    Ok(None)
}

/// Opens a file for [`Disk::overwrite`].
pub(crate) fn open_for_overwrite(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Whether `now` is what a cut-off overwrite, or a cut-off restore of one, leaves: at each place the old byte or the
/// new one, and a length between theirs.
fn is_mixture(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
    (short..=long).contains(&now.len())
        && now.iter().enumerate().all(|(at, byte)| old.get(at) == Some(byte) || new.get(at) == Some(byte))
}

fn restore_created(disk: &Disk, entry: &Entry) -> io::Result<Option<Foreign>> {
    let (now, temp) = (look(&entry.path)?, look(&entry.temp)?);
    let Some(now) = now else { return Ok(None) };
    match &temp {
        // The file system cannot rename without replacing: both names are one file until the first is removed.
        Some(temp) if temp.same_inode(&now) && temp.links > 1 => disk.remove(&entry.path).map(|()| None),
        // Never placed, so the file there is somebody else's.
        Some(_) => Ok(None),
        None if is_new(entry, Some(&now))? => {
            disk.place(&entry.path, &entry.temp)?;
            let out = look(&entry.temp)?;
            if is_new(entry, out.as_ref())? {
                return Ok(None);
            }
            disk.place(&entry.temp, &entry.path)?;
            Ok(Some(Foreign { path: entry.path.clone(), kept: None }))
        }
        None => Ok(Some(Foreign { path: entry.path.clone(), kept: None })),
    }
}

fn restore_deleted(
    disk: &Disk,
    state: &Path,
    journal: &Journal,
    entry: &Entry,
) -> io::Result<Option<Foreign>> {
    let now = look(&entry.path)?;
    let Some(backup) = look(&entry.backup)? else { return Ok(now.is_none().then(|| lost(entry))) };
    match now {
        None => disk.place(&entry.backup, &entry.path).map(|_| None),
        Some(now) if now.same_inode(&backup) => Ok(None),
        Some(_) => keep(disk, state, journal, entry, &entry.backup).map(Some),
    }
}

/// Somebody removed the old content from beside the file: nothing is left to restore it from.
fn lost(entry: &Entry) -> Foreign {
    Foreign { path: entry.path.clone(), kept: None }
}

/// Copies what a file held before into the state folder, since somebody else's content stands in the file now.
fn keep(disk: &Disk, state: &Path, journal: &Journal, entry: &Entry, holder: &Path) -> io::Result<Foreign> {
    let Some(seen) = look(holder)? else { return Ok(Foreign { path: entry.path.clone(), kept: None }) };
    let bytes = match seen.stamp.kind {
        Kind::File => read(holder)?,
        Kind::Link => std::fs::read_link(holder)?.into_os_string().into_encoded_bytes(),
        Kind::Folder | Kind::Special => return Err(io::Error::other("it is neither a file nor a link now")),
    };
    let folder = state.join("kept");
    match disk.make_folder(&folder, 0o700) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
    let beside = holder.file_name().unwrap_or_default().to_string_lossy();
    let number =
        beside.rsplit('-').next().unwrap_or_default().trim_end_matches(".new").trim_end_matches(".old");
    let kept = folder.join(format!("{}-{number}-{name}", journal.id));
    // A restore that was cut off may have left half a copy.
    disk.remove_if_there(&kept)?;
    let file = disk.create(&kept, 0o600)?;
    disk.write(&file, &kept, &bytes)?;
    disk.sync(&file, &kept)?;
    disk.sync_folder(&folder)?;
    // What is old and stays does no harm.
    let _ = prune(disk, &folder, &journal.id);
    Ok(Foreign { path: entry.path.clone(), kept: Some(kept) })
}

/// Drops the oldest contents over [`MAX_KEPT`], but none of the change at hand.
fn prune(disk: &Disk, folder: &Path, id: &str) -> io::Result<()> {
    let mut old = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        count += 1;
        if !entry.file_name().to_string_lossy().starts_with(id) {
            old.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    old.sort();
    for (_, path) in old.into_iter().take(usize::saturating_sub(count, MAX_KEPT)) {
        disk.remove_if_there(&path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_overwrite_is_known_and_foreign_content_is_not() {
        let (old, new) = (b"aaaaaa".as_slice(), b"bbb".as_slice());
        for torn in [&b"aaaaaa"[..], b"bbb", b"bbbaaa", b"baaaaa", b"abbaaa", b"bbbaa"] {
            assert!(is_mixture(torn, old, new), "{torn:?}");
        }
        for foreign in [&b"bb"[..], b"aaaaaaa", b"aaacaa", b"bbbbbb"] {
            assert!(!is_mixture(foreign, old, new), "{foreign:?}");
        }
    }
}
