//! White space around a replacement: the file's line ends and indentation, and how lines move.
//! It must never touch a line that starts inside a string, nor a blank one, nor anything behind the indentation.

use std::ops::Range;

use workspace::text::{Bom, Endings};

use super::block::Extent;

/// Blanks to be cut to a width.
const BLANKS: &[u8] = &[b' '; 256];

/// What the layout of a file is like.
#[derive(Debug)]
pub(super) struct Layout<'s> {
    pub(super) source: &'s [u8],
    /// Where each line starts, the first behind a byte order mark.
    starts: Vec<usize>,
    /// Line starts inside strings, templates and heredocs, in order.
    frozen: Vec<usize>,
    comments: &'s [Range<usize>],
    /// What counts as indentation before the code that opens a line.
    pub(super) openers: &'s [String],
    pub(super) ending: &'static str,
    /// Whether indented lines mostly start with a tab.
    pub(super) tabs: bool,
}

impl<'s> Layout<'s> {
    pub(super) fn new(source: &'s [u8], frozen: Vec<usize>, comments: &'s [Range<usize>]) -> Self {
        let first = Bom::detect(source).map_or(0, Bom::len);
        let newlines = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts: Vec<usize> = std::iter::once(first).chain(newlines.map(|(at, _)| at + 1)).collect();
        let indented =
            |white: &[u8]| starts.iter().filter(|start| source[**start..].starts_with(white)).count();
        let tabs = indented(b"\t") > indented(b"  ");
        let ending = Endings::count(source).majority().as_str();
        Self { source, starts, frozen, comments, openers: &[], ending, tabs }
    }

    /// The comments that lie in a range, relative to its start.
    pub(super) fn comments_in(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let first = self.comments.partition_point(|comment| comment.start < range.start);
        let inside = self.comments[first..].iter().take_while(|comment| comment.end <= range.end);
        inside.map(|comment| comment.start - range.start..comment.end - range.start).collect()
    }

    /// Where the line of a byte starts, behind a byte order mark.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|start| *start <= at);
        self.starts[line.saturating_sub(1)].min(at)
    }

    /// The indentation of what stands at a byte: the white space at the start of its line, and blanks for what opens
    /// the line before it.
    pub(super) fn indent(&self, at: usize) -> &'s [u8] {
        let start = self.line_start(at);
        let white = leading(&self.source[start..]);
        let width = self.opened(&self.source[start..at.max(start + white.len())]);
        BLANKS.get(..width).filter(|_| width > white.len()).unwrap_or(white)
    }

    /// How much of a line is white space and what opens it.
    pub(super) fn opened(&self, line: &[u8]) -> usize {
        let mut width = leading(line).len();
        while let Some(opener) = self.openers.iter().find(|it| line[width..].starts_with(it.as_bytes())) {
            width += opener.len();
            width += leading(&line[width..]).len();
        }
        width
    }

    /// Whether only white space stands before a byte in its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let start = self.line_start(at);
        start + leading(&self.source[start..]).len() >= at
    }

    /// Whether nothing stands before a byte in its line but white space and what opens it.
    pub(super) fn opens_line(&self, at: usize) -> bool {
        let line = &self.source[self.line_start(at)..at];
        self.opened(line) == line.len()
    }

    /// What is known of a part of the source.
    pub(super) fn extent(&self, range: &Range<usize>) -> Extent {
        let lines = self.starts.partition_point(|start| *start <= range.end);
        // The first line starts behind no line end.
        let line = self.starts[1..lines.max(1)].last().filter(|start| **start > range.start);
        let frozen = line.is_some_and(|start| self.is_frozen(*start));
        Extent::of(&self.source[range.clone()], line.map(|start| start - range.start), frozen)
    }

    /// Whether the line that starts here starts inside a string.
    pub(super) fn is_frozen(&self, start: usize) -> bool {
        self.frozen.binary_search(&start).is_ok()
    }
}

/// Something in a block whose place must be known later.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// In the block.
    pub(super) range: Range<usize>,
    /// The runs of one ellipsis, in the block; the range itself for anything else.
    pub(super) items: Vec<Range<usize>>,
    pub(super) what: Marked,
    /// Which of the chosen matches it belongs to.
    pub(super) owner: usize,
}

/// What a mark stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marked {
    /// A whole replacement.
    Replacement,
    /// One that is nothing.
    Gone,
    /// A captured node, from this range of the source; `exact` when it came through unchanged.
    Capture { hole: usize, origin: Range<usize>, exact: bool },
    /// An ellipsis.
    Run { hole: usize, origins: Vec<Range<usize>> },
    /// A capture that is glued to a name in the template.
    Glued { hole: usize },
    /// A capture inside a string of the template.
    Quoted { hole: usize },
}

/// The new white space of a line whose white space is `old`, when the block moves. `None`: it cannot be told.
pub(super) fn reindent(old: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    if let Some(rest) = old.strip_prefix(from) {
        return Some([to, rest].concat());
    }
    // A line further left than the block's first one keeps its distance as far as there is room.
    let less = from.strip_prefix(old)?.len();
    Some(to[..to.len().saturating_sub(less)].to_vec())
}

/// The spaces and tabs at the start.
pub(super) fn leading(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_starts_behind_the_mark() {
        let layout = Layout::new("\u{feff}  a\n\tb".as_bytes(), vec![], &[]);
        assert_eq!((layout.line_start(5), layout.indent(5)), (3, &b"  "[..]));
        assert!(layout.begins_line(5) && !layout.begins_line(6) && layout.begins_line(8));
    }
}
