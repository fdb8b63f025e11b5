//! The nodes of a tree as a flat list in source order, so that a place is found, and a parent or sibling reached,
//! without going down from the root: a tree-sitter node knows none of its surroundings.
//! It must never recurse, nor take longer to ask than the logarithm of the file.

use std::fmt;
use std::ops::Range;

use tree_sitter::{Language, Tree};

const NONE: u32 = u32::MAX;

/// A tree, flat.
pub(crate) struct Outline {
    language: Language,
    flat: Vec<Flat>,
}

#[derive(Debug, Clone, Copy)]
struct Flat {
    start: u32,
    end: u32,
    parent: u32,
    /// An ancestor further up, chosen so that any is reached in few steps.
    jump: u32,
    depth: u32,
    before: u32,
    after: u32,
    last: u32,
    kind: u16,
    named: bool,
    extra: bool,
}

/// A node of an outline.
#[derive(Clone, Copy)]
pub(crate) struct Node<'o> {
    outline: &'o Outline,
    index: u32,
}

impl Outline {
    /// `offside`: a block does not hold the line break that ends the file.
    pub(crate) fn of(tree: &Tree, offside: bool) -> Self {
        let mut outline = Self { language: (*tree.language()).clone(), flat: Vec::new() };
        let mut cursor = tree.walk();
        let (mut parent, mut before) = (NONE, NONE);
        loop {
            let node = cursor.node();
            let index = outline.push(node, parent, before);
            if cursor.goto_first_child() {
                (parent, before) = (index, NONE);
                continue;
            }
            before = index;
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return outline;
                }
                if offside && cursor.node().end_position().column == 0 {
                    outline.close(parent);
                }
                before = parent;
                parent = outline.flat[before as usize].parent;
            }
        }
    }

    fn push(&mut self, node: tree_sitter::Node<'_>, parent: u32, before: u32) -> u32 {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(NONE);
        let index = narrow(self.flat.len());
        let (mut jump, mut depth) = (index, 0);
        if let Some(above) = self.get(parent) {
            depth = above.depth + 1;
            let further = self.flat[above.jump as usize];
            let even = above.depth - further.depth == further.depth - self.flat[further.jump as usize].depth;
            jump = if even { further.jump } else { parent };
            self.flat[parent as usize].last = index;
        }
        if let Some(sibling) = self.flat.get_mut(before as usize) {
            sibling.after = index;
        }
        let (start, end) = (narrow(node.start_byte()), narrow(node.end_byte()));
        let (kind, named, extra) = (node.kind_id(), node.is_named(), node.is_extra());
        self.flat.push(Flat {
            start,
            end,
            parent,
            jump,
            depth,
            before,
            after: NONE,
            last: NONE,
            kind,
            named,
            extra,
        });
        index
    }

    /// Ends a node where its last child ends.
    fn close(&mut self, index: u32) {
        let end = self.get(index).and_then(|node| self.get(node.last)).map(|last| last.end);
        if let (Some(node), Some(end)) = (self.flat.get_mut(index as usize), end.filter(|end| *end > 0)) {
            node.end = end.max(node.start);
        }
    }

    fn get(&self, index: u32) -> Option<Flat> {
        self.flat.get(index as usize).copied()
    }

    pub(crate) fn root_node(&self) -> Node<'_> {
        Node { outline: self, index: 0 }
    }

    /// The innermost of `index` and its ancestors that is as asked; an ancestor of one that is must be too.
    fn climb(&self, index: u32, is_it: impl Fn(Flat) -> bool) -> Option<u32> {
        let mut at = index;
        loop {
            let here = self.get(at)?;
            if is_it(here) {
                return Some(at);
            }
            at = if here.parent == NONE || is_it(self.flat[here.jump as usize]) {
                here.parent
            } else {
                here.jump
            };
        }
    }

    /// The index of the first node that starts at a byte or behind it.
    fn first_from(&self, start: usize) -> usize {
        self.flat.partition_point(|node| (node.start as usize) < start)
    }
}

impl<'o> Node<'o> {
    fn flat(&self) -> Flat {
        self.outline.flat[self.index as usize]
    }

    fn at(&self, index: u32) -> Option<Self> {
        (index != NONE).then_some(Self { index, ..*self })
    }

    pub(crate) fn kind_id(&self) -> u16 {
        self.flat().kind
    }

    pub(crate) fn kind(&self) -> &'o str {
        self.outline.language.node_kind_for_id(self.flat().kind).unwrap_or("ERROR")
    }

    pub(crate) fn is_named(&self) -> bool {
        self.flat().named
    }

    /// Whether it may stand anywhere, as a comment may.
    pub(crate) fn is_extra(&self) -> bool {
        self.flat().extra
    }

    pub(crate) fn start_byte(&self) -> usize {
        self.flat().start as usize
    }

    pub(crate) fn end_byte(&self) -> usize {
        self.flat().end as usize
    }

    pub(crate) fn byte_range(&self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    pub(crate) fn parent(&self) -> Option<Self> {
        self.at(self.flat().parent)
    }

    pub(crate) fn prev_sibling(&self) -> Option<Self> {
        self.at(self.flat().before)
    }

    pub(crate) fn next_sibling(&self) -> Option<Self> {
        self.at(self.flat().after)
    }

    pub(crate) fn first_child(&self) -> Option<Self> {
        (self.flat().last != NONE).then_some(Self { index: self.index + 1, ..*self })
    }

    pub(crate) fn last_child(&self) -> Option<Self> {
        self.at(self.flat().last)
    }

    pub(crate) fn is_leaf(&self) -> bool {
        self.flat().last == NONE
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = Self> + use<'o> {
        std::iter::successors(self.first_child(), Self::next_sibling)
    }

    /// The smallest node in the outline around a range: one that ends behind its start. The root when there is none.
    pub(crate) fn descendant_for_byte_range(&self, start: usize, end: usize) -> Option<Self> {
        let behind = self.outline.first_from(start + 1);
        let last = u32::try_from(behind.checked_sub(1)?).ok()?;
        let around = |node: Flat| node.end as usize >= end && node.end as usize > start;
        Some(Self { index: self.outline.climb(last, around).unwrap_or(0), ..*self })
    }

    /// The first child that starts at a byte, if one does; else any child or none.
    pub(crate) fn first_child_from(&self, start: usize) -> Option<Self> {
        if start <= self.start_byte() {
            return self.first_child();
        }
        let first = u32::try_from(self.outline.first_from(start)).ok()?;
        let depth = self.flat().depth;
        let child = self.outline.climb(first, |node| node.depth <= depth + 1)?;
        let child = Self { index: child, ..*self };
        (child.parent() == Some(*self)).then_some(child)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.outline, other.outline)
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.byte_range())
    }
}

impl fmt::Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outline").field("nodes", &self.flat.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
