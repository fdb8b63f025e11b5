//! Permission to change files: owned, named, and dead with its call. It cannot be made outside a write context, and
//! the registry whose authority it carries is the only one whose `edits` honours it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::Error;
use crate::call::Origin;
use crate::life::Life;

/// The identity of one registry. Two are equal only if they came from the same registry.
#[derive(Clone)]
pub struct Authority(Arc<u8>);

impl Authority {
    pub(crate) fn fresh() -> Self {
        Self(Arc::new(0))
    }

    /// The authority of a call made outside a registry: no registry's.
    pub(crate) fn nobody() -> Self {
        Self::fresh()
    }
}

impl PartialEq for Authority {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Authority {}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority")
    }
}

/// Told which files a call is about to change, before any byte of them does. It must return at once: the write
/// never waits for it.
pub trait WriteWatcher: Send + Sync {
    /// `paths` are absolute.
    fn about_to_write(&self, paths: &[PathBuf]);
}

/// Permission for one call to change the files it names.
///
/// Not `Clone`; owned by the commit until its end; refused once its call has ended.
#[must_use = "a permit does nothing until a commit consumes it"]
pub struct WritePermit {
    paths: Vec<PathBuf>,
    authority: Authority,
    life: Arc<Life>,
    in_flight: Option<TaskTracker>,
    /// Keeps [`Registry::drained`](crate::Registry::drained) waiting for a commit whose caller has gone away.
    begun: OnceLock<TaskTrackerToken>,
}

impl WritePermit {
    pub(crate) fn new(paths: Vec<PathBuf>, origin: &Origin) -> Result<Self, Error> {
        let permit = Self {
            paths,
            authority: origin.authority.clone(),
            life: Arc::clone(&origin.life),
            in_flight: origin.registry.upgrade().map(|registry| registry.in_flight().clone()),
            begun: OnceLock::new(),
        };
        if permit.life.ended() {
            return Err(permit.too_late());
        }
        for watcher in permit.life.watchers() {
            watcher.about_to_write(&permit.paths);
        }
        Ok(permit)
    }

    /// The files it allows to change: absolute paths.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether it names `path`.
    pub fn covers(&self, path: &Path) -> bool {
        self.paths.iter().any(|allowed| allowed == path)
    }

    /// Whether it came from the registry of `authority`: asked before anything is done on its behalf.
    ///
    /// # Errors
    /// `Refused` where it is another registry's.
    pub fn check(&self, authority: &Authority) -> Result<(), Error> {
        if self.authority == *authority {
            return Ok(());
        }
        Err(Error::refused("this write permit was given by another registry")
            .with_hint("call the tool through a surface of the run that owns the workspace"))
    }

    /// Begins the commit: from here on the call cannot be cancelled, only answered. Called by `edits` right before
    /// the first byte changes.
    ///
    /// # Errors
    /// `Refused` where `authority` is another registry's; `Cancelled` where the call has ended. Nothing may be
    /// written then.
    pub fn begin(&self, authority: &Authority) -> Result<(), Error> {
        self.check(authority)?;
        if !self.life.begin_commit() {
            return Err(self.too_late());
        }
        if let Some(in_flight) = &self.in_flight {
            self.begun.get_or_init(|| in_flight.token());
        }
        Ok(())
    }

    fn too_late(&self) -> Error {
        let first = self.paths.first().map_or("a file".to_owned(), |path| format!("`{}`", path.display()));
        Error::cancelled(format!("the call ended before it could change {first}; nothing was written"))
    }
}

impl fmt::Debug for WritePermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WritePermit").field("paths", &self.paths).finish_non_exhaustive()
    }
}
