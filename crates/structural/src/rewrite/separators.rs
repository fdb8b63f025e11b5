//! Commas and semicolons around what goes away or comes in empty: one is removed with it, none is doubled.
//! It must never remove a comment, nor a separator that something else still needs.

use std::ops::Range;

use grammars::Grammar;

use super::layout::Layout;
use crate::outline::Node;
use crate::spans::{self, Unit};

/// What a capture is like at its edge.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge<'s> {
    /// An ellipsis that stands for nothing.
    pub(super) empty: bool,
    /// The separator or terminator that a capture ends with.
    pub(super) ends_with: Option<&'s [u8]>,
}

/// The part of `text`, a text of the rewrite, that is written between its two neighbours; `after` is the text behind
/// the right one.
pub(super) fn joined(text: &str, after: &str, left: Edge<'_>, right: Edge<'_>) -> Range<usize> {
    let (mut start, mut end) = (0, text.len());
    if left.empty {
        start = text.len() - without_first(text).unwrap_or(text).len();
    } else if left.ends_with.is_some_and(|separator| text.as_bytes().starts_with(separator)) {
        start = 1;
    }
    if right.empty && without_first(after).is_none() {
        let rest = &text[start..];
        let shortened = without_last(rest).or_else(|| without_line(rest, after)).unwrap_or(rest);
        end = start + shortened.len();
    }
    start..end
}

/// Behind the separator that the text starts with and the white space around it.
fn without_first(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix([',', ';']).map(str::trim_start)
}

/// Before the separator that the text ends with and the white space around it.
fn without_last(text: &str) -> Option<&str> {
    text.trim_end().strip_suffix([',', ';']).map(str::trim_end)
}

/// Before the line break and indentation that the text ends with, when nothing else stands in that line.
fn without_line<'t>(text: &'t str, after: &str) -> Option<&'t str> {
    let alone = after.is_empty() || after.trim_start_matches(' ').starts_with('\n');
    alone.then(|| text.trim_end_matches([' ', '\t']).strip_suffix('\n')).flatten()
}

/// The separator or terminator token that the source has right before `end`, if that is a token of its own.
pub(super) fn trailing<'s>(
    grammar: &Grammar,
    root: Node<'_>,
    source: &'s [u8],
    end: usize,
) -> Option<&'s [u8]> {
    let leaf = spans::last_leaf(root, end)?;
    let kinds = grammar.kinds();
    let is_one = kinds.separators.contains(leaf.kind_id()) || kinds.terminators.contains(leaf.kind_id());
    (is_one && leaf.byte_range().len() == 1).then(|| &source[leaf.byte_range()])
}

/// The range of a match with the terminator behind it, where that is part of the matched node: a pattern may leave it
/// out, and then it is not part of the match.
pub(super) fn terminated(
    grammar: &Grammar,
    root: Node<'_>,
    source: &[u8],
    range: &Range<usize>,
) -> Range<usize> {
    let blanks = source[range.end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let at = range.end + blanks;
    let token = root.descendant_for_byte_range(at, at + 1).filter(|token| token.byte_range() == (at..at + 1));
    let is_terminator = token.is_some_and(|token| grammar.kinds().terminators.contains(token.kind_id()));
    let whole = range.start..at + 1;
    let is_part = || spans::unit(root, range).is_none() && spans::unit(root, &whole).is_some();
    if is_terminator && is_part() { whole } else { range.clone() }
}

/// The range of a match that is all of a statement but its terminator, with that.
pub(super) fn statement(grammar: &Grammar, root: Node<'_>, range: &Range<usize>) -> Option<Range<usize>> {
    let Unit::Node(node) = spans::unit(root, range)? else { return None };
    let whole = with_terminator(grammar, node);
    let ended = whole != node && whole.start_byte() == range.start && whole.end_byte() > range.end;
    ended.then(|| whole.byte_range())
}

/// Whether what fills a range stands where a statement does: it is all of one, or nothing but others, terminators and
/// braces stand beside it.
pub(super) fn is_statement(grammar: &Grammar, root: Node<'_>, range: &Range<usize>) -> bool {
    let kinds = grammar.kinds();
    let Some(Unit::Node(node)) = spans::unit(root, range) else { return true };
    let is_beside = |sibling: Option<Node<'_>>, brace: &str| {
        sibling
            .is_none_or(|it| it.is_named() || it.kind() == brace || kinds.terminators.contains(it.kind_id()))
    };
    let is_value = kinds.expressions.contains(node.kind_id());
    !is_value
        || with_terminator(grammar, node) != node
        || node.parent().is_some()
            && is_beside(node.prev_sibling(), "{")
            && is_beside(node.next_sibling(), "}")
}

