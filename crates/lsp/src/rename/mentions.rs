//! Where a name stands in the workspace's files, as text: what a rename leaves alone, and which files a server may not
//! have looked at yet. It must never pass for an answer of the server's: a text knows no symbols.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use workspace::{Workspace, read_source, shown};

use super::names::Name;
use super::plan::Rewritten;
use super::refusal::{Refusal, clip};
use crate::position::Lines;
use crate::symbol::Syntax;

/// Files that are searched.
const MAX_FILES: usize = 20_000;
/// Bytes of one file that is searched.
const MAX_BYTES: u64 = 1024 * 1024;
/// Bytes that are searched in all.
const MAX_TOTAL: u64 = 256 * 1024 * 1024;
/// Files in which code is told from comments and strings.
const MAX_SORTED: usize = 50;
/// Places that are listed.
const MAX_LISTED: usize = 10;

/// Every place, by file.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    pub(crate) files: BTreeMap<String, Vec<Range<usize>>>,
    /// Files that were not searched, since a limit was reached.
    unsearched: usize,
}

impl Mentions {
    /// Searches the workspace by the rules of its walk.
    pub(crate) fn search(
        workspace: &Workspace,
        name: &Name,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Refusal> {
        let walk = workspace.walk(&workspace.scope(None)?, &|_| true, cancelled)?;
        let (mut mentions, mut total) = (Self::default(), 0);
        for (number, file) in walk.files.into_iter().enumerate() {
            if cancelled() {
                return Err(workspace::Error::Cancelled.into());
            }
            total += file.len;
            if number >= MAX_FILES || file.len > MAX_BYTES || total > MAX_TOTAL {
                mentions.unsearched += 1;
                continue;
            }
            let Ok(source) = read_source(&file.absolute, MAX_BYTES) else { continue };
            let Ok(text) = String::from_utf8(source) else { continue };
            let found = name.occurrences(&text);
            if !found.is_empty() {
                mentions.files.insert(file.relative, found);
            }
        }
        Ok(mentions)
    }

    /// Takes out what a rename changes.
    pub(crate) fn without(mut self, changed: &BTreeMap<String, Rewritten>) -> Self {
        for (path, file) in changed {
            let Some(found) = self.files.get_mut(path) else { continue };
            found.retain(|range| {
                !file.bytes.iter().any(|gone| gone.start < range.end && range.start < gone.end)
            });
        }
        self.files.retain(|_, found| !found.is_empty());
        self
    }

    /// Sorts the places into code and the rest, and words the first of them.
    pub(crate) fn sorted(&self, workspace: &Workspace, syntax: Option<&dyn Syntax>) -> Sorted {
        let mut sorted = Sorted { unsearched: self.unsearched, ..Sorted::default() };
        for (path, found) in self.files.iter().take(MAX_SORTED) {
            let absolute = workspace.root().join(path);
            let Some(text) = read_source(&absolute, MAX_BYTES).ok().and_then(|it| String::from_utf8(it).ok())
            else {
                sorted.unsorted += found.len();
                continue;
            };
            for range in found {
                sorted.add(path, &text, range, code(syntax, &absolute, &text, range));
            }
        }
        sorted.unsorted += self.files.values().skip(MAX_SORTED).map(Vec::len).sum::<usize>();
        sorted
    }
}

fn code(syntax: Option<&dyn Syntax>, path: &Path, text: &str, range: &Range<usize>) -> Option<bool> {
    syntax?.is_code(path, text, range.clone())
}

/// What was left alone, told apart.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) in_code: usize,
    pub(crate) in_text: usize,
    pub(crate) unsorted: usize,
    unsearched: usize,
    /// `path:line:col: line`, code first.
    code: Vec<String>,
    rest: Vec<String>,
}

