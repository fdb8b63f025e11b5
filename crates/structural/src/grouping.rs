//! Operations that a parser groups to the right, however strongly their operators bind: whether the language
//! would group them so.
//! It only says where the two differ; it never regroups.

use grammars::Kinds;
use tree_sitter::Node;

/// Whether an operation, or the one on its right, is not one of the language's.
pub(crate) fn is_misgrouped(node: Node<'_>, source: &[u8], kinds: &Kinds) -> bool {
    let within = || right_operand(node, kinds).is_some_and(|inner| is_astray(node, inner, source, kinds));
    kinds.ungrouped.contains(node.kind_id()) && (within() || is_torn_out(node, source, kinds))
}

/// Whether the operation that this one stands right of would take only a part of it.
pub(crate) fn is_torn_out(node: Node<'_>, source: &[u8], kinds: &Kinds) -> bool {
    kinds.ungrouped.contains(node.kind_id())
        && node.parent().is_some_and(|outer| {
            right_operand(outer, kinds) == Some(node) && is_astray(outer, node, source, kinds)
        })
}

/// The operation on the right of an operation.
fn right_operand<'tree>(node: Node<'tree>, kinds: &Kinds) -> Option<Node<'tree>> {
    let operation = |node: &Node<'_>| kinds.ungrouped.contains(node.kind_id());
    let outer = Some(node).filter(operation)?;
    outer.child(outer.child_count().saturating_sub(1)).filter(operation)
}

fn is_astray(outer: Node<'_>, inner: Node<'_>, source: &[u8], kinds: &Kinds) -> bool {
    let sign = |node: Node<'_>| {
        let range = node.child_by_field_name("operator").map(|it| it.byte_range()).unwrap_or_default();
        std::str::from_utf8(&source[range]).unwrap_or_default().to_owned()
    };
    !kinds.groups_right(&sign(outer), &sign(inner))
}
