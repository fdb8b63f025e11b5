//! Which readings of a fragment mean the same thing: they differ only in the kind of their root or in
//! wrappers (a local function, a function, a method), or the language's data says their roots are one
//! concept. Such readings are searched together; any other reading is only tallied.

use crate::shape::{Body, Shape};
use grammars::Grammar;

/// Whether two readings of one fragment are one family.
pub(crate) fn same_family(grammar: &Grammar, left: &[Shape], right: &[Shape]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| {
            let (left, right) = (unwrapped(left), unwrapped(right));
            differ_in_root_only(grammar, left, right) || is_one_concept(grammar, left, right)
        })
}

fn differ_in_root_only(grammar: &Grammar, left: &Shape, right: &Shape) -> bool {
    let distinct = &grammar.kinds().distinct;
    match (&left.body, &right.body) {
        (Body::Inner { kind, children: lefts }, Body::Inner { kind: other, children: rights }) => {
            (kind == other
                || !(distinct.contains(*kind) || distinct.contains(*other) || is_frame(grammar, lefts)))
                && all_alike(lefts, rights)
        }
        (left, right) => left == right,
    }
}

/// Whether nodes are brackets and variables only: what is in brackets is not told by them, be it a list, a pattern or
/// the arguments of a call.
fn is_frame(grammar: &Grammar, children: &[Shape]) -> bool {
    let language = grammar.language();
    let is_bracket = |shape: &Shape, brackets: &[char]| match shape.body {
        Body::Token { kind } => {
            language.node_kind_for_id(kind).is_some_and(|text| text.len() == 1 && text.contains(brackets))
        }
        _ => false,
    };
    match children {
        [open, inner @ .., close] => {
            is_bracket(open, &['(', '[', '{', '<'])
                && is_bracket(close, &[')', ']', '}', '>'])
                && inner.iter().all(Shape::is_bare)
        }
        _ => false,
    }
}

fn all_alike(lefts: &[Shape], rights: &[Shape]) -> bool {
    let same_place =
        |left: &Shape, right: &Shape| left.field == right.field && left.separator == right.separator;
    lefts.len() == rights.len()
        && lefts.iter().zip(rights).all(|(left, right)| same_place(left, right) && alike(left, right))
}

fn alike(left: &Shape, right: &Shape) -> bool {
    let (left, right) = (unwrapped(left), unwrapped(right));
    match (&left.body, &right.body) {
        (Body::Inner { kind, children: lefts }, Body::Inner { kind: other, children: rights }) => {
            kind == other && all_alike(lefts, rights)
        }
        (left, right) => left == right,
    }
}

fn unwrapped(shape: &Shape) -> &Shape {
    let mut shape = shape;
    while let Body::Inner { children, .. } = &shape.body
        && let [only] = &children[..]
    {
        shape = only;
    }
    shape
}

fn is_one_concept(grammar: &Grammar, left: &Shape, right: &Shape) -> bool {
    let language = grammar.language();
    let name = |shape: &Shape| match shape.body {
        Body::Inner { kind, .. } => language.node_kind_for_id(kind).map(str::to_owned),
        _ => None,
    };
    let (Some(left_kind), Some(right_kind)) = (name(left), name(right)) else { return false };
    grammar.families().iter().any(|family| family.contains(&left_kind) && family.contains(&right_kind))
        && leaves(left) == leaves(right)
}

/// The leaves in order, fields and kinds of identifiers forgotten.
fn leaves(shape: &Shape) -> Vec<&Body> {
    let mut found = Vec::new();
    collect_leaves(shape, &mut found);
    found
}

fn collect_leaves<'a>(shape: &'a Shape, found: &mut Vec<&'a Body>) {
    match &shape.body {
        Body::Inner { children, .. } => children.iter().for_each(|child| collect_leaves(child, found)),
        leaf => found.push(leaf),
    }
}
