//! Runs `languages/<id>/cases.toml` of every bundled language: what a fragment is read as, what a pattern
//! matches and what it must not, and how a fragment that is no pattern is refused.

use crate::matcher::{Found, Match};
use crate::parse::{Descend, Limits, parse, preorder};
use crate::pattern::{Pattern, PatternError, token_text};
use crate::rewrite::{Rewritten, Rule, Template};
use grammars::Grammar;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
struct Cases {
    #[serde(default)]
    reading: Vec<ReadingCase>,
    #[serde(default, rename = "match")]
    matches: Vec<MatchCase>,
    #[serde(default)]
    refused: Vec<RefusedCase>,
    #[serde(default, rename = "rewrite")]
    rewrites: Vec<RewriteCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingCase {
    fragment: String,
    reading: String,
    #[serde(default)]
    notes: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchCase {
    pattern: String,
    code: String,
    /// The texts that match, in order.
    found: Vec<String>,
    /// For each match, what some of its variables stand for.
    #[serde(default)]
    captures: Vec<BTreeMap<String, String>>,
    near: Option<BTreeMap<String, usize>>,
    also: Option<BTreeMap<String, usize>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusedCase {
    fragment: String,
    /// `line:column`, for a fragment that does not parse.
    at: Option<String>,
    nearest: Option<String>,
    /// A part of the message.
    says: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RewriteCase {
    pattern: String,
    rewrite: String,
    code: String,
    result: String,
    /// Replacements that were left out because they would not mean what the rewrite says.
    #[serde(default)]
    refused: usize,
}

const LIMITS: Limits<'static> = Limits { stop: &|| false, time: Duration::from_secs(10) };

fn find(grammar: &'static Grammar, pattern: &Pattern, code: &str) -> Found {
    let tree = parse(grammar, code.as_bytes(), &LIMITS).unwrap();
    pattern.find(&tree, code.as_bytes(), &|| false)
}

/// The code after the rewrite, and what was left out of it.
fn rewrite(
    grammar: &'static Grammar,
    case: (&str, &str, &str),
) -> Result<(String, Rewritten), Box<dyn std::error::Error>> {
    let (fragment, replacement, code) = case;
    let pattern = Pattern::compile(grammar, fragment)?;
    let template = Template::compile(&pattern, fragment, replacement)?;
    let tree = parse(grammar, code.as_bytes(), &LIMITS).map_err(|error| format!("{error:?}"))?;
    let matches = pattern.find(&tree, code.as_bytes(), &|| false).matches;
    let rules = [Rule { pattern, fragment: fragment.to_owned(), template }];
    let rewritten = crate::rewrite::rewrite(&rules, code.as_bytes(), &tree, vec![matches], &LIMITS)
        .map_err(|error| format!("{error:?}"))?;
    let mut result = code.as_bytes().to_vec();
    for (range, text) in rewritten.edits.iter().rev() {
        result.splice(range.clone(), text.iter().copied());
    }
    Ok((String::from_utf8(result)?, rewritten))
}

fn captured(code: &str, found: &Match) -> BTreeMap<String, String> {
    found.captures.iter().map(|it| (it.name.clone(), code[it.range.clone()].to_owned())).collect()
}

/// The language that `OUTRIGGER_LANGUAGE` names, while its data is being written; all of them otherwise.
#[expect(clippy::disallowed_methods, reason = "a developer's choice, for this test alone")]
fn only() -> Option<String> {
    std::env::var("OUTRIGGER_LANGUAGE").ok()
}

/// The grammar with its data as it stands on the disk, so that data can be tried out without a build.
fn as_on_disk(bundled: &'static Grammar, folder: &Path) -> &'static Grammar {
    let text = std::fs::read_to_string(folder.join("grammar.toml")).unwrap();
    Box::leak(Box::new(bundled.with_data(Box::leak(text.into_boxed_str()))))
}

#[test]
fn every_language_keeps_its_cases() {
    let mut report = String::new();
    let only = only();
    for bundled in Grammar::bundled().iter().filter(|it| only.as_ref().is_none_or(|id| id == it.id())) {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars/languages").join(bundled.id());
        let cases = check(as_on_disk(bundled, &folder), &folder, &mut report);
        assert!(cases >= 10, "`{}` has too few cases to mean anything", bundled.id());
    }
    assert!(report.is_empty(), "{report}");
}

/// Runs the cases of a folder, and counts what is matched.
fn check(grammar: &'static Grammar, folder: &Path, report: &mut String) -> usize {
    let cases: Cases = toml::from_str(&std::fs::read_to_string(folder.join("cases.toml")).unwrap()).unwrap();
    for case in &cases.reading {
        check_reading(grammar, case, report);
    }
    for case in &cases.matches {
        check_match(grammar, case, report);
    }
    for case in &cases.refused {
        check_refused(grammar, case, report);
    }
    for case in &cases.rewrites {
        check_rewrite(grammar, case, report);
    }
    cases.matches.len()
}

/// A file is not parsed that lacks a text which every match holds, so a token must be written as it is looked for.
#[test]
fn tokens_are_written_as_they_are_looked_for() {
    let mut otherwise = BTreeSet::new();
    for bundled in Grammar::bundled() {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars/languages").join(bundled.id());
        let cases: Cases =
            toml::from_str(&std::fs::read_to_string(folder.join("cases.toml")).unwrap()).unwrap();
        let grammar = as_on_disk(bundled, &folder);
        let codes = cases.matches.iter().map(|it| &it.code).chain(cases.rewrites.iter().map(|it| &it.code));
        for code in codes {
            let tree = parse(grammar, code.as_bytes(), &LIMITS).unwrap();
            preorder(tree.root_node(), |node| {
                let text = &code[node.byte_range()];
                let sought = token_text(grammar, node.kind_id()).filter(|_| !node.is_missing());
                if let Some(sought) = sought.filter(|sought| !text.contains(sought.as_str())) {
                    otherwise.insert(format!("{}: `{sought}` as `{text}`", grammar.id()));
                }
                Descend::Yes
            });
        }
    }
    assert_eq!(otherwise, BTreeSet::new());
}

#[test]
fn a_language_from_outside_is_a_folder_and_a_parser() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/gleam");
    assert!(!Grammar::is_known("gleam"), "a language of this house shows nothing");
    let text = std::fs::read_to_string(folder.join("grammar.toml")).unwrap();
    let parser = || tree_sitter_gleam::LANGUAGE.into();
    let grammar = Box::leak(Box::new(Grammar::new("gleam", Box::leak(text.into_boxed_str()), parser)));
    let mut report = String::new();
    assert!(check(grammar, &folder, &mut report) > 0);
    assert!(report.is_empty(), "{report}");
}

fn check_reading(grammar: &'static Grammar, case: &ReadingCase, report: &mut String) {
    let (id, fragment) = (grammar.id(), &case.fragment);
    match Pattern::compile(grammar, fragment) {
        Ok(pattern) => {
            if pattern.reading() != case.reading || pattern.notes().len() != case.notes {
                let _ = writeln!(
                    report,
                    "{id} `{fragment}`: read as {} with {:?}",
                    pattern.reading(),
                    pattern.notes()
                );
            }
        }
        Err(error) => {
            let _ = writeln!(report, "{id} `{fragment}`: {error}");
        }
    }
}

fn check_match(grammar: &'static Grammar, case: &MatchCase, report: &mut String) {
    let head = format!("{} `{}` on `{}`", grammar.id(), case.pattern, case.code);
    let pattern = match Pattern::compile(grammar, &case.pattern) {
        Ok(pattern) => pattern,
        Err(error) => {
            let _ = writeln!(report, "{head}: {error}");
            return;
        }
    };
    let found = find(grammar, &pattern, &case.code);
    let texts: Vec<&str> = found.matches.iter().map(|it| &case.code[it.range.clone()]).collect();
    if texts != case.found {
        let _ = writeln!(report, "{head} ({}): found {texts:?}", pattern.reading());
    }
    for (wanted, it) in case.captures.iter().zip(&found.matches) {
        let captured = captured(&case.code, it);
        if wanted.iter().any(|(name, text)| captured.get(name) != Some(text)) {
            let _ = writeln!(report, "{head}: captured {captured:?}");
        }
    }
    if case.near.as_ref().is_some_and(|near| *near != found.near) {
        let _ = writeln!(report, "{head}: near misses {:?}", found.near);
    }
    if case.also.as_ref().is_some_and(|also| *also != found.also) {
        let _ = writeln!(report, "{head}: also {:?}", found.also);
    }
}

fn check_refused(grammar: &'static Grammar, case: &RefusedCase, report: &mut String) {
    let head = format!("{} `{}`", grammar.id(), case.fragment);
    let error = match Pattern::compile(grammar, &case.fragment) {
        Ok(pattern) => {
            let _ = writeln!(report, "{head}: read as {}", pattern.reading());
            return;
        }
        Err(error) => error,
    };
    if case.says.as_ref().is_some_and(|says| !error.to_string().contains(says)) {
        let _ = writeln!(report, "{head}: says {error}");
    }
    if case.at.is_none() && case.nearest.is_none() {
        return;
    }
    let PatternError::Unparsable(unparsable) = &error else {
        let _ = writeln!(report, "{head}: says {error}");
        return;
    };
    let at = format!("{}:{}", unparsable.line, unparsable.column);
    if case.at.as_ref().is_some_and(|wanted| *wanted != at) || case.nearest != unparsable.nearest {
        let _ = writeln!(report, "{head}: {error}");
    }
}

fn check_rewrite(grammar: &'static Grammar, case: &RewriteCase, report: &mut String) {
    let RewriteCase { pattern, rewrite: replacement, code, result, refused } = case;
    let head = format!("{} `{pattern}` to `{replacement}` on `{code}`", grammar.id());
    match rewrite(grammar, (pattern, replacement, code)) {
        Ok((text, rewritten)) => {
            if text != *result || rewritten.refused.len() != *refused || rewritten.error.is_some() {
                let (refused, error) = (rewritten.refused.len(), rewritten.error);
                let _ = writeln!(report, "{head}: {text:?}, {refused} refused, error {error:?}");
            }
        }
        Err(error) => {
            let _ = writeln!(report, "{head}: {error}");
        }
    }
}
