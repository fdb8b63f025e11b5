//! Writes one replacement: template lines get the indentation of the place, blocks move with the line they land in.
//! It must never write a line end that the file does not use, nor indent a line that starts inside a string.

use std::ops::Range;

use super::layout::{Block, Layout, Mark, Marked, leading};
use super::template::Text;

/// The replacement so far.
pub(super) struct Writer<'a> {
    layout: &'a Layout<'a>,
    out: Block,
    /// The indentation of the line in which the match starts.
    base: &'a [u8],
    /// The indentation of the line that is being written.
    indent: Vec<u8>,
    /// Whether that line holds only white space so far.
    blank: bool,
    /// One step of the template's indentation, in spaces.
    step: usize,
}

impl<'a> Writer<'a> {
    /// A writer for what takes the place of a match that starts at `at`.
    pub(super) fn at(layout: &'a Layout<'a>, at: usize, step: usize) -> Self {
        let base = layout.indent(at);
        let blank = layout.begins_line(at);
        Self { layout, out: Block::default(), base, indent: base.to_vec(), blank, step }
    }

    /// Text without line ends.
    pub(super) fn raw(&mut self, text: &str) {
        self.append(Block { bytes: text.as_bytes().to_vec(), ..Block::default() });
    }

    /// A block that stood in a line indented by `from`.
    pub(super) fn block(&mut self, block: Block, from: &[u8]) {
        let indent = std::mem::take(&mut self.indent);
        self.indent.clone_from(&indent);
        self.append(block.shifted(from, &indent));
    }

    /// A part of a text of the template; `goes_on` when a hole follows.
    pub(super) fn template(&mut self, text: &Text, part: Range<usize>, goes_on: bool) {
        let skipped = text.text[..part.start].matches('\n').count();
        let lines: Vec<&str> = text.text[part].split('\n').collect();
        for (index, line) in lines.iter().enumerate() {
            if index == 0 {
                self.raw(line);
                continue;
            }
            let frozen = text.frozen.get(skipped + index - 1).copied().unwrap_or(false);
            let followed = index + 1 == lines.len() && goes_on;
            self.line(line, frozen, followed);
        }
    }

    fn line(&mut self, line: &str, frozen: bool, followed: bool) {
        self.raw(self.layout.ending);
        let white = leading(line.as_bytes());
        self.blank = true;
        self.indent.clear();
        if frozen {
            self.out.frozen.push(self.out.bytes.len());
            self.raw(line);
        } else if white.len() < line.len() || followed {
            let mut bytes = self.base.to_vec();
            bytes.extend(self.translated(white));
            bytes.extend_from_slice(&line.as_bytes()[white.len()..]);
            self.append(Block { bytes, ..Block::default() });
        }
    }

    /// Template indentation in the file's unit: tabs where the file has tabs.
    fn translated(&self, white: &[u8]) -> Vec<u8> {
        let spaces = white.iter().take_while(|byte| **byte == b' ').count();
        if !self.layout.tabs || self.step == 0 || spaces < white.len() {
            return white.to_vec();
        }
        let mut out = vec![b'\t'; spaces / self.step];
        out.resize(out.len() + spaces % self.step, b' ');
        out
    }

    /// Goes to a new line, one step in, when a suite of lines would otherwise follow a colon.
    pub(super) fn open_suite(&mut self) {
        let ends = self.out.bytes.trim_ascii_end();
        if self.blank || !ends.ends_with(b":") {
            return;
        }
        let length = ends.len();
        self.out.bytes.truncate(length);
        let step: &[u8] = if self.layout.tabs { b"\t" } else { b"    " };
        let line = [self.layout.ending.as_bytes(), &self.indent, step].concat();
        self.append(Block { bytes: line, ..Block::default() });
    }

    fn append(&mut self, block: Block) {
        let line = block.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        if line > 0 {
            self.indent.clear();
            self.blank = true;
        }
        let rest = &block.bytes[line..];
        if self.blank {
            let white = leading(rest);
            self.indent.extend_from_slice(white);
            self.blank = white.len() == rest.len();
        }
        self.out.append(block);
    }

    /// The replacement, marked as a whole.
    pub(super) fn finish(self, owner: usize) -> Block {
        let mut block = self.out;
        if !block.bytes.is_empty() {
            let range = 0..block.bytes.len();
            block.marks.push(Mark { range, items: Vec::new(), what: Marked::Replacement, owner });
        }
        block
    }
}
