//! The port through which a run starts programs: on this machine, or wherever an embedder puts them.
//! It must never start a sandbox: an implementation uses one that is already there, or answers an error.

use std::ffi::OsString;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use crate::child::Child;
use crate::command::Command;
use crate::error::Error;

/// A child being started.
pub type Spawning<'a> = Pin<Box<dyn Future<Output = Result<Child, Error>> + Send + 'a>>;

/// Where programs run. An implementation for a sandbox rewrites the command and hands it to [`Host`]; where a prefix
/// will do (`docker exec -i box …`, `bwrap …`, `env -i …`), it is [`Prefixed`].
pub trait Spawn: Send + Sync + Debug {
    /// Starts `command`. A program that cannot be executed is an error here, not a child that exits.
    fn spawn(&self, command: Command) -> Spawning<'_>;
}

/// This machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host;

impl Spawn for Host {
    fn spawn(&self, command: Command) -> Spawning<'_> {
        Box::pin(Child::start(command))
    }
}

/// This machine, each command behind a prefix that leads into a sandbox.
///
/// The prefix becomes the program, looked up in the command's `PATH`, and the command its last arguments: it must become
/// the program (`exec`) or wait for it (`setsid --wait`, not `setsid`), and pass the three streams on. A program that is
/// missing in the sandbox is then no error of the start: the child exits with what the prefix answers, 127 by custom.
/// Folder and environment are those of the prefix; what the sandbox makes of them is its own. Who talks to a program in a
/// container that outlives its client must stop it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefixed {
    before: Vec<OsString>,
}

impl Prefixed {
    /// `before` is put in front of every command; an empty one changes nothing.
    pub fn new<W: Into<OsString>>(before: impl IntoIterator<Item = W>) -> Self {
        Self { before: before.into_iter().map(Into::into).collect() }
    }
}

impl Spawn for Prefixed {
    fn spawn(&self, mut command: Command) -> Spawning<'_> {
        let mut words = self.before.iter().cloned().chain([command.program]).chain(command.args);
        // There is always the program itself.
        command.program = words.next().unwrap_or_default();
        command.args = words.collect();
        Host.spawn(command)
    }
}
