//! Between a byte of a text and the position a server names: exact in each encoding, on the very text that was sent.
//! Lines end with `\n`, `\r\n` or `\r`, and nothing else; a byte order mark, a tab and a joiner are signs like any
//! other. It must never panic on what a server answers: what lies behind an end is clamped, what lies inside a
//! character is moved to its start.

use std::ops;

use lsp_types::{Position, Range};

/// What a server counts within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: what the protocol means where nothing was agreed.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The encoding of this name in the protocol.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        }
    }

    fn width(self, sign: char) -> usize {
        match self {
            Self::Utf8 => sign.len_utf8(),
            Self::Utf16 => sign.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text and where its lines start.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// The first is 0; one more stands behind a final line end.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Reads a text once.
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if ends {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// How many lines a reader counts: an empty rest behind a final line end is none.
    pub(crate) fn count(&self) -> usize {
        let rest_is_empty = self.starts.last().is_some_and(|start| *start == self.text.len());
        self.starts.len() - usize::from(rest_is_empty)
    }

    /// The text of a line, counted from 0, without its end.
    pub(crate) fn line(&self, line: usize) -> Option<&'t str> {
        self.content(line).map(|range| &self.text[range])
    }

    /// The bytes of a line, counted from 0, without its end.
    pub(crate) fn content(&self, line: usize) -> Option<ops::Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let kept = self.text[start..end].trim_end_matches(['\n', '\r']);
        Some(start..start + kept.len())
    }

    /// The line, counted from 0, that holds a byte.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1) - 1
    }

    /// What a server calls a byte. Inside a character it is that character, inside or behind a line end the end of
    /// the line, behind the text its end.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let line = self.line_of(offset.min(self.text.len()));
        let content = self.content(line).unwrap_or_default();
        let offset = offset.clamp(content.start, content.end);
        let before = self.text[content]
            .char_indices()
            .map(|(at, sign)| (self.starts[line] + at + sign.len_utf8(), sign))
            .take_while(|(end, _)| *end <= offset);
        let character = before.map(|(_, sign)| encoding.width(sign)).sum();
        Position::new(narrow(line), narrow(character))
    }

    /// The byte that a server means. Behind a line it is the line's end, behind the text its end, inside a character
    /// (half of a surrogate pair) the character's start.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(content) = self.content(line) else { return self.text.len() };
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut units = 0;
        for (at, sign) in self.text[content.clone()].char_indices() {
            units += encoding.width(sign);
            if units > wanted {
                return content.start + at;
            }
        }
        content.end
    }

    /// The bytes that a server means, whichever end it names first.
    pub(crate) fn bytes(&self, range: Range, encoding: Encoding) -> ops::Range<usize> {
        let (start, end) = (self.offset(range.start, encoding), self.offset(range.end, encoding));
        start.min(end)..start.max(end)
    }

    /// The range that covers `bytes`.
    pub(crate) fn range(&self, bytes: &ops::Range<usize>, encoding: Encoding) -> Range {
        Range::new(self.position(bytes.start, encoding), self.position(bytes.end, encoding))
    }

    /// The place of a byte as people name it: line and column from 1, in characters; a byte order mark is no column.
    pub(crate) fn place(&self, offset: usize) -> workspace::text::Position {
        let position = self.position(offset, Encoding::Utf32);
        let marked = position.line == 0 && self.text.starts_with('\u{feff}');
        let column = position.character as usize;
        workspace::text::Position {
            line: position.line as usize + 1,
            column: column.saturating_sub(usize::from(marked)) + 1,
        }
    }
}

