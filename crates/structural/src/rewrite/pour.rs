//! Writes blocks out, one behind the other, in one pass: lines get their indentation where they start, marks their
//! places. It must never recurse: replacements nest as deep as the source does.

use std::ops::Range;

use super::Watch;
use super::block::{Block, Piece};
use super::layout::{Layout, Mark, Marked, leading, reindent};
use crate::parse::Unparsed;

/// Pieces between two looks at the watch.
const WATCH_EVERY: usize = 1_024;

/// Text, with the places of its marks, inner ones before the ones around them.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    pub(super) marks: Vec<Mark>,
}

/// The text so far.
pub(super) struct Pour<'a> {
    layout: &'a Layout<'a>,
    watch: &'a Watch<'a>,
    /// By number; `None` where a match is left as it is.
    inner: &'a dyn Fn(usize) -> Option<&'a Block<'a>>,
    bytes: Vec<u8>,
    /// The indentations that lines move from and to, the outermost first.
    shifts: Vec<(&'a [u8], &'a [u8])>,
    /// The line that moves and has only white space so far.
    line: Option<Line>,
    /// Places, by number: where they are is known once their line has its indentation.
    places: Vec<usize>,
    open: Vec<Opened>,
    marks: Vec<Placed>,
    pieces: usize,
}

struct Line {
    white: Vec<u8>,
    /// How many of the shifts it started in and has not left.
    shifts: usize,
    /// Places in it, behind so many bytes of `white`.
    places: Vec<(usize, usize)>,
}

struct Opened {
    start: usize,
    items: Vec<Range<usize>>,
    item: usize,
}

/// A mark, its places by number.
struct Placed {
    range: Range<usize>,
    items: Vec<Range<usize>>,
    what: Marked,
    owner: usize,
}

impl<'a> Pour<'a> {
    pub(super) fn new(
        layout: &'a Layout<'a>,
        watch: &'a Watch<'a>,
        inner: &'a dyn Fn(usize) -> Option<&'a Block<'a>>,
    ) -> Self {
        Self {
            layout,
            watch,
            inner,
            bytes: Vec::with_capacity(layout.source.len()),
            shifts: Vec::new(),
            line: None,
            places: Vec::new(),
            open: Vec::new(),
            marks: Vec::new(),
            pieces: 0,
        }
    }

    /// Writes a part of the source.
    pub(super) fn source(&mut self, range: Range<usize>) {
        let layout = self.layout;
        let start = range.start;
        self.write(&layout.source[range], |at| layout.is_frozen(start + at));
    }

    /// Writes a block; where it came to stand.
    pub(super) fn block(&mut self, block: &'a Block<'a>) -> Result<Range<usize>, Unparsed> {
        let start = self.bytes.len();
        let mut frames = vec![block.pieces.iter()];
        while let Some(frame) = frames.last_mut() {
            let Some(piece) = frame.next() else {
                frames.pop();
                continue;
            };
            self.pieces += 1;
            if self.pieces.is_multiple_of(WATCH_EVERY) {
                self.watch.check()?;
            }
            match piece {
                Piece::Inner { index, .. } => {
                    frames.extend((self.inner)(*index).map(|inner| inner.pieces.iter()));
                }
                piece => self.piece(piece),
            }
        }
        Ok(start..self.bytes.len())
    }

    fn piece(&mut self, piece: &'a Piece<'a>) {
        match piece {
            Piece::Text { bytes, frozen } => self.write(bytes, |_| *frozen),
            Piece::Source(range) => self.source(range.clone()),
            Piece::Inner { .. } => {}
            Piece::Shift { from, to } => self.shifts.push((from, to)),
            Piece::ShiftEnd => self.end_shift(),
            Piece::Open => {
                let start = self.place();
                self.open.push(Opened { start, items: Vec::new(), item: start });
            }
            Piece::Item => {
                let start = self.place();
                if let Some(open) = self.open.last_mut() {
                    open.item = start;
                }
            }
            Piece::ItemEnd => {
                let end = self.place();
                if let Some(open) = self.open.last_mut() {
                    open.items.push(open.item..end);
                }
            }
            Piece::Close { what, owner } => {
                let end = self.place();
                if let Some(Opened { start, items, .. }) = self.open.pop() {
                    self.marks.push(Placed { range: start..end, items, what: what.clone(), owner: *owner });
                }
            }
        }
    }

