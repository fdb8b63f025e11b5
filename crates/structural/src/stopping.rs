//! Parsing a scaffold: its tree if it is free of errors, else where the parser stopped, by its own log.
//! Tree-sitter recovers from every error, so its tree does not tell where the trouble began.

use crate::parse::with_parser;
use grammars::Grammar;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// What became of a scaffold.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The tree, if it has no error.
    pub(crate) tree: Option<Tree>,
    /// The place of the first token that nothing could be made of; unknown when there is no error or no log.
    pub(crate) stopped: Option<usize>,
}

/// What setting up one parse costs, in the bytes that could be parsed meanwhile.
const SET_UP: usize = 64;

/// How much may still be parsed for a fragment, in bytes: a limit that no machine's speed changes.
#[derive(Debug)]
pub(crate) struct Effort(Cell<usize>);

impl Effort {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Cell::new(bytes))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// Charges a parse that went as far as it did.
    pub(crate) fn charge(&self, parsed: &Parsed, text: &str) {
        let cost = parsed.stopped.unwrap_or(text.len()) + SET_UP;
        self.0.set(self.0.get().saturating_sub(cost));
    }
}

/// Parses without asking where it stops.
pub(crate) fn parse_clean(grammar: &'static Grammar, text: &str) -> Option<Tree> {
    with_parser(grammar, |parser| clean_tree(parser, text))
}

/// Parses and notes where it stops, at twice the cost.
pub(crate) fn parse_logged(grammar: &'static Grammar, text: &str) -> Parsed {
    let log = Arc::new(Mutex::new(Log::default()));
    let tree = with_parser(grammar, |parser| {
        let seen = Arc::clone(&log);
        parser.set_logger(Some(Box::new(move |_, message| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).read(message);
        })));
        let tree = clean_tree(parser, text);
        parser.set_logger(None);
        tree
    });
    let furthest = log.lock().unwrap_or_else(PoisonError::into_inner).furthest;
    let stopped = furthest.filter(|_| tree.is_none()).and_then(|(row, column)| {
        let line: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
        let rest = text.get(line + column..)?;
        Some(line + column + rest.len() - rest.trim_start().len())
    });
    Parsed { tree, stopped }
}

/// Error recovery costs far more than parsing, so it is cut short.
fn clean_tree(parser: &mut Parser, text: &str) -> Option<Tree> {
    let mut give_up = |state: &ParseState| {
        if state.has_error() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    parser.reset();
    let options = ParseOptions::new().progress_callback(&mut give_up);
    let mut rest = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, Some(options))?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// What the log tells: the furthest place at which a version of the parse found no way on, before any was
/// recovered.
#[derive(Debug, Default)]
struct Log {
    at: (usize, usize),
    furthest: Option<(usize, usize)>,
    recovering: bool,
}

impl Log {
    fn read(&mut self, message: &str) {
        if self.recovering {
            return;
        }
        if message.starts_with("process ") {
            let number = |key: &str| -> Option<usize> {
                let rest = &message[message.find(key)? + key.len()..];
                rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            };
            if let (Some(row), Some(column)) = (number("row:"), number("col:")) {
                self.at = (row, column);
            }
        } else if message.starts_with("detect_error") {
            self.furthest = self.furthest.max(Some(self.at));
        } else if message.starts_with("resume") || message.starts_with("recover") {
            self.recovering = true;
        }
    }
}
