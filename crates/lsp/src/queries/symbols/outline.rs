//! A file's symbols as a row of nodes with depths, whether the server gave a tree or a flat list.
//! It must never lose a branch because one of its nodes is odd.

use serde_json::Value;

use crate::queries::Spot;
use crate::queries::decode::{kind, range, text};

/// One symbol, at its depth in the tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) detail: Option<String>,
    pub(super) depth: usize,
    pub(super) spot: Spot,
}

/// Every symbol of a file, parents before children.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) nodes: Vec<Node>,
    pub(super) odd: usize,
}

impl Outline {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.odd == 0
    }

    /// The first `limit` by depth, in the order of the file.
    pub(super) fn outermost(&self, limit: usize) -> Vec<Node> {
        let mut chosen: Vec<usize> = (0..self.nodes.len()).collect();
        chosen.sort_by_key(|index| self.nodes[*index].depth);
        chosen.truncate(limit);
        chosen.sort_unstable();
        chosen.into_iter().map(|index| self.nodes[index].clone()).collect()
    }
}

/// Reads `DocumentSymbol[]` or `SymbolInformation[]` of the document `uri`.
pub(super) fn read(answer: &Value, uri: &str) -> Outline {
    let mut outline = Outline::default();
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    // A stack, not recursion: the depth is the server's.
    let mut rest: Vec<(&Value, usize)> = items.iter().rev().map(|item| (item, 0)).collect();
    while let Some((item, depth)) = rest.pop() {
        match node(item, uri, depth) {
            Some(node) => outline.nodes.push(node),
            None => outline.odd += 1,
        }
        let children = item.get("children").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        rest.extend(in_order(children).into_iter().rev().map(|child| (child, depth + 1)));
    }
    if items.iter().any(|item| item.get("location").is_some()) {
        outline.nodes.sort_by_key(|node| node.spot.range.map(|range| range.start));
    }
    outline
}

fn in_order(children: &[Value]) -> Vec<&Value> {
    let mut children: Vec<&Value> = children.iter().collect();
    children.sort_by_key(|child| child.get("range").and_then(range).map(|range| range.start));
    children
}

fn node(item: &Value, uri: &str, depth: usize) -> Option<Node> {
    let name = text(item, "name")?;
    let (spot, detail) = if let Some(location) = item.get("location") {
        let spot = Spot::new(text(location, "uri")?, range(location.get("range")?)?);
        // A flat list gives the range of the whole, and where it belongs in place of a signature.
        let within = text(item, "containerName").map(|it| format!("in {it}"));
        (Spot { name: Some(name.to_owned()), ..spot }, within)
    } else {
        let at = item.get("selectionRange").or_else(|| item.get("range"))?;
        (Spot::new(uri, range(at)?), text(item, "detail").map(str::to_owned))
    };
    let detail = detail.filter(|detail| !detail.trim().is_empty());
    Some(Node { kind: kind(item), name: name.to_owned(), detail, depth, spot })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 9 } })
    }

    fn said(outline: &[Node]) -> Vec<String> {
        outline.iter().map(|node| format!("{}{} {}", "-".repeat(node.depth), node.kind, node.name)).collect()
    }

    #[test]
    fn a_tree_is_read_parents_first_and_cut_from_within() {
        let leaf = |name: &str, line| json!({ "name": name, "kind": 6, "range": at(line), "selectionRange": at(line) });
        let class = |name: &str, line, children: Value| {
            json!({
                "name": name, "kind": 5, "range": at(line), "selectionRange": at(line), "children": children,
            })
        };
        let tree = json!([
            class("A", 0, json!([leaf("b", 2), leaf("a", 1), { "kind": 6 }])),
            class("B", 5, json!([]))
        ]);
        let outline = read(&tree, "file:///a");
        assert_eq!(said(&outline.nodes), ["class A", "-method a", "-method b", "class B"]);
        assert_eq!(outline.odd, 1);
        assert_eq!(said(&outline.outermost(3)), ["class A", "-method a", "class B"]);
    }

    #[test]
    fn a_flat_list_comes_in_the_order_of_the_file() {
        let flat = |name: &str, line| {
            json!({
                "name": name, "kind": 12, "containerName": "m", "location": { "uri": "file:///a", "range": at(line) },
            })
        };
        let outline = read(&json!([flat("b", 4), flat("a", 2)]), "file:///a");
        assert_eq!(said(&outline.nodes), ["function a", "function b"]);
        assert_eq!(outline.nodes[0].detail.as_deref(), Some("in m"));
    }
}
