//! One file on its way to the matcher: read, looked through for the pattern's literals, parsed.
//! It must never parse a file that cannot match, and never drop one without a reason that is counted.

use std::time::Duration;

use grammars::Grammar;
use tree_sitter::Tree;
use workspace::{Found as File, Skipped, Unread, read_source};

use crate::cache::Trees;
use crate::parse::{self, Limits, Unparsed};
use crate::prefilter::Prefilter;

/// The longest file that is parsed, in bytes.
const MAX_FILE: u64 = 8 << 20;
/// The longest one file may take to parse.
pub(crate) const PARSE_TIME: Duration = Duration::from_secs(10);
/// How many files are named where files are counted.
const MAX_NAMED: usize = 10;

/// What became of a file.
pub(crate) enum Visited {
    Parsed {
        source: Vec<u8>,
        tree: Tree,
    },
    /// It was read, and a literal of every pattern is not in it: no match.
    CannotMatch,
    Unread(Unread),
    TimedOut,
    Cancelled,
}

/// Reads and parses a file that one of the patterns behind `filters` could match.
pub(crate) fn visit(
    file: &File,
    grammar: &'static Grammar,
    filters: &[&Prefilter],
    trees: &Trees<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Visited {
    let source = match read_source(&file.absolute, MAX_FILE) {
        Ok(source) => source,
        Err(unread) => return Visited::Unread(unread),
    };
    if !filters.iter().any(|filter| filter.admits(&source)) {
        return Visited::CannotMatch;
    }
    let limits = Limits { stop, time: PARSE_TIME };
    match trees.tree(grammar, &source, || parse::parse(grammar, &source, &limits)) {
        Ok(tree) => Visited::Parsed { source, tree },
        Err(Unparsed::TimedOut) => Visited::TimedOut,
        Err(Unparsed::Cancelled) => Visited::Cancelled,
    }
}

/// Files of one sort: how many, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) count: usize,
    pub(crate) first: Vec<String>,
}

impl Named {
    pub(crate) fn add(&mut self, path: &str) {
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            self.first.push(path.to_owned());
        }
    }
}

/// What was looked at and what was not.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) searched: usize,
    pub(crate) skipped: Skipped,
    /// Files that took too long to parse.
    pub(crate) timed_out: Named,
    /// Files with syntax errors, among those that were parsed.
    pub(crate) with_errors: Named,
    /// Files in which the matcher gave up at some places.
    pub(crate) exhausted: Named,
}

/// What one file adds to the tally; it outlives the file's bytes.
#[derive(Debug)]
pub(crate) enum Mention {
    Searched { with_errors: bool, exhausted: bool },
    Unread(Unread),
    TimedOut,
    Cancelled,
}

impl Tally {
    pub(crate) fn add(&mut self, path: &str, mention: &Mention) {
        match mention {
            Mention::Searched { with_errors, exhausted } => {
                self.searched += 1;
                if *with_errors {
                    self.with_errors.add(path);
                }
                if *exhausted {
                    self.exhausted.add(path);
                }
            }
            Mention::Unread(unread) => self.skipped.count(unread),
            Mention::TimedOut => self.timed_out.add(path),
            Mention::Cancelled => {}
        }
    }
}
