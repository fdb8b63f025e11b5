//! Every system call of this crate that changes a disk, one method each, so that each is a numbered step at which a
//! test can fail or die. Nothing else in this crate writes, and nothing here decides what to write.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags};
use rustix::io::Errno;

#[cfg(feature = "fault-injection")]
use crate::fault::{Fault, Faults, Step};

/// Bytes written by one system call.
const CHUNK: usize = 64 * 1024;
/// The largest extended attribute that Linux allows, and the longest list of names.
const MAX_ATTRIBUTE: usize = 64 * 1024;

/// The disk, with its faults.
#[derive(Default)]
pub(crate) struct Disk {
    #[cfg(feature = "fault-injection")]
    pub(crate) faults: Option<std::sync::Arc<dyn Faults>>,
    #[cfg(feature = "fault-injection")]
    done: std::sync::atomic::AtomicU64,
}

/// How a name was given to a file that must not replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// By one call that fails if something is there.
    Safely,
    /// After looking: the file system can do no better.
    AfterLooking,
}

impl Disk {
    #[cfg(feature = "fault-injection")]
    pub(crate) fn with_faults(faults: std::sync::Arc<dyn Faults>) -> Self {
        Self { faults: Some(faults), done: std::sync::atomic::AtomicU64::default() }
    }

    /// A step is about to happen; says how many of `len` bytes it may write.
    #[cfg(feature = "fault-injection")]
    fn step(&self, name: &'static str, path: &Path, len: usize) -> io::Result<usize> {
        let Some(faults) = &self.faults else { return Ok(len) };
        let number = self.done.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        match faults.before(Step { number, name, path }) {
            Fault::None => Ok(len),
            Fault::Half => Ok(len.div_ceil(2)),
            Fault::Fail(error) => Err(error),
        }
    }

    #[cfg(not(feature = "fault-injection"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "with faults it does something")]
    fn step(&self, _name: &'static str, _path: &Path, len: usize) -> io::Result<usize> {
        Ok(len)
    }

