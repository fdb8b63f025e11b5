//! A replacement before it is written out: pieces, in which what was rewritten inside it stands by its number, so that
//! nested replacements cost what they add. It must never hold a copy of the source.

use std::ops::Range;

use super::layout::{Layout, Marked, leading, reindent};

/// One piece of a block.
#[derive(Debug, Clone)]
pub(super) enum Piece<'s> {
    /// Text of a template; where `frozen`, the line that starts in it stays where it is.
    Text {
        bytes: Vec<u8>,
        frozen: bool,
    },
    /// A part of the source.
    Source(Range<usize>),
    /// The replacement of another match, and the bytes of the source that it takes the place of.
    Inner {
        index: usize,
        taken: Range<usize>,
    },
    /// From here to its end, every line after the first moves from one indentation to another.
    Shift {
        from: &'s [u8],
        to: Vec<u8>,
    },
    ShiftEnd,
    /// From here to its end, something whose place must be known.
    Open,
    Item,
    ItemEnd,
    Close {
        what: Marked,
        owner: usize,
    },
}

/// What is known of a text without having it.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    /// In bytes, but for lines that move.
    pub(super) len: u64,
    /// How many marks lie in it.
    pub(super) marks: u64,
    /// Whether a line starts in it.
    pub(super) broken: bool,
    /// The white space that its last line starts with.
    pub(super) indent: Vec<u8>,
    /// Whether that is all of it.
    pub(super) blank: bool,
    /// Whether it must stay where it is.
    frozen: bool,
    /// The last byte, and the last that is not white space.
    pub(super) last: Option<u8>,
    pub(super) solid: Option<u8>,
}

impl Default for Extent {
    fn default() -> Self {
        let indent = Vec::new();
        Self { len: 0, marks: 0, broken: false, indent, blank: true, frozen: false, last: None, solid: None }
    }
}

impl Extent {
    /// Of text whose last line starts at `line`, if one does; `frozen`: it stays.
    pub(super) fn of(text: &[u8], line: Option<usize>, frozen: bool) -> Self {
        let rest = &text[line.unwrap_or(0)..];
        let indent = leading(rest).to_vec();
        Self {
            len: text.len() as u64,
            marks: 0,
            broken: line.is_some(),
            blank: indent.len() == rest.len(),
            indent,
            frozen,
            last: text.last().copied(),
            solid: text.trim_ascii_end().last().copied(),
        }
    }

    /// With other text behind it.
    fn then(&mut self, other: &Self) {
        self.len = self.len.saturating_add(other.len);
        self.marks = self.marks.saturating_add(other.marks);
        if other.broken {
            (self.broken, self.blank, self.frozen) = (true, other.blank, other.frozen);
            self.indent.clone_from(&other.indent);
        } else if self.blank {
            self.indent.extend_from_slice(&other.indent);
            self.blank = other.blank;
        }
        self.last = other.last.or(self.last);
        self.solid = other.solid.or(self.solid);
    }
}

/// Pieces, with what is known of the text that they make.
#[derive(Debug, Clone, Default)]
pub(super) struct Block<'s> {
    pub(super) pieces: Vec<Piece<'s>>,
    pub(super) extent: Extent,
}

impl<'s> Block<'s> {
    pub(super) fn text(bytes: Vec<u8>, frozen: bool) -> Self {
        let line = bytes.iter().rposition(|byte| *byte == b'\n').map(|newline| newline + 1);
        let extent = Extent::of(&bytes, line, frozen);
        Self { pieces: vec![Piece::Text { bytes, frozen }], extent }
    }

    pub(super) fn source(layout: &Layout<'_>, range: Range<usize>) -> Self {
        let extent = layout.extent(&range);
        Self { pieces: vec![Piece::Source(range)], extent }
    }

    pub(super) fn inner(index: usize, taken: Range<usize>, extent: &Extent) -> Self {
        Self { pieces: vec![Piece::Inner { index, taken }], extent: extent.clone() }
    }

    /// Adds its text to `out`, as far as that is at hand; whether it is all of it.
    pub(super) fn read(&self, source: &[u8], out: &mut Vec<u8>) -> bool {
        self.pieces.iter().all(|piece| {
            match piece {
                Piece::Text { bytes, .. } => out.extend_from_slice(bytes),
                Piece::Source(range) => out.extend_from_slice(&source[range.clone()]),
                _ => return false,
            }
            true
        })
    }

    /// Appends another block as it is.
    pub(super) fn append(&mut self, other: Self) {
        self.extent.then(&other.extent);
        self.pieces.extend(other.pieces);
    }

    /// Moves every line after the first from one indentation to another.
    pub(super) fn shifted(mut self, from: &'s [u8], to: &[u8]) -> Self {
        if from == to || !self.extent.broken {
            return self;
        }
        if let Some(indent) =
            reindent(&self.extent.indent, from, to).filter(|_| !self.extent.frozen && !self.extent.blank)
        {
            self.extent.indent = indent;
        }
        self.pieces.insert(0, Piece::Shift { from, to: to.to_vec() });
        self.pieces.push(Piece::ShiftEnd);
        self
    }

    /// Marks the whole of it.
    pub(super) fn marked(mut self, what: Marked, owner: usize) -> Self {
        self.extent.marks = self.extent.marks.saturating_add(1);
        self.pieces.insert(0, Piece::Open);
        self.pieces.push(Piece::Close { what, owner });
        self
    }

    /// Marks the whole of it as one item of the mark around it.
    pub(super) fn item(mut self) -> Self {
        self.pieces.insert(0, Piece::Item);
        self.pieces.push(Piece::ItemEnd);
        self
    }

    /// Takes the white space at the end away.
    pub(super) fn trim_end(&mut self, source: &[u8]) {
        for piece in self.pieces.iter_mut().rev() {
            let (before, after) = match piece {
                Piece::Text { bytes, .. } => {
                    let before = bytes.len();
                    bytes.truncate(bytes.trim_ascii_end().len());
                    (before, bytes.len())
                }
                Piece::Source(range) => {
                    let before = range.len();
                    range.end = range.start + source[range.clone()].trim_ascii_end().len();
                    (before, range.len())
                }
                Piece::Inner { .. } => break,
                _ => continue,
            };
            self.extent.len = self.extent.len.saturating_sub((before - after) as u64);
            if after > 0 {
                break;
            }
        }
        self.extent.last = self.extent.solid;
    }

    /// Whether it says what a range of the source says, whatever was rewritten inside it.
    pub(super) fn is_source(&self, layout: &Layout<'_>, range: &Range<usize>) -> bool {
        let source = layout.source;
        let own = |piece: &Piece<'_>| match piece {
            Piece::Text { bytes, .. } => bytes.len(),
            Piece::Source(range) | Piece::Inner { taken: range, .. } => range.len(),
            _ => 0,
        };
        // First by length, which is almost always enough.
        if self.pieces.iter().map(own).sum::<usize>() != range.len() {
            return false;
        }
        let (mut at, mut shifts) = (range.start, 0_usize);
        self.pieces.iter().all(|piece| {
            let end = at + own(piece);
            let there = std::mem::replace(&mut at, end)..end;
            match piece {
                Piece::Text { bytes, .. } => source[there] == **bytes,
                Piece::Source(own) | Piece::Inner { taken: own, .. } => {
                    let moves = shifts > 0 && layout.extent(own).broken;
                    !moves && (*own == there || source[own.clone()] == source[there])
                }
                Piece::Shift { .. } => {
                    shifts += 1;
                    true
                }
                Piece::ShiftEnd => {
                    shifts -= 1;
                    true
                }
                _ => true,
            }
        })
    }
}
