//! The outline against the tree it is of.

use std::time::Duration;

use grammars::Grammar;
use tree_sitter::Tree;

use super::*;
use crate::parse::{Descend, Limits, parse, preorder};

fn tree(source: &str) -> Tree {
    let limits = Limits { stop: &|| false, time: Duration::from_secs(10) };
    parse(Grammar::by_id("python").unwrap(), source.as_bytes(), &limits).unwrap()
}

#[test]
fn every_node_has_the_surroundings_it_has_in_the_tree() {
    let tree =
        tree("\ndef f(a, b=1):\n    # no\n    return a.b(c)(d)[1:2] + {'x': [y, z]}\n\nf(1) if x else (\n");
    let outline = Outline::of(&tree, false);
    let shown = |node: tree_sitter::Node<'_>| (node.kind_id(), node.byte_range());
    let own = |node: Node<'_>| (node.kind_id(), node.byte_range());
    let mut index = 0;
    preorder(tree.root_node(), |node| {
        let here = Node { outline: &outline, index };
        index += 1;
        assert_eq!((own(here), here.kind(), here.is_named()), (shown(node), node.kind(), node.is_named()));
        assert_eq!(here.parent().map(own), node.parent().map(shown));
        assert_eq!(here.next_sibling().map(own), node.next_sibling().map(shown));
        assert_eq!(here.prev_sibling().map(own), node.prev_sibling().map(shown));
        assert_eq!(here.children().count(), node.child_count() as usize);
        assert_eq!(here.last_child().map(own), node.children(&mut node.walk()).last().map(shown));
        Descend::Yes
    });
    assert_eq!(index as usize, outline.flat.len());
}

#[test]
fn places_are_found_as_in_the_tree() {
    let source = "x = a.b(c)(d)[1:2] + {'x': [y, z]}\nf(g(h(1, 2), 3))\n";
    let tree = tree(source);
    let outline = Outline::of(&tree, false);
    for start in 0..source.len() {
        for end in start + 1..=source.len() {
            let wanted = tree.root_node().descendant_for_byte_range(start, end).unwrap();
            let found = outline.root_node().descendant_for_byte_range(start, end).unwrap();
            assert_eq!((found.kind_id(), found.byte_range()), (wanted.kind_id(), wanted.byte_range()));
            if let Some(first) = found.children().find(|child| child.start_byte() == start) {
                assert_eq!(found.first_child_from(start), Some(first), "{start}..{end}");
            }
        }
    }
}
