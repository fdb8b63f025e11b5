//! Writes one replacement: template lines get the indentation of the place, blocks move with the line they land in.
//! It must never write a line end that the file does not use, nor indent a line that starts inside a string.

use std::ops::Range;

use super::block::Block;
use super::layout::{Layout, Marked, leading};
use super::template::Text;

/// The replacement so far.
pub(super) struct Writer<'a> {
    layout: &'a Layout<'a>,
    out: Block<'a>,
    /// The indentation of the line in which the match starts.
    base: &'a [u8],
    /// The indentation of the line that is being written.
    indent: Vec<u8>,
    /// Whether that line holds only white space so far, or what opens it.
    blank: bool,
    /// The text of that line as long as it is nothing else, if openers are looked for.
    head: Option<Vec<u8>>,
    /// One step of the template's indentation, in spaces.
    step: usize,
}

impl<'a> Writer<'a> {
    /// A writer for what takes the place of a match that starts at `at`.
    pub(super) fn at(layout: &'a Layout<'a>, at: usize, step: usize) -> Self {
        let base = layout.indent(at);
        let blank = layout.opens_line(at);
        let start = layout.line_start(at);
        let head = (blank && !layout.openers.is_empty()).then(|| layout.source[start..at].to_vec());
        Self { layout, out: Block::default(), base, indent: base.to_vec(), blank, head, step }
    }

    /// Text without line ends.
    pub(super) fn raw(&mut self, text: &str) {
        self.append(Block::text(text.as_bytes().to_vec(), false));
    }

    /// A block that stood in a line indented by `from`.
    pub(super) fn block(&mut self, block: Block<'a>, from: &'a [u8]) {
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
        let white = leading(line.as_bytes());
        if frozen {
            self.append(Block::text([self.layout.ending, line].concat().into_bytes(), true));
            return;
        }
        self.raw(self.layout.ending);
        if white.len() < line.len() || followed {
            let mut bytes = self.base.to_vec();
            bytes.extend(self.translated(white));
            bytes.extend_from_slice(&line.as_bytes()[white.len()..]);
            self.append(Block::text(bytes, false));
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
    pub(super) fn open_suite(&mut self, step: Option<&[u8]>) {
        if self.blank || self.out.extent.solid != Some(b':') {
            return;
        }
        self.out.trim_end(self.layout.source);
        let step = step.unwrap_or(if self.layout.tabs { b"\t" } else { b"    " });
        let line = [self.layout.ending.as_bytes(), &self.indent, step].concat();
        self.append(Block::text(line, false));
    }

    fn append(&mut self, block: Block<'a>) {
        if block.extent.broken {
            self.indent.clear();
            self.blank = true;
        }
        if self.blank {
            self.indent.extend_from_slice(&block.extent.indent);
            self.blank = block.extent.blank;
        }
        self.hang(&block);
        self.out.append(block);
    }

    /// What opens a line counts as its indentation.
    fn hang(&mut self, block: &Block<'a>) {
        let Some(head) = &mut self.head else { return };
        if block.extent.broken {
            self.head = block.extent.blank.then(|| block.extent.indent.clone());
            return;
        }
        let whole = block.read(self.layout.source, head);
        let (white, width) = (leading(head).len(), self.layout.opened(head));
        if width > white {
            self.indent = head[..white].to_vec();
            self.indent.resize(width, b' ');
            self.blank = width == head.len();
        }
        let rest = &head[width..];
        if !whole || !self.layout.openers.iter().any(|opener| opener.as_bytes().starts_with(rest)) {
            self.head = None;
        }
    }

    /// The replacement, marked as a whole.
    pub(super) fn finish(self, owner: usize) -> Block<'a> {
        let what = if self.out.extent.len == 0 { Marked::Gone } else { Marked::Replacement };
        self.out.marked(what, owner)
    }
}