/// The protocol counts in 32 bits; no text that is opened comes near.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(text: &str, needle: &str) -> [(u32, u32); 3] {
        let lines = Lines::new(text);
        let offset = text.find(needle).unwrap();
        ALL.map(|encoding| {
            let position = lines.position(offset, encoding);
            assert_eq!(lines.offset(position, encoding), offset);
            (position.line, position.character)
        })
    }

    #[test]
    fn each_encoding_counts_its_own_units() {
        assert_eq!(at("let s = \t\"\u{1f600}\u{e9}\"; foo", "foo"), [(0, 19), (0, 16), (0, 15)]);
        assert_eq!(
            at("a\r\n\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} foo", "foo"),
            [(1, 19), (1, 9), (1, 6)]
        );
        assert_eq!(at("e\u{301} foo", "foo"), [(0, 4), (0, 3), (0, 3)]);
    }

    #[test]
    fn a_byte_order_mark_counts_for_a_server_and_not_for_a_reader() {
        assert_eq!(at("\u{feff}foo\nbar", "foo"), [(0, 3), (0, 1), (0, 1)]);
        let lines = Lines::new("\u{feff}foo\nbar");
        let place = |offset| (lines.place(offset).line, lines.place(offset).column);
        assert_eq!([place(0), place(3), place(4), place(7)], [(1, 1), (1, 1), (1, 2), (2, 1)]);
    }

    #[test]
    fn three_line_ends_and_no_other() {
        let lines = Lines::new("a\rb\r\nc\nd\u{2028}e\u{85}f\r\n");
        let read: Vec<_> = (0..6).map(|line| lines.line(line)).collect();
        assert_eq!(read, [Some("a"), Some("b"), Some("c"), Some("d\u{2028}e\u{85}f"), Some(""), None]);
        assert_eq!(lines.count(), 4);
        assert_eq!(Lines::new("").count(), 0);
        assert_eq!(Lines::new("a").count(), 1);
    }

    #[test]
    fn what_lies_outside_is_clamped() {
        let text = "ab\r\n\u{1f600}x\n";
        let lines = Lines::new(text);
        let offset = |line, character| lines.offset(Position::new(line, character), Encoding::Utf16);
        assert_eq!(offset(0, 2), 2);
        assert_eq!(offset(0, 9), 2, "before the line end");
        assert_eq!(offset(1, 1), 4, "half of a pair");
        assert_eq!(offset(1, 2), 8);
        assert_eq!((offset(2, 0), offset(3, 0), offset(9, 9)), (text.len(), text.len(), text.len()));
        let reversed = Range::new(Position::new(1, 2), Position::new(0, 1));
        assert_eq!(lines.bytes(reversed, Encoding::Utf16), 1..8);
        assert_eq!(lines.position(3, Encoding::Utf8), Position::new(0, 2), "inside a line end");
        assert_eq!(lines.position(5, Encoding::Utf16), Position::new(1, 0), "inside a character");
        assert_eq!(lines.position(99, Encoding::Utf16), Position::new(2, 0));
    }

    /// Reads the text sign by sign, counting as it goes.
    fn naive(text: &str, wanted: usize, encoding: Encoding) -> (u32, u32) {
        let (mut line, mut character) = (0, 0);
        let mut signs = text.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            if at >= wanted {
                break;
            }
            let pair = sign == '\r' && signs.peek().is_some_and(|(_, next)| *next == '\n');
            match sign {
                '\n' | '\r' if !pair => (line, character) = (line + 1, 0),
                '\r' => {}
                _ => {
                    let mut units = [0; 2];
                    character += match encoding {
                        Encoding::Utf8 => sign.to_string().len(),
                        Encoding::Utf16 => sign.encode_utf16(&mut units).len(),
                        Encoding::Utf32 => 1,
                    };
                }
            }
        }
        (line, u32::try_from(character).unwrap())
    }

    proptest! {
        #[test]
        fn every_character_has_one_position(text in "[a\u{feff}\u{e9}\u{301}\u{1f600}\u{200d}\u{2028}\t\r\n]{0,40}") {
            let lines = Lines::new(&text);
            for encoding in ALL {
                for (offset, sign) in text.char_indices().chain([(text.len(), ' ')]) {
                    let position = lines.position(offset, encoding);
                    prop_assert_eq!((position.line, position.character), naive(&text, offset, encoding));
                    let in_line_end = sign == '\n' && text[..offset].ends_with('\r');
                    let back = lines.offset(position, encoding);
                    prop_assert_eq!(back, if in_line_end { offset - 1 } else { offset });
                }
            }
        }

        #[test]
        fn whatever_a_server_says_is_a_place(
            text in "[a\u{e9}\u{1f600}\r\n]{0,20}", line in 0_u32..9, character in 0_u32..30,
        ) {
            let lines = Lines::new(&text);
            for encoding in ALL {
                let offset = lines.offset(Position::new(line, character), encoding);
                prop_assert!(text.is_char_boundary(offset));
                let said = lines.position(offset, encoding);
                prop_assert!(said <= Position::new(line, character));
                prop_assert_eq!(lines.offset(said, encoding), offset);
            }
        }

        #[test]
        fn lines_make_the_text_again(text in "[a\u{e9}\r\n]{0,30}") {
            let lines = Lines::new(&text);
            let total: usize = (0..lines.count()).map(|line| lines.line(line).unwrap().len()).sum();
            prop_assert_eq!(total, text.chars().filter(|sign| !matches!(sign, '\r' | '\n')).map(char::len_utf8).sum::<usize>());
            prop_assert!(lines.line(lines.count()).is_none_or(str::is_empty));
        }
    }
}