/// What goes with `range` when it is deleted: its terminator, one separator of the list it stands in, or its line.
/// Nothing before `from` is taken: an earlier deletion may have had it already.
pub(super) fn deletion(
    grammar: &Grammar,
    root: Node<'_>,
    layout: &Layout<'_>,
    range: &Range<usize>,
    from: usize,
) -> Range<usize> {
    let range = &terminated(grammar, root, layout.source, range);
    let Some(unit) = spans::unit(root, range) else { return range.clone() };
    let (first, last, range) = match unit {
        Unit::Node(node) => match with_terminator(grammar, node) {
            whole if whole == node => (node, node, range.clone()),
            whole => (whole, whole, whole.byte_range()),
        },
        Unit::Run { first, last } => (first, last, range.clone()),
    };
    let is_separator = |node: &Node<'_>| grammar.kinds().separators.contains(node.kind_id());
    let blank = |range: Range<usize>| layout.source[range].iter().all(u8::is_ascii_whitespace);
    let before = first.prev_sibling().filter(is_separator);
    if let Some(before) = before.filter(|it| it.start_byte() >= from && blank(it.end_byte()..range.start)) {
        return before.start_byte()..range.end;
    }
    let mut end = range.end;
    if let Some(after) =
        last.next_sibling().filter(is_separator).filter(|it| blank(range.end..it.start_byte()))
    {
        end = after.end_byte();
    }
    with_line(layout, range.start..end, end > range.end)
}

/// The node, or its parent when that has nothing else in it but terminators.
fn with_terminator<'t>(grammar: &Grammar, node: Node<'t>) -> Node<'t> {
    let kinds = grammar.kinds();
    let Some(parent) = node.parent() else { return node };
    let mut others = parent.children().filter(|child| *child != node).peekable();
    let ended = others.peek().is_some() && others.all(|other| kinds.terminators.contains(other.kind_id()));
    if ended { parent } else { node }
}

/// With the whole line or lines, when nothing else stands in them; else with the blanks at the end of the line, or up
/// to what follows a separator.
fn with_line(layout: &Layout<'_>, range: Range<usize>, separated: bool) -> Range<usize> {
    let rest = &layout.source[range.end..];
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let ends_line = rest.get(blanks).is_none_or(|byte| *byte == b'\n');
    if ends_line && layout.begins_line(range.start) {
        let end = (range.end + blanks + 1).min(layout.source.len());
        return layout.line_start(range.start)..end;
    }
    if ends_line {
        let before =
            layout.source[..range.start].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t'));
        return range.start - before.count()..range.end;
    }
    range.start..range.end + if separated { blanks } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Edge<'static> = Edge { empty: false, ends_with: None };
    const NONE: Edge<'static> = Edge { empty: true, ends_with: None };

    #[test]
    fn an_empty_ellipsis_takes_one_separator_with_it() {
        let text = |text: &'static str, after, left, right| &text[joined(text, after, left, right)];
        assert_eq!(text("bar(", ", 9)", SOME, NONE), "bar(");
        assert_eq!(text(", 9)", "", NONE, SOME), "9)");
        assert_eq!(text("bar(9, ", ")", SOME, NONE), "bar(9");
        assert_eq!(text("bar(9, ", ", 8)", SOME, NONE), "bar(9, ");
        assert_eq!(text("{\n  ", "\n  last;\n}", SOME, NONE), "{");
        assert_eq!(text("{ ", " }", SOME, NONE), "{ ");
    }

    #[test]
    fn a_separator_is_never_doubled() {
        let ended = Edge { empty: false, ends_with: Some(b";") };
        assert_eq!(joined("; done();", "", ended, SOME), 1..9);
        assert_eq!(joined(", done();", "", ended, SOME), 0..9);
    }
}
