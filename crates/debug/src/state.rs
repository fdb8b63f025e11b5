//! Where a session stands, told by the adapter's events in the order in which they come and by what was asked of it.
//!
//! `Configuring → Running ⇄ Stopped → Ended`. Whoever waits for a change subscribes before asking for it. It must never
//! let a stop stand once the program has gone on, nor anything change once the session has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use crate::protocol::{Continued, Stopped};

/// What was last asked of the program: adapters name one and the same stop in many ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Intent {
    #[default]
    Run,
    /// To start, and to stop at once.
    Enter,
    Step,
    Pause,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Configuring,
    Running,
    Stopped(Arc<Stop>),
    Ended(Arc<Ended>),
}

/// One stop. Its number is never used again in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) number: u64,
    pub(crate) reason: Reason,
    /// What the adapter says beside the reason.
    pub(crate) text: String,
    pub(crate) thread: Option<i64>,
    /// As the adapter numbers them.
    pub(crate) breakpoints: Vec<i64>,
}

/// Why a program stopped, in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Breakpoint,
    Step,
    Pause,
    Exception,
    Entry,
    /// Before the program ends.
    Exit,
    Other(String),
}

impl Reason {
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Breakpoint => "breakpoint",
            Self::Step => "step",
            Self::Pause => "pause",
            Self::Exception => "exception",
            Self::Entry => "entry",
            Self::Exit => "exit",
            Self::Other(word) => word,
        }
    }

    fn of(event: &Stopped, intent: Intent) -> Self {
        let text = [&event.description, &event.text].map(|text| text.as_deref().unwrap_or_default()).concat();
        // A debugger halts a program by a signal, and some call that an exception.
        let halted = ["SIGSTOP", "SIGINT", "SIGTRAP"].iter().any(|signal| text.contains(signal));
        match (event.reason.as_str(), intent) {
            ("breakpoint" | "function breakpoint" | "instruction breakpoint" | "data breakpoint", _) => {
                Self::Breakpoint
            }
            ("entry", _) => Self::Entry,
            ("exit", _) => Self::Exit,
            ("pause", _) | ("step" | "goto" | "stopped" | "signal", Intent::Pause) => Self::Pause,
            ("exception", Intent::Pause) if halted => Self::Pause,
            ("exception" | "stopped", Intent::Enter) if halted || event.reason == "stopped" => Self::Entry,
            ("step" | "goto", _) => Self::Step,
            ("exception" | "signal", _) => Self::Exception,
            (other, _) => Self::Other(other.to_owned()),
        }
    }
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The program ended; its code, where the adapter told one.
    Exited(Option<i64>),
    /// By `terminate`; whether the program was only let go.
    Terminated { detached: bool },
    /// Its life was over.
    Expired { detached: bool },
    /// The adapter ended before the program was seen to end.
    Lost(String),
}

/// Everything that changes.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) intent: Intent,
    /// The adapter takes breakpoints. It may say so before it is asked to start anything.
    pub(crate) initialized: bool,
    pub(crate) exited: bool,
    pub(crate) terminated: bool,
    pub(crate) exit_code: Option<i64>,
    /// The thread that stopped last.
    pub(crate) thread: Option<i64>,
}

/// The state and those who wait for it to change.
#[derive(Debug)]
pub(crate) struct Standing {
    state: watch::Sender<State>,
    /// Numbers the stops of the whole conversation.
    stops: Arc<AtomicU64>,
}

impl Standing {
    pub(crate) fn new(stops: Arc<AtomicU64>) -> Self {
        let state = State {
            phase: Phase::Configuring,
            intent: Intent::Run,
            initialized: false,
            exited: false,
            terminated: false,
            exit_code: None,
            thread: None,
        };
        Self { state: watch::Sender::new(state), stops }
    }

