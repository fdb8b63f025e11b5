//! Applying hunks to a file's lines: exactly where they say, or at the only other place that fits.
//! It must never apply a hunk whose old lines are not all there, nor choose between two places.
//! Line ends are no part of the comparison; added lines take the file's.

use std::fmt;

use outrigger::workspace::text::{Ending, Endings, has_final_newline};

use super::parse::{Hunk, Line, Role};

/// Places of one hunk that an error lists.
const MAX_PLACES: usize = 10;
/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 120;

/// A file with its hunks applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patched {
    pub(super) bytes: Vec<u8>,
    /// Hunks (from 1) that fitted at another line than they say, and that line.
    pub(super) moved: Vec<(usize, usize)>,
}

/// Why a hunk (from 1) does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A line differs; `found` is `None` behind the end of the file.
    Differs { hunk: usize, line: usize, wanted: String, found: Option<String> },
    /// It fits nowhere it says, but at several other places.
    Ambiguous { hunk: usize, lines: Vec<usize> },
    /// It only adds lines, behind a line that the file has not.
    Behind { hunk: usize, line: usize, lines: usize },
    /// It lies before the end of the hunk above it.
    Overlaps { hunk: usize, line: usize },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { hunk, line, wanted, found: Some(found) } => {
                write!(f, "hunk {hunk} does not fit: line {line} is `{found}`, the patch has `{wanted}`")
            }
            Self::Differs { hunk, line, wanted, found: None } => write!(
                f,
                "hunk {hunk} does not fit: the file ends before line {line}, the patch has `{wanted}`"
            ),
            Self::Ambiguous { hunk, lines } => {
                let shown: Vec<String> = lines.iter().take(MAX_PLACES).map(usize::to_string).collect();
                let more = lines.len().saturating_sub(MAX_PLACES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                write!(f, "hunk {hunk} does not fit where it says, but at lines {}{more}", shown.join(", "))
            }
            Self::Behind { hunk, line, lines } => {
                write!(f, "hunk {hunk} adds lines behind line {line}, but the file has {lines}")
            }
            Self::Overlaps { hunk, line } => {
                write!(f, "hunk {hunk} fits at line {line} only, which an earlier hunk has passed")
            }
        }
    }
}

/// Applies all hunks, in their order.
pub(super) fn apply(bytes: &[u8], hunks: &[Hunk]) -> Result<Patched, Misfit> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let ending = ending(bytes, hunks).as_str().as_bytes();
    let mut patched = Patched { bytes: Vec::with_capacity(bytes.len()), moved: Vec::new() };
    let (mut copied, mut shift) = (0, 0_isize);
    for (number, hunk) in (1..).zip(hunks) {
        let old: Vec<&Line> = hunk.lines.iter().filter(|line| line.role != Role::Added).collect();
        let said = if old.is_empty() { hunk.old_start } else { hunk.old_start.saturating_sub(1) };
        let at = place(&lines, &old, said.saturating_add_signed(shift), copied, number)?;
        shift = at.cast_signed() - said.cast_signed();
        if shift != 0 {
            patched.moved.push((number, at + 1));
        }
        append(&mut patched.bytes, &lines[copied..at], ending);
        copied = at;
        for line in &hunk.lines {
            match line.role {
                Role::Context => append(&mut patched.bytes, &lines[copied..=copied], ending),
                Role::Removed => {}
                Role::Added => {
                    append(&mut patched.bytes, &[text(line).as_bytes()], ending);
                    patched.bytes.extend_from_slice(if line.unended { b"" } else { ending });
                }
            }
            copied += usize::from(line.role != Role::Added);
        }
    }
    append(&mut patched.bytes, &lines[copied..], ending);
    // A patch that does not know that the file's last line has no end does not mean to end it.
    let knows = hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.unended);
    if !has_final_newline(bytes) && !knows && patched.bytes.ends_with(ending) {
        patched.bytes.truncate(patched.bytes.len() - ending.len());
    }
    Ok(patched)
}

/// How added lines end: as the file's lines do, or, in a file without any, as the patch's.
fn ending(bytes: &[u8], hunks: &[Hunk]) -> Ending {
    let endings = Endings::count(bytes);
    let mut added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.role == Role::Added);
    if endings == Endings::default() && added.next().is_some_and(|line| line.text.ends_with('\r')) {
        return Ending::CrLf;
    }
    endings.majority()
}

/// Appends lines as they are; a line before them that had no end (it was the last) gets one.
fn append(bytes: &mut Vec<u8>, lines: &[&[u8]], ending: &[u8]) {
    for line in lines {
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.extend_from_slice(ending);
        }
        bytes.extend_from_slice(line);
    }
}

/// The index of the line where `old` stands: `said`, or the only other place behind `copied`.
fn place(lines: &[&[u8]], old: &[&Line], said: usize, copied: usize, hunk: usize) -> Result<usize, Misfit> {
    if old.is_empty() {
        if said < copied {
            return Err(Misfit::Overlaps { hunk, line: said + 1 });
        }
        if said > lines.len() {
            return Err(Misfit::Behind { hunk, line: said, lines: lines.len() });
        }
        return Ok(said);
    }
    let fits = |at: usize| first_difference(lines, old, at).is_none();
    if said >= copied && fits(said) {
        return Ok(said);
    }
    let last = (lines.len() + 1).saturating_sub(old.len());
    let places: Vec<usize> = (0..last).filter(|at| fits(*at)).collect();
    match places.iter().filter(|at| **at >= copied).copied().collect::<Vec<_>>().as_slice() {
        [only] => Ok(*only),
        [] => Err(match places.first() {
            Some(passed) => Misfit::Overlaps { hunk, line: passed + 1 },
            None => differs(lines, old, said, copied, hunk),
        }),
        several => Err(Misfit::Ambiguous { hunk, lines: several.iter().map(|at| at + 1).collect() }),
    }
}

/// The first line that differs, at the place where most lines agree (where the hunk says, if no place is better).
fn differs(lines: &[&[u8]], old: &[&Line], said: usize, copied: usize, hunk: usize) -> Misfit {
    let agreeing = |at: usize| {
        old.iter().zip(lines.get(at..).unwrap_or_default()).filter(|(line, found)| same(line, found)).count()
    };
    let said = said.max(copied);
    let best = (copied..lines.len()).fold((agreeing(said), said), |best, at| {
        let count = agreeing(at);
        if count > best.0 { (count, at) } else { best }
    });
    let at = best.1;
    let index = first_difference(lines, old, at).unwrap_or_default();
    let found = lines.get(at + index).map(|line| quoted(&String::from_utf8_lossy(unended(line))));
    Misfit::Differs { hunk, line: at + index + 1, wanted: quoted(text(old[index])), found }
}

fn first_difference(lines: &[&[u8]], old: &[&Line], at: usize) -> Option<usize> {
    old.iter()
        .enumerate()
        .position(|(index, line)| !lines.get(at + index).is_some_and(|found| same(line, found)))
}

fn same(line: &Line, found: &[u8]) -> bool {
    text(line).as_bytes() == unended(found)
}

/// A patch line without the `\r` of a patch that has `\r\n`.
fn text(line: &Line) -> &str {
    line.text.strip_suffix('\r').unwrap_or(&line.text)
}

fn unended(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn quoted(line: &str) -> String {
    match line.char_indices().nth(MAX_QUOTED) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
