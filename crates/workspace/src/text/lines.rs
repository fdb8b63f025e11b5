//! Byte offsets and what people call them: line and column, both from 1, columns in characters.

use std::ops::Range;

use super::Bom;

/// A place as people name it. Both count from 1. A tab is one column; a byte order mark is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line (Unicode scalar values).
    pub column: usize,
}

/// Where the lines of a text start. Lines end with `\n` or `\r\n`; a lone `\r` is text.
#[derive(Debug, Clone)]
pub struct LineIndex<'t> {
    text: &'t [u8],
    /// The first is 0 (or behind the byte order mark); one more stands behind a final newline.
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Reads a text once. Bytes that are not UTF-8 are no obstacle; columns in such a line are approximate.
    pub fn new(text: &'t [u8]) -> Self {
        let first = match Bom::detect(text) {
            Some(Bom::Utf8) => Bom::Utf8.len(),
            _ => 0,
        };
        let mut starts = vec![first];
        starts.extend(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        Self { text, starts }
    }

    /// How many lines there are; an empty rest behind a final newline is none.
    pub fn line_count(&self) -> usize {
        let rest_is_empty = self.starts.last().is_some_and(|start| *start == self.text.len());
        self.starts.len() - usize::from(rest_is_empty)
    }

    /// The place of a byte. Behind the end it is the end; inside a character, that character.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset).unwrap_or_default();
        let inside = self.text.get(offset).is_some_and(|byte| is_continuation(*byte)) && !before.is_empty();
        Position { line, column: characters(before) + usize::from(!inside) }
    }

    /// The byte of a place: `None` when there is no such line, or its column lies behind the line's end. The column
    /// just behind the last character is the end of the line.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let range = self.content(position.line)?;
        let wanted = position.column.checked_sub(1)?;
        let line = &self.text[range.clone()];
        let starts = line.iter().enumerate().filter(|(_, byte)| !is_continuation(**byte)).map(|(at, _)| at);
        let at = starts.chain([line.len()]).nth(wanted)?;
        Some(range.start + at)
    }

    /// The bytes of a line (from 1), its end included.
    pub fn range(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        Some(start..end)
    }

    /// The text of a line (from 1), without its end.
    pub fn line(&self, line: usize) -> Option<&'t [u8]> {
        self.content(line).map(|range| &self.text[range])
    }

    fn content(&self, line: usize) -> Option<Range<usize>> {
        let range = self.range(line)?;
        let text = &self.text[range.clone()];
        let text = text.strip_suffix(b"\n").map_or(text, |text| text.strip_suffix(b"\r").unwrap_or(text));
        Some(range.start..range.start + text.len())
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !is_continuation(**byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let Position { line, column } = LineIndex::new(text.as_bytes()).position(offset);
        (line, column)
    }

    #[test]
    fn columns_count_characters() {
        let text = "ab\tc\r\ngrün x\nlast";
        assert_eq!(at(text, 0), (1, 1));
        assert_eq!(at(text, 3), (1, 4), "a tab is one column");
        assert_eq!(at(text, 6), (2, 1));
        assert_eq!(at(text, text.find('ü').unwrap()), (2, 3));
        assert_eq!(at(text, text.find('ü').unwrap() + 1), (2, 3), "inside a character");
        assert_eq!(at(text, text.find('x').unwrap()), (2, 6));
        assert_eq!(at(text, text.len()), (3, 5));
        assert_eq!(at(text, text.len() + 9), (3, 5), "behind the end is the end");
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}ab\nc";
        assert_eq!((at(text, 0), at(text, 3), at(text, 4)), ((1, 1), (1, 1), (1, 2)));
        let index = LineIndex::new(text.as_bytes());
        assert_eq!(index.offset(Position { line: 1, column: 1 }), Some(3));
        assert_eq!(index.line(1), Some(&b"ab"[..]));
        assert_eq!(LineIndex::new("\u{feff}".as_bytes()).line_count(), 0);
    }

    #[test]
    fn lines_come_without_their_ends() {
        let index = LineIndex::new(b"a\r\n\rb\r\n\nc\r");
        let lines: Vec<_> = (1..=5).map(|line| index.line(line)).collect();
        assert_eq!(lines, [Some(&b"a"[..]), Some(b"\rb"), Some(b""), Some(b"c\r"), None]);
        assert_eq!(index.range(2), Some(3..7));
        assert_eq!(index.line(0), None);
    }

    #[test]
    fn a_final_newline_starts_no_line() {
        for (text, lines) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2), ("a\r", 1)]
        {
            assert_eq!(LineIndex::new(text.as_bytes()).line_count(), lines, "{text:?}");
        }
    }

    #[test]
    fn a_place_that_is_not_there_has_no_offset() {
        let index = LineIndex::new(b"ab\r\nc");
        let offset = |line, column| index.offset(Position { line, column });
        assert_eq!((offset(1, 3), offset(1, 4)), (Some(2), None), "the end of a line, then its line end");
        assert_eq!((offset(2, 2), offset(2, 3), offset(3, 1)), (Some(5), None, None));
        assert_eq!((offset(0, 1), offset(1, 0)), (None, None));
    }

    proptest! {
        #[test]
        fn a_character_is_found_again(text in "(\u{feff})?[a\u{e9}\u{1f600}\t\r\n]{0,40}") {
            let index = LineIndex::new(text.as_bytes());
            let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
            for (offset, sign) in text.char_indices().chain([(text.len(), ' ')]).filter(|(at, _)| *at >= bom) {
                let in_line_end = sign == '\n' && text[..offset].ends_with('\r');
                let expected = (!in_line_end).then_some(offset);
                prop_assert_eq!(index.offset(index.position(offset)), expected, "byte {}", offset);
            }
        }

        #[test]
        fn ranges_cover_the_text(text in "[a\r\n]{0,40}") {
            let index = LineIndex::new(text.as_bytes());
            let joined: Vec<u8> = (1..=index.line_count())
                .flat_map(|line| text.as_bytes()[index.range(line).unwrap()].to_vec())
                .collect();
            prop_assert_eq!(joined, text.as_bytes());
        }
    }
}
