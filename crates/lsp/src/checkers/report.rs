//! What one checker said about one folder: its diagnostics with places a reader can use, and whether it is evidence.
//! It must never lose an error: one outside the workspace is counted, one without a place is kept.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use lsp_types::Position;
use workspace::Workspace;

use crate::diagnostic::Severity;
use crate::limits;
use crate::position::{Encoding, Lines};

/// One run of one checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Its name: `cargo check`.
    pub(crate) checker: String,
    /// The folder it ran in, relative to the workspace's root.
    pub(crate) folder: String,
    /// The command as a person would type it; empty when there was none to run.
    pub(crate) command: String,
    pub(crate) outcome: Outcome,
    /// Errors and warnings in files outside the workspace, which are not listed.
    pub(crate) outside: usize,
    /// Errors first, then by place; without repetitions.
    pub(crate) diagnostics: Vec<CheckerDiagnostic>,
}

/// Whether there is evidence of what was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Verified {
        errors: usize,
        warnings: usize,
        checked: usize,
        /// How many there are, where not all were checked.
        of: Option<usize>,
        unit: Unit,
    },
    /// What it did say is kept, and is not all.
    NotVerified { why: String },
}

/// What a checker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Files,
    Targets,
    Packages,
}

/// An error or a warning of a checker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CheckerDiagnostic {
    pub(crate) severity: Severity,
    /// Relative to the workspace's root; the project's own file or folder is not always named.
    pub(crate) path: Option<String>,
    /// From 1; 0 when not told.
    pub(crate) line: usize,
    /// From 1, in characters; 0 when not told.
    pub(crate) column: usize,
    pub(crate) code: Option<String>,
    pub(crate) message: String,
}

/// A place as a checker names it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Absolute, or relative to the folder the checker ran in.
    pub(super) path: PathBuf,
    /// Both from 1; a column of 0 is none.
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) counts: Encoding,
}

/// A [`Checked`] in the making.
#[derive(Debug)]
pub(super) struct Report<'a> {
    workspace: &'a Workspace,
    base: PathBuf,
    checked: Checked,
    seen: HashSet<CheckerDiagnostic>,
    outside: HashSet<(PathBuf, usize, usize, String)>,
    texts: HashMap<PathBuf, Option<String>>,
}

impl<'a> Report<'a> {
    pub(super) fn new(workspace: &'a Workspace, checker: &str, shown: String, base: &Path) -> Self {
        let outcome = Outcome::NotVerified { why: String::new() };
        let checked = Checked {
            checker: checker.to_owned(),
            folder: shown,
            command: String::new(),
            outcome,
            outside: 0,
            diagnostics: Vec::new(),
        };
        let (seen, outside, texts) = Default::default();
        Self { workspace, base: base.to_owned(), checked, seen, outside, texts }
    }

    /// Where relative paths of the checker start, if not in its folder.
    pub(super) fn based_on(&mut self, base: &Path) {
        base.clone_into(&mut self.base);
    }

    /// The command, with the program by its name.
    pub(super) fn command(&mut self, program: &Path, arguments: &[&str]) {
        let program = program.file_name().unwrap_or_default().to_string_lossy();
        let command = [&[&*program], arguments].concat().join(" ");
        if !self.checked.command.is_empty() {
            self.checked.command.push_str("; ");
        }
        self.checked.command.push_str(&command);
    }

    /// Adds a diagnostic once: targets of one crate, or two steps of one checker, repeat them.
    pub(super) fn add(
        &mut self,
        place: Option<Place>,
        severity: Severity,
        code: Option<&str>,
        message: &str,
    ) {
        let (mut path, mut line, mut column) = (None, 0, 0);
        if let Some(place) = place {
            let absolute = self.base.join(&place.path);
            let absolute = absolute.canonicalize().unwrap_or(absolute);
            let Some(relative) = self.workspace.relative(&absolute) else {
                self.outside.insert((absolute, place.line, place.column, message.to_owned()));
                return;
            };
            path = Some(relative);
            line = place.line;
            column = self.characters(&absolute, &place);
        }
        let code = code.filter(|code| !code.is_empty()).map(str::to_owned);
        let message = message.trim_end().to_owned();
        let diagnostic = CheckerDiagnostic { severity, path, line, column, code, message };
        if self.seen.insert(diagnostic.clone()) {
            self.checked.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.checked.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }

    /// It checked `checked` of `of`; of nothing is no evidence.
    pub(super) fn verified(self, checked: usize, of: usize, unit: Unit) -> Checked {
        if checked == 0 && self.checked.diagnostics.is_empty() && self.outside.is_empty() {
            return self.not_verified(format!("it checked no {}", unit.one()));
        }
        let count =
            |severity| self.checked.diagnostics.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let of = (of > checked).then_some(of);
        self.finish(Outcome::Verified { errors, warnings, checked, of, unit })
    }

    pub(super) fn not_verified(self, why: impl Into<String>) -> Checked {
        self.finish(Outcome::NotVerified { why: why.into() })
    }

    /// It and what comes after it is left out.
    pub(super) fn too_many(self) -> Checked {
        let most = limits::CHECKED_PROJECTS;
        self.not_verified(format!(
            "at most {most} projects of one kind are checked; this one and others are not"
        ))
    }

    fn finish(mut self, outcome: Outcome) -> Checked {
        self.checked.outcome = outcome;
        self.checked.outside = self.outside.len();
        self.checked.diagnostics.sort();
        self.checked
    }

    /// The column in characters.
    fn characters(&mut self, absolute: &Path, place: &Place) -> usize {
        if place.counts == Encoding::Utf32 || place.column == 0 || place.line == 0 {
            return place.column;
        }
        let text = self.texts.entry(absolute.to_owned()).or_insert_with(|| {
            let bytes = workspace::read_source(absolute, limits::DOCUMENT).ok()?;
            String::from_utf8(bytes).ok()
        });
        let Some(text) = text else { return place.column };
        let narrow = |number: usize| u32::try_from(number - 1).unwrap_or(u32::MAX);
        let lines = Lines::new(text);
        let position = Position::new(narrow(place.line), narrow(place.column));
        lines.place(lines.offset(position, place.counts)).column
    }
}

impl Unit {
    fn one(self) -> &'static str {
        match self {
            Self::Files => "file",
            Self::Targets => "target",
            Self::Packages => "package",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        match self {
            Self::Verified { errors, warnings, checked, of, unit } => {
                write!(f, "{}, {} in ", many(*errors, "error"), many(*warnings, "warning"))?;
                match of {
                    Some(of) => write!(f, "{checked} of {} checked", many(*of, unit.one())),
                    None => write!(f, "{} checked", many(*checked, unit.one())),
                }
            }
            Self::NotVerified { why } => write!(f, "not verified: {why}"),
        }
    }
}

/// `file:line:column` at the start of a line of text, and what follows it; the column may be missing.
pub(super) fn located(line: &str, counts: Encoding) -> Option<(Place, &str)> {
    // A Windows drive or a name with a colon in it: the first number after a colon ends the path.
    for (at, _) in line.match_indices(':') {
        let (number, rest) = leading_number(&line[at + 1..]);
        let Some(number) = number.filter(|_| rest.starts_with(':') && at > 0) else { continue };
        let (column, after) = leading_number(&rest[1..]);
        let (column, rest) = match column.filter(|_| after.starts_with(':')) {
            Some(column) => (column, after),
            None => (0, rest),
        };
        let place = Place { path: line[..at].into(), line: number, column, counts };
        return Some((place, rest[1..].trim_start()));
    }
    None
}

fn leading_number(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().ok(), &text[end..])
}
