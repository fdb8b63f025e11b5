//! Statements that run together: where a line break ends a statement only if what follows cannot continue it, a
//! replacement may become a part of the statement before it, or take the one behind it in.
//! It must never let one through because it parses: `b\n(c)()` is a call of `b`.

use std::collections::HashSet;
use std::ops::Range;

use grammars::Grammar;

use super::Work;
use super::integrity::Trees;
use super::layout::{Mark, Marked};
use super::separators;
use crate::outline::Node;

/// What keeps two statements apart.
pub(super) const DIVIDER: &str = ";";

impl Work<'_> {
    /// Puts terminators between replacements and the statements that they run together with, and leaves out what is
    /// not helped by it. At a syntax error the tree tells nothing. Whether anything changed.
    pub(super) fn part(&mut self, trees: &Trees<'_>, marks: &[Mark], at_errors: &HashSet<usize>) -> bool {
        let kinds = trees.grammar.kinds();
        if !kinds.terminators.contains(trees.grammar.language().id_for_node_kind(DIVIDER, false)) {
            return false;
        }
        let mut changed = false;
        for mark in marks {
            let origin = &self.chosen[mark.owner].found.range;
            let gone = mark.what == Marked::Gone;
            if !gone && mark.what != Marked::Replacement
                || self.cares[mark.owner].refused
                || at_errors.contains(&mark.owner)
                || !separators::is_statement(trees.grammar, trees.before.root_node(), origin)
            {
                continue;
            }
            let before =
                if gone { trees.joins_behind(mark, origin) } else { trees.joins_before(mark, origin) };
            let after = !gone && trees.joins_after(mark, origin);
            let care = &mut self.cares[mark.owner];
            care.refused = before && (gone || care.opened) || after && care.closed;
            care.opened |= before;
            care.closed |= after;
            changed |= before || after;
        }
        changed
    }
}

impl Trees<'_> {
    /// Whether a replacement continues the statement before it.
    fn joins_before(&self, mark: &Mark, origin: &Range<usize>) -> bool {
        is_sign(self.bytes.get(mark.range.start))
            && self.is_drawn_in(
                opening(self.before.root_node(), origin.start),
                opening(self.after.root_node(), mark.range.start),
            )
    }

    /// Whether what stands behind a replacement continues it.
    fn joins_after(&self, mark: &Mark, origin: &Range<usize>) -> bool {
        let next = next_code(self.grammar, self.after.root_node(), self.bytes, mark.range.end);
        is_sign(self.bytes.get(next))
            && self.is_drawn_in(
                closing(self.before.root_node(), origin.end),
                closing(self.after.root_node(), mark.range.end),
            )
    }

    /// Whether what stands behind a statement that is gone continues the one before it.
    fn joins_behind(&self, mark: &Mark, origin: &Range<usize>) -> bool {
        let (old, new) = (self.before.root_node(), self.after.root_node());
        let there = next_code(self.grammar, old, self.source, origin.end);
        let here = next_code(self.grammar, new, self.bytes, mark.range.end);
        is_sign(self.bytes.get(here)) && self.is_drawn_in(opening(old, there), opening(new, here))
    }

    /// Whether what was a statement at its place, or the first or last thing of one, is a part of an expression now.
    fn is_drawn_in(&self, old: Option<Edge<'_>>, new: Option<Edge<'_>>) -> bool {
        let is_expression = |node: Node<'_>| self.grammar.kinds().expressions.contains(node.kind_id());
        let (Some(old), Some(new)) = (old, new) else { return false };
        let was_statement = !is_expression(old.around) || !is_expression(old.outermost);
        was_statement && is_expression(new.around) && new.around.kind_id() != old.around.kind_id()
    }
}

/// The outermost node that starts or ends at a place, and the one around it.
struct Edge<'t> {
    outermost: Node<'t>,
    around: Node<'t>,
}

fn opening(root: Node<'_>, at: usize) -> Option<Edge<'_>> {
    let mut outermost = root.descendant_for_byte_range(at, at + 1)?;
    loop {
        let around = outermost.parent()?;
        if around.start_byte() < at {
            return (outermost.start_byte() == at).then_some(Edge { outermost, around });
        }
        outermost = around;
    }
}

fn closing(root: Node<'_>, at: usize) -> Option<Edge<'_>> {
    let mut outermost = root.descendant_for_byte_range(at.checked_sub(1)?, at)?;
    loop {
        let around = outermost.parent()?;
        if around.end_byte() > at {
            return (outermost.end_byte() == at).then_some(Edge { outermost, around });
        }
        outermost = around;
    }
}

/// Where code goes on, terminators and comments left out.
fn next_code(grammar: &Grammar, root: Node<'_>, source: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        at = source.len() - source[at..].trim_ascii_start().len();
        let token = root.descendant_for_byte_range(at, at + 1).filter(|token| token.start_byte() == at);
        let passed = token.filter(|it| it.is_extra() || grammar.kinds().terminators.contains(it.kind_id()));
        match passed.filter(|token| token.end_byte() > at) {
            Some(token) => at = token.end_byte(),
            None => return at,
        }
    }
}

/// Whether what starts with this byte may continue an expression; a word does not.
fn is_sign(first: Option<&u8>) -> bool {
    first.is_some_and(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'$' | b'@' | b'}'))
}