impl Sorted {
    fn add(&mut self, path: &str, text: &str, range: &Range<usize>, is_code: Option<bool>) {
        let (count, listed, mark) = match is_code {
            Some(true) => (&mut self.in_code, &mut self.code, ""),
            Some(false) => (&mut self.in_text, &mut self.rest, " (comment or string)"),
            None => (&mut self.unsorted, &mut self.rest, ""),
        };
        *count += 1;
        if listed.len() < MAX_LISTED {
            let lines = Lines::new(text);
            let place = lines.place(range.start);
            let line = lines.line(lines.line_of(range.start)).unwrap_or_default().trim();
            listed.push(format!("{}:{}:{}: {}{mark}", shown(path), place.line, place.column, clip(line)));
        }
    }

    /// As lines of an answer: a sentence, and the first places.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let mut parts = Vec::new();
        for (count, what) in [
            (self.in_code, "in code, which the server says is something else or does not know"),
            (self.in_text, "in comments or strings"),
            (self.unsorted, "in other text"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let mut lines = Vec::new();
        if !parts.is_empty() {
            lines.push(format!("left alone, where the text says `{}` too: {}", clip(name), parts.join("; ")));
            let places: Vec<&String> = self.places().collect();
            let more = self.in_code + self.in_text + self.unsorted - places.len();
            lines.extend(places.into_iter().map(|place| format!("  {place}")));
            if more > 0 {
                lines.push(format!("  … and {more} more"));
            }
        }
        if self.unsearched > 0 {
            lines.push(format!(
                "not searched for `{}` as text: {} files (over a limit)",
                clip(name),
                self.unsearched
            ));
        }
        lines
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = &String> {
        self.code.iter().chain(&self.rest).take(MAX_LISTED)
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one place is one range")]
mod tests {
    use test_support::Fixture;

    use super::*;

    /// Takes what stands behind `//` for a comment.
    struct Slashes;

    impl Syntax for Slashes {
        fn is_code(&self, path: &Path, text: &str, range: Range<usize>) -> Option<bool> {
            let known = path.extension().is_some_and(|extension| extension == "rs");
            let line = text[..range.start].rsplit('\n').next().unwrap_or_default();
            known.then(|| !line.contains("//"))
        }
    }

    #[test]
    fn what_is_left_alone_is_counted_by_what_it_is() {
        let fixture = Fixture::new(
            "//- /.gitignore\nout/\n//- /a.rs\nfoo foo // foo\nfoobar\n//- /out/b.rs\nfoo\n//- /notes.md\na foo\n",
        );
        fixture.write("binary.rs", b"\0foo");
        let workspace = Workspace::open(fixture.root()).unwrap();
        let search = || Mentions::search(&workspace, &Name::new("foo", "rust"), &|| false).unwrap();
        assert_eq!(search().files.values().map(Vec::len).sum::<usize>(), 4);
        let changed = BTreeMap::from([("a.rs".to_owned(), Rewritten { count: 1, bytes: vec![0..3] })]);
        let left = search().without(&changed);
        assert_eq!(
            left.sorted(&workspace, Some(&Slashes)).lines("foo"),
            [
                "left alone, where the text says `foo` too: 1 in code, which the server says is something else or \
                 does not know; 1 in comments or strings; 1 in other text",
                "  a.rs:1:5: foo foo // foo",
                "  a.rs:1:12: foo foo // foo (comment or string)",
                "  notes.md:1:3: a foo",
            ]
        );
        assert!(
            search()
                .without(&BTreeMap::from([
                    ("a.rs".to_owned(), Rewritten { count: 3, bytes: vec![0..3, 4..7, 11..14] }),
                    ("notes.md".to_owned(), Rewritten { count: 1, bytes: vec![0..5] }),
                ]))
                .sorted(&workspace, None)
                .lines("foo")
                .is_empty()
        );
        let cancelled = Mentions::search(&workspace, &Name::new("foo", "rust"), &|| true);
        assert!(matches!(cancelled, Err(Refusal::Path(workspace::Error::Cancelled))));
    }
}
