//! The compact tree of a pattern, built from the parsed scaffold: kinds, fields, texts and variables,
//! with everything that may differ between pattern and code already left out.
//! It keeps nothing of the scaffold and nothing of tree-sitter. Recursion is on the pattern's own depth,
//! which the builder's caller has bounded.

use crate::elements::{Element, atom_text, elements, is_atom, is_literal};
use crate::scaffold::{Occurrence, Scaffolded};
use grammars::Kinds;
use tree_sitter::{Node, TreeCursor};

/// One node of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) field: u16,
    /// As in [`Element::separator`].
    pub(crate) separator: u16,
    pub(crate) body: Body,
}

impl Shape {
    /// Whether it is nothing but variables, side by side. Fields tell them apart, as the type and the name of a
    /// declaration; separators do not.
    pub(crate) fn is_bare(&self) -> bool {
        match &self.body {
            Body::One { .. } | Body::Many { .. } => true,
            Body::Inner { children, .. } => {
                let alike = children.len() == 1 || children.iter().all(|child| child.field == 0);
                alike && children.iter().all(Self::is_bare)
            }
            _ => false,
        }
    }
}

/// What a node of a pattern asks of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// A node of this kind with these elements.
    Inner { kind: u16, children: Vec<Shape> },
    /// An identifier of any sort with this text.
    Name(Vec<u8>),
    /// A node of this kind with this text.
    Leaf { kind: u16, text: Vec<u8> },
    /// A bare token.
    Token { kind: u16 },
    /// A literal between these delimiters; the variable is its content.
    Quoted { kind: u16, open: Vec<u8>, close: Vec<u8>, name: String },
    /// `$NAME`.
    One { name: String },
    /// `$$$NAME`.
    Many { name: String },
}

/// What building learnt beside the tree.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Variables that turned out to lie inside a text, by their place in the fragment's list.
    pub(crate) buried: Vec<usize>,
    /// An identifier that is a keyword of the language.
    pub(crate) keyword_as_name: bool,
    /// There are comments, which do not count.
    pub(crate) commented: bool,
    /// A node that the language's data calls unlikely.
    pub(crate) unlikely: bool,
    /// Variables placed.
    placed: Vec<usize>,
}

