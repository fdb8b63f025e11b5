//! Compares a change with the disk as it is now: content, existence, kind, mode, permission to write, room.
//! It finds every difference, not the first, and changes nothing.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};

use crate::change::{Change, FileChange, Make};
use crate::content::{Kind, Seen, look};
use crate::error::Error;
use crate::mismatch::{Difference, Mismatch};

/// Blocks of a file system are taken for no larger than this: some network ones name the size they like to transfer.
const MAX_BLOCK: u64 = 64 * 1024;

pub(crate) fn verify(change: &Change) -> Result<(), Error> {
    let mismatches: Vec<Mismatch> = change
        .files()
        .iter()
        .filter_map(|file| {
            let what = difference(change, file)?;
            Some(Mismatch { path: file.path.clone(), what, caused_by: None })
        })
        .collect();
    if !mismatches.is_empty() {
        return Err(Error::Mismatch { mismatches });
    }
    room(change)
}

fn difference(change: &Change, file: &FileChange) -> Option<Difference> {
    let path = change.absolute(&file.path);
    let unreadable = |error: io::Error| Difference::Unreadable { why: error.to_string() };
    let folder = existing_folder(&path);
    // Links were followed when the path was resolved, so a link in it now is somebody's doing.
    if folder.canonicalize().ok().as_deref() != Some(folder) || !folder.is_dir() {
        return Some(Difference::FolderMoved);
    }
    let now = match look(&path) {
        Ok(now) => now,
        Err(error) => return Some(unreadable(error)),
    };
    if let Some(what) = compared(file, now.as_ref()) {
        return Some(what);
    }
    if !may(folder, Access::WRITE_OK | Access::EXEC_OK) {
        return Some(Difference::FolderNotWritable);
    }
    let seen = now.filter(|seen| seen.stamp.kind == Kind::File)?;
    // A rename would get past both, and nobody who made a file read-only expects that.
    if seen.mode & 0o222 == 0 {
        return Some(Difference::ReadOnly);
    }
    (!may(&path, Access::WRITE_OK)).then_some(Difference::NotWritable)
}

fn compared(file: &FileChange, now: Option<&Seen>) -> Option<Difference> {
    let (before, now) = match (&file.before, now) {
        (None, None) => return None,
        (Some(_), None) => return Some(already(file, None).unwrap_or(Difference::Deleted)),
        (None, Some(now)) => {
            return Some(already(file, Some(now)).unwrap_or(match now.stamp.kind {
                Kind::File => Difference::Created,
                other => became(other),
            }));
        }
        (Some(before), Some(now)) => (before, now),
    };
    if before.stamp.kind != now.stamp.kind {
        return Some(became(now.stamp.kind));
    }
    if before.stamp.digest != now.stamp.digest {
        return Some(already(file, Some(now)).unwrap_or(Difference::Changed));
    }
    let octal = |mode: u32| format!("{mode:03o}");
    (before.stamp.kind == Kind::File && before.mode != now.mode).then(|| {
        if now.mode & 0o222 == 0 {
            return Difference::ReadOnly;
        }
        Difference::ModeChanged { from: octal(before.mode), to: octal(now.mode) }
    })
}

fn already(file: &FileChange, now: Option<&Seen>) -> Option<Difference> {
    let after = file.after.as_ref().map(|after| after.stamp);
    (after == now.map(|seen| seen.stamp)).then_some(Difference::AlreadyDone)
}

fn became(kind: Kind) -> Difference {
    match kind {
        Kind::File => Difference::BecameFile,
        Kind::Link => Difference::BecameLink,
        Kind::Folder => Difference::BecameFolder,
        Kind::Special => Difference::BecameSpecial,
    }
}

/// The nearest folder above `path` that exists.
pub(crate) fn existing_folder(path: &Path) -> &Path {
    let above = path.ancestors().skip(1);
    above.into_iter().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("/"))
}

fn may(path: &Path, access: Access) -> bool {
    rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
}

/// Whether each file system has room for the new contents (old ones stay until the end).
fn room(change: &Change) -> Result<(), Error> {
    let mut devices: BTreeMap<u64, (Vec<u64>, PathBuf)> = BTreeMap::new();
    for file in change.files() {
        let Some(after) = file.after.as_ref().filter(|after| !matches!(after.make, Make::Moved { .. }))
        else {
            continue;
        };
        let path = change.absolute(&file.path);
        let folder = existing_folder(&path);
        let failed = |why| Error::Read { path: file.path.clone(), why };
        let device = folder.metadata().map_err(failed)?.dev();
        let (lengths, _) = devices.entry(device).or_insert_with(|| (Vec::new(), folder.to_owned()));
        // A file with several names is written in place, which takes a copy of the old content as well.
        let linked = file.before.as_ref().filter(|seen| seen.links > 1).map(|seen| seen.len);
        lengths.extend(std::iter::once(after.len).chain(linked));
    }
    for (lengths, folder) in devices.into_values() {
        // A file system that does not say (some network ones) will say so by itself when it is full.
        let Ok(stat) = rustix::fs::statvfs(&folder) else { continue };
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        let needed = needed(&lengths, stat.f_frsize);
        if stat.f_blocks > 0 && free < needed {
            return Err(Error::NoSpace { folder, content: lengths.iter().sum(), needed, free });
        }
    }
    Ok(())
}

/// What files of these lengths take: whole blocks, and for each one more that its name and attributes may need.
fn needed(lengths: &[u64], block: u64) -> u64 {
    let block = block.clamp(1, MAX_BLOCK);
    lengths.iter().map(|len| len.next_multiple_of(block) + block).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_asked_for_as_the_files_take_it() {
        assert_eq!(needed(&[1], 4096), 8192, "a byte does not need a megabyte");
        assert_eq!(needed(&[60_000], 4096), 61_440 + 4096);
        assert_eq!(needed(&[0, 4096, 4097], 4096), 4096 + 2 * 4096 + 3 * 4096);
        assert_eq!(needed(&[10], 0), 11, "a file system that names no block");
        assert_eq!(needed(&[10], 1 << 20), 2 * MAX_BLOCK);
    }
}
