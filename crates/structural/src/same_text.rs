//! Whether two pieces of code are the same text: the same tokens with the same bytes, grouped the same
//! way, whatever space, comments and trailing separators lie between them.
//! It never normalises: `(a)` is not `a`, `'x'` is not `"x"`.

use crate::elements::{atom_text, elements, extent, is_atom};
use grammars::Kinds;
use tree_sitter::{Node, TreeCursor};

/// Compares two nodes.
pub(crate) fn same_text<'tree>(
    left: Node<'tree>,
    right: Node<'tree>,
    source: &[u8],
    kinds: &Kinds,
    cursor: &mut TreeCursor<'tree>,
) -> bool {
    if source[extent(left, kinds)] == source[extent(right, kinds)] {
        return true;
    }
    let mut pairs = vec![(left, right)];
    while let Some((left, right)) = pairs.pop() {
        let left = unwrapped(left, kinds, cursor);
        let right = unwrapped(right, kinds, cursor);
        if is_atom(left, kinds) || is_atom(right, kinds) {
            if !is_atom(left, kinds)
                || !is_atom(right, kinds)
                || atom_text(left, source, kinds) != atom_text(right, source, kinds)
            {
                return false;
            }
            continue;
        }
        let lefts = elements(cursor, left, kinds);
        let rights = elements(cursor, right, kinds);
        if lefts.len() != rights.len() {
            return false;
        }
        for (left, right) in lefts.iter().zip(&rights) {
            if left.separator != right.separator || left.value != right.value {
                return false;
            }
            pairs.push((left.node, right.node));
        }
    }
    true
}

/// Goes down while a node is only a wrapper of another.
fn unwrapped<'tree>(node: Node<'tree>, kinds: &Kinds, cursor: &mut TreeCursor<'tree>) -> Node<'tree> {
    let mut node = node;
    while !is_atom(node, kinds) {
        let children = elements(cursor, node, kinds);
        let [only] = children[..] else { return node };
        node = only.node;
    }
    node
}
