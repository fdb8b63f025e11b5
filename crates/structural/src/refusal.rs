//! Why a fragment is not a pattern: where it stopped parsing, and the nearest form that is accepted.
//! A proposal is only made after the ladder has accepted it.

use crate::ladder::{accepts, ordered};
use crate::pattern::lower_case_variables;
use crate::scaffold::Fragment;
use crate::spelling::ways;
use crate::stopping::{Effort, parse_logged};
use grammars::Grammar;

/// Proposals tried before giving up.
const MAX_PROPOSALS: usize = 16;
/// The longest fragment for which a nearest form is looked for, in bytes.
const MAX_MENDED: usize = 2_048;
/// Ways to spell the variables that are followed up to where they stop, and that a proposal is tried in.
const MAX_WAYS: usize = 12;

/// Bytes parsed to see where a fragment stops, and as many to find the nearest form: what is not found by then is
/// left unsaid.
const MAX_EXPLAINED: usize = 256 * 1024;

/// Why a fragment is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("the pattern is empty")]
    Empty,
    #[error("the pattern is {length} bytes long; the limit is {limit}")]
    TooLong { length: usize, limit: usize },
    #[error("the pattern has {count} variables; the limit is {limit}")]
    TooManyVariables { count: usize, limit: usize },
    #[error("the pattern is nested more than {limit} deep")]
    TooDeep { limit: usize },
    #[error(
        "the pattern can be read in too many ways: {limit} bytes were parsed without an end; make it shorter, or name fewer variables"
    )]
    TooManyWays { limit: usize },
    #[error("the pattern is only a comment; comments are not searched, so look for its text")]
    Comment,
    #[error("{}", only_variables(pattern))]
    Bare { pattern: String },
    #[error(
        "`{name}` is used both as `${name}` and as `$$${name}`; give the run of siblings a name of its own"
    )]
    Arity { name: String },
    #[error("{0}")]
    Unparsable(Box<Unparsable>),
}

fn only_variables(pattern: &str) -> String {
    let word = |text: &str| text.chars().all(|next| next.is_ascii_alphanumeric() || "$_".contains(next));
    if word(pattern) {
        format!(
            "the pattern `{pattern}` is only a variable, which stands for everything; put some code around it"
        )
    } else {
        format!(
            "the pattern `{pattern}` is only variables, which stand for everything; put some code around them"
        )
    }
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
    let written = fragment.written();
    let comment = |line: &str| grammar.line_comment().is_some_and(|mark| line.trim().starts_with(mark));
    if written.lines().all(comment) {
        return PatternError::Comment;
    }
    let offset = fragment.written_at(furthest(grammar, fragment));
    let before = &written[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].chars().count() + 1;
    let text = written[line_start..].lines().next().unwrap_or_default();
    let excerpt = format!("  {text}\n  {}^", " ".repeat(column - 1));
    PatternError::Unparsable(Box::new(Unparsable {
        language: grammar.id(),
        offset,
        line: before.matches('\n').count() + 1,
        column,
        excerpt,
        nearest: nearest(grammar, &written, offset),
    }))
}

/// The furthest place that any scaffold got to, by the parser's own log.
fn furthest(grammar: &'static Grammar, fragment: &Fragment) -> usize {
    let mut best = 0;
    let effort = Effort::new(MAX_EXPLAINED);
    for rung in ordered(grammar, fragment) {
        for way in ways(grammar, fragment).iter().take(MAX_WAYS) {
            if effort.is_spent() {
                break;
            }
            let scaffolded = fragment.lay_out(grammar, rung, &way.spellings);
            let parsed = parse_logged(grammar, &scaffolded.text);
            effort.charge(&parsed, &scaffolded.text);
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
fn nearest(grammar: &'static Grammar, written: &str, offset: usize) -> Option<String> {
    if written.len() > MAX_MENDED {
        return None;
    }
    let effort = Effort::new(MAX_EXPLAINED);
    proposals(grammar, written, offset)
        .into_iter()
        .take(MAX_PROPOSALS)
        .find(|proposal| accepts(grammar, &Fragment::lex(grammar, proposal), (MAX_WAYS, true), &effort))
}

fn proposals(grammar: &Grammar, written: &str, offset: usize) -> Vec<String> {
    let mut found = Vec::new();
    let respelt = respell(written);
    if respelt != written {
        found.push(respelt.clone());
    }
    let balanced = balance(&respelt);
    if balanced != respelt {
        found.push(balanced.clone());
    }
    if offset < written.trim_end_matches([',', ';', ':', ' ', '\n']).len() {
        found.extend(mended(&balanced, offset));
    }
    let trimmed = balanced.trim_end_matches([',', ';', ':', ' ', '\n']);
    for base in [&balanced, trimmed] {
        found.push(base.to_owned());
        found.extend(grammar.completions().iter().map(|completion| format!("{base}{completion}")));
    }
    found.retain(|proposal| proposal != written && !proposal.trim().is_empty());
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
fn respell(written: &str) -> String {
    let mut text = written.replace('…', "$$$");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::{Verdict, climb};
    use crate::pattern::{MAX_VARIABLES, Pattern};

    #[test]
    fn an_effort_that_is_spent_is_no_verdict() {
        let grammar = Grammar::by_id("rust").unwrap();
        let fragment = Fragment::lex(grammar, "f($X, $$$REST)");
        assert!(matches!(climb(grammar, &fragment, &Effort::new(1_000)), Verdict::Unfinished));
        assert!(matches!(climb(grammar, &fragment, &Effort::new(100_000)), Verdict::Read(_)));
        assert!(!accepts(grammar, &fragment, (MAX_WAYS, true), &Effort::new(0)));
    }

    #[test]
    fn variables_are_limited() {
        let grammar = Grammar::by_id("dart").unwrap();
        let compile = |count: usize| Pattern::compile(grammar, &format!("f({})", "$X, ".repeat(count)));
        assert!(compile(MAX_VARIABLES).is_ok());
        let error = compile(MAX_VARIABLES + 1).unwrap_err();
        assert_eq!(error, PatternError::TooManyVariables { count: 101, limit: 100 });
    }
}
