//! Comments behind a block that are indented less than it: some parsers take them for a part of it, and they are not.
//! It must never leave out a comment that has code behind it.

use tree_sitter::Node;

/// Where a node ends without such comments, and, where `offside`, without the line break that ends a file: a block
/// that is closed by its indentation takes it.
pub(crate) fn end(node: Node<'_>, offside: bool) -> usize {
    let mut end = if offside { end_of_code(node) } else { node.end_byte() };
    while let Some(before) = before_comment(node, end) {
        end = before;
    }
    end
}

/// Where the last thing in a node ends, if the node ends with a line break that is none of it.
fn end_of_code(node: Node<'_>) -> usize {
    if node.end_position().column > 0 || node.start_position().row == node.end_position().row {
        return node.end_byte();
    }
    let mut last = node;
    while let Some(child) = last.child_count().checked_sub(1).and_then(|index| last.child(index)) {
        last = child;
    }
    if last.byte_range().is_empty() { node.end_byte() } else { last.end_byte() }
}

/// Where what stands before the comment that the node ends with ends, if the comment is none of the node's.
fn before_comment(node: Node<'_>, end: usize) -> Option<usize> {
    if node.start_position().row == node.end_position().row {
        return None;
    }
    let comment = node.descendant_for_byte_range(end.checked_sub(1)?, end)?;
    if !comment.is_extra() || comment.end_byte() != end || comment == node {
        return None;
    }
    let before = comment.prev_sibling()?;
    let opens_line = before.end_position().row < comment.start_position().row;
    let column = comment.start_position().column;
    let own = node.start_position().column;
    let outside = own > column || own == column && has_same_margin(node);
    (opens_line && outside).then(|| before.end_byte())
}

/// Whether what the node stands in starts in the same column.
fn has_same_margin(node: Node<'_>) -> bool {
    let mut around = node.parent();
    while let Some(same) = around.filter(|around| around.byte_range() == node.byte_range()) {
        around = same.parent();
    }
    around.is_some_and(|around| around.start_position().column == node.start_position().column)
}
