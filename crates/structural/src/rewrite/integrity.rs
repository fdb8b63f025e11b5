//! Whether a rewritten file says what was meant: every capture is still one node, every replacement one unit.
//! It must never call a rewrite sound because it parses: `a + b.bar()` parses.

use std::ops::Range;

use grammars::Grammar;
use tree_sitter::Tree;

use super::Watch;
use super::binding;
use super::layout::{Mark, Marked};
use super::nesting::Chosen;
use super::separators;
use crate::grouping::is_torn_out;
use crate::outline::{Node, Outline};
use crate::parse::Unparsed;
use crate::spans::{self, Unit};

/// The trees of a file before and after.
#[derive(Debug)]
pub(super) struct Trees<'a> {
    pub(super) grammar: &'static Grammar,
    pub(super) before: &'a Outline,
    pub(super) after: &'a Outline,
    /// The tree that `after` is of.
    pub(super) tree: &'a Tree,
    /// The bytes of `before`.
    pub(super) source: &'a [u8],
    /// The bytes of `after`.
    pub(super) bytes: &'a [u8],
}

impl Trees<'_> {
    /// The marks that did not come through, by place, those around others first.
    pub(super) fn broken<'m>(
        &self,
        marks: &'m [Mark],
        chosen: &[Chosen],
        watch: &Watch<'_>,
    ) -> Result<Vec<&'m Mark>, Unparsed> {
        let mut broken = Vec::new();
        for mark in marks {
            watch.check()?;
            if !self.holds(mark, chosen) {
                broken.push(mark);
            }
        }
        broken.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
        Ok(broken)
    }

    /// Whether a statement that ended with the match's terminator became one that needs none, so that the terminator
    /// would be left behind. What the language takes for a value is no such statement.
    pub(super) fn leaves_terminator(&self, range: &Range<usize>, origin: &Range<usize>) -> bool {
        let kinds = self.grammar.kinds();
        let ended = separators::statement(self.grammar, self.before.root_node(), origin);
        let Some(old) = ended.filter(|_| !range.is_empty()) else { return false };
        let end = range.end + (old.end - origin.end);
        let root = self.after.root_node();
        let new = match spans::unit(root, range) {
            Some(Unit::Node(node)) => node,
            Some(Unit::Run { last, .. }) => last,
            None => return false,
        };
        let value = |node: Node<'_>| {
            kinds.expressions.contains(node.kind_id()) || kinds.atoms.contains(node.kind_id())
        };
        let whole = spans::unit(root, &(new.start_byte()..end));
        !matches!(whole, Some(Unit::Node(_))) && !spans::chain(new).any(value)
    }

    fn holds(&self, mark: &Mark, chosen: &[Chosen]) -> bool {
        let root = self.after.root_node();
        match &mark.what {
            Marked::Replacement => {
                let origin = &chosen[mark.owner].found.range;
                (self.is_unit(&mark.range, origin) || self.is_statements(&mark.range, origin))
                    && !self.lacks_parentheses(&mark.range, origin)
            }
            Marked::Capture { origin, exact, .. } => {
                self.came_through(&mark.range, origin, *exact) && !self.lacks_parentheses(&mark.range, origin)
            }
            Marked::Run { origins, .. } => self.is_run(mark, origins, chosen),
            Marked::Gone => true,
            Marked::Glued { .. } => self.is_name(&mark.range),
            Marked::Quoted { .. } => spans::inside_string(self.grammar, root, mark.range.start.max(1)),
        }
    }

    /// Whether something needs parentheses where it is now and did not where it was.
    fn lacks_parentheses(&self, range: &Range<usize>, origin: &Range<usize>) -> bool {
        let needs = |tree: &Outline, range| binding::needs_parentheses(self.grammar, tree.root_node(), range);
        needs(self.after, range) && !needs(self.before, origin)
    }

    /// Whether a capture is still one node of the same sort. The content of a string need not be a node.
    fn came_through(&self, range: &Range<usize>, origin: &Range<usize>, exact: bool) -> bool {
        let before = spans::unit(self.before.root_node(), origin);
        match (before, spans::unit(self.after.root_node(), range)) {
            (Some(Unit::Node(_)), Some(Unit::Node(new))) if self.is_torn_out(new) => false,
            (Some(Unit::Node(old)), Some(Unit::Node(new))) => !exact || self.is_same_sort(old, new),
            (Some(Unit::Node(old)), Some(Unit::Run { first, last })) => {
                self.is_sequence(old) && self.is_list(first, last)
            }
            (Some(Unit::Node(_)), _) => false,
            (Some(Unit::Run { .. }), now) => now.is_some(),
            (None, now) => {
                range.is_empty()
                    || spans::inside_string(self.grammar, self.after.root_node(), range.start)
                    || self.is_labelled(self.before, origin)
                        && (self.is_labelled(self.after, range) || self.is_lone_name(now))
            }
        }
    }

    /// Whether the node is an operation that its neighbours take apart, although the parser does not.
    fn is_torn_out(&self, node: Node<'_>) -> bool {
        let kinds = self.grammar.kinds();
        let in_tree = |node: Node<'_>| {
            let range = node.byte_range();
            let inner = self.tree.root_node().descendant_for_byte_range(range.start, range.end);
            std::iter::successors(inner, tree_sitter::Node::parent)
                .take_while(|around| around.byte_range() == range)
                .find(|around| around.kind_id() == node.kind_id())
        };
        let mut operations = spans::chain(node).filter(|node| kinds.ungrouped.contains(node.kind_id()));
        operations.any(|node| in_tree(node).is_some_and(|node| is_torn_out(node, self.bytes, kinds)))
    }

    /// Whether the range is the name that a label holds.
    fn is_labelled(&self, tree: &Outline, range: &Range<usize>) -> bool {
        let node = tree.root_node().descendant_for_byte_range(range.start, range.end);
        node.is_some_and(|node| {
            node.start_byte() == range.start && self.grammar.kinds().labels.contains(node.kind_id())
        })
    }

    fn is_lone_name(&self, unit: Option<Unit<'_>>) -> bool {
        matches!(unit, Some(Unit::Node(node)) if self.grammar.kinds().names.contains(node.kind_id()))
    }

    /// Whether a replacement is a node, or siblings in a list: nothing but separators between them.
    fn is_unit(&self, range: &Range<usize>, origin: &Range<usize>) -> bool {
        match spans::unit(self.after.root_node(), range) {
            Some(Unit::Node(node)) => !self.is_torn_out(node),
            Some(Unit::Run { first, last }) => {
                self.is_list(first, last) || self.was_same_run(origin, first, last)
            }
            None => false,
        }
    }

    /// Whether a replacement is a statement or several, and the match's terminator ends the last.
    fn is_statements(&self, range: &Range<usize>, origin: &Range<usize>) -> bool {
        let ended = separators::statement(self.grammar, self.before.root_node(), origin);
        let whole = ended.map(|old| range.start..range.end + (old.end - origin.end));
        match whole.and_then(|whole| spans::unit(self.after.root_node(), &whole)) {
            Some(Unit::Node(_)) => true,
            Some(Unit::Run { first, last }) => self.is_list(first, last),
            None => false,
        }
    }

    fn is_list(&self, first: Node<'_>, last: Node<'_>) -> bool {
        let kinds = self.grammar.kinds();
        let is_part = |node: &Node<'_>| {
            let kind = node.kind_id();
            node.is_named() || kinds.separators.contains(kind) || kinds.terminators.contains(kind)
        };
        run(first, last).all(|node| is_part(&node))
    }

    /// A match that was itself such a run, operators and all, may become one.
    fn was_same_run(&self, origin: &Range<usize>, first: Node<'_>, last: Node<'_>) -> bool {
        let Some(Unit::Run { first: old_first, last: old_last }) =
            spans::unit(self.before.root_node(), origin)
        else {
            return false;
        };
        let parent = |node: Node<'_>| node.parent().map(|parent| parent.kind_id());
        parent(first) == parent(old_first)
            && first.prev_sibling().map(|node| node.kind_id())
                == old_first.prev_sibling().map(|node| node.kind_id())
            && last.next_sibling().map(|node| node.kind_id())
                == old_last.next_sibling().map(|node| node.kind_id())
    }

    /// Whether a captured node came back as the same sort of thing: the same kind, a name for a name, an expression
    /// for an expression.
    fn is_same_sort(&self, old: Node<'_>, now: Node<'_>) -> bool {
        let kinds = self.grammar.kinds();
        let before: Vec<Node<'_>> = spans::chain(old).collect();
        let sorts = |node: Node<'_>| {
            let kind = node.kind_id();
            let name = kinds.names.contains(kind) || node.is_leaf();
            (
                kind,
                kinds.expressions.contains(kind) || kinds.atoms.contains(kind),
                name && !kinds.text.contains(kind),
            )
        };
        spans::chain(now).map(sorts).any(|(kind, expression, name)| {
            before.iter().map(|old| sorts(*old)).any(|(old_kind, old_expression, old_name)| {
                kind == old_kind || (expression && old_expression) || (name && old_name)
            })
        })
    }

    /// Whether each item of an ellipsis is a node and all of them are siblings.
    fn is_run(&self, mark: &Mark, origins: &[Range<usize>], chosen: &[Chosen]) -> bool {
        let root = self.after.root_node();
        if mark.range.is_empty() {
            return true;
        }
        if mark.items.len() != origins.len() {
            return spans::unit(root, &mark.range).is_some();
        }
        let mut parents =
            mark.items.iter().zip(origins).map(|(item, origin)| match spans::unit(root, item) {
                Some(Unit::Node(node)) => node.parent(),
                Some(Unit::Run { first, last }) => {
                    let before = spans::unit(self.before.root_node(), origin);
                    let is_row = matches!(before, Some(Unit::Node(old)) if self.is_sequence(old));
                    let is_several = is_rewritten(chosen, origin) && self.is_list(first, last);
                    first.parent().filter(|_| is_row || is_several)
                }
                None => None,
            });
        let first = parents.next().flatten();
        first.is_some() && parents.all(|parent| parent == first)
    }

    /// Whether a node is nothing but others in a row, such as a block without braces: elsewhere it has no node.
    fn is_sequence(&self, node: Node<'_>) -> bool {
        spans::chain(node).any(|node| self.grammar.kinds().sequences.contains(node.kind_id()))
    }

    /// Whether the name around a range is one token.
    fn is_name(&self, range: &Range<usize>) -> bool {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..);
        let before = self.bytes[..range.start].iter().rev().take_while(|byte| is_part(byte)).count();
        let after = self.bytes[range.end..].iter().take_while(|byte| is_part(byte)).count();
        let name = range.start - before..range.end + after;
        let node = self.after.root_node().descendant_for_byte_range(name.start, name.end);
        node.is_some_and(|node| node.byte_range() == name && node.is_leaf())
    }
}

/// Whether a range was rewritten as a whole, and may be several nodes now.
fn is_rewritten(chosen: &[Chosen], range: &Range<usize>) -> bool {
    let first = chosen.partition_point(|one| one.found.range.start < range.start);
    let here = chosen[first..].iter().take_while(|one| one.found.range.start == range.start);
    here.into_iter().any(|one| one.found.range == *range)
}

/// The innermost of those marks that lie in each other (of several with one range, the last): what is wrong with the
/// outer ones may be that alone.
pub(super) fn innermost(broken: Vec<&Mark>) -> Vec<&Mark> {
    let next = broken.iter().skip(1).map(|mark| Some(mark.range.start)).chain([None]);
    let innermost =
        broken.iter().zip(next).filter(|(mark, next)| next.is_none_or(|next| next >= mark.range.end));
    innermost.map(|(mark, _)| *mark).collect()
}

fn run<'t>(first: Node<'t>, last: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut ended = false;
    std::iter::successors(Some(first), Node::next_sibling).take_while(move |node| {
        let within = !ended;
        ended = *node == last;
        within
    })
}
