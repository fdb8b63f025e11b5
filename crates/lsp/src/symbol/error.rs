//! Why a line and a symbol name no place, with what a caller needs to name one: the line as it is, where the symbol
//! stands, how to choose.

use std::fmt::Write as _;

/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 160;
/// Lines near by that are named.
const MAX_NEAR: usize = 5;

/// One of several places, as an error lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub number: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What the server says it leads to, where it was asked.
    pub leads_to: Option<String>,
}

/// Why there is no one place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    #[error("`symbol` is empty; it is the name, as the line has it")]
    Empty,
    #[error("`symbol` spans lines; it is a name on the line `line`")]
    SeveralLines,
    #[error("`{file}` has no line {line}: it has {count}, counted from 1")]
    NoLine { line: usize, file: String, count: usize },
    #[error("line {line} of `{file}` has no `{symbol}`; it reads `{reads}`{}", elsewhere(other_case.as_deref(), near))]
    Absent {
        symbol: String,
        file: String,
        line: usize,
        reads: Box<str>,
        /// Lines that hold it, the nearest first.
        near: Vec<(usize, String)>,
        other_case: Option<Box<str>>,
    },
    #[error("line {line} of `{file}` has `{symbol}` {}, so there is no `{symbol}#{number}`", times(*count))]
    NoSuchNumber { symbol: String, file: String, line: usize, number: usize, count: usize },
    #[error("line {line} of `{file}` has `{symbol}` only as a part of `{whole}`")]
    NotWhole { symbol: String, whole: String, file: String, line: usize },
    #[error("line {line} of `{file}` has `{symbol}` {} and they are not the same:{}", times(choices.len()), listed(symbol, choices))]
    Ambiguous { symbol: String, file: String, line: usize, choices: Vec<Choice> },
}

impl PlaceError {
    /// The next step.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Empty | Self::SeveralLines | Self::NoLine { .. } => None,
            Self::Absent { near, other_case, .. } => Some(match (other_case, near.is_empty()) {
                (Some(name), _) => format!("letter case counts: `{name}`"),
                (None, false) => "name the line that has it; lines are counted from 1".to_owned(),
                (None, true) => "read the file again: it may have changed".to_owned(),
            }),
            Self::NoSuchNumber { symbol, count: 1, .. } => {
                Some(format!("name it without a number: `{symbol}`"))
            }
            Self::NoSuchNumber { symbol, count, .. } => Some(format!("`{symbol}#1` … `{symbol}#{count}`")),
            Self::NotWhole { whole, .. } => Some(format!("to rename that, name it whole: `{whole}`")),
            Self::Ambiguous { symbol, choices, .. } => {
                let leads = choices.iter().find(|choice| choice.leads_to.is_some());
                let one = leads.or(choices.first()).map_or(1, |choice| choice.number);
                Some(format!("choose one by its number, such as `{symbol}#{one}`"))
            }
        }
    }
}

fn elsewhere(other_case: Option<&str>, near: &[(usize, String)]) -> String {
    let mut text = other_case.map(|name| format!("; it has `{name}`")).unwrap_or_default();
    if near.is_empty() {
        return text;
    }
    text.push_str("; the nearest that has it:");
    for (line, reads) in near.iter().take(MAX_NEAR) {
        let _ = write!(text, "\n  line {line}: {reads}");
    }
    text
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

fn listed(symbol: &str, choices: &[Choice]) -> String {
    let mut text = String::new();
    for Choice { number, column, leads_to } in choices {
        let leads = leads_to.as_ref().map(|place| format!(", defined at {place}")).unwrap_or_default();
        let _ = write!(text, "\n  `{symbol}#{number}`: column {column}{leads}");
    }
    text
}

/// A line as an error quotes it.
pub(super) fn quoted(line: &str) -> String {
    let line = line.trim();
    let mut signs = line.char_indices();
    match signs.nth(MAX_QUOTED) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}… (+{} characters)", &line[..end], 1 + signs.count()),
    }
}
