//! The one permanent thread that starts children and reaps their guardians.
//!
//! A Linux parent-death signal follows the *thread* that forked, so this thread must never end while the host lives;
//! and reaping here, not on a runtime, leaves no zombie when a runtime is shut down. It must never wait for a child to
//! do anything: it reads reports that have arrived, and waits only for guardians that have ended.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitStatus};
use std::sync::{OnceLock, mpsc};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::{oneshot, watch};

use crate::command::Command;
use crate::error::Error;
use crate::exit::{Exit, State};
use crate::lifeline::{Control, Report, Status, Streams, lifeline};

#[cfg(not(target_os = "linux"))]
use crate::group as guard;
#[cfg(target_os = "linux")]
use crate::guardian as guard;

/// A started child, before its pipes meet a runtime.
#[derive(Debug)]
pub(crate) struct Newborn {
    pub(crate) pid: u32,
    /// The process every descendant is below: the guardian, or the child itself where there is none.
    pub(crate) top: u32,
    pub(crate) control: Control,
    pub(crate) state: watch::Receiver<State>,
    pub(crate) streams: Streams,
}

type Answer = oneshot::Sender<Result<Newborn, Error>>;

/// Starts `command` on the permanent thread.
pub(crate) async fn start(command: Command) -> Result<Newborn, Error> {
    static DOOR: OnceLock<Option<Door>> = OnceLock::new();
    let program = command.program.to_string_lossy().into_owned();
    let (answer, answered) = oneshot::channel();
    let door = DOOR.get_or_init(|| open_nursery().ok());
    if !door.as_ref().is_some_and(|door| door.ask(command, answer)) {
        return Err(Error::NoThread { program });
    }
    answered.await.unwrap_or(Err(Error::NoThread { program }))
}

struct Door {
    requests: mpsc::Sender<(Command, Answer)>,
    bell: PipeWriter,
}

impl Door {
    fn ask(&self, command: Command, answer: Answer) -> bool {
        self.requests.send((command, answer)).is_ok() && (&self.bell).write_all(&[1]).is_ok()
    }
}

fn open_nursery() -> io::Result<Door> {
    let (heard, bell) = io::pipe()?;
    let (requests, queue) = mpsc::channel();
    let nursery = Nursery { queue, heard, wards: Vec::new() };
    thread::Builder::new().name("outrigger-peers".to_owned()).spawn(move || nursery.run())?;
    Ok(Door { requests, bell })
}

struct Nursery {
    queue: mpsc::Receiver<(Command, Answer)>,
    heard: PipeReader,
    wards: Vec<Ward>,
}

/// A child from its start to the end of its tree.
struct Ward {
    pid: u32,
    guardian: Option<process::Child>,
    status: Status,
    state: watch::Sender<State>,
}

impl Nursery {
    fn run(mut self) {
        loop {
            let (rung, spoken) = self.wait();
            if rung {
                self.answer_requests();
            }
            // From the back, so that a removal does not move those still to come.
            for place in spoken.into_iter().rev() {
                if self.wards[place].hear() == Report::TreeGone {
                    self.wards.swap_remove(place);
                }
            }
        }
    }

    /// Waits until the bell rings or a guard reports; which of them did.
    fn wait(&self) -> (bool, Vec<usize>) {
        let mut polled = vec![PollFd::new(&self.heard, PollFlags::IN)];
        polled.extend(self.wards.iter().map(|ward| PollFd::new(&ward.status, PollFlags::IN)));
        if poll(&mut polled, None).is_err() {
            return (false, Vec::new());
        }
        let ready = |entry: &PollFd<'_>| !entry.revents().is_empty();
        let spoken = polled[1..].iter().enumerate().filter(|(_, entry)| ready(entry)).map(|(place, _)| place);
        (ready(&polled[0]), spoken.collect())
    }

    fn answer_requests(&mut self) {
        let _ = self.heard.read(&mut [0; 64]);
        while let Ok((command, answer)) = self.queue.try_recv() {
            let born = give_birth(&command).map(|(newborn, ward)| {
                self.wards.push(ward);
                newborn
            });
            // A caller that has gone away drops the newborn here, and with it the tree.
            let _ = answer.send(born);
        }
    }
}

impl Ward {
    fn hear(&mut self) -> Report {
        let report = self.status.next();
        match report {
            Report::Number(status) => {
                let exit = Exit::from(ExitStatus::from_raw(status));
                self.state.send_modify(|state| state.exit = Some(exit));
            }
            Report::TreeGone => self.bury(),
        }
        report
    }

    fn bury(&mut self) {
        if self.state.borrow().exit.is_none() {
            // The guardian was killed before it could report: the kernel kills the child, the group is left to us.
            if let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        if let Some(guardian) = &mut self.guardian {
            let _ = guardian.wait();
        }
        self.state.send_modify(|state| {
            state.exit.get_or_insert(Exit::Signal(Signal::KILL.as_raw()));
            state.gone = true;
        });
    }
}

fn give_birth(command: &Command) -> Result<(Newborn, Ward), Error> {
    let (mut ours, theirs) = lifeline().map_err(|source| failed(command, source))?;
    let mut prepared = prepare(command);
    let (streams, mut guardian) =
        guard::start(&mut prepared, theirs).map_err(|source| failed(command, source))?;
    let Report::Number(pid) = ours.status.next() else {
        guardian.as_mut().map(process::Child::wait);
        return Err(failed(command, io::Error::other("its guardian died")));
    };
    let pid = pid.unsigned_abs();
    let (sender, state) = watch::channel(State::default());
    let top = guardian.as_ref().map_or(pid, process::Child::id);
    let newborn = Newborn { pid, top, control: ours.control, state, streams };
    Ok((newborn, Ward { pid, guardian, status: ours.status, state: sender }))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place where Outrigger starts a process")]
fn prepare(command: &Command) -> process::Command {
    let mut prepared = process::Command::new(&command.program);
    prepared
        .args(&command.args)
        .current_dir(&command.folder)
        .env_clear()
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .stdin(command.stdin)
        .stdout(command.stdout)
        .stderr(command.stderr);
    prepared
}

fn failed(command: &Command, source: io::Error) -> Error {
    let program = command.program.to_string_lossy().into_owned();
    if !command.folder.is_dir() {
        return Error::NoFolder { program, folder: command.folder.clone() };
    }
    if source.kind() == io::ErrorKind::NotFound {
        return Error::NoProgram { program };
    }
    Error::Start { program, folder: command.folder.clone(), source }
}
