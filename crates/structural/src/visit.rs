//! One file on its way to the matcher: read, looked through for the pattern's literals, parsed.
//! It must never parse a file that cannot match, and never drop one without a reason that is counted.

use std::time::Duration;

use grammars::Grammar;
use tree_sitter::Tree;
use workspace::text::LineIndex;
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
/// A file is named with what was not searched of it when that is at least this much, in percent.
const LARGE_PART: usize = 20;

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

/// Files of which a large part lies inside syntax errors: how many, and the first of them with that part in percent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Torn {
    pub(crate) count: usize,
    pub(crate) first: Vec<(String, usize)>,
}

/// The part of a file that lies inside syntax errors, in percent; `None` when it has none.
pub(crate) fn errors(tree: &Tree, source: &[u8]) -> Option<usize> {
    tree.root_node().has_error().then(|| {
        let inside: usize = parse::error_regions(tree).iter().map(ExactSizeIterator::len).sum();
        inside * 100 / source.trim_ascii().len().max(1)
    })
}

/// The lines of places in a file.
pub(crate) fn lines_of(places: &[usize], source: &[u8]) -> Vec<usize> {
    if places.is_empty() {
        return Vec::new();
    }
    let index = LineIndex::new(source);
    places.iter().map(|at| index.position(*at).line).collect()
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
    /// Those of them in which little could be found.
    pub(crate) torn: Torn,
    /// Macro bodies that hold the pattern's texts and do not parse as code.
    pub(crate) raw: Named,
    /// Files in which the matcher gave up at some places.
    pub(crate) exhausted: Named,
}

impl Torn {
    fn add(&mut self, path: &str, part: usize) {
        if part < LARGE_PART {
            return;
        }
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            self.first.push((path.to_owned(), part.min(100)));
        }
    }
}

/// What one file adds to the tally; it outlives the file's bytes.
#[derive(Debug)]
pub(crate) enum Mention {
    /// `errors` as by [`errors`].
    Searched {
        errors: Option<usize>,
        exhausted: bool,
        /// Lines of macro bodies that were not searched.
        raw: Vec<usize>,
    },
    Unread(Unread),
    TimedOut,
    Cancelled,
}

impl Tally {
    pub(crate) fn add(&mut self, path: &str, mention: &Mention) {
        match mention {
            Mention::Searched { errors, exhausted, raw } => {
                for line in raw {
                    self.raw.add(&format!("{path}:{line}"));
                }
                self.searched += 1;
                if let Some(part) = *errors {
                    self.with_errors.add(path);
                    self.torn.add(path, part);
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
