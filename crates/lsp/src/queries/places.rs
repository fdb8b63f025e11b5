//! From what a server names (a URI and a range in its own encoding) to places that people name. Order and number are
//! settled before a file is read, so that only what is shown costs anything.
//! It must never lose a place that it cannot read: it is shown by what is known of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Range;
use workspace::Workspace;
use workspace::text::Position;

use crate::position::{Encoding, Lines};
use crate::{limits, uri};

/// Folders that hold what others wrote, or what a program made.
const NOT_OWN: [&str; 12] = [
    "node_modules",
    "target",
    "site-packages",
    ".venv",
    "venv",
    ".dart_tool",
    "build",
    "dist",
    "vendor",
    "__pycache__",
    ".git",
    "bazel-out",
];
/// Endings of files that a program made.
const GENERATED: [&str; 6] = [".g.dart", ".freezed.dart", ".pb.go", "_pb2.py", ".min.js", ".generated.cs"];

/// What a server named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) uri: String,
    /// Nothing where the server named a file only.
    pub(crate) range: Option<Range>,
    /// What is looked for in the range, where the range may be more than a name.
    pub(crate) name: Option<String>,
}

impl Spot {
    pub(crate) fn new(uri: impl Into<String>, range: Range) -> Self {
        Self { uri: uri.into(), range: Some(range), name: None }
    }
}

/// Whose file it is. The order is that of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Own,
    /// In the workspace, but made by a program or brought from elsewhere.
    Foreign,
    Outside,
}

impl Standing {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Own => "workspace",
            Self::Foreign => "generated or dependency",
            Self::Outside => "outside",
        }
    }

    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Own => "",
            Self::Foreign => " (generated or dependency)",
            Self::Outside => " (outside the workspace)",
        }
    }
}

/// A place as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Relative to the workspace, or absolute, or the URI where that is no file.
    pub(crate) path: String,
    /// `None` where the server named none, or the file cannot be read.
    pub(crate) position: Option<Position>,
    /// The line there.
    pub(crate) reads: Option<String>,
    pub(crate) standing: Standing,
}

/// A spot whose file is known, not yet read.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    spot: Spot,
    absolute: Option<PathBuf>,
    pub(crate) path: String,
    pub(crate) standing: Standing,
}

impl Found {
    /// Where it stands in a list.
    pub(crate) fn order(&self) -> (Standing, &str, Option<(lsp_types::Position, lsp_types::Position)>) {
        (self.standing, &self.path, self.spot.range.map(|range| (range.start, range.end)))
    }

    /// The same file and place, whatever its URI and the end of its range.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.path == other.path
            && self.spot.range.map(|range| range.start) == other.spot.range.map(|range| range.start)
    }
}

/// The files of one answer.
#[derive(Debug)]
pub(crate) struct Places {
    workspace: Workspace,
    encoding: Encoding,
    resolved: HashMap<String, (Option<PathBuf>, String, Standing)>,
    texts: HashMap<PathBuf, Option<Arc<str>>>,
}

impl Places {
    /// For an answer in `encoding`.
    pub(crate) fn new(workspace: Workspace, encoding: Encoding) -> Self {
        Self { workspace, encoding, resolved: HashMap::new(), texts: HashMap::new() }
    }

    /// Finds the file of a spot.
    pub(crate) fn find(&mut self, spot: Spot) -> Found {
        let workspace = &self.workspace;
        let resolved = self.resolved.entry(spot.uri.clone()).or_insert_with(|| resolve(workspace, &spot.uri));
        let (absolute, path, standing) = resolved.clone();
        Found { spot, absolute, path, standing }
    }

    /// Every spot once, the workspace's own first, by path and position.
    pub(crate) fn sorted(&mut self, spots: Vec<Spot>) -> Vec<Found> {
        let mut found: Vec<Found> = spots.into_iter().map(|spot| self.find(spot)).collect();
        found.sort_by(|a, b| a.order().cmp(&b.order()));
        found.dedup_by(|a, b| a.path == b.path && a.spot.range == b.spot.range);
        found
    }

    /// Reads the line of a place.
    pub(crate) fn read(&mut self, found: &Found) -> Place {
        let (position, reads);
        if let (Some(range), Some(text)) = (found.spot.range, self.text(found.absolute.as_deref())) {
            let lines = Lines::new(&text);
            let bytes = lines.bytes(range, self.encoding);
            let at = found
                .spot
                .name
                .as_deref()
                .and_then(|name| name_in(&text, &bytes, name))
                .unwrap_or(bytes.start);
            position = Some(lines.place(at));
            reads = lines.line(lines.line_of(at)).map(|line| line.trim_start_matches('\u{feff}').to_owned());
        } else {
            return Self::unread(found);
        }
        Place { path: found.path.clone(), position, reads, standing: found.standing }
    }

    /// What is known of a place without its file: the line is the same in every encoding, the column is not always.
    pub(crate) fn unread(found: &Found) -> Place {
        let position = found.spot.range.map(|range| Position {
            line: range.start.line as usize + 1,
            column: range.start.character as usize + 1,
        });
        Place { path: found.path.clone(), position, reads: None, standing: found.standing }
    }

