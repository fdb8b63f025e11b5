//! From a line and a symbol to the place that is meant. Whole identifiers come before parts of longer ones, code before
//! comments and strings, and what stays open is an error that lists the places.
//! It must never redirect to another line, ignore letter case, or take the first of several.

mod error;
mod text;

use std::ops::Range;
use std::path::Path;

pub(crate) use error::Choice;
pub use error::PlaceError;

use crate::position::Lines;
use text::{Fit, Name};

/// Lines above and below that are looked at when a line does not hold the symbol.
const NEAR: usize = 5;

/// Tells code from comments and strings. The crate knows no grammar: whoever assembles a run may.
pub trait Syntax: Send + Sync {
    /// Whether the bytes `range` of `text`, the content of the file `path`, are code; `false` in a comment or a
    /// string, `None` where that is not known. The code inside an interpolated string is code.
    fn is_code(&self, path: &Path, text: &str, range: Range<usize>) -> Option<bool>;
}

/// What the place is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An answer to be read, which says what it was taken for.
    Read,
    /// A change: only what was named.
    Rename,
}

/// A symbol on a line of a file.
#[derive(Debug, Clone)]
pub(crate) struct Aim {
    /// The file, as an answer shows it.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// As it was asked for: `name`, or `name#2` for the second on the line.
    pub(crate) symbol: String,
    pub(crate) purpose: Purpose,
}

/// One place where the symbol stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Which one it is on its line, from 1.
    pub(crate) number: usize,
    /// The byte a server is asked about.
    pub(crate) at: usize,
    /// The identifier there, whole.
    pub(crate) name: Range<usize>,
    /// What the symbol was taken for, where that is not what was written.
    pub(crate) taken_for: Option<String>,
}

/// Where the symbol stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    One(Occurrence),
    /// More than one, all as likely.
    Several(Vec<Occurrence>),
}

impl Aim {
    /// The places in `text` that may be meant. `code` answers as [`Syntax`] does.
    pub(crate) fn find(
        &self,
        text: &str,
        code: impl Fn(Range<usize>) -> Option<bool>,
    ) -> Result<Found, PlaceError> {
        let (symbol, line) = (self.symbol.as_str(), self.line);
        if symbol.trim().is_empty() {
            return Err(PlaceError::Empty);
        }
        if symbol.contains(['\n', '\r']) {
            return Err(PlaceError::SeveralLines);
        }
        let lines = Lines::new(text);
        let content =
            line.checked_sub(1).filter(|line| *line < lines.count()).and_then(|line| lines.content(line));
        let Some(content) = content else {
            return Err(PlaceError::NoLine { line, file: self.file.clone(), count: lines.count() });
        };
        let (name, number) = numbered(symbol);
        let mut found = self.on_line(text, &content, name)?;
        if let Some(number) = number {
            // `issue#2` may be what the line says.
            let says_so = text[content.clone()].contains(symbol);
            let as_written = if says_so { self.on_line(text, &content, symbol)? } else { Vec::new() };
            if as_written.is_empty() || (1..=found.len()).contains(&number) {
                return if found.is_empty() {
                    Err(self.absent(&lines, name))
                } else {
                    self.nth(found, number)
                };
            }
            found = as_written;
        }
        if found.len() > 1 {
            let (code, rest): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|occurrence| code(occurrence.name.clone()) != Some(false));
            found = if code.is_empty() { rest } else { code };
        }
        match found.len() {
            0 => Err(self.absent(&lines, name)),
            1 => Ok(Found::One(found.remove(0))),
            _ => Ok(Found::Several(found)),
        }
    }

    /// This aim, at one of several places.
    pub(crate) fn numbered(&self, number: usize) -> Self {
        Self { symbol: format!("{}#{number}", self.name()), ..self.clone() }
    }

    /// The symbol as it was written, without a number.
    pub(crate) fn name(&self) -> &str {
        numbered(&self.symbol).0
    }

    /// The best fitting occurrences of `name` on a line.
    fn on_line(&self, text: &str, content: &Range<usize>, name: &str) -> Result<Vec<Occurrence>, PlaceError> {
        let name = Name::new(name);
        let (fit, places) = name.places(&text[content.clone()]);
        let shift = |range: Range<usize>| content.start + range.start..content.start + range.end;
        let occurrences = places.into_iter().enumerate().map(|(index, place)| {
            let (at, whole) = name.aim(text, &shift(place.clone()));
            let taken_for = match fit {
                Fit::Whole => None,
                Fit::LastSegment => Some(text[whole.clone()].to_owned()),
                Fit::Sigil | Fit::Inside => Some(text[text::widened(text, &shift(place))].to_owned()),
            };
            Occurrence { number: index + 1, at, name: whole, taken_for }
        });
        let occurrences: Vec<Occurrence> = occurrences.collect();
        let refused = self.purpose == Purpose::Rename && matches!(fit, Fit::Inside | Fit::LastSegment);
        match occurrences.first() {
            Some(first) if refused => Err(PlaceError::NotWhole {
                symbol: name.text.to_owned(),
                whole: first.taken_for.clone().unwrap_or_default(),
                file: self.file.clone(),
                line: self.line,
            }),
            _ => Ok(occurrences),
        }
    }

    fn nth(&self, mut found: Vec<Occurrence>, number: usize) -> Result<Found, PlaceError> {
        let count = found.len();
        match number.checked_sub(1).filter(|index| *index < count) {
            Some(index) => Ok(Found::One(found.swap_remove(index))),
            None => Err(PlaceError::NoSuchNumber {
                symbol: self.name().to_owned(),
                file: self.file.clone(),
                line: self.line,
                number,
                count,
            }),
        }
    }

    fn absent(&self, lines: &Lines<'_>, name: &str) -> PlaceError {
        let sought = Name::new(name);
        let here = self.line - 1;
        let distance = |line: &usize| (line.abs_diff(here), *line);
        let holding = |range: Range<usize>, best: Fit| {
            let mut held: Vec<usize> = range
                .filter(|line| *line != here)
                .filter(|line| {
                    let (fit, places) = sought.places(lines.line(*line).unwrap_or_default());
                    !places.is_empty() && fit <= best
                })
                .collect();
            held.sort_by_key(distance);
            held
        };
        let window = here.saturating_sub(NEAR)..(here + NEAR + 1).min(lines.count());
        let mut near = holding(window.clone(), Fit::Sigil);
        if near.is_empty() {
            near = holding(window, Fit::Inside);
        }
        if near.is_empty() {
            near = holding(0..lines.count(), Fit::Sigil);
            near.truncate(1);
        }
        let quoted = |line: usize| error::quoted(lines.line(line).unwrap_or_default());
        PlaceError::Absent {
            symbol: name.to_owned(),
            file: self.file.clone(),
            line: self.line,
            reads: quoted(here).into(),
            near: near.into_iter().map(|line| (line + 1, quoted(line))).collect(),
            other_case: sought.in_other_case(lines.line(here).unwrap_or_default()).map(Into::into),
        }
    }
}

/// The first byte of `line` where `name` stands by itself.
pub(crate) fn whole_in(line: &str, name: &str) -> Option<usize> {
    match Name::new(name).places(line) {
        (Fit::Whole, places) => places.first().map(|place| place.start),
        _ => None,
    }
}

/// `name#2` as the name and its number. What has no number is a name altogether: `#define`, `Foo#bar`.
fn numbered(symbol: &str) -> (&str, Option<usize>) {
    match symbol.rsplit_once('#') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            number.parse().map_or((symbol, None), |number| (name, Some(number)))
        }
        _ => (symbol, None),
    }
}

#[cfg(test)]
mod tests;
