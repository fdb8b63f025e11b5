//! The text edits of one file as bytes to replace: converted in the server's encoding on the text it meant, in order,
//! without duplicates and overlaps, and judged. A file whose edits are not all understood is not touched.

use std::ops::Range;

use workspace::text::Endings;

use super::effect::{Parted, Replaced, effect};
use super::names::{Names, is_identifier};
use super::refusal::Refusal;
use super::workspace_edit::TextEdit;
use crate::position::{Encoding, Lines};

const MARK: char = '\u{feff}';

/// What edits may do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Judge<'a> {
    /// Replace one name by another, and nothing else.
    Rename(&'a Names),
    /// Rewrite how files name each other: any text, as long as no name is cut in two.
    Move,
}

/// The file that is edited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Original<'a> {
    /// As a refusal names it.
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) encoding: Encoding,
}

impl Original<'_> {
    /// The bytes to replace, in order.
    pub(super) fn rewritten(&self, edits: &[TextEdit], judge: Judge<'_>) -> Result<Vec<Replaced>, Refusal> {
        let counting_the_mark = self.counted(edits, 0).and_then(|edits| self.judged(edits, judge));
        if counting_the_mark.is_ok() || !self.text.starts_with(MARK) {
            return counting_the_mark;
        }
        // A server that has read the file by itself may have dropped its byte order mark.
        let without = self.counted(edits, MARK.len_utf8()).and_then(|edits| self.judged(edits, judge));
        without.or(counting_the_mark)
    }

    /// The edits in bytes, in order, each once; positions count from byte `skipped`.
    fn counted<'e>(
        &self,
        edits: &'e [TextEdit],
        skipped: usize,
    ) -> Result<Vec<(Range<usize>, &'e str)>, Refusal> {
        let lines = Lines::new(&self.text[skipped..]);
        let mut counted: Vec<(Range<usize>, &str)> = Vec::new();
        for edit in edits {
            let bytes = lines.bytes(edit.range, self.encoding);
            counted.push((bytes.start + skipped..bytes.end + skipped, &edit.text));
        }
        // Stable: insertions at one place keep their order.
        counted.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
        let mut once: Vec<(Range<usize>, &str)> = Vec::new();
        for edit in counted {
            let mut same_place = once.iter().rev().take_while(|other| other.0 == edit.0);
            if !same_place.any(|other| *other == edit) {
                once.push(edit);
            }
        }
        for pair in once.windows(2) {
            if pair[1].0.start < pair[0].0.end {
                return Err(Refusal::Overlap {
                    path: self.path.to_owned(),
                    line: self.line(pair[1].0.start),
                });
            }
        }
        Ok(once)
    }

    fn judged(&self, edits: Vec<(Range<usize>, &str)>, judge: Judge<'_>) -> Result<Vec<Replaced>, Refusal> {
        match judge {
            Judge::Rename(names) => self.renamed(edits, names),
            Judge::Move => self.moved(edits),
        }
    }

    fn renamed(&self, edits: Vec<(Range<usize>, &str)>, names: &Names) -> Result<Vec<Replaced>, Refusal> {
        let word_for_word = edits.iter().all(|(bytes, text)| {
            names.old.at(self.text, bytes.start) == Some(bytes.len()) && names.new.is(text)
        });
        if word_for_word {
            let replaced = |(bytes, text): (Range<usize>, &str)| Replaced {
                bytes,
                text: text.to_owned(),
                renames: true,
            };
            return Ok(edits.into_iter().map(replaced).collect());
        }
        let after = applied(self.text, &edits);
        effect(self.text, &after, names).map_err(|Parted { before, after: at }| Refusal::NotTheOldName {
            path: self.path.to_owned(),
            line: self.line(before),
            old: names.old.text.as_str().into(),
            new: names.new.text.as_str().into(),
            was: line_at(self.text, before).into(),
            becomes: line_at(&after, at).into(),
        })
    }

    fn moved(&self, edits: Vec<(Range<usize>, &str)>) -> Result<Vec<Replaced>, Refusal> {
        let ending = Endings::count(self.text.as_bytes()).majority().as_str();
        let mut replaced = Vec::new();
        for (bytes, text) in edits {
            if let Some(name) = self.cut(&bytes) {
                return Err(Refusal::CutName {
                    path: self.path.to_owned(),
                    line: self.line(bytes.start),
                    name,
                });
            }
            let text = text.replace("\r\n", "\n").replace('\n', ending);
            if self.text[bytes.clone()] != text {
                replaced.push(Replaced { bytes, text, renames: false });
            }
        }
        Ok(replaced)
    }

    /// The name that a range takes a part of: a sign that its positions are about another text.
    fn cut(&self, bytes: &Range<usize>) -> Option<String> {
        let inside = |at: usize| {
            let (before, after) = self.text.split_at(at);
            before.ends_with(is_identifier) && after.starts_with(is_identifier)
        };
        let at = [bytes.start, bytes.end].into_iter().find(|at| inside(*at) && !bytes.is_empty())?;
        let start = self.text[..at].trim_end_matches(is_identifier).len();
        let end = self.text.len() - self.text[at..].trim_start_matches(is_identifier).len();
        Some(self.text[start..end].to_owned())
    }

    fn line(&self, at: usize) -> usize {
        Lines::new(self.text).line_of(at) + 1
    }
}

