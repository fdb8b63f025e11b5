//! The same patterns by `ast-grep-core`, on real sources: every difference is one of our rules.
//!
//! Its patterns are parsed bare, so only patterns are compared that mean the same to it. What it alone finds
//! has trailing children it skipped, or lies in a syntax error. What we alone find needs an ellipsis that is
//! empty or backtracks, or lies in a macro.

use crate::corpus;
use crate::matcher::Match;
use crate::parse::{Descend, Limits, error_regions, parse, preorder};
use crate::pattern::Pattern;
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_language::SupportLang;
use grammars::Grammar;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;
use tree_sitter::Tree;

/// Sources compared.
const MAX_SOURCES: usize = 150;

/// A difference that a rule of ours explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Theirs lies in or around a syntax error.
    SyntaxError,
    /// Theirs skips what follows the last thing the pattern names.
    SkippedChildren,
    /// Theirs demands a comma before an ellipsis that is empty, or stops at the first place it could.
    LazyEllipsis,
    /// Theirs does not look into the tokens of a macro.
    InMacro,
}

/// Patterns, each with the differences that it may show.
type Patterns = &'static [(&'static str, &'static [Reason])];

const RUST: Patterns = &[
    ("$X.unwrap()", &[]),
    ("$X.clone()", &[]),
    ("Vec::new()", &[]),
    ("Some($X)", &[]),
    ("$X.push($Y)", &[]),
    ("$F($A, $B, $C)", &[]),
    ("$X.expect($$$A)", &[]),
    ("$F($A, $$$B)", &[Reason::LazyEllipsis]),
    ("$X as usize", &[]),
    ("&mut $X", &[]),
    ("$A == $B", &[]),
    ("return $X", &[]),
    ("if let Some($X) = $Y { $$$B }", &[Reason::SkippedChildren]),
];

const PYTHON: Patterns = &[
    ("isinstance($X, $Y)", &[]),
    ("len($X)", &[]),
    ("self.$F($$$A)", &[]),
    ("$X.append($Y)", &[]),
    ("$A == $B", &[Reason::SkippedChildren]),
    ("$A is None", &[Reason::SkippedChildren]),
    ("raise $E($$$A)", &[Reason::SkippedChildren]),
    ("$X.join($$$A, $B)", &[Reason::LazyEllipsis]),
    ("$F($A, $$$B)", &[Reason::LazyEllipsis]),
    ("assert $X", &[Reason::SkippedChildren]),
    ("return $X", &[]),
    ("not $X", &[]),
    ("$X[$Y]", &[Reason::SkippedChildren]),
];

/// What one pattern showed over all sources.
#[derive(Default)]
struct Tally {
    alike: usize,
    explained: BTreeMap<Reason, usize>,
}

fn compare(language: SupportLang, grammar: &'static Grammar, patterns: Patterns, sources: &[String]) {
    let limits = Limits { stop: &|| false, time: Duration::from_mins(1) };
    let compiled: Vec<Pattern> =
        patterns.iter().map(|(text, _)| Pattern::compile(grammar, text).unwrap()).collect();
    let bare: Vec<_> = patterns.iter().map(|(text, _)| ast_grep_core::Pattern::new(text, language)).collect();
    let mut tallies: Vec<Tally> = patterns.iter().map(|_| Tally::default()).collect();
    for source in sources {
        let tree = parse(grammar, source.as_bytes(), &limits).unwrap();
        let errors = error_regions(&tree);
        let macros = macros(&tree);
        let root = language.ast_grep(source);
        let both = compiled.iter().zip(&bare);
        for (((pattern, bare), (text, admitted)), tally) in both.zip(patterns).zip(&mut tallies) {
            let found = pattern.find(&tree, source.as_bytes(), &|| false);
            assert_eq!(found.exhausted, 0);
            let ours: BTreeSet<(usize, usize)> =
                found.matches.iter().map(|it| (it.range.start, it.range.end)).collect();
            let theirs: BTreeSet<(usize, usize)> =
                root.root().find_all(bare).map(|it| (it.range().start, it.range().end)).collect();
            tally.alike += ours.intersection(&theirs).count();
            for &(start, end) in ours.symmetric_difference(&theirs) {
                let only_theirs = theirs.contains(&(start, end));
                let whose = if only_theirs { "theirs" } else { "ours" };
                let in_macro = macros.iter().any(|it| it.start < start && end < it.end);
                let reason = if in_macro && !only_theirs {
                    Some(Reason::InMacro)
                } else {
                    explain(only_theirs, &(start..end), &errors, admitted)
                };
                if reason == Some(Reason::LazyEllipsis) {
                    let same = |it: &&Match| (it.range.start, it.range.end) == (start, end);
                    let it = found.matches.iter().find(same).unwrap();
                    let backtracked = text.contains("$$$A, $");
                    assert!(backtracked || it.captures.iter().any(|it| it.many && it.items.is_empty()));
                }
                let reason =
                    reason.unwrap_or_else(|| panic!("`{text}`: only {whose}: `{}`", &source[start..end]));
                *tally.explained.entry(reason).or_insert(0) += 1;
            }
        }
    }
    for ((text, _), tally) in patterns.iter().zip(&tallies) {
        println!("{:>7} alike, {:?}: `{text}`", tally.alike, tally.explained);
        assert!(tally.alike > 0, "`{text}` compares nothing");
    }
}

fn macros(tree: &Tree) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    preorder(tree.root_node(), |node| {
        if matches!(node.kind(), "macro_invocation" | "macro_rule") {
            found.push(node.byte_range());
        }
        Descend::Yes
    });
    found
}

fn explain(
    only_theirs: bool,
    range: &Range<usize>,
    errors: &[Range<usize>],
    admitted: &[Reason],
) -> Option<Reason> {
    let touches = |error: &Range<usize>| error.start <= range.end && range.start <= error.end;
    if only_theirs && errors.iter().any(touches) {
        return Some(Reason::SyntaxError);
    }
    let theirs = [Reason::SkippedChildren];
    admitted.iter().copied().find(|reason| theirs.contains(reason) == only_theirs)
}

fn run(language: SupportLang, id: &str, patterns: Patterns) {
    let grammar = Grammar::by_id(id).unwrap();
    let sources = corpus::sources(grammar, MAX_SOURCES);
    if sources.len() < 20 {
        println!("skipped: no {id} sources on this machine");
        return;
    }
    compare(language, grammar, patterns, &sources);
}

#[test]
fn rust_matches_differ_only_where_a_rule_says_so() {
    run(SupportLang::Rust, "rust", RUST);
}

#[test]
fn python_matches_differ_only_where_a_rule_says_so() {
    run(SupportLang::Python, "python", PYTHON);
}
