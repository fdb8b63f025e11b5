//! A pattern as a flat list of steps, in the order in which code is compared with it.
//! The matcher runs it with explicit stacks; nothing here knows how.

use crate::placeholder::binds;
use crate::shape::{Body, Shape};
use std::collections::BTreeMap;

/// One step, and where in its parent the node must stand.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) field: u16,
    pub(crate) separator: u16,
    pub(crate) op: Op,
}

/// What a step asks of the code.
#[derive(Debug)]
pub(crate) enum Op {
    /// A node of this kind; go on with its elements.
    Enter {
        kind: u16,
    },
    /// No element is left; go on after the node.
    Leave,
    Name(Vec<u8>),
    Leaf {
        kind: u16,
        text: Vec<u8>,
    },
    Token {
        kind: u16,
    },
    /// A literal between delimiters; `slot` takes its content.
    Quoted {
        kind: u16,
        open: Vec<u8>,
        close: Vec<u8>,
        slot: usize,
    },
    One {
        slot: usize,
    },
    Many {
        slot: usize,
    },
}

/// A pattern, ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// Nodes at the top: one, or a run of siblings.
    pub(crate) roots: usize,
    /// A variable stands at two places, so that how one place is matched decides about another.
    pub(crate) repeats: bool,
    /// The first of a run of siblings is an ellipsis: it means all that stands before.
    pub(crate) open_start: bool,
    /// The last is one: it means all the rest.
    pub(crate) open_end: bool,
    /// A terminator at the end of the code is not part of the match.
    pub(crate) unterminated: bool,
}

/// The variables of a pattern by slot; one that does not bind has a slot for each place it stands at.
#[derive(Debug, Default, Clone)]
pub(crate) struct Slots {
    pub(crate) names: Vec<(String, bool)>,
    by_name: BTreeMap<String, usize>,
}

impl Slots {
    fn slot(&mut self, name: &str, many: bool) -> usize {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        self.names.push((name.to_owned(), many));
        let slot = self.names.len() - 1;
        if binds(name) {
            self.by_name.insert(name.to_owned(), slot);
        }
        slot
    }
}

impl Program {
    /// `terminated`: the fragment ends with a separator or terminator, so that a match does too.
    pub(crate) fn new(shapes: &[Shape], terminated: bool, slots: &mut Slots) -> Self {
        let mut steps = Vec::new();
        for shape in shapes {
            flatten(shape, slots, &mut steps);
        }
        let mut used: Vec<usize> = steps.iter().filter_map(|step| step.op.slot()).collect();
        let uses = used.len();
        used.sort_unstable();
        used.dedup();
        let is_many = |shape: Option<&Shape>| shape.is_some_and(|it| matches!(it.body, Body::Many { .. }));
        let (open_start, open_end) = (is_many(shapes.first()), is_many(shapes.last()));
        Self {
            steps,
            roots: shapes.len(),
            repeats: used.len() < uses,
            open_start,
            open_end,
            unterminated: !terminated,
        }
    }
}

impl Op {
    fn slot(&self) -> Option<usize> {
        match self {
            Self::Quoted { slot, .. } | Self::One { slot } | Self::Many { slot } => Some(*slot),
            _ => None,
        }
    }
}

fn flatten(shape: &Shape, slots: &mut Slots, steps: &mut Vec<Step>) {
    let mut push = |op| steps.push(Step { field: shape.field, separator: shape.separator, op });
    match &shape.body {
        Body::Inner { kind, children } => {
            push(Op::Enter { kind: *kind });
            for child in children {
                flatten(child, slots, steps);
            }
            steps.push(Step { field: 0, separator: 0, op: Op::Leave });
        }
        Body::Name(text) => push(Op::Name(text.clone())),
        Body::Leaf { kind, text } => push(Op::Leaf { kind: *kind, text: text.clone() }),
        Body::Token { kind } => push(Op::Token { kind: *kind }),
        Body::Quoted { kind, open, close, name } => push(Op::Quoted {
            kind: *kind,
            open: open.clone(),
            close: close.clone(),
            slot: slots.slot(name, false),
        }),
        Body::One { name } => push(Op::One { slot: slots.slot(name, false) }),
        Body::Many { name } => push(Op::Many { slot: slots.slot(name, true) }),
    }
}
