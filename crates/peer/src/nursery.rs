//! The one permanent thread that starts children and reaps their guardians.
//!
//! A Linux parent-death signal follows the *thread* that forked, so this thread must never end while the host lives;
//! and reaping here, not on a runtime, leaves no zombie when a runtime is shut down. It must never wait for a child to
//! do anything: it reads reports that have arrived, and waits only for guardians that have ended. What it cannot avoid is
//! to wait for the kernel: a program or folder on a file system that hangs stalls every later start, and a full queue is
//! then an error.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{self, ExitStatus};
use std::sync::OnceLock;
use std::sync::mpsc::{self, TrySendError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::{oneshot, watch};

use crate::command::Command;
use crate::error::Error;
use crate::exit::{Exit, State};
use crate::lifeline::{Control, FAREWELL, LEFT, Report, Status, Streams, lifeline};
use crate::orphans::{self, Mark};

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

type Answer = oneshot::Sender<io::Result<Newborn>>;

/// Commands that may wait for the thread at one time.
const QUEUE: usize = 1_024;

/// Starts `command` on the permanent thread.
pub(crate) async fn start(command: Command) -> Result<Newborn, Error> {
    static DOOR: OnceLock<Option<Door>> = OnceLock::new();
    let (program, folder) = (command.program.to_string_lossy().into_owned(), command.folder.clone());
    let (answer, answered) = oneshot::channel();
    let door = DOOR.get_or_init(|| open_nursery().ok());
    let Some(door) = door.as_ref().filter(|door| door.owner == process::id()) else {
        return Err(Error::NoThread { program });
    };
    match door.requests.try_send((command, answer)) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => return Err(Error::Busy { program, waiting: QUEUE }),
        Err(TrySendError::Disconnected(_)) => return Err(Error::NoThread { program }),
    }
    // A bell that is full has been rung already.
    let _ = rustix::io::write(&door.bell, &[1]);
    match answered.await {
        Ok(Ok(newborn)) => Ok(newborn),
        Ok(Err(source)) => Err(explained(program, folder, source).await),
        Err(_) => Err(Error::NoThread { program }),
    }
}

struct Door {
    /// The process whose thread it is: a fork has a copy of the door, and nobody behind it.
    owner: u32,
    requests: mpsc::SyncSender<(Command, Answer)>,
    bell: PipeWriter,
}

fn open_nursery() -> io::Result<Door> {
    let (heard, bell) = io::pipe()?;
    rustix::io::ioctl_fionbio(&bell, true)?;
    let (requests, queue) = mpsc::sync_channel(QUEUE);
    let nursery = Nursery { queue, heard, wards: Vec::new() };
    thread::Builder::new().name("outrigger-peers".to_owned()).spawn(move || nursery.run())?;
    Ok(Door { owner: process::id(), requests, bell })
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
    mark: Mark,
    status: Status,
    state: watch::Sender<State>,
}

/// What a guard's report means for its ward.
enum Heard {
    More,
    /// No process of the tree is left.
    Farewell,
    /// The guard ended without a farewell.
    Death,
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
                match self.wards[place].hear() {
                    Heard::More => {}
                    Heard::Farewell => self.wards.swap_remove(place).close(),
                    Heard::Death => self.wards.swap_remove(place).take_over(),
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
            if answer.is_closed() {
                continue;
            }
            let born = survive(|| give_birth(&command)).map(|(newborn, ward)| {
                self.wards.push(ward);
                newborn
            });
            // A caller that has gone away drops the newborn here, and with it the tree.
            let _ = answer.send(born);
        }
    }
}

impl Ward {
    fn hear(&mut self) -> Heard {
        match self.status.next() {
            Report::Number(status) if self.state.borrow().exit.is_none() => {
                let exit = Exit::from(ExitStatus::from_raw(status));
                self.state.send_modify(|state| state.exit = Some(exit));
                // A status may be the number of a farewell.
                return Heard::More;
            }
            Report::Number(FAREWELL) => return Heard::Farewell,
            Report::Number(LEFT) => self.state.send_modify(|state| state.left = true),
            Report::Number(_) => {}
            Report::Broken => return Heard::Death,
        }
        Heard::More
    }

    /// After the death of a guardian that was killed.
    fn take_over(self) {
        self.kill_group();
        self.state.send_modify(|state| {
            state.exit.get_or_insert(Exit::Signal(Signal::KILL.as_raw()));
            state.orphaned = true;
        });
        // Without a thread nobody says that the tree is gone, and whoever stops the child is told that it is stuck.
        let _ = thread::Builder::new().name("outrigger-orphans".to_owned()).spawn(move || {
            orphans::kill_all(self.guardian.as_ref().map(process::Child::id), &self.mark);
            self.close();
        });
    }

    /// The guard has said that nothing is left, or nothing is found; a guardian has ended, or is about to.
    fn close(mut self) {
        if let Some(guardian) = &mut self.guardian {
            let _ = guardian.wait();
        }
        self.state.send_modify(|state| state.gone = true);
    }

    /// The group of a child whose guardian was killed: in one step, which a fork bomb cannot outrun. A stranger could
    /// only be met if the group were empty and its number given anew since the guardian's death a moment ago; once the
    /// child's end has been reported that moment may be long ago, and `orphans` has to do.
    fn kill_group(&self) {
        if self.state.borrow().exit.is_none()
            && let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Makes an error of a panic: the standard library panics if it cannot wait for a program that could not be executed,
/// and the one thread that starts programs must outlive that.
fn survive<T>(birth: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let lost = "it cannot be executed, and the reason is lost: this process ignores SIGCHLD, or reaps all its children";
    catch_unwind(AssertUnwindSafe(birth)).unwrap_or_else(|_| Err(io::Error::other(lost)))
}

fn give_birth(command: &Command) -> io::Result<(Newborn, Ward)> {
    let (mut ours, theirs) = lifeline()?;
    let mark = Mark::new();
    let mut prepared = prepare(command);
    mark.put(&mut prepared, &command.environment);
    let (streams, mut guardian) = guard::start(&mut prepared, theirs)?;
    let Report::Number(pid) = ours.status.next() else {
        guardian.as_mut().map(process::Child::wait);
        return Err(io::Error::other("its guardian died"));
    };
    let pid = pid.unsigned_abs();
    let (sender, state) = watch::channel(State::default());
    let top = guardian.as_ref().map_or(pid, process::Child::id);
    let newborn = Newborn { pid, top, control: ours.control, state, streams };
    Ok((newborn, Ward { pid, guardian, mark, status: ours.status, state: sender }))
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

/// Tells a missing folder from a missing program. Not on the permanent thread: a look at the folder may hang.
async fn explained(program: String, folder: PathBuf, source: io::Error) -> Error {
    let looked_at = folder.clone();
    if let Ok(false) = tokio::task::spawn_blocking(move || looked_at.is_dir()).await {
        return Error::NoFolder { program, folder };
    }
    if source.kind() == io::ErrorKind::NotFound {
        return Error::NoProgram { program };
    }
    Error::Start { program, folder, source }
}
