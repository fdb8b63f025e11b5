//! White space around a replacement: the file's line ends and indentation, and blocks of lines that move together.
//! It must never touch a line that starts inside a string, nor a blank one, nor anything behind the indentation.

use std::ops::Range;

use workspace::text::{Bom, Endings};

/// What the layout of a file is like.
#[derive(Debug)]
pub(super) struct Layout<'s> {
    pub(super) source: &'s [u8],
    /// Where each line starts, the first behind a byte order mark.
    starts: Vec<usize>,
    /// Line starts inside strings, templates and heredocs, in order.
    frozen: Vec<usize>,
    comments: &'s [Range<usize>],
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
        Self { source, starts, frozen, comments, ending: Endings::count(source).majority().as_str(), tabs }
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

    /// The white space at the start of the line of a byte.
    pub(super) fn indent(&self, at: usize) -> &'s [u8] {
        leading(&self.source[self.line_start(at)..])
    }

    /// Whether only white space stands before a byte in its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let start = self.line_start(at);
        start + self.indent(at).len() >= at
    }

    /// A part of the source as a block.
    pub(super) fn block(&self, range: Range<usize>) -> Block {
        let first = self.frozen.partition_point(|start| *start <= range.start);
        let frozen = self.frozen[first..].iter().take_while(|start| **start <= range.end);
        Block {
            frozen: frozen.map(|start| start - range.start).collect(),
            bytes: self.source[range].to_vec(),
            marks: Vec::new(),
        }
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
    /// A captured node, from this range of the source; `exact` when it came through unchanged.
    Capture { hole: usize, origin: Range<usize>, exact: bool },
    /// An ellipsis.
    Run { hole: usize, origins: Vec<Range<usize>> },
    /// A capture that is glued to a name in the template.
    Glued { hole: usize },
    /// A capture inside a string of the template.
    Quoted { hole: usize },
}

/// Bytes with what must be remembered about them.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Line starts that must stay where they are, in order.
    pub(super) frozen: Vec<usize>,
    pub(super) marks: Vec<Mark>,
}

impl Block {
    /// Appends another block as it is.
    pub(super) fn append(&mut self, other: Block) {
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.frozen.extend(other.frozen.iter().map(|start| start + base));
        self.marks.extend(other.marks.into_iter().map(|mark| moved(mark, |at| at + base)));
    }

    /// Moves every line after the first from one indentation to another.
    pub(super) fn shifted(self, from: &[u8], to: &[u8]) -> Block {
        if from == to || !self.bytes.contains(&b'\n') {
            return self;
        }
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut frozen = Vec::new();
        // Old offset and new offset of each place from which on the difference is the same.
        let mut points = vec![(0, 0)];
        let mut at = 0;
        for line in self.bytes.split_inclusive(|byte| *byte == b'\n') {
            let stays = at == 0 || self.frozen.binary_search(&at).is_ok();
            if stays && at > 0 {
                frozen.push(out.len());
            }
            let old = leading(line);
            let blank = old.len() == line.len() || matches!(line[old.len()], b'\n' | b'\r');
            match reindent(old, from, to) {
                Some(new) if !stays && !blank => {
                    out.extend_from_slice(&new);
                    points.push((at + old.len(), out.len()));
                    out.extend_from_slice(&line[old.len()..]);
                }
                _ => out.extend_from_slice(line),
            }
            at += line.len();
        }
        let place = |old: usize| {
            let (from, to) = points[points.partition_point(|(from, _)| *from <= old) - 1];
            to + (old - from)
        };
        let marks = self.marks.into_iter().map(|mark| moved(mark, place)).collect();
        Block { bytes: out, frozen, marks }
    }
}

fn moved(mark: Mark, place: impl Fn(usize) -> usize) -> Mark {
    let range = |range: &Range<usize>| place(range.start)..place(range.end);
    Mark { range: range(&mark.range), items: mark.items.iter().map(range).collect(), ..mark }
}

/// The new white space of a line whose white space is `old`, when the block moves. `None`: it cannot be told.
fn reindent(old: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
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

    fn shift(text: &str, frozen: &[usize], from: &str, to: &str) -> String {
        let block = Block { bytes: text.as_bytes().to_vec(), frozen: frozen.to_vec(), marks: Vec::new() };
        String::from_utf8(block.shifted(from.as_bytes(), to.as_bytes()).bytes).unwrap()
    }

    #[test]
    fn later_lines_move_and_blank_and_frozen_ones_stay() {
        let text = "a\n      b\n\n   \r\n  c\n s";
        assert_eq!(shift(text, &[text.len() - 2], "    ", "\t"), "a\n\t  b\n\n   \r\nc\n s");
        assert_eq!(shift("a\n  b", &[], "    ", "      "), "a\n    b");
        assert_eq!(shift("a\n\tb", &[], "  ", "    "), "a\n\tb", "tabs and spaces have no common measure");
    }

    #[test]
    fn marks_move_with_their_lines() {
        let text = "a\n  bc\n  d";
        let items = std::iter::once(9..10).collect();
        let mark = Mark { range: 4..6, items, what: Marked::Replacement, owner: 0 };
        let block = Block { bytes: text.as_bytes().to_vec(), frozen: vec![], marks: vec![mark] };
        let block = block.shifted(b"  ", b"      ");
        assert_eq!(&block.bytes[block.marks[0].range.clone()], b"bc");
        assert_eq!(&block.bytes[block.marks[0].items[0].clone()], b"d");
    }

    #[test]
    fn the_first_line_starts_behind_the_mark() {
        let layout = Layout::new("\u{feff}  a\n\tb".as_bytes(), vec![], &[]);
        assert_eq!((layout.line_start(5), layout.indent(5)), (3, &b"  "[..]));
        assert!(layout.begins_line(5) && !layout.begins_line(6) && layout.begins_line(8));
    }
}
