//! The children of a node that count: what patterns and code are both reduced to before they are compared.
//! Comments and terminators vanish, separators become a property of the element they precede, and a
//! separator at the end of a list vanishes unless its node gives it a meaning. The children of a node that only
//! groups them count as its parent's.

use crate::margin;
use grammars::Kinds;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// A child that counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'tree> {
    pub(crate) node: Node<'tree>,
    /// The field's number, 0 for none.
    pub(crate) field: u16,
    /// The kind of the separator between the element before and this one, 0 for none.
    pub(crate) separator: u16,
    /// A node that a variable may stand for, not a bare token.
    pub(crate) value: bool,
}

impl<'tree> Element<'tree> {
    /// A node on its own, out of any list.
    pub(crate) fn lone(node: Node<'tree>, kinds: &Kinds) -> Self {
        Self { node, field: 0, separator: 0, value: is_value(node, kinds) }
    }
}

fn is_value(node: Node<'_>, kinds: &Kinds) -> bool {
    let kind = node.kind_id();
    node.is_named() && !kinds.words.contains(kind) || kinds.values.contains(kind)
}

/// The elements of `parent`, in order. The cursor is scratch space.
pub(crate) fn elements<'tree>(
    cursor: &mut TreeCursor<'tree>,
    parent: Node<'tree>,
    kinds: &Kinds,
) -> Vec<Element<'tree>> {
    let mut list = Vec::new();
    elements_into(&mut list, cursor, parent, kinds);
    list
}

/// The same, into `list`, which is empty.
pub(crate) fn elements_into<'tree>(
    list: &mut Vec<Element<'tree>>,
    cursor: &mut TreeCursor<'tree>,
    parent: Node<'tree>,
    kinds: &Kinds,
) {
    cursor.reset(parent);
    if !cursor.goto_first_child() {
        return;
    }
    let raw = kinds.token_lists.contains(parent.kind_id());
    let counted = kinds.counted_separators.contains(parent.kind_id());
    let fieldless = kinds.fieldless.contains(parent.kind_id());
    let mut pending: Option<Node<'tree>> = None;
    // The fields of the spliced nodes that the cursor is in.
    let mut around: Vec<u16> = Vec::new();
    'siblings: loop {
        let node = cursor.node();
        let own = cursor.field_id().map_or(0, std::num::NonZero::get);
        let field = if own == 0 { around.last().copied().unwrap_or(0) } else { own };
        if kinds.spliced.contains(node.kind_id()) && cursor.goto_first_child() {
            around.push(field);
            continue;
        }
        let token = !is_value(node, kinds);
        // The body of a heredoc is an extra to its parser, and no comment.
        let aside = node.is_extra() && !node.is_error() && !kinds.literal.contains(node.kind_id());
        if aside || token && is_silent(node, kinds) {
            // Does not count.
        } else if token && kinds.separators.contains(node.kind_id()) {
            if let Some(hole) = pending.replace(node) {
                list.push(Element::lone(hole, kinds));
            }
        } else {
            let field = if fieldless { 0 } else { field };
            let separator = match pending.take() {
                // An operator may open what is separated; the last token only closes the list.
                Some(last) if token && !(raw && node.next_sibling().is_some()) => {
                    if counted {
                        list.push(Element::lone(last, kinds));
                    }
                    0
                }
                Some(between) => between.kind_id(),
                None => 0,
            };
            list.push(Element { node, field, separator, value: !token });
        }
        while !cursor.goto_next_sibling() {
            if around.pop().is_none() {
                break 'siblings;
            }
            cursor.goto_parent();
        }
    }
    if let (Some(last), true) = (pending, counted) {
        list.push(Element::lone(last, kinds));
    }
    if !kinds.loose.is_empty() {
        mend(parent, list, kinds);
    }
}

/// Puts the suffixes that a parser leaves behind an operation into its last operand, where they belong.
fn mend<'tree>(parent: Node<'tree>, list: &mut Vec<Element<'tree>>, kinds: &Kinds) {
    let is_loose = |element: &Element<'_>| kinds.loose.contains(element.node.kind_id());
    let mut behind = false;
    list.retain(|element| {
        behind = is_loose(element) || behind && kinds.suffixes.contains(element.node.kind_id());
        !behind || is_loose(element)
    });
    if kinds.loose.contains(parent.kind_id()) && !list.last().is_some_and(is_loose) {
        list.extend(left_behind(parent, kinds).map(|node| Element::lone(node, kinds)));
    }
}

/// The suffixes behind an operation, or behind those that it ends.
fn left_behind<'tree>(node: Node<'tree>, kinds: &Kinds) -> impl Iterator<Item = Node<'tree>> {
    let around = std::iter::successors(Some(node), |node| {
        node.parent().filter(|parent| node.next_sibling().is_none() && kinds.loose.contains(parent.kind_id()))
    });
    let next = around.last().and_then(|outermost| outermost.next_sibling());
    std::iter::successors(next, Node::next_sibling)
        .filter(|next| !next.is_extra())
        .take_while(|next| kinds.suffixes.contains(next.kind_id()))
}

/// The range of a node with what a parser left behind it, and without what it took too much.
pub(crate) fn extent(node: Node<'_>, kinds: &Kinds) -> Range<usize> {
    let last = Some(node).filter(|node| kinds.loose.contains(node.kind_id()));
    let last = last.and_then(|node| left_behind(node, kinds).last()).unwrap_or(node);
    node.start_byte()..margin::end(last, kinds.offside)
}

fn is_silent(node: Node<'_>, kinds: &Kinds) -> bool {
    !node.is_missing() && (kinds.terminators.contains(node.kind_id()) || node.start_byte() == node.end_byte())
}

/// Whether a node is compared as one piece of text: it has no parts, or its parts are raw text.
pub(crate) fn is_atom(node: Node<'_>, kinds: &Kinds) -> bool {
    let kind = node.kind_id();
    node.child_count() == 0
        || kinds.names.contains(kind)
        || is_literal(node, kinds)
        || kinds.text.contains(kind)
}

/// Whether a node is a literal; one that is a keyword is compared as such.
pub(crate) fn is_literal(node: Node<'_>, kinds: &Kinds) -> bool {
    kinds.literal.contains(node.kind_id())
        && node.child(0).is_none_or(|first| !kinds.words.contains(first.kind_id()))
}

/// The text of an atom. A label may hold the white space behind its mark, which is none of it.
pub(crate) fn atom_text<'s>(node: Node<'_>, source: &'s [u8], kinds: &Kinds) -> &'s [u8] {
    let text = &source[node.byte_range()];
    if kinds.labels.contains(node.kind_id()) { text.trim_ascii_end() } else { text }
}

/// Where a node ends without the separator or terminator that is its last token.
pub(crate) fn end_without_terminator(node: Node<'_>, kinds: &Kinds) -> usize {
    if kinds.loose.contains(node.kind_id()) {
        return extent(node, kinds).end;
    }
    let mut at = node;
    loop {
        let mut cursor = at.walk();
        let mut last = None;
        let mut before = None;
        for child in at.children(&mut cursor).filter(|child| !child.is_extra()) {
            before = last.replace(child);
        }
        let Some(last) = last else { return node.end_byte() };
        let kind = last.kind_id();
        let ends = kinds.separators.contains(kind) || kinds.terminators.contains(kind);
        match before {
            Some(before) if ends && !last.is_named() => return before.end_byte(),
            _ if is_atom(at, kinds) => return node.end_byte(),
            _ => at = last,
        }
    }
}
