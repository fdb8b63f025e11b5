//! Unified diffs for a reader with limited patience: one page of lines is shown, all lines are counted. Every byte
//! that is not plain text is made visible, so that what looks equal is equal.

use std::time::{Duration, Instant};

use serde::Serialize;
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use crate::limits::MAX_DIFF_COLUMNS;
use crate::render::counted;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// After this long the diff of one file gets coarser; it stays right.
const PATIENCE: Duration = Duration::from_millis(500);

/// One page of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diff {
    /// The lines of this page; each ends with a line break.
    pub text: String,
    /// Which page this is, from 1.
    pub page: usize,
    /// How many pages there are, at least 1.
    pub pages: usize,
    /// Lines on this page.
    pub shown: usize,
    /// Lines on all pages.
    pub total: usize,
    /// Lines added, in all files.
    pub added: usize,
    /// Lines removed, in all files.
    pub removed: usize,
}

impl Diff {
    /// What is not on this page, in words; empty when everything is.
    pub fn remainder(&self) -> String {
        if self.shown == self.total {
            return String::new();
        }
        format!("… {} of {} diff lines shown (page {} of {})", self.shown, self.total, self.page, self.pages)
    }
}

/// A file on one side of a diff.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The name to show.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Collects one page from the diffs of any number of files; the rest is counted and dropped.
#[derive(Debug)]
pub struct Pager {
    page: usize,
    lines: usize,
    text: String,
    shown: usize,
    total: usize,
    added: usize,
    removed: usize,
}

impl Pager {
    /// Collects page `page` (from 1) of `lines` lines each.
    pub fn new(page: usize, lines: usize) -> Self {
        let (page, lines) = (page.max(1), lines.max(1));
        Self { page, lines, text: String::new(), shown: 0, total: 0, added: 0, removed: 0 }
    }

    /// Adds a file: without `old` it appears, without `new` it goes, with two paths it is renamed.
    pub fn file(&mut self, old: Option<Side<'_>>, new: Option<Side<'_>>) {
        let name = |letter: &str, side: &Option<Side<'_>>| {
            side.as_ref()
                .map_or("/dev/null".to_owned(), |side| format!("{letter}/{}", visible(side.path.as_bytes())))
        };
        let bytes = |side: Option<Side<'_>>| side.map_or(&b""[..], |side| side.bytes).to_vec();
        let (from, to) = (name("a", &old), name("b", &new));
        let moved = matches!((&old, &new), (Some(old), Some(new)) if old.path != new.path);
        if moved {
            self.push(&format!("rename from {}", &from[2..]));
            self.push(&format!("rename to {}", &to[2..]));
        }
        let exists = (old.is_some(), new.is_some());
        let (old, new) = (bytes(old), bytes(new));
        if old == new && exists == (true, true) {
            return;
        }
        self.push(&format!("--- {from}"));
        self.push(&format!("+++ {to}"));
        if [&old, &new].iter().any(|bytes| bytes.contains(&0)) {
            self.push(&format!("binary: {} before, {} after", counted(old.len(), "byte"), new.len()));
            return;
        }
        self.hunks(&old, &new);
    }

    fn hunks(&mut self, old: &[u8], new: &[u8]) {
        let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (lines(old), lines(new));
        // Carriage returns are noise where every line has one, and the very news where they come or go.
        let crlf =
            [&old, &new].into_iter().flatten().all(|line| !line.ends_with(b"\n") || line.ends_with(b"\r\n"));
        let deadline = Instant::now() + PATIENCE;
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
        for hunk in group_diff_ops(ops, CONTEXT) {
            self.push(&header(&hunk));
            for change in hunk.iter().flat_map(|op| op.iter_changes(&old[..], &new[..])) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                self.added += usize::from(sign == '+');
                self.removed += usize::from(sign == '-');
                self.line(sign, change.value(), crlf);
            }
        }
    }

    fn line(&mut self, sign: char, line: &[u8], crlf: bool) {
        let ended = line.strip_suffix(b"\n");
        let mut text = ended.unwrap_or(line);
        if crlf && ended.is_some() {
            text = text.strip_suffix(b"\r").unwrap_or(text);
        }
        self.push(&format!("{sign}{}", bounded(&visible(text))));
        if ended.is_none() {
            self.push("\\ no newline at end of file");
        }
    }

    fn push(&mut self, line: &str) {
        let first = (self.page - 1) * self.lines;
        if (first..first + self.lines).contains(&self.total) {
            self.text.push_str(line);
            self.text.push('\n');
            self.shown += 1;
        }
        self.total += 1;
    }

    /// The page.
    pub fn finish(self) -> Diff {
        let Self { page, lines, text, shown, total, added, removed } = self;
        Diff { text, page, pages: total.div_ceil(lines).max(1), shown, total, added, removed }
    }
}

