//! One holder at a time across processes, by `flock` on a file of the state folder: a dead holder lets go by dying.
//! The wait is bounded; a lock is never broken.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::disk::Disk;
use crate::error::Error;

/// `flock` has no wait with a limit, so it is asked again this often.
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Closing is not enough: a process that the host forked meanwhile shares the lock until it ends.
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Lock {
    pub(crate) fn take(disk: &Disk, path: &Path, wait: Duration) -> Result<Self, Error> {
        let failed = |why: io::Error| Error::state("lock", path, why);
        let file = disk.open_lock(path).map_err(failed)?;
        let began = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { file }),
                Err(Errno::WOULDBLOCK | Errno::INTR) if began.elapsed() < wait => {
                    std::thread::sleep(ASK_AGAIN);
                }
                Err(Errno::WOULDBLOCK) => return Err(Error::Locked { lock: path.to_owned(), waited: wait }),
                Err(error) => return Err(failed(error.into())),
            }
        }
    }
}
