//! How a child ended.
//! It must never be taken from the guardian's own exit: a death by signal is told as one.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// What is known of a child and its tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) exit: Option<Exit>,
    /// The child has ended, and left processes behind.
    pub(crate) left: bool,
    /// The guardian was killed: what the child left in sessions of its own is adopted by nobody who kills it.
    pub(crate) orphaned: bool,
    /// No process of the tree that can be found is left, and its guardian is reaped.
    pub(crate) gone: bool,
}

impl Exit {
    /// Exit code 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            None => Self::Code(status.code().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, name) = match *self {
            Self::Code(code) => return write!(f, "exit code {code}"),
            Self::Signal(code) => (code, signal_name(code)),
        };
        match name {
            Some(name) => write!(f, "signal {code} ({name})"),
            None => write!(f, "signal {code}"),
        }
    }
}

/// The signals that end programs, by the numbers all systems share.
fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_in_words() {
        assert_eq!(Exit::Code(3).to_string(), "exit code 3");
        assert_eq!(Exit::Signal(11).to_string(), "signal 11 (SIGSEGV)");
        assert_eq!(Exit::Signal(34).to_string(), "signal 34");
    }
}