    fn write(&mut self, bytes: &[u8], is_frozen: impl Fn(usize) -> bool) {
        if self.shifts.is_empty() {
            self.bytes.extend_from_slice(bytes);
            return;
        }
        let mut at = 0;
        while at < bytes.len() {
            if let Some(line) = &mut self.line {
                let white = leading(&bytes[at..]);
                line.white.extend_from_slice(white);
                at += white.len();
                let Some(next) = bytes.get(at) else { return };
                self.end_white(matches!(next, b'\n' | b'\r'));
            }
            let newline = memchr::memchr(b'\n', &bytes[at..]);
            let end = newline.map_or(bytes.len(), |newline| at + newline + 1);
            self.bytes.extend_from_slice(&bytes[at..end]);
            at = end;
            if newline.is_some() && !is_frozen(at) {
                self.line = Some(Line { white: Vec::new(), shifts: self.shifts.len(), places: Vec::new() });
            }
        }
    }

    /// Writes the white space that a line starts with. A blank one stays as it is.
    fn end_white(&mut self, blank: bool) {
        let Some(line) = self.line.take() else { return };
        let mut white = line.white.clone();
        for (from, to) in self.shifts[..line.shifts].iter().rev().filter(|_| !blank) {
            white = reindent(&white, from, to).unwrap_or(white);
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&white);
        for (place, behind) in line.places {
            let all = behind == line.white.len();
            self.places[place] = start + if all { white.len() } else { behind.min(white.len()) };
        }
    }

    /// A line that is blank up to here does not move with the block that ends.
    fn end_shift(&mut self) {
        self.shifts.pop();
        if let Some(line) = &mut self.line {
            line.shifts = line.shifts.min(self.shifts.len());
            if line.shifts == 0 {
                self.end_white(true);
            }
        }
    }

    /// A place here; its number.
    fn place(&mut self) -> usize {
        let number = self.places.len();
        self.places.push(self.bytes.len());
        if let Some(line) = &mut self.line {
            line.places.push((number, line.white.len()));
        }
        number
    }

    pub(super) fn finish(self) -> Whole {
        let places = self.places;
        let place = |range: &Range<usize>| places[range.start]..places[range.end];
        let marks = self.marks.into_iter().map(|Placed { range, items, what, owner }| Mark {
            range: place(&range),
            items: items.iter().map(place).collect(),
            what,
            owner,
        });
        Whole { marks: marks.collect(), bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::parse::Limits;

    fn poured(layout: &Layout<'_>, block: &Block<'_>) -> Whole {
        let limits = Limits { stop: &|| false, time: Duration::from_secs(10) };
        let watch = Watch::new(&limits);
        let mut pour = Pour::new(layout, &watch, &|_| None);
        pour.block(block).unwrap();
        pour.finish()
    }

    fn shift(text: &str, frozen: &[usize], from: &str, to: &str) -> String {
        let layout = Layout::new(text.as_bytes(), frozen.to_vec(), &[]);
        let block = Block::source(&layout, 0..text.len()).shifted(from.as_bytes(), to.as_bytes());
        String::from_utf8(poured(&layout, &block).bytes).unwrap()
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
        let layout = Layout::new(text.as_bytes(), vec![], &[]);
        let part = |range| Block::source(&layout, range);
        let mut marked = part(4..6);
        marked.append(part(6..9));
        marked.append(part(9..10).item());
        let mut block = part(0..4);
        block.append(marked.marked(Marked::Replacement, 0));
        let whole = poured(&layout, &block.shifted(b"  ", b"      "));
        assert_eq!(&whole.bytes[whole.marks[0].range.clone()], b"bc\n      d");
        assert_eq!(&whole.bytes[whole.marks[0].items[0].clone()], b"d");
    }

    #[test]
    fn blocks_in_blocks_move_with_each() {
        let layout = Layout::new(b"a\n  b", vec![], &[]);
        let mut block = Block::text(b"{\n  ".to_vec(), false);
        block.append(Block::source(&layout, 0..5).shifted(b"", b"  "));
        block.append(Block::text(b"\n}".to_vec(), false));
        assert_eq!(block.extent.indent, b"");
        let whole = poured(&layout, &block.shifted(b"", b"\t"));
        assert_eq!(String::from_utf8(whole.bytes).unwrap(), "{\n\t  a\n\t    b\n\t}");
    }
}
