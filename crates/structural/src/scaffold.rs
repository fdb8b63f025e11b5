//! A fragment laid out in one scaffold: the text that is parsed, where the fragment and its variables lie
//! in it, and the way back to the fragment's own text.
//! It does not parse and does not judge.

use crate::placeholder::{Piece, scan};
use grammars::{Grammar, Rung};
use std::ops::Range;
use tree_sitter::Node;

/// A fragment, lexed for one language.
#[derive(Debug)]
pub(crate) struct Fragment {
    /// What is laid out: edges trimmed, escapes resolved.
    pub(crate) shown: String,
    /// Indentation that its later lines have only because of where it was cut out of.
    cut: usize,
    pub(crate) variables: Vec<VariableUse>,
    /// Variables that are part of a word and so stand for themselves.
    pub(crate) glued: Vec<String>,
    /// Where in [`Fragment::shown`] a dollar stands that was written `\$`.
    escaped: Vec<usize>,
    /// The lower-case word that the names of placeholders start with; it does not occur in the fragment.
    stem: String,
}

/// One variable in a fragment.
#[derive(Debug, Clone)]
pub(crate) struct VariableUse {
    pub(crate) name: String,
    pub(crate) many: bool,
    /// Where it stands in [`Fragment::shown`].
    pub(crate) range: Range<usize>,
}

impl Fragment {
    pub(crate) fn lex(grammar: &Grammar, text: &str) -> Self {
        let cut = if grammar.is_offside() { first_indent(text) } else { 0 };
        let text = text.trim();
        let mut shown = String::new();
        let mut variables = Vec::new();
        let mut glued = Vec::new();
        let pieces = scan(text);
        for (index, piece) in pieces.iter().enumerate() {
            let (name, many, range) = match piece {
                Piece::Text(literal) => {
                    shown.push_str(literal);
                    continue;
                }
                Piece::One { name, range } => (name, false, range),
                Piece::Many { name, range } => (name, true, range),
            };
            let start = shown.len();
            let in_word = joins_before(&shown) || pieces.get(index + 1).is_some_and(joins_after);
            shown.push_str(&text[range.clone()]);
            if in_word {
                glued.push(text[range.clone()].to_owned());
            } else {
                variables.push(VariableUse { name: name.clone(), many, range: start..shown.len() });
            }
        }
        let mut stem = String::from("zqvx");
        while shown.contains(&stem) {
            stem.push('q');
        }
        let escapes = text.match_indices("\\$");
        let escaped = escapes.enumerate().map(|(earlier, (at, _))| at - earlier).collect();
        Self { shown, cut, variables, glued, escaped, stem }
    }

    /// The fragment as its author wrote it, edges trimmed.
    pub(crate) fn written(&self) -> String {
        let mut written = self.shown.clone();
        for &at in self.escaped.iter().rev() {
            written.insert(at, '\\');
        }
        written
    }

    /// The place in [`Fragment::written`] of a place in [`Fragment::shown`].
    pub(crate) fn written_at(&self, offset: usize) -> usize {
        offset + self.escaped.iter().filter(|&&at| at < offset).count()
    }

    /// The fragment read as if its first line stood where the least of the others does: as it is when it was
    /// copied from the middle of an indented line.
    pub(crate) fn hanging(&self, grammar: &Grammar) -> Option<Self> {
        let least = self.shown.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min()?;
        let copied = grammar.is_offside() && self.cut == 0 && least > 0;
        copied.then(|| Self {
            shown: self.shown.clone(),
            cut: least,
            variables: self.variables.clone(),
            glued: self.glued.clone(),
            escaped: self.escaped.clone(),
            stem: self.stem.clone(),
        })
    }

    /// Lays the fragment out in `rung`, variable `i` spelt as `spellings[i]`.
    pub(crate) fn lay_out<'a>(
        &'a self,
        grammar: &Grammar,
        rung: &Rung,
        spellings: &[&str],
    ) -> Scaffolded<'a> {
        let mut layout = Layout::new(self, rung, grammar.is_offside());
        let mut occurrences = Vec::new();
        let mut copied = 0;
        for (index, (variable, spelling)) in self.variables.iter().zip(spellings).enumerate() {
            layout.copy(copied..variable.range.start);
            copied = variable.range.end;
            let start = layout.text.len();
            layout.segments.push((start, variable.range.start));
            // One name, one word: the tags of an element must be the same.
            let first = self.variables.iter().position(|it| it.name == variable.name).unwrap_or(index);
            layout.text.push_str(&spelling.replace("{}", &format!("{}{}", self.stem, letters(first))));
            // White space that a spelling ends with only keeps what follows apart.
            let range = start..layout.text.trim_end().len();
            occurrences.push(Occurrence { name: variable.name.clone(), many: variable.many, range });
            layout.segments.push((layout.text.len(), variable.range.end));
        }
        layout.copy(copied..self.shown.len());
        let fragment = rung.prefix.len()..layout.text.trim_end().len();
        layout.text.push_str(&rung.terminator);
        let terminator_end = layout.text.len();
        layout.text.push_str(&rung.suffix);
        Scaffolded {
            shown: &self.shown,
            text: layout.text,
            fragment,
            terminator_end,
            occurrences,
            segments: layout.segments,
        }
    }
}

