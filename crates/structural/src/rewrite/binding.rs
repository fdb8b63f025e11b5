//! Where the language asks for parentheses and its parser does not: what a statement may not start with, and operands
//! that the parser takes as they are. It must never know a language: the grammar's data says what needs them where.

use std::ops::Range;

use grammars::{Grammar, Needed};

use crate::outline::Node;
use crate::spans::{self, Unit};

/// Whether the expression that fills a range needs parentheses where it stands.
pub(super) fn needs_parentheses(grammar: &Grammar, root: Node<'_>, range: &Range<usize>) -> bool {
    let needed = &grammar.kinds().needed;
    let Some(Unit::Node(outer)) = spans::unit(root, range).filter(|_| !needed.is_empty()) else {
        return false;
    };
    needed.iter().any(|rule| is_bare_operand(rule, outer) || is_false_start(rule, outer))
}

/// Whether it is an operand that the parser takes without parentheses and the language does not.
fn is_bare_operand(rule: &Needed, outer: Node<'_>) -> bool {
    let bare = |node: Node<'_>| {
        node.parent().is_some_and(|parent| rule.inside.contains(parent.kind_id()))
            && !is_delimited(node)
            && rule.beside.as_ref().is_none_or(|tokens| {
                let next_to = [node.prev_sibling(), node.next_sibling()];
                next_to.into_iter().flatten().any(|token| tokens.contains(token.kind_id()))
            })
    };
    spans::chain(outer).any(|node| rule.kinds.contains(node.kind_id()) && bare(node))
}

fn is_delimited(node: Node<'_>) -> bool {
    let opens = node.prev_sibling().is_some_and(|it| it.kind().ends_with(['(', '[', '{', ',']));
    opens && node.next_sibling().is_some_and(|it| it.kind().starts_with([')', ']', '}', ',']))
}

/// Whether a statement starts with it and would be read as another one.
fn is_false_start(rule: &Needed, outer: Node<'_>) -> bool {
    let start = outer.start_byte();
    let leftmost = std::iter::successors(Some(outer), Node::first_child);
    let mut inside = leftmost.take_while(|node| node.start_byte() == start);
    let Some(first) = inside.find(|node| rule.kinds.contains(node.kind_id())) else { return false };
    let mut at = first;
    while let Some(parent) = at.parent() {
        if rule.starting.contains(parent.kind_id()) {
            return !rule.continued || at.end_byte() > first.end_byte();
        }
        if parent.start_byte() != start {
            return false;
        }
        at = parent;
    }
    false
}
