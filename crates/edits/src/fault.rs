//! Faults on purpose: a hook before every step that changes a disk. Compiled in for tests alone (the feature
//! `fault-injection`); without it no step can be made to fail.

use std::io;
use std::path::Path;

/// One step that is about to change the disk.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Counted from 1 in the order of execution.
    pub number: u64,
    /// What it does, such as `exchange`.
    pub name: &'static str,
    /// The file or folder it does it to.
    pub path: &'a Path,
}

/// What becomes of a step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// It is done.
    None,
    /// It is not done and fails.
    Fail(io::Error),
    /// Of a write, half is done; what is left is a step of its own.
    Half,
}

/// Asked before every step. It may also act: change a file, or end the process.
pub trait Faults: Send + Sync {
    /// What becomes of this step.
    fn before(&self, step: Step<'_>) -> Fault;
}
