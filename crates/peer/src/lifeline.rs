//! The pipes between the host and what guards a child, and what travels on them.
//!
//! Control, from the host: each byte is a signal for the child's group; [`CLOSE`] or end of file means "kill
//! everything". Status, to the host: numbers of four bytes: the child's pid; its wait status; [`LEFT`] if it left
//! processes behind; [`FAREWELL`] once no process of the tree is left; then end of file, which without a farewell
//! tells of a guard that was killed. It must never hold state beyond the pipes: the kernel closes them when the host
//! dies.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::OwnedFd;
use std::process;

/// The host's ends.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(crate) control: Control,
    pub(crate) status: Status,
}

/// The guard's ends.
#[derive(Debug)]
pub(crate) struct Theirs {
    pub(crate) control: OwnedFd,
    pub(crate) status: OwnedFd,
}

/// The host's ends of the child's standard streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
}

impl Streams {
    pub(crate) fn take(child: &mut process::Child) -> Self {
        Self {
            stdin: child.stdin.take().map(OwnedFd::from),
            stdout: child.stdout.take().map(OwnedFd::from),
            stderr: child.stderr.take().map(OwnedFd::from),
        }
    }
}

/// The order to kill everything. End of file alone would not do: a fork of the host may hold the pipe as well.
pub(crate) const CLOSE: u8 = 0xff;
/// The child has ended, and processes below it have not.
pub(crate) const LEFT: i32 = 1;
/// No process of the tree is left.
pub(crate) const FAREWELL: i32 = 0;

/// Dropping it kills the tree.
#[derive(Debug)]
pub(crate) struct Control {
    pipe: PipeWriter,
    /// A fork of this process has a copy of this handle, and no say.
    owner: u32,
}

#[derive(Debug)]
pub(crate) struct Status(PipeReader);

/// What the guard had to say; a pipe that breaks says the same as one that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    Number(i32),
    Broken,
}

pub(crate) fn lifeline() -> io::Result<(Ours, Theirs)> {
    let (control_reader, control_writer) = io::pipe()?;
    let (status_reader, status_writer) = io::pipe()?;
    // A guard that has stopped reading must not stop the host.
    rustix::io::ioctl_fionbio(&control_writer, true)?;
    let control = Control { pipe: control_writer, owner: process::id() };
    let ours = Ours { control, status: Status(status_reader) };
    let theirs = Theirs {
        control: above_streams(control_reader.into())?,
        status: above_streams(status_writer.into())?,
    };
    Ok((ours, theirs))
}

/// In a host without standard streams a pipe may get number 0, 1 or 2, which the child's own streams replace.
fn above_streams(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(&descriptor, 3)?)
}

impl Control {
    /// Asks for `signal` to be sent to the child's group. A guard that is gone has nothing left to signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        if let Ok(order) = u8::try_from(signal.as_raw()) {
            let _ = rustix::io::write(&self.pipe, &[order]);
        }
    }
}

#[cfg(test)]
impl Control {
    /// The pipe as a fork of the host holds it.
    pub(crate) fn another(&self) -> OwnedFd {
        self.pipe.try_clone().map(OwnedFd::from).expect("a descriptor to spare")
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        if self.owner == process::id() {
            let _ = rustix::io::write(&self.pipe, &[CLOSE]);
        }
    }
}

impl Status {
    /// Waits for the next report.
    pub(crate) fn next(&mut self) -> Report {
        let mut number = [0; 4];
        match self.0.read_exact(&mut number) {
            Ok(()) => Report::Number(i32::from_ne_bytes(number)),
            Err(_) => Report::Broken,
        }
    }
}

impl std::os::fd::AsFd for Status {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
