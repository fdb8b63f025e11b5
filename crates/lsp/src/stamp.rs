//! What a file's metadata says of its content: the fast path of every comparison with the disk.
//! It must never be trusted alone for a file that changed a moment ago: two changes within one tick of a file
//! system's clock leave the same stamp.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The coarsest clock of a file system in use.
pub(crate) const COARSEST_TICK: Duration = Duration::from_secs(2);
/// Longer than a tick of the file systems that programs are written on.
pub(crate) const USUAL_TICK: Duration = Duration::from_millis(50);

/// Identity, size and times of a file. The time of the inode's change is in it, since a restored file keeps its
/// time of modification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    pub(crate) length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// `None` when there is no regular file.
    pub(crate) fn of(path: &Path) -> io::Result<Option<Self>> {
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(metadata.is_file().then(|| Self::from(&metadata))),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the file was last changed more than a tick before `now`: a later change then shows in its stamp.
    pub(crate) fn is_settled(&self, now: SystemTime, tick: Duration) -> bool {
        let (seconds, nanos) = self.modified.max(self.changed);
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else { return true };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        // A time in the future says nothing.
        now.duration_since(changed).is_ok_and(|age| age > tick)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Whether a system's error says that nothing is there.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    #[test]
    fn a_file_just_written_is_not_settled_and_an_absent_one_has_no_stamp() {
        let fixture = Fixture::new("//- /a.rs\nfn a() {}\n");
        let stamp = Stamp::of(&fixture.path("a.rs")).unwrap().unwrap();
        let now = SystemTime::now();
        assert!(!stamp.is_settled(now, USUAL_TICK));
        assert!(stamp.is_settled(now + Duration::from_secs(3), COARSEST_TICK));
        assert_eq!(Stamp::of(&fixture.path("b.rs")).unwrap(), None);
        assert_eq!(Stamp::of(&fixture.path("a.rs/b")).unwrap(), None);
        assert_eq!(Stamp::of(fixture.root()).unwrap(), None, "a folder is no file");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]
    fn a_file_with_its_old_time_and_length_has_another_stamp() {
        let fixture = Fixture::new("//- /a.rs\nfn a() {}\n");
        let path = fixture.path("a.rs");
        let (stamp, times) =
            (Stamp::of(&path).unwrap().unwrap(), path.metadata().unwrap().modified().unwrap());
        std::thread::sleep(Duration::from_millis(20));
        fixture.write("a.rs", "fn b() {}\n");
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
        assert_ne!(Stamp::of(&path).unwrap().unwrap(), stamp);
    }
}
