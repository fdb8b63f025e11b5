//! Finding a pattern in a tree.

use crate::pattern::Pattern;
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::Tree;

/// What a search of one file found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By start, longer first; nested ones included; one for each range.
    pub(crate) matches: Vec<Match>,
    /// Places that differ from the pattern by one thing only: that thing, and how many.
    pub(crate) near: BTreeMap<String, usize>,
    /// Matches of other readings of the fragment.
    pub(crate) also: BTreeMap<String, usize>,
    /// Places where the step budget ran out, so that a match may have been missed.
    pub(crate) exhausted: usize,
}

/// One place that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) range: Range<usize>,
    pub(crate) captures: Vec<Capture>,
}

/// What a variable stands for in a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) many: bool,
    /// An empty ellipsis has an empty range at its place.
    pub(crate) range: Range<usize>,
    /// The sibling nodes of a run, or the one node.
    pub(crate) items: Vec<Range<usize>>,
}

impl Pattern {
    /// Finds every match in `tree`, the tree of `source`. Ends early, with what it has, when `stop` says so.
    pub(crate) fn find(&self, _tree: &Tree, _source: &[u8], _stop: &dyn Fn() -> bool) -> Found {
        Found::default()
    }
}
