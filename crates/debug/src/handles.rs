//! Our own numbers for frames and variables, each good at the stop it came from and at no other.
//! It must never let an adapter's number pass: two adapters use theirs again, and answer an old one with another
//! function's variables.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// What an adapter knows a frame or a variable's children by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Raw {
    Frame(i64),
    /// With how many numbered children it is said to have.
    Children {
        reference: i64,
        indexed: Option<u64>,
    },
}

/// Which of the two a number is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Frame,
    Reference,
}

impl Sort {
    fn word(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Reference => "reference",
        }
    }
}

/// The numbers of one conversation. They go on from session to session, so that none ever means two things.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    frames: Numbers,
    references: Numbers,
}

#[derive(Debug, Default)]
struct Numbers {
    /// The stop that the numbers below belong to.
    stop: u64,
    last: u64,
    raw: HashMap<u64, Raw>,
    given: HashMap<Raw, u64>,
    /// Each stop that gave numbers, with its first.
    firsts: Vec<(u64, u64)>,
}

impl Handles {
    /// The number of `raw` at `stop`: the same each time it is asked for there.
    pub(crate) fn give(&self, stop: u64, raw: Raw) -> u64 {
        let mut inner = self.lock();
        match raw {
            Raw::Frame(_) => inner.frames.give(stop, raw),
            Raw::Children { .. } => inner.references.give(stop, raw),
        }
    }

    /// What the adapter knows `number` by, if it belongs to the stop the program is at: `None` while it runs.
    pub(crate) fn raw(&self, sort: Sort, number: u64, stop: Option<u64>) -> Result<Raw, Error> {
        let inner = self.lock();
        let numbers = match sort {
            Sort::Frame => &inner.frames,
            Sort::Reference => &inner.references,
        };
        let word = sort.word();
        let Some(from) = numbers.stop_of(number) else {
            return Err(Error::Stale(format!("there is no {word} {number}")));
        };
        match stop {
            Some(stop) if stop == from => {}
            Some(stop) => {
                let text = format!("{word} {number} belongs to stop #{from}; the program is at stop #{stop}");
                return Err(Error::Stale(text));
            }
            None => {
                let text = format!("{word} {number} belongs to stop #{from}; the program is running");
                return Err(Error::Stale(text));
            }
        }
        numbers
            .raw
            .get(&number)
            .copied()
            .ok_or_else(|| Error::Stale(format!("{word} {number} belongs to an earlier stop")))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Numbers {
    fn give(&mut self, stop: u64, raw: Raw) -> u64 {
        if stop != self.stop {
            self.stop = stop;
            self.raw.clear();
            self.given.clear();
        }
        if let Some(number) = self.given.get(&raw) {
            return *number;
        }
        self.last += 1;
        if self.firsts.last().is_none_or(|(last, _)| *last != stop) {
            self.firsts.push((stop, self.last));
        }
        self.raw.insert(self.last, raw);
        self.given.insert(raw, self.last);
        self.last
    }

    fn stop_of(&self, number: u64) -> Option<u64> {
        if number > self.last {
            return None;
        }
        let after = self.firsts.partition_point(|(_, first)| *first <= number);
        after.checked_sub(1).map(|at| self.firsts[at].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(handles: &Handles, number: u64, stop: Option<u64>) -> String {
        handles.raw(Sort::Frame, number, stop).unwrap_err().to_string()
    }

    #[test]
    fn a_number_is_good_at_its_own_stop_alone_though_the_adapter_uses_its_own_again() {
        let handles = Handles::default();
        let first = handles.give(3, Raw::Frame(1000));
        assert_eq!(handles.give(3, Raw::Frame(1000)), first, "asked twice");
        assert_eq!(handles.raw(Sort::Frame, first, Some(3)).unwrap(), Raw::Frame(1000));
        let second = handles.give(4, Raw::Frame(1000));
        assert_ne!(first, second);
        assert_eq!(
            refused(&handles, first, Some(4)),
            "frame 1 belongs to stop #3; the program is at stop #4"
        );
        assert_eq!(refused(&handles, second, None), "frame 2 belongs to stop #4; the program is running");
        assert_eq!(refused(&handles, 9, Some(4)), "there is no frame 9");
        assert_eq!(refused(&handles, 0, Some(4)), "there is no frame 0");
    }
}
