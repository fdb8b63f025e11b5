//! What a run of the machine is made of: where it is, what it has bound, what it may still try.
//! Plain data; the rules are next door.

use crate::elements::Element;
use crate::program::Step;
use std::ops::Range;

/// How a place compares with the pattern.
#[derive(Debug)]
pub(crate) enum Outcome {
    Matched(Matched),
    No,
    /// The step budget ran out.
    Exhausted,
}

/// A match at one place.
#[derive(Debug)]
pub(crate) struct Matched {
    pub(crate) range: Range<usize>,
    /// By slot.
    pub(crate) bindings: Vec<Option<Bound>>,
    /// What the code has beyond the pattern; only when near misses were asked for.
    pub(crate) surplus: Option<String>,
}

/// What a variable stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) range: Range<usize>,
    pub(crate) items: Vec<Range<usize>>,
}

/// Whether one surplus group of children may be passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    Strict,
    Near,
}

/// The separator that the next element must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Separator {
    /// The pattern's own.
    Own,
    /// That of an ellipsis that stood for nothing: one of the two separators beside it went with it.
    Instead(u16),
    /// Any: nothing of the pattern stands before.
    Any,
}

/// A list of siblings and how to go on after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) list: usize,
    /// The frame of the parent and the index to go on at there.
    pub(super) parent: Option<(usize, usize)>,
}

/// Where the run is: everything that a step depends on but the bindings.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) step: usize,
    pub(super) frame: usize,
    pub(super) index: usize,
    pub(super) separator: Separator,
}

/// An ellipsis at a place where every length failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Dead {
    pub(super) step: usize,
    pub(super) list: usize,
    pub(super) index: usize,
    pub(super) separator: Separator,
    pub(super) surplus: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Node { list: usize, index: usize },
    Run { list: usize, start: usize, end: usize },
    Content { start: usize, end: usize },
}

/// What to try when the current way fails.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) state: State,
    pub(super) trail: usize,
    pub(super) frames: usize,
    /// Whether something had been passed over by then.
    pub(super) surplus: bool,
    pub(super) kind: Alternative,
}

#[derive(Debug)]
pub(super) enum Alternative {
    /// The ellipsis at this state stands for this many elements.
    Longer(usize),
    /// Pass over this many elements.
    Surplus(usize),
}

pub(super) fn separator_fits(step: &Step, wanted: Separator, element: &Element<'_>) -> bool {
    match wanted {
        Separator::Any => true,
        Separator::Own => element.separator == step.separator,
        Separator::Instead(_) if step.separator == 0 => element.separator == 0,
        Separator::Instead(separator) => element.separator == separator,
    }
}
