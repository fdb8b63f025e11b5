//! Code that a file holds as raw tokens, such as the arguments of a macro: cut out and parsed in a scaffold, so
//! that it can be searched like the rest. What no scaffold takes stays a row of tokens.

use crate::matcher::Match;
use crate::outline::{self, Outline};
use crate::pattern::Pattern;
use crate::spans::{Unit, unit};
use crate::stopping::parse_clean;
use grammars::Grammar;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Embedded code within embedded code, at most.
const MAX_LEVELS: usize = 8;
/// The longest argument of raw tokens that a variable stands for.
const MAX_PIECE: usize = 4 * 1024;

/// Embedded code in its scaffold.
#[derive(Debug)]
pub(crate) struct Text {
    source: Vec<u8>,
    tree: Tree,
    inside: Range<usize>,
    at: usize,
    level: usize,
}

/// What is searched: a file, or code embedded in one.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) source: &'a [u8],
    /// The part of `source` that is of the file, and where that part starts in the file.
    pub(crate) inside: Range<usize>,
    pub(crate) at: usize,
    /// How many embedded texts it lies in.
    pub(crate) level: usize,
}

impl<'a> View<'a> {
    pub(crate) fn of(text: &'a Text) -> Self {
        let Text { source, tree, inside, at, level } = text;
        Self { tree, source, inside: inside.clone(), at: *at, level: *level }
    }

    /// Moves a match to its place in the file.
    pub(crate) fn put_in_place(&self, it: &mut Match) {
        let place = |range: &mut Range<usize>| {
            *range = self.in_file(range.start)..self.in_file(range.end);
        };
        place(&mut it.range);
        for capture in &mut it.captures {
            place(&mut capture.range);
            capture.items.iter_mut().for_each(place);
        }
    }

    /// The code that `node` has as raw tokens, between delimiters or in one piece, if it can match. Where it could
    /// and does not parse: its place in the file.
    pub(crate) fn embedded(&self, pattern: &Pattern, node: Node<'_>) -> Result<Option<Text>, usize> {
        let grammar = pattern.grammar();
        let Some(rule) = grammar.embedded().iter().find(|rule| rule.parent == node.kind()) else {
            return Ok(None);
        };
        let tokens = node.children(&mut node.walk()).find(|child| child.kind() == rule.tokens);
        let content = tokens.filter(|_| !node.has_error()).map(content).unwrap_or_default();
        let code = self.source.get(content.clone()).and_then(|code| std::str::from_utf8(code).ok());
        let holds = |code: &&str| {
            let mut literals = pattern.literals().iter();
            literals.all(|literal| memchr::memmem::find(code.as_bytes(), literal).is_some())
        };
        let Some(code) = code.filter(|code| !code.trim().is_empty()).filter(holds) else { return Ok(None) };
        let scaffolds = rule.scaffolds.iter().filter(|_| self.level < MAX_LEVELS);
        let mut texts = scaffolds.filter_map(|(prefix, suffix)| {
            let text = format!("{prefix}{code}{suffix}");
            let tree = parse_clean(grammar, &text)?;
            let inside = prefix.len()..prefix.len() + code.len();
            let at = self.in_file(content.start);
            Some(Text { source: text.into_bytes(), tree, inside, at, level: self.level + 1 })
        });
        texts.next().map(Some).ok_or_else(|| self.in_file(node.start_byte()))
    }

    fn in_file(&self, offset: usize) -> usize {
        self.at + offset - self.inside.start
    }
}

/// What stands between the delimiters of raw tokens, or all of what is one piece.
fn content(tokens: Node<'_>) -> Range<usize> {
    let mut cursor = tokens.walk();
    if !cursor.goto_first_child() {
        return tokens.byte_range();
    }
    let start = cursor.node().end_byte();
    cursor.goto_parent();
    cursor.goto_last_child();
    start..cursor.node().start_byte().max(start)
}

/// Whether raw tokens are one piece of code, as an argument is, and of such a kind.
pub(crate) fn is_piece(
    grammar: &'static Grammar,
    tokens: &[u8],
    fits: impl Fn(outline::Node<'_>) -> bool,
) -> bool {
    let Some(code) = std::str::from_utf8(tokens).ok().filter(|code| code.len() <= MAX_PIECE) else {
        return false;
    };
    grammar.embedded().iter().filter_map(|rule| rule.scaffolds.first()).any(|(prefix, suffix)| {
        let place = prefix.len()..prefix.len() + code.len();
        let tree = parse_clean(grammar, &format!("{prefix}{code}{suffix}"));
        let outline = tree.as_ref().map(|tree| Outline::of(tree, grammar.is_offside()));
        outline.is_some_and(|outline| match unit(outline.root_node(), &place) {
            Some(Unit::Node(node)) => fits(node),
            _ => false,
        })
    })
}
