//! Why a fragment is not a pattern: where it stopped parsing, and the nearest form that is accepted.
//! A proposal is only made after the ladder has accepted it.

use crate::ladder::{accepts, ordered};
use crate::pattern::lower_case_variables;
use crate::scaffold::Fragment;
use crate::spelling::ways;
use crate::stopping::parse_logged;
use grammars::Grammar;

/// Proposals tried before giving up.
const MAX_PROPOSALS: usize = 16;
/// The longest fragment for which a nearest form is looked for, in bytes.
const MAX_MENDED: usize = 2_048;
/// Ways to spell the variables that are followed up to where they stop, and that a proposal is tried in.
const MAX_WAYS: usize = 12;

/// Why a fragment is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("the pattern is empty")]
    Empty,
    #[error("the pattern is {length} bytes long; the limit is {limit}")]
    TooLong { length: usize, limit: usize },
    #[error("the pattern is nested more than {limit} deep")]
    TooDeep { limit: usize },
    #[error(
        "the pattern `{variable}` is only a variable, which stands for everything; put some code around it"
    )]
    Bare { variable: String },
    #[error(
        "`{name}` is used both as `${name}` and as `$$${name}`; give the run of siblings a name of its own"
    )]
    Arity { name: String },
    #[error("{0}")]
    Unparsable(Box<Unparsable>),
}

/// A fragment that no scaffold accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unparsable {
    pub(crate) language: &'static str,
    /// Where it stopped parsing: a byte of the trimmed fragment, and its 1-based line and column.
    pub(crate) offset: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// That line with a caret under the place.
    pub(crate) excerpt: String,
    /// The nearest form that would be accepted.
    pub(crate) nearest: Option<String>,
}

impl std::fmt::Display for Unparsable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { language, line, column, excerpt, nearest, .. } = self;
        write!(
            f,
            "the pattern does not parse as `{language}` in any context; it stopped at line {line}, column {column}\n{excerpt}"
        )?;
        match nearest {
            Some(nearest) => write!(f, "\nthe nearest form that is accepted: `{nearest}`"),
            None => Ok(()),
        }
    }
}

/// Explains a fragment that the ladder refused.
pub(crate) fn refuse(grammar: &'static Grammar, fragment: &Fragment) -> PatternError {
    let offset = furthest(grammar, fragment);
    let before = &fragment.shown[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].chars().count() + 1;
    let text = fragment.shown[line_start..].lines().next().unwrap_or_default();
    let excerpt = format!("  {text}\n  {}^", " ".repeat(column - 1));
    PatternError::Unparsable(Box::new(Unparsable {
        language: grammar.id(),
        offset,
        line: before.matches('\n').count() + 1,
        column,
        excerpt,
        nearest: nearest(grammar, &fragment.shown, offset),
    }))
}

/// The furthest place that any scaffold got to, by the parser's own log.
fn furthest(grammar: &'static Grammar, fragment: &Fragment) -> usize {
    let mut best = 0;
    for rung in ordered(grammar, fragment) {
        for way in ways(grammar, fragment).iter().take(MAX_WAYS) {
            let scaffolded = fragment.lay_out(grammar, rung, &way.spellings);
            let parsed = parse_logged(grammar, &scaffolded.text);
            if let Some(place) = parsed.stopped.filter(|place| *place >= scaffolded.fragment.start) {
                best = best.max(scaffolded.shown_at(place));
            }
        }
    }
    while !fragment.shown.is_char_boundary(best) {
        best -= 1;
    }
    best
}

/// The first change of the fragment that makes the ladder accept it.
fn nearest(grammar: &'static Grammar, shown: &str, offset: usize) -> Option<String> {
    if shown.len() > MAX_MENDED {
        return None;
    }
    proposals(grammar, shown, offset)
        .into_iter()
        .take(MAX_PROPOSALS)
        .find(|proposal| accepts(grammar, &Fragment::lex(grammar, proposal), MAX_WAYS))
}

fn proposals(grammar: &Grammar, shown: &str, offset: usize) -> Vec<String> {
    let mut found = Vec::new();
    let respelt = respell(shown);
    if respelt != shown {
        found.push(respelt.clone());
    }
    let balanced = balance(&respelt);
    if balanced != respelt {
        found.push(balanced.clone());
    }
    if offset < shown.trim_end_matches([',', ';', ':', ' ', '\n']).len() {
        found.extend(mended(&balanced, offset));
    }
    let trimmed = balanced.trim_end_matches([',', ';', ':', ' ', '\n']);
    for base in [&balanced, trimmed] {
        found.push(base.to_owned());
        found.extend(grammar.completions().iter().map(|completion| format!("{base}{completion}")));
    }
    found.retain(|proposal| proposal != shown && !proposal.trim().is_empty());
    found
}

/// The text with a comma put in, or a word or sign taken out, where it stopped.
fn mended(text: &str, offset: usize) -> Vec<String> {
    let Some((before, after)) = text.split_at_checked(offset) else { return Vec::new() };
    let word = after.find(|next: char| !next.is_alphanumeric()).unwrap_or(after.len()).max(1);
    let without = after.get(word..).map(|rest| format!("{before}{rest}"));
    [format!("{}, {after}", before.trim_end())].into_iter().chain(without).collect()
}

/// Other notations for variables and ellipses, in ours.
fn respell(shown: &str) -> String {
    let mut text = shown.replace('…', "$$$");
    if !text.contains("$$$...") {
        text = text.replace("...", "$$$");
    }
    for word in lower_case_variables(&text) {
        text = text.replace(&word, &word.to_uppercase());
    }
    text
}

/// Adds the brackets that are missing at the end, and drops those that close nothing.
fn balance(text: &str) -> String {
    let mut open = Vec::new();
    let mut kept = String::new();
    let mut quote = None;
    for next in text.chars() {
        match (quote, next) {
            (Some(end), _) if end == next => quote = None,
            (None, '"' | '`') => quote = Some(next),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ')' | ']' | '}') if open.pop() != Some(next) => continue,
            _ => {}
        }
        kept.push(next);
    }
    kept.extend(quote);
    for close in open.into_iter().rev() {
        if close == '}' && !kept.ends_with(char::is_whitespace) {
            kept.push(' ');
        }
        kept.push(close);
    }
    kept
}