/// Builds shapes of `nodes`. `None` when a variable is not the whole of a node, or a node is empty.
pub(crate) fn build(
    nodes: &[Element<'_>],
    scaffolded: &Scaffolded<'_>,
    kinds: &Kinds,
) -> Option<(Vec<Shape>, Findings)> {
    let first = nodes.first()?;
    let mut builder = Builder { scaffolded, kinds, cursor: first.node.walk(), findings: Findings::default() };
    let shapes = nodes.iter().map(|element| builder.shape(element)).collect::<Option<Vec<_>>>()?;
    let Findings { placed, buried, .. } = &builder.findings;
    (placed.len() + buried.len() == scaffolded.occurrences.len()).then_some((shapes, builder.findings))
}

struct Builder<'a, 'tree> {
    scaffolded: &'a Scaffolded<'a>,
    kinds: &'a Kinds,
    cursor: TreeCursor<'tree>,
    findings: Findings,
}

impl<'tree> Builder<'_, 'tree> {
    fn shape(&mut self, element: &Element<'tree>) -> Option<Shape> {
        let body = self.body(element)?;
        Some(Shape { field: element.field, separator: element.separator, body })
    }

    fn body(&mut self, element: &Element<'tree>) -> Option<Body> {
        let node = element.node;
        if node.start_byte() == node.end_byte() {
            // A hidden rule that error recovery left out keeps an empty node and raises no error.
            return None;
        }
        if let Some(index) = self.occurrence_of(node) {
            self.findings.placed.push(index);
            let occurrence = &self.scaffolded.occurrences[index];
            let name = occurrence.name.clone();
            return Some(if occurrence.many { Body::Many { name } } else { Body::One { name } });
        }
        let kind = node.kind_id();
        if !element.value {
            return Some(Body::Token { kind });
        }
        if is_literal(node, self.kinds) {
            return self.literal(node);
        }
        if self.kinds.labels.contains(kind) {
            return Some(self.label(node));
        }
        if is_atom(node, self.kinds) {
            let text = self.text(node.start_byte(), node.end_byte());
            if self.kinds.names.contains(kind) {
                self.findings.keyword_as_name |=
                    std::str::from_utf8(&text).is_ok_and(|word| self.kinds.is_keyword(word));
                return Some(Body::Name(text));
            }
            return Some(Body::Leaf { kind, text });
        }
        self.inner(node)
    }

    fn inner(&mut self, node: Node<'tree>) -> Option<Body> {
        self.findings.unlikely |= self.kinds.unlikely.contains(node.kind_id());
        let children = elements(&mut self.cursor, node, self.kinds)
            .iter()
            .map(|child| self.shape(child))
            .collect::<Option<Vec<_>>>()?;
        Some(Body::Inner { kind: node.kind_id(), children })
    }

    /// A string or the like: its content is one variable, or code stands inside it, or it is text.
    fn literal(&mut self, node: Node<'tree>) -> Option<Body> {
        let kind = node.kind_id();
        let inside: Vec<usize> = (0..self.scaffolded.occurrences.len())
            .filter(|&index| {
                let range = &self.scaffolded.occurrences[index].range;
                node.start_byte() <= range.start && range.end <= node.end_byte()
            })
            .collect();
        if let [index] = inside[..]
            && let Some((open, close)) = self.delimiters(node, &self.scaffolded.occurrences[index])
        {
            self.findings.placed.push(index);
            let name = self.scaffolded.occurrences[index].name.clone();
            return Some(Body::Quoted { kind, open, close, name });
        }
        let children = elements(&mut self.cursor, node, self.kinds);
        let holds_code =
            children.iter().filter(|child| child.value && !is_atom(child.node, self.kinds)).any(|child| {
                inside.iter().any(|&index| encloses(child.node, &self.scaffolded.occurrences[index]))
            });
        if holds_code {
            return self.inner(node);
        }
        let text = self.text(node.start_byte(), node.end_byte());
        Some(Body::Leaf { kind, text })
    }

    /// A name with the mark behind it: the name may be a variable.
    fn label(&mut self, node: Node<'tree>) -> Body {
        let kind = node.kind_id();
        let end = node.start_byte() + atom_text(node, self.scaffolded.text.as_bytes(), self.kinds).len();
        let named = self.scaffolded.occurrences.iter().position(|occurrence| {
            !occurrence.many && occurrence.range.start == node.start_byte() && occurrence.range.end < end
        });
        let Some(index) = named else {
            let text = self.text(node.start_byte(), end);
            return Body::Leaf { kind, text };
        };
        self.findings.placed.push(index);
        let occurrence = &self.scaffolded.occurrences[index];
        let close = self.scaffolded.text.as_bytes()[occurrence.range.end..end].to_vec();
        Body::Quoted { kind, open: Vec::new(), close, name: occurrence.name.clone() }
    }

    /// The delimiters of a literal whose whole content is the occurrence.
    fn delimiters(&self, node: Node<'tree>, occurrence: &Occurrence) -> Option<(Vec<u8>, Vec<u8>)> {
        let source = self.scaffolded.text.as_bytes();
        let open = &source[node.start_byte()..occurrence.range.start];
        let close = &source[occurrence.range.end..node.end_byte()];
        let content = node.child_count() > 0
            && (0..node.child_count()).filter_map(|index| node.child(index)).any(|child| {
                child.byte_range() == occurrence.range && self.kinds.text.contains(child.kind_id())
            });
        // A content that is no part of its own: what stands around it must be quotes, not letters.
        let apart = |child: Node<'_>| {
            child.end_byte() <= occurrence.range.start || occurrence.range.end <= child.start_byte()
        };
        let bare = node.children(&mut node.walk()).all(apart)
            && !open.is_empty()
            && [open, close]
                .iter()
                .all(|edge| edge.iter().all(|byte| !byte.is_ascii_alphanumeric() && *byte != b' '));
        (content || bare).then(|| (open.to_vec(), close.to_vec()))
    }

    /// The fragment's own text of a range of the scaffold; variables in it are text.
    fn text(&mut self, start: usize, end: usize) -> Vec<u8> {
        for (index, occurrence) in self.scaffolded.occurrences.iter().enumerate() {
            if start <= occurrence.range.start && occurrence.range.end <= end {
                self.findings.buried.push(index);
            }
        }
        self.scaffolded.shown_text(start, end).as_bytes().to_vec()
    }

    /// The variable that `node` is exactly the spelling of.
    fn occurrence_of(&self, node: Node<'tree>) -> Option<usize> {
        let holder = self.kinds.holders.contains(node.kind_id());
        self.scaffolded.occurrences.iter().position(|occurrence| {
            (occurrence.many || !holder)
                && node.start_byte() == occurrence.range.start
                && (node.end_byte() == occurrence.range.end || self.is_ended_by_scaffold(node, occurrence))
        })
    }

    /// Whether the node is the spelling plus one terminator: the scaffold's own, or, for a run of
    /// siblings, any.
    fn is_ended_by_scaffold(&self, node: Node<'tree>, occurrence: &Occurrence) -> bool {
        let own = occurrence.range.end == self.scaffolded.fragment.end
            && node.end_byte() == self.scaffolded.terminator_end
            && self.scaffolded.terminator_end > self.scaffolded.fragment.end;
        let any = occurrence.many
            && node.child_count() > 1
            && node.child(node.child_count() - 1).is_some_and(|last| {
                let kind = last.kind_id();
                let ends = self.kinds.separators.contains(kind) || self.kinds.terminators.contains(kind);
                ends && self.scaffolded.text[occurrence.range.end..last.start_byte()].trim().is_empty()
                    && last.start_byte() >= occurrence.range.end
            });
        own || any
    }
}

fn encloses(node: Node<'_>, occurrence: &Occurrence) -> bool {
    node.start_byte() <= occurrence.range.start && occurrence.range.end <= node.end_byte()
}
