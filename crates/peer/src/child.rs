//! A running child: its streams, its end, and the processes below it.
//! It must never outlive its handle: dropping a [`Child`] kills the whole tree without waiting for it.

use tokio::net::unix::pipe;
use tokio::sync::watch;

use crate::command::Command;
use crate::error::Error;
use crate::exit::{Exit, State};
use crate::lifeline::Control;
use crate::nursery;
use crate::tree::{self, Process};

/// A child and everything it starts. Dropping it kills all of them at once; [`stop`](Self::stop) is the gentle way.
#[derive(Debug)]
#[must_use = "dropping a child kills it"]
pub struct Child {
    pid: u32,
    top: u32,
    pub(crate) stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    stderr: Option<pipe::Receiver>,
    /// None once the tree has been told to die.
    pub(crate) control: Option<Control>,
    state: watch::Receiver<State>,
}

impl Child {
    /// Starts a child on this machine. Must be called on a tokio runtime with IO enabled.
    pub(crate) async fn start(command: Command) -> Result<Self, Error> {
        let failed = {
            let (program, folder) = (command.program.to_string_lossy().into_owned(), command.folder.clone());
            |source| Error::Start { program, folder, source }
        };
        let newborn = nursery::start(command).await?;
        let streams = newborn.streams;
        let piped = || {
            Ok((
                streams.stdin.map(pipe::Sender::from_owned_fd).transpose()?,
                streams.stdout.map(pipe::Receiver::from_owned_fd).transpose()?,
                streams.stderr.map(pipe::Receiver::from_owned_fd).transpose()?,
            ))
        };
        let (stdin, stdout, stderr) = piped().map_err(failed)?;
        let (pid, top, state) = (newborn.pid, newborn.top, newborn.state);
        Ok(Self { pid, top, stdin, stdout, stderr, control: Some(newborn.control), state })
    }

    /// The child's own pid, which is also its process group.
    pub fn id(&self) -> u32 {
        self.pid
    }

    /// The way in, once.
    pub fn take_stdin(&mut self) -> Option<pipe::Sender> {
        self.stdin.take()
    }

    /// What the child writes, once. A descendant that holds the stream keeps it open after the child has ended.
    pub fn take_stdout(&mut self) -> Option<pipe::Receiver> {
        self.stdout.take()
    }

    /// The child's error stream, once; [`Tail::drain`](crate::Tail::drain) keeps its end.
    pub fn take_stderr(&mut self) -> Option<pipe::Receiver> {
        self.stderr.take()
    }

    /// How the child ended, if it has. Its descendants may still run.
    pub fn exit(&self) -> Option<Exit> {
        self.state.borrow().exit
    }

    /// Waits for the child's own end; its descendants live on until this handle is stopped or dropped.
    ///
    /// *Cancel safety*: dropping the future loses nothing; a later call answers the same.
    pub async fn wait(&self) -> Exit {
        let mut state = self.state.clone();
        let ended = state.wait_for(|state| state.exit.is_some()).await;
        // The sender goes away only after a report of the end.
        ended.ok().and_then(|state| state.exit).unwrap_or(Exit::Signal(9))
    }

    /// Waits until no process of the tree is left; for ever, if nobody is there to say so.
    pub(crate) async fn gone(&self) {
        let mut state = self.state.clone();
        if state.wait_for(|state| state.gone).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// After the child's end: waits until it is known whether it was the end of the tree.
    pub(crate) async fn ended_alone(&self) -> bool {
        let mut state = self.state.clone();
        state.wait_for(|state| state.left || state.gone).await.is_ok_and(|state| state.gone)
    }

    /// Whether the guardian was killed before the tree had ended.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.state.borrow().orphaned
    }

    /// The child and every descendant now alive, ended but unreaped ones included. Empty where there is no `/proc`.
    pub fn processes(&self) -> Vec<Process> {
        let mut processes = tree::descendants(self.top);
        if self.top == self.pid {
            processes.extend(tree::process(self.pid));
        }
        processes
    }

    /// Memory that [`processes`](Self::processes) hold, in bytes; what they share is counted for each of them. `None`
    /// where there is no `/proc`.
    pub fn memory(&self) -> Option<u64> {
        let pages = self.processes().iter().map(|process| process.resident_pages).sum::<u64>();
        tree::process(std::process::id()).map(|_| pages * rustix::param::page_size() as u64)
    }
}