    fn text(&mut self, path: Option<&Path>) -> Option<Arc<str>> {
        let path = path?;
        if let Some(text) = self.texts.get(path) {
            return text.clone();
        }
        let bytes = workspace::read_source(path, limits::DOCUMENT).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(Arc::from);
        self.texts.insert(path.to_owned(), text.clone());
        text
    }
}

/// The first place in `range` where `name` stands by itself: what servers call the range of a symbol may start at its
/// comment, its attributes or its modifiers.
fn name_in(text: &str, range: &std::ops::Range<usize>, name: &str) -> Option<usize> {
    let lines = Lines::new(text);
    let first = lines.line_of(range.start);
    let last = lines.line_of(range.end);
    (first..=last).find_map(|line| {
        let content = lines.content(line)?;
        let reads = text[content.clone()].trim_start();
        if ["//", "/*", "*", "#", "\"\"\"", "@", "--"].iter().any(|sign| reads.starts_with(sign)) {
            return None;
        }
        let at = crate::symbol::whole_in(&text[content.clone()], name)?;
        Some(content.start + at).filter(|at| *at >= range.start)
    })
}

fn resolve(workspace: &Workspace, uri: &str) -> (Option<PathBuf>, String, Standing) {
    let Some(absolute) = uri::canonical_path(uri) else {
        return (None, uri.to_owned(), Standing::Outside);
    };
    if let Some(relative) = workspace.relative(&absolute) {
        let standing = standing(&relative);
        return (Some(absolute), relative, standing);
    }
    let shown = absolute.to_string_lossy().into_owned();
    (Some(absolute), shown, Standing::Outside)
}

fn standing(relative: &str) -> Standing {
    let (folders, file) = relative.rsplit_once('/').unwrap_or(("", relative));
    let foreign = folders.split('/').any(|folder| NOT_OWN.contains(&folder));
    let generated = GENERATED.iter().any(|ending| file.ends_with(ending));
    if foreign || generated { Standing::Foreign } else { Standing::Own }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

    use lsp_types::Position as At;
    use test_support::Fixture;

    use super::*;

    fn at(line: u32, character: u32) -> Range {
        Range::new(At::new(line, character), At::new(line, character + 3))
    }

    fn said(fixture: &Fixture, spots: Vec<Spot>) -> Vec<String> {
        let workspace = Workspace::open(fixture.root()).unwrap();
        let mut places = Places::new(workspace, Encoding::Utf16);
        let found = places.sorted(spots);
        found.iter().map(|found| crate::render::place_line(&places.read(found))).collect()
    }

    #[test]
    fn own_files_come_first_by_path_and_position_and_each_place_once() {
        let fixture =
            Fixture::new("//- /b.rs\nfoo\n\t\u{1f600} foo\n//- /a b.rs\nfoo\n//- /target/c.rs\nfoo\n");
        std::fs::write(fixture.outside().join("d.rs"), "foo").unwrap();
        let uri = |path: &str| uri::of(&fixture.path(path));
        let outside = uri::of(&fixture.outside().join("d.rs"));
        let spots = vec![
            Spot::new(&outside, at(0, 0)),
            Spot::new(uri("target/c.rs"), at(0, 0)),
            Spot::new(uri("b.rs"), at(1, 4)),
            Spot::new(uri("b.rs"), at(0, 0)),
            Spot::new(uri("./b.rs").replace("b.rs", "%62.rs"), at(0, 0)),
            Spot::new(uri("a b.rs"), at(0, 0)),
            Spot::new(uri("gone.rs"), at(4, 2)),
            Spot::new("jdt://contents/rt.jar", at(1, 1)),
        ];
        let outside = fixture.outside().join("d.rs").display().to_string();
        assert_eq!(
            said(&fixture, spots),
            [
                "a b.rs:1:1: foo".to_owned(),
                "b.rs:1:1: foo".to_owned(),
                "b.rs:2:4: \u{1f600} foo".to_owned(),
                "gone.rs:5:3".to_owned(),
                "target/c.rs:1:1 (generated or dependency): foo".to_owned(),
                format!("{outside}:1:1 (outside the workspace): foo"),
                "jdt://contents/rt.jar:2:2 (outside the workspace)".to_owned(),
            ]
        );
    }

    #[test]
    fn a_symbol_is_shown_at_its_name() {
        let fixture = Fixture::new("//- /a.rs\n/// What foo does.\n#[foo]\npub(crate) fn foo() {}\n");
        let whole = Range::new(At::new(0, 0), At::new(2, 22));
        let spot = Spot { name: Some("foo".to_owned()), ..Spot::new(uri::of(&fixture.path("a.rs")), whole) };
        assert_eq!(said(&fixture, vec![spot.clone()]), ["a.rs:3:15: pub(crate) fn foo() {}"]);
        let unknown = Spot { name: Some("bar".to_owned()), ..spot };
        assert_eq!(said(&fixture, vec![unknown]), ["a.rs:1:1: /// What foo does."]);
    }
}