/// A variable in a scaffold, as it is spelt there.
#[derive(Debug)]
pub(crate) struct Occurrence {
    pub(crate) name: String,
    pub(crate) many: bool,
    pub(crate) range: Range<usize>,
}

/// A fragment in a scaffold.
#[derive(Debug)]
pub(crate) struct Scaffolded<'a> {
    shown: &'a str,
    pub(crate) text: String,
    /// Where the fragment lies in [`Scaffolded::text`].
    pub(crate) fragment: Range<usize>,
    /// Where the scaffold's own terminator ends; the fragment's end if it has none.
    pub(crate) terminator_end: usize,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Pairs of places, in the scaffold and in the fragment, from which both run in step.
    segments: Vec<(usize, usize)>,
}

impl Scaffolded<'_> {
    /// Where a node ends; one that goes on to the end of its line, in languages where lines matter, ends with
    /// the fragment.
    pub(crate) fn end_of(&self, node: Node<'_>) -> usize {
        let end = self.fragment.end;
        match self.text.get(end..node.end_byte()) {
            Some(rest) if rest.trim().is_empty() => end,
            _ => node.end_byte(),
        }
    }

    /// The place in the fragment of a place in the scaffold.
    pub(crate) fn shown_at(&self, offset: usize) -> usize {
        let after = self.segments.partition_point(|segment| segment.0 <= offset);
        let Some(&(start, shown)) = after.checked_sub(1).and_then(|index| self.segments.get(index)) else {
            return 0;
        };
        let limit = self.segments.get(after).map_or(self.shown.len(), |segment| segment.1);
        (shown + (offset - start)).min(limit)
    }

    /// The fragment's text of a range of the scaffold.
    pub(crate) fn shown_text(&self, start: usize, end: usize) -> &str {
        self.shown.get(self.shown_at(start)..self.shown_at(end)).unwrap_or_default()
    }
}

struct Layout<'a> {
    shown: &'a str,
    text: String,
    segments: Vec<(usize, usize)>,
    /// What later lines of the fragment lose and what they are indented by instead.
    cut: usize,
    margin: String,
}

impl<'a> Layout<'a> {
    fn new(fragment: &'a Fragment, rung: &Rung, offside: bool) -> Self {
        let column = rung.prefix.len() - rung.prefix.rfind('\n').map_or(0, |at| at + 1);
        let margin = if offside { " ".repeat(column) } else { String::new() };
        let segments = vec![(rung.prefix.len(), 0)];
        Self { shown: &fragment.shown, text: rung.prefix.clone(), segments, cut: fragment.cut, margin }
    }

    fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        for line in self.shown[range].split_inclusive('\n') {
            let opens = at > 0 && self.shown.as_bytes()[at - 1] == b'\n';
            let lost = if opens { self.cut.min(indent(line)) } else { 0 };
            if opens && !(self.margin.is_empty() && lost == 0) {
                self.text.push_str(&self.margin);
                self.segments.push((self.text.len(), at + lost));
            }
            self.text.push_str(&line[lost..]);
            at += line.len();
        }
    }
}

/// A variable right after a letter is part of a word.
fn joins_before(text: &str) -> bool {
    text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_' || last == '$')
}

fn joins_after(next: &Piece) -> bool {
    match next {
        Piece::Text(text) => text.chars().next().is_some_and(char::is_alphanumeric),
        Piece::One { .. } | Piece::Many { .. } => true,
    }
}

/// Digits may not follow a placeholder in every grammar, so occurrences are numbered in letters.
fn letters(mut index: usize) -> String {
    let mut word = String::new();
    loop {
        word.push(char::from(b'a' + u8::try_from(index % 26).unwrap_or_default()));
        index /= 26;
        if index == 0 {
            return word;
        }
    }
}

/// The blanks at the start of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The indentation of the first line that is not blank.
fn first_indent(text: &str) -> usize {
    text.lines().find(|line| !line.trim().is_empty()).map_or(0, indent)
}
