//! How a name stands in a line: by itself, behind a sigil, or inside a longer identifier. Pure text; it must never
//! know a language.

use std::ops::Range;

/// Between the parts of a qualified name.
const SEPARATORS: [&str; 7] = ["::", "?.", "->", ".", "#", "\\", ":"];

/// How well a name fits where it stands, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// By itself.
    Whole,
    /// By itself, but for a `$` before it: a variable's sign, an interpolation, or a part of the name.
    Sigil,
    /// Only the last part of a qualified name, unqualified, as where it is declared.
    LastSegment,
    /// Inside a longer identifier.
    Inside,
}

/// A name that is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
}

impl<'a> Name<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    /// Where it fits best in a line, and how.
    pub(super) fn places(self, line: &str) -> (Fit, Vec<Range<usize>>) {
        let every = occurrences(line, self.text);
        let [mut whole, mut sigil, mut inside] = [const { Vec::new() }; 3];
        for place in every {
            match fit(line, &place) {
                Fit::Whole => whole.push(place),
                Fit::Sigil => sigil.push(place),
                Fit::LastSegment | Fit::Inside => inside.push(place),
            }
        }
        if !whole.is_empty() {
            return (Fit::Whole, whole);
        }
        if !sigil.is_empty() {
            return (Fit::Sigil, sigil);
        }
        if !inside.is_empty() {
            return (Fit::Inside, inside);
        }
        (Fit::LastSegment, self.unqualified(line))
    }

    /// Where the last part of a qualified name stands without one: with another one it is another name.
    fn unqualified(self, line: &str) -> Vec<Range<usize>> {
        let Some(last) = self.last_segment().filter(|last| last.start > 0) else { return Vec::new() };
        let alone = |place: &Range<usize>| {
            let before = line[..place.start].trim_end();
            fit(line, place) == Fit::Whole && !SEPARATORS.iter().any(|separator| before.ends_with(separator))
        };
        occurrences(line, &self.text[last]).into_iter().filter(alone).collect()
    }

    /// The byte to ask about where the name stands at `place` of `text`, and the identifier there: the last part of a
    /// qualified name, else the first identifier, without the sign before it.
    pub(super) fn aim(self, text: &str, place: &Range<usize>) -> (usize, Range<usize>) {
        let part = match self.last_segment() {
            // What stands there may be the last part alone.
            Some(last) if place.len() == self.text.len() => last,
            Some(_) => 0..place.len(),
            None => first_identifier(self.text).unwrap_or(0..self.text.len()),
        };
        let start = place.start + part.start;
        let sigils = text[start..place.start + part.end].len()
            - text[start..place.start + part.end].trim_start_matches('$').len();
        let at = if sigils == part.len() { start } else { start + sigils };
        let named = text[at..].chars().next().is_some_and(is_identifier);
        let whole = if named { identifier_at(text, at) } else { place.clone() };
        (at, whole)
    }

    /// The last part of `a::b.c`, or the whole of a plain identifier; nothing for other text.
    fn last_segment(self) -> Option<Range<usize>> {
        let mut at = 0;
        loop {
            let rest = &self.text[at..];
            let length = rest.len() - rest.trim_start_matches(is_identifier).len();
            if length == 0 {
                return None;
            }
            if length == rest.len() {
                return Some(at..self.text.len());
            }
            let separator = SEPARATORS.iter().find(|separator| rest[length..].starts_with(**separator))?;
            at += length + separator.len();
        }
    }

    /// An identifier of the line that differs by letter case only.
    pub(super) fn in_other_case(self, line: &str) -> Option<String> {
        let sought = self.text.to_lowercase();
        let mut words = line.split(|sign| !is_identifier(sign));
        words.find(|word| !word.is_empty() && word.to_lowercase() == sought).map(str::to_owned)
    }
}

/// Whether a character is part of a name: Unicode's own rule, and `$`.
pub(super) fn is_identifier(sign: char) -> bool {
    sign == '$' || unicode_ident::is_xid_continue(sign)
}

/// `place` with the rest of the identifiers that it cuts.
pub(super) fn widened(text: &str, place: &Range<usize>) -> Range<usize> {
    let before = text[..place.start].trim_end_matches(is_identifier).len();
    let after = text[place.end..].len() - text[place.end..].trim_start_matches(is_identifier).len();
    let starts_inside = text[place.clone()].starts_with(is_identifier);
    let ends_inside = text[place.clone()].ends_with(is_identifier);
    let start = if starts_inside { before } else { place.start };
    start..if ends_inside { place.end + after } else { place.end }
}

/// The identifier around a byte, without the signs before it.
fn identifier_at(text: &str, at: usize) -> Range<usize> {
    let whole = widened(text, &(at..at + text[at..].chars().next().map_or(0, char::len_utf8)));
    let before = &text[whole.start..at];
    let signs = if before.chars().all(|sign| sign == '$') { before.len() } else { 0 };
    whole.start + signs..whole.end
}

fn first_identifier(text: &str) -> Option<Range<usize>> {
    let start = text.find(is_identifier)?;
    let length = text[start..].len() - text[start..].trim_start_matches(is_identifier).len();
    Some(start..start + length)
}

fn occurrences(line: &str, name: &str) -> Vec<Range<usize>> {
    line.match_indices(name).map(|(at, found)| at..at + found.len()).collect()
}

fn fit(line: &str, place: &Range<usize>) -> Fit {
    let before = line[..place.start].chars().next_back().filter(|sign| is_identifier(*sign));
    let after = line[place.end..].chars().next().filter(|sign| is_identifier(*sign));
    let name = &line[place.clone()];
    let left = before.filter(|_| name.starts_with(is_identifier));
    let right = after.filter(|_| name.ends_with(is_identifier));
    match (left, right) {
        (None, None) => Fit::Whole,
        (Some('$'), None) if !line[..place.start - 1].ends_with(is_identifier) => Fit::Sigil,
        _ => Fit::Inside,
    }
}