    /// Makes a folder.
    pub(crate) fn make_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step("make folder", path, 0)?;
        Ok(rustix::fs::mkdir(path, Mode::from_raw_mode(mode))?)
    }

    /// Removes an empty folder.
    pub(crate) fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step("remove folder", path, 0)?;
        Ok(rustix::fs::rmdir(path)?)
    }

    /// Creates a file that must not exist.
    pub(crate) fn create(&self, path: &Path, mode: u32) -> io::Result<File> {
        self.step("create", path, 0)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(mode))?))
    }

    /// Opens a lock file, creating it where it is missing.
    pub(crate) fn open_lock(&self, path: &Path) -> io::Result<File> {
        self.step("open lock", path, 0)?;
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(0o600))?))
    }

    /// Appends to a file that was just created.
    pub(crate) fn write(&self, mut file: &File, path: &Path, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let may = self.step("write", path, bytes.len().min(CHUNK))?;
            match file.write(&bytes[..may]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Overwrites a file in place, from its start, and cuts it to the new length.
    pub(crate) fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut at = 0;
        while at < bytes.len() {
            let may = self.step("overwrite", path, (bytes.len() - at).min(CHUNK))?;
            match file.write_at(&bytes[at..at + may], at as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => at += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.step("truncate", path, 0)?;
        file.set_len(bytes.len() as u64)
    }

    /// Brings a file's content and mode to the disk.
    pub(crate) fn sync(&self, file: &File, path: &Path) -> io::Result<()> {
        self.step("sync", path, 0)?;
        file.sync_all()
    }

    /// Brings a folder's names to the disk.
    pub(crate) fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let synced = self.step("sync folder", path, 0).and_then(|_| File::open(path)?.sync_all());
        // Some network file systems sync files only.
        supported(synced).map(|_| ())
    }

    /// Sets permission bits.
    pub(crate) fn set_mode(&self, file: &File, path: &Path, mode: u32) -> io::Result<()> {
        self.step("set mode", path, 0)?;
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?)
    }

    /// Gives `file` the owner, extended attributes and mode of `like`. Says what could not be kept.
    pub(crate) fn dress(&self, file: &File, path: &Path, like: &File) -> io::Result<Vec<String>> {
        let (own, theirs) = (file.metadata()?, like.metadata()?);
        let mut lost = Vec::new();
        if (own.uid(), own.gid()) != (theirs.uid(), theirs.gid()) {
            self.step("set owner", path, 0)?;
            let (owner, group) = (Uid::from_raw(theirs.uid()), Gid::from_raw(theirs.gid()));
            if rustix::fs::fchown(file, Some(owner), Some(group)).is_err() {
                lost.push("owner".to_owned());
            }
        }
        // Some are given by the system itself, which refuses to have them set.
        let given = attributes(file);
        for (name, value) in attributes(like).into_iter().filter(|attribute| !given.contains(attribute)) {
            self.step("set attribute", path, 0)?;
            if rustix::fs::fsetxattr(file, &*name, &value, XattrFlags::empty()).is_err() {
                lost.push(format!("attribute `{name}`"));
            }
        }
        // Last: a change of owner clears the set-user-id bit, and an access list sets group bits.
        self.set_mode(file, path, theirs.mode() & 0o7777)?;
        Ok(lost)
    }

    /// Gives a file, or a link itself, a second name that must be free.
    pub(crate) fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("link", to, 0)?;
        Ok(rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())?)
    }

    /// Makes a link.
    pub(crate) fn symlink(&self, target: &Path, path: &Path) -> io::Result<()> {
        self.step("symlink", path, 0)?;
        Ok(rustix::fs::symlink(target, path)?)
    }

    /// Swaps two names at once; `false` where the file system refuses to.
    pub(crate) fn exchange(&self, one: &Path, other: &Path) -> io::Result<bool> {
        let swapped = self
            .step("exchange", other, 0)
            .and_then(|_| Ok(rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?));
        supported(swapped)
    }

    /// Renames over whatever is at `to`.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename", to, 0)?;
        Ok(rustix::fs::rename(from, to)?)
    }

    /// Renames to a name that must be free.
    pub(crate) fn place(&self, from: &Path, to: &Path) -> io::Result<Placed> {
        let placed = self
            .step("place", to, 0)
            .and_then(|_| Ok(rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?));
        if supported(placed)? {
            return Ok(Placed::Safely);
        }
        match self.link(from, to) {
            Ok(()) => self.remove(from).map(|()| Placed::Safely),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if to.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.rename(from, to).map(|()| Placed::AfterLooking),
        }
    }

    /// Removes a file or link.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        self.step("remove", path, 0)?;
        Ok(rustix::fs::unlink(path)?)
    }

    /// Removes a file or link, if it is there.
    pub(crate) fn remove_if_there(&self, path: &Path) -> io::Result<()> {
        if path.symlink_metadata().is_err_and(|error| crate::content::absent(&error)) {
            return Ok(());
        }
        self.remove(path)
    }

    /// Replaces a file of the state folder at once: a reader sees the old content or the new, also after a crash.
    pub(crate) fn replace_state(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let draft = draft(path);
        self.remove_if_there(&draft)?;
        let written = self.create(&draft, 0o600).and_then(|file| {
            self.write(&file, &draft, bytes)?;
            self.sync(&file, &draft)?;
            self.rename(&draft, path)
        });
        if written.is_err() {
            // A full disk needs the room; what cannot be removed is tidied later.
            let _ = self.remove_if_there(&draft);
        }
        written
    }
}

/// Where the next content of a state file is written first.
pub(crate) fn draft(path: &Path) -> std::path::PathBuf {
    path.with_extension("draft")
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Disk")
    }
}

/// Whether a call is one that the file system or the kernel does not know, told apart from other failures.
fn supported(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            _ => Err(error),
        },
    }
}

fn attributes(file: &File) -> Vec<(String, Vec<u8>)> {
    let mut names = vec![0; MAX_ATTRIBUTE];
    let Ok(len) = rustix::fs::flistxattr(file, &mut names[..]) else { return Vec::new() };
    let names = names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut value = vec![0; MAX_ATTRIBUTE];
    names
        .filter_map(|name| {
            let name = std::str::from_utf8(name).ok()?.to_owned();
            let len = rustix::fs::fgetxattr(file, &*name, &mut value[..]).ok()?;
            Some((name, value[..len].to_vec()))
        })
        .collect()
}