    pub(crate) fn now(&self) -> State {
        self.state.borrow().clone()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// The stop the program is at.
    pub(crate) fn stop(&self) -> Option<Arc<Stop>> {
        match &self.state.borrow().phase {
            Phase::Stopped(stop) => Some(Arc::clone(stop)),
            _ => None,
        }
    }

    pub(crate) fn initialized(&self) {
        self.state.send_modify(|state| state.initialized = true);
    }

    /// The program stops. Before the first resumption is asked for, the state goes on from `Configuring` as well.
    pub(crate) fn stopped(&self, event: Stopped) {
        self.state.send_modify(|state| {
            if matches!(state.phase, Phase::Ended(_)) {
                return;
            }
            let reason = Reason::of(&event, state.intent);
            let text = event.text.or(event.description).unwrap_or_default();
            let thread = event.thread_id;
            state.thread = thread.or(state.thread);
            let number = self.stops.fetch_add(1, Ordering::Relaxed) + 1;
            let breakpoints = event.hit_breakpoint_ids;
            state.phase = Phase::Stopped(Arc::new(Stop { number, reason, text, thread, breakpoints }));
        });
    }

    /// The program goes on, as the adapter says. Another thread than the stopped one may do so alone.
    pub(crate) fn continued(&self, event: &Continued) {
        self.state.send_modify(|state| {
            let Phase::Stopped(stop) = &state.phase else { return };
            let alone = event.all_threads_continued == Some(false)
                && event.thread_id.is_some()
                && stop.thread.is_some()
                && event.thread_id != stop.thread;
            if !alone {
                state.phase = Phase::Running;
            }
        });
    }

    /// The program is about to be told to go on.
    pub(crate) fn resumes(&self, intent: Intent) {
        self.state.send_modify(|state| {
            if !matches!(state.phase, Phase::Ended(_)) {
                (state.phase, state.intent) = (Phase::Running, intent);
            }
        });
    }

    /// It was told so and refused: it still stands where it stood, unless something has happened since.
    pub(crate) fn stays(&self, stop: &Arc<Stop>) {
        self.state.send_modify(|state| {
            if state.phase == Phase::Running {
                state.phase = Phase::Stopped(Arc::clone(stop));
            }
        });
    }

    pub(crate) fn intends(&self, intent: Intent) {
        self.state.send_modify(|state| state.intent = intent);
    }

    /// The adapter has its breakpoints; a stop may have come already.
    pub(crate) fn configured(&self) {
        self.state.send_modify(|state| {
            if state.phase == Phase::Configuring {
                state.phase = Phase::Running;
            }
        });
    }

    pub(crate) fn exited(&self, code: Option<i64>) {
        self.state.send_modify(|state| {
            state.exited = true;
            state.exit_code = code.or(state.exit_code);
        });
    }

    /// The code, where an adapter tells it apart from the end.
    pub(crate) fn exit_code(&self, code: i64) {
        self.state.send_modify(|state| state.exit_code = Some(code));
    }

    pub(crate) fn terminated(&self) {
        self.state.send_modify(|state| state.terminated = true);
    }

    /// The first end counts.
    pub(crate) fn ends(&self, how: Ended) {
        self.state.send_modify(|state| {
            if !matches!(state.phase, Phase::Ended(_)) {
                state.phase = Phase::Ended(Arc::new(how));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped(reason: &str, text: &str) -> Stopped {
        Stopped { reason: reason.to_owned(), text: Some(text.to_owned()), ..Stopped::default() }
    }

    #[test]
    fn one_stop_has_one_name_whatever_the_adapter_calls_it() {
        for (reason, text, intent, word) in [
            ("function breakpoint", "", Intent::Run, "breakpoint"),
            ("exception", "signal SIGSTOP", Intent::Pause, "pause"),
            ("exception", "signal SIGSEGV", Intent::Pause, "exception"),
            ("exception", "signal SIGSTOP", Intent::Run, "exception"),
            ("step", "", Intent::Pause, "pause"),
            ("stopped", "", Intent::Enter, "entry"),
            ("step", "", Intent::Step, "step"),
            ("breakpoint", "", Intent::Pause, "breakpoint"),
            ("unheard of", "", Intent::Run, "unheard of"),
        ] {
            assert_eq!(Reason::of(&stopped(reason, text), intent).word(), word, "{reason} {text} {intent:?}");
        }
    }

    #[test]
    fn a_stop_ends_when_the_program_goes_on_and_nothing_follows_the_end() {
        let standing = Standing::new(Arc::default());
        standing.configured();
        standing.stopped(Stopped { thread_id: Some(1), ..stopped("step", "") });
        let stop = standing.stop().unwrap();
        standing.continued(&Continued { thread_id: Some(2), all_threads_continued: Some(false) });
        assert_eq!(standing.stop(), Some(Arc::clone(&stop)), "another thread alone");
        standing.resumes(Intent::Run);
        assert_eq!(standing.now().phase, Phase::Running);
        standing.stays(&stop);
        assert_eq!(standing.stop().unwrap().number, 1);
        standing.continued(&Continued::default());
        assert_eq!(standing.stop(), None);
        standing.stopped(stopped("step", ""));
        assert_eq!(standing.stop().unwrap().number, 2);
        standing.ends(Ended::Exited(Some(3)));
        standing.stopped(stopped("step", ""));
        standing.ends(Ended::Terminated { detached: false });
        assert_eq!(standing.now().phase, Phase::Ended(Arc::new(Ended::Exited(Some(3)))));
    }
}