/// The diff of one file: its first `limit` lines.
pub fn unified(path: &str, old: &[u8], new: &[u8], limit: usize) -> Diff {
    let mut pager = Pager::new(1, limit);
    pager.file(Some(Side { path, bytes: old }), Some(Side { path, bytes: new }));
    pager.finish()
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn header(hunk: &[DiffOp]) -> String {
    let side = |ranges: (std::ops::Range<usize>, std::ops::Range<usize>)| {
        let (start, len) = (ranges.0.start, ranges.1.end - ranges.0.start);
        // An empty side names the line before it, as every tool does.
        let line = if len == 0 { start } else { start + 1 };
        if len == 1 { line.to_string() } else { format!("{line},{len}") }
    };
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return String::new() };
    let old = side((first.old_range(), last.old_range()));
    let new = side((first.new_range(), last.new_range()));
    format!("@@ -{old} +{new} @@")
}

/// Text with everything else made visible: `\xNN` for bytes that are not UTF-8 and for control characters but tab,
/// `\u{…}` for characters that a reader would not see.
pub fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\t' => text.push(c),
                '\r' => text.push_str("\\r"),
                c if c.is_ascii_control() => text.push_str(&format!("\\x{:02x}", u32::from(c))),
                '\u{80}'..='\u{9f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}' => {
                    text.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

fn bounded(line: &str) -> String {
    match line.char_indices().nth(MAX_DIFF_COLUMNS) {
        None => line.to_owned(),
        Some((at, _)) => {
            let rest = line[at..].chars().count();
            format!("{}… (+{})", &line[..at], counted(rest, "character"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: std::ops::RangeInclusive<usize>) -> String {
        let lines: Vec<String> = range.map(|line| line.to_string()).collect();
        lines.join("\n") + "\n"
    }

    #[test]
    fn hunks_carry_three_lines_of_context_and_meet() {
        let old = numbers(1..=21);
        let new = old.replace("\n5\n", "\nfive\n").replace("19\n", "").replace("11\n", "11\n11½\n");
        let diff = unified("n.txt", old.as_bytes(), new.as_bytes(), 100);
        assert_eq!(
            diff.text,
            "--- a/n.txt\n+++ b/n.txt\n@@ -2,13 +2,14 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n+11½\n 12\n 13\n 14\n\
             @@ -16,6 +17,5 @@\n 16\n 17\n 18\n-19\n 20\n 21\n"
        );
        assert_eq!((diff.added, diff.removed, diff.remainder().as_str()), (2, 2, ""));
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        for (old, new, hunk) in [
            ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
            ("a\r\nb\r\n", "a\nb\r\n", "@@ -1,2 +1,2 @@\n-a\\r\n+a\n b\\r\n"),
            ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ no newline at end of file\n+a\n"),
            ("", "\u{feff}x\u{200b}\u{1b}[1m\n", "@@ -0,0 +1 @@\n+\\u{feff}x\\u{200b}\\x1b[1m\n"),
            ("x\n", "", "@@ -1 +0,0 @@\n-x\n"),
            ("\ta\n", "    a\n", "@@ -1 +1 @@\n-\ta\n+    a\n"),
        ] {
            let text = unified("f", old.as_bytes(), new.as_bytes(), 100).text;
            assert_eq!(text, format!("--- a/f\n+++ b/f\n{hunk}"));
        }
        let text = unified("f", b"\xff\n", b"\xfe\n", 100).text;
        assert!(text.ends_with("-\\xff\n+\\xfe\n"), "{text}");
        let text = unified("f", b"\0\n", b"\0\0\n", 100).text;
        assert_eq!(text, "--- a/f\n+++ b/f\nbinary: 2 bytes before, 3 after\n");
        assert_eq!(unified("f", b"same", b"same", 100).text, "");
    }

    #[test]
    fn files_appear_go_and_move() {
        let side = |path, bytes| Some(Side { path, bytes });
        let mut pager = Pager::new(1, 100);
        pager.file(None, side("new", b"n\n"));
        pager.file(side("old", b"o\n"), None);
        pager.file(side("from", b"same\n"), side("to", b"same\n"));
        pager.file(None, side("empty", b""));
        assert_eq!(
            pager.finish().text,
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n\
             rename from from\nrename to to\n--- /dev/null\n+++ b/empty\n"
        );
    }

    #[test]
    fn long_lines_and_long_diffs_are_cut_and_counted() {
        let diff = unified("f", b"", "é".repeat(450).as_bytes(), 100);
        assert!(diff.text.contains(&format!("+{}… (+50 characters)\n", "é".repeat(400))), "{}", diff.text);
        let new = numbers(0..=9);
        let page = |page| {
            let mut pager = Pager::new(page, 5);
            pager.file(None, Some(Side { path: "f", bytes: new.as_bytes() }));
            pager.finish()
        };
        assert_eq!(page(1).text, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,10 @@\n+0\n+1\n");
        assert_eq!(page(3).text, "+7\n+8\n+9\n");
        assert_eq!(page(3).remainder(), "… 3 of 13 diff lines shown (page 3 of 3)");
        assert_eq!((page(4).shown, page(4).total, page(4).added), (0, 13, 10));
    }
}
