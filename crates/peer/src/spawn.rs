//! The port through which a run starts programs: on this machine, or wherever an embedder puts them.
//! It must never start a sandbox: an implementation uses one that is already there, or answers an error.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use crate::child::Child;
use crate::command::Command;
use crate::error::Error;

/// A child being started.
pub type Spawning<'a> = Pin<Box<dyn Future<Output = Result<Child, Error>> + Send + 'a>>;

/// Where programs run. An implementation for a sandbox rewrites the command (`docker exec -i box …`) and hands it to
/// [`Host`].
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
