//! Byte ranges and the nodes that are exactly there.
//! It must never climb or descend by recursion: a file may be nested as deep as it is long.

use std::ops::Range;

use grammars::Grammar;
use tree_sitter::{Node, Tree};

/// What is exactly at a range.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit<'t> {
    /// A node: the outermost of those with this range.
    Node(Node<'t>),
    /// A run of complete siblings.
    Run { first: Node<'t>, last: Node<'t> },
}

/// The node or run of siblings that fills `range`. Nothing fills an empty range.
pub(crate) fn unit<'t>(root: Node<'t>, range: &Range<usize>) -> Option<Unit<'t>> {
    if range.is_empty() {
        return None;
    }
    let smallest = root.descendant_for_byte_range(range.start, range.end)?;
    if smallest.byte_range() == *range {
        return Some(Unit::Node(outermost(smallest)));
    }
    let mut cursor = smallest.walk();
    let mut first = None;
    let mut more = cursor.goto_first_child_for_byte(range.start).is_some();
    while more {
        let node = cursor.node();
        if node.start_byte() == range.start && node.end_byte() > range.start {
            first = first.or(Some(node));
        }
        if let Some(first) = first.filter(|_| node.end_byte() == range.end) {
            return Some(Unit::Run { first, last: node });
        }
        more = node.end_byte() < range.end && cursor.goto_next_sibling();
    }
    None
}

fn outermost(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(parent) = node.parent().filter(|parent| parent.byte_range() == node.byte_range()) {
        node = parent;
    }
    node
}

/// The nodes with the same range as `outer`, from the outside inwards.
pub(crate) fn chain(outer: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(outer), |node| {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            if cursor.node().byte_range() == node.byte_range() {
                return Some(cursor.node());
            }
            more = cursor.goto_next_sibling();
        }
        None
    })
}

/// The last token of a node or run that ends at `end`.
pub(crate) fn last_leaf(root: Node<'_>, end: usize) -> Option<Node<'_>> {
    let mut node = root.descendant_for_byte_range(end.checked_sub(1)?, end)?;
    while let Some(last) = node.child_count().checked_sub(1).and_then(|last| node.child(last)) {
        node = last;
    }
    (node.end_byte() == end).then_some(node)
}

/// Whether a byte stands inside a string, template or the like, behind its first byte.
pub(crate) fn inside_string(grammar: &Grammar, root: Node<'_>, at: usize) -> bool {
    let mut node = root.descendant_for_byte_range(at, at);
    while let Some(here) = node {
        if grammar.kinds().literal.contains(here.kind_id()) && here.start_byte() < at && at < here.end_byte()
        {
            return true;
        }
        node = here.parent();
    }
    false
}

/// What a rewrite must know about a whole file.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Line starts inside strings, in order.
    pub(crate) frozen: Vec<usize>,
    /// The comments, in order.
    pub(crate) comments: Vec<Range<usize>>,
}

impl Survey {
    pub(crate) fn of(grammar: &Grammar, tree: &Tree, source: &[u8]) -> Self {
        let kinds = grammar.kinds();
        let mut survey = Self::default();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let literal = kinds.literal.contains(node.kind_id());
            if literal {
                survey.freeze(node, source);
            } else if kinds.comment.contains(node.kind_id()) {
                survey.comments.push(node.byte_range());
            }
            if !literal && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return survey;
                }
            }
        }
    }

    fn freeze(&mut self, literal: Node<'_>, source: &[u8]) {
        if literal.start_position().row == literal.end_position().row {
            return;
        }
        let bytes = source[literal.byte_range()].iter().enumerate();
        self.frozen
            .extend(bytes.filter(|(_, byte)| **byte == b'\n').map(|(at, _)| literal.start_byte() + at + 1));
    }
}