/// A text with ordered edits made.
fn applied(text: &str, edits: &[(Range<usize>, &str)]) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (bytes, new) in edits {
        out.push_str(&text[done..bytes.start]);
        out.push_str(new);
        done = bytes.end;
    }
    out.push_str(&text[done..]);
    out
}

fn line_at(text: &str, at: usize) -> String {
    let lines = Lines::new(text);
    lines.line(lines.line_of(at)).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    fn edit(line: u32, start: u32, end: u32, text: &str) -> TextEdit {
        let range = Range::new(Position::new(line, start), Position::new(line, end));
        TextEdit { range, text: text.to_owned() }
    }

    /// The text that comes of edits, or the refusal.
    fn renamed_by(encoding: Encoding, text: &str, edits: &[TextEdit]) -> Result<String, String> {
        let names = Names::new("foo", "bar", "typescript");
        judged(encoding, text, edits, Judge::Rename(&names))
    }

    fn judged(
        encoding: Encoding,
        text: &str,
        edits: &[TextEdit],
        judge: Judge<'_>,
    ) -> Result<String, String> {
        let original = Original { path: "a.ts", text, encoding };
        let found = original.rewritten(edits, judge).map_err(|refusal| refusal.to_string())?;
        let edits: Vec<_> = found.iter().map(|one| (one.bytes.clone(), one.text.as_str())).collect();
        Ok(applied(text, &edits))
    }

    fn renamed(text: &str, edits: &[TextEdit]) -> Result<String, String> {
        renamed_by(Encoding::Utf16, text, edits)
    }

    #[test]
    fn each_encoding_hits_its_own_bytes() {
        let text = "\t\u{1f600}é foo\r\nfoo\r\n";
        for (encoding, column) in [(Encoding::Utf8, 8), (Encoding::Utf16, 5), (Encoding::Utf32, 4)] {
            let edits = [edit(0, column, column + 3, "bar"), edit(1, 0, 3, "bar")];
            assert_eq!(
                renamed_by(encoding, text, &edits).unwrap(),
                "\t\u{1f600}é bar\r\nbar\r\n",
                "{encoding:?}"
            );
            let wrong = [edit(0, column - 1, column + 2, "bar")];
            assert!(renamed_by(encoding, text, &wrong).unwrap_err().contains("does more than rename"));
        }
    }

    #[test]
    fn a_byte_order_mark_counts_or_does_not() {
        let text = "\u{feff}foo = foo\n";
        for shift in [1, 0] {
            let edits = [edit(0, shift, shift + 3, "bar"), edit(0, shift + 6, shift + 9, "bar")];
            assert_eq!(renamed(text, &edits).unwrap(), "\u{feff}bar = bar\n", "{shift}");
        }
        let wrong = renamed(text, &[edit(0, 2, 5, "bar")]).unwrap_err();
        assert_eq!(
            wrong,
            "`a.ts:1`: the edit does more than rename `foo` to `bar`: `\u{feff}foo = foo` would become `\u{feff}fbar= foo`"
        );
    }

    #[test]
    fn duplicates_collapse_and_overlaps_are_refused() {
        let twice = [edit(0, 4, 7, "bar"), edit(0, 0, 3, "bar"), edit(0, 4, 7, "bar")];
        assert_eq!(renamed("foo foo", &twice).unwrap(), "bar bar");
        let inserted = [edit(0, 1, 1, ": bar"), edit(0, 1, 1, ": bar")];
        let names = Names::new("x", "bar", "typescript");
        assert_eq!(judged(Encoding::Utf8, "x", &inserted, Judge::Rename(&names)).unwrap(), "x: bar");
        let overlapping = [edit(1, 0, 3, "bar"), edit(1, 2, 3, "r")];
        assert_eq!(renamed("\nfoo", &overlapping).unwrap_err(), "`a.ts`: two edits of line 2 overlap");
        let different = [edit(0, 0, 3, "bar"), edit(0, 0, 3, "baz")];
        assert_eq!(renamed("foo", &different).unwrap_err(), "`a.ts`: two edits of line 1 overlap");
    }

    #[test]
    fn ranges_are_turned_round_and_clamped() {
        let reversed =
            TextEdit { range: Range::new(Position::new(0, 3), Position::new(0, 0)), text: "bar".into() };
        assert_eq!(renamed("foo\n", &[reversed]).unwrap(), "bar\n");
        let past =
            TextEdit { range: Range::new(Position::new(1, 0), Position::new(9, 9)), text: "bar".into() };
        assert_eq!(renamed("x\nfoo", &[past]).unwrap(), "x\nbar");
        assert_eq!(renamed("foo\r\nx", &[edit(0, 0, 99, "bar")]).unwrap(), "bar\r\nx", "before the line end");
    }

    #[test]
    fn letters_and_whole_files_are_judged_by_what_they_do() {
        let letters = [edit(0, 0, 1, "b"), edit(0, 1, 2, "a"), edit(0, 2, 3, "r")];
        assert_eq!(renamed("foo(x)", &letters).unwrap(), "bar(x)");
        let half = [edit(0, 0, 1, "b")];
        assert_eq!(
            renamed("foo(x)", &half).unwrap_err(),
            "`a.ts:1`: the edit does more than rename `foo` to `bar`: `foo(x)` would become `boo(x)`"
        );
        let whole = TextEdit {
            range: Range::new(Position::new(0, 0), Position::new(3, 0)),
            text: "a bar\nbar\n".to_owned(),
        };
        assert_eq!(renamed("a foo\r\nfoo\r\n", &[whole]).unwrap(), "a bar\r\nbar\r\n");
        assert_eq!(renamed("{ foo }", &[edit(0, 5, 5, ": bar")]).unwrap(), "{ foo: bar }");
        assert!(renamed("{ foo }", &[edit(0, 1, 1, ": bar")]).is_err(), "not beside an occurrence");
        assert!(renamed("foobar", &[edit(0, 0, 3, "bar")]).is_err(), "a part of a longer name");
    }

    #[test]
    fn a_move_may_write_any_text_but_cut_no_name() {
        let moved = |text: &str, edits: &[TextEdit]| judged(Encoding::Utf16, text, edits, Judge::Move);
        let path = [edit(0, 8, 12, "./lib/b"), edit(0, 0, 0, "// moved\n")];
        assert_eq!(moved("import '../b';\r\n", &[path[0].clone()]).unwrap(), "import './lib/b';\r\n");
        assert_eq!(moved("import 'a/b';\r\n", &path[1..]).unwrap(), "// moved\r\nimport 'a/b';\r\n");
        assert_eq!(
            moved("mod foo;", &[edit(0, 3, 6, "bar")]).unwrap_err(),
            "`a.ts:1`: the edit would cut `foo` in two"
        );
    }
}
