//! Byte ranges and the nodes that are exactly there.
//! It must never climb or descend by recursion: a file may be nested as deep as it is long.

use std::ops::Range;

use grammars::Grammar;
use tree_sitter::Tree;

use crate::outline::Node;

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
    if smallest.start_byte() == range.start && ends_at(smallest, range.end) {
        return Some(Unit::Node(outermost(smallest)));
    }
    let mut first = None;
    let mut next = smallest.first_child_from(range.start);
    while let Some(node) = next {
        if node.start_byte() == range.start && node.end_byte() > range.start {
            first = first.or(Some(node));
        }
        if let Some(first) = first.filter(|_| ends_at(node, range.end)) {
            return Some(Unit::Run { first, last: node });
        }
        next = node.next_sibling().filter(|_| node.end_byte() < range.end);
    }
    None
}

/// Whether a node ends at a place but for comments: some parsers give a block those behind it.
fn ends_at(node: Node<'_>, end: usize) -> bool {
    if node.end_byte() <= end {
        return node.end_byte() == end;
    }
    // Asked first, since it takes no descent.
    let token = node.descendant_for_byte_range(node.end_byte() - 1, node.end_byte());
    if !token.is_some_and(|it| it.is_extra() || it.parent().is_some_and(|it| it.is_extra())) {
        return false;
    }
    let mut at = node;
    while at.end_byte() > end {
        let mut last = at.last_child();
        while let Some(comment) = last.filter(|it| it.is_extra() && it.start_byte() >= end) {
            last = comment.prev_sibling();
        }
        match last.filter(|last| *last != at && last.start_byte() < end) {
            Some(last) => at = last,
            None => return false,
        }
    }
    at.end_byte() == end
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
        // What comes behind a child that is not empty starts further on.
        let mut first = node.children().skip_while(|child| child.byte_range().is_empty());
        first.next().filter(|child| child.byte_range() == node.byte_range())
    })
}

/// The last token of a node or run that ends at `end`.
pub(crate) fn last_leaf(root: Node<'_>, end: usize) -> Option<Node<'_>> {
    let mut node = root.descendant_for_byte_range(end.checked_sub(1)?, end)?;
    while let Some(last) = node.last_child() {
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

/// Whether a line that starts at a byte starts inside a string that must not be indented.
pub(crate) fn is_frozen(grammar: &Grammar, root: Node<'_>, at: usize) -> bool {
    let kinds = grammar.kinds();
    let around = std::iter::successors(root.descendant_for_byte_range(at, at), Node::parent);
    let mut literals = around.filter(|node| kinds.literal.contains(node.kind_id()));
    literals.any(|it| !kinds.moving.contains(it.kind_id()) && it.start_byte() < at && at < it.end_byte())
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
            if literal && !kinds.moving.contains(node.kind_id()) {
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

    fn freeze(&mut self, literal: tree_sitter::Node<'_>, source: &[u8]) {
        if literal.start_position().row == literal.end_position().row {
            return;
        }
        let bytes = source[literal.byte_range()].iter().enumerate();
        self.frozen
            .extend(bytes.filter(|(_, byte)| **byte == b'\n').map(|(at, _)| literal.start_byte() + at + 1));
    }
}
