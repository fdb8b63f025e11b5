//! What holds for every pattern and every source: no panic, no deep recursion, captures inside their match,
//! and a fragment cut out of a file is found where it was cut.

use super::{Found, Match};
use crate::corpus;
use crate::parse::{Limits, error_regions, parse};
use crate::pattern::{Pattern, PatternError};
use grammars::Grammar;
use proptest::prelude::*;
use std::time::Duration;
use tree_sitter::Tree;

fn grammar(id: &str) -> &'static Grammar {
    Grammar::by_id(id).unwrap()
}

fn tree(grammar: &'static Grammar, source: &str) -> Tree {
    parse(grammar, source.as_bytes(), &Limits { stop: &|| false, time: Duration::from_mins(1) }).unwrap()
}

fn find(id: &str, pattern: &str, source: &str) -> Found {
    let pattern = Pattern::compile(grammar(id), pattern).unwrap();
    pattern.find(&tree(grammar(id), source), source.as_bytes(), &|| false)
}

/// Runs `work` on a thread with the stack of an async worker.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_source_may_be_nested_as_deep_as_it_likes() {
    const DEPTH: usize = 100_000;
    on_small_stack(|| {
        for (id, head, tail) in
            [("rust", "fn a() { ", " }"), ("python", "", "\n"), ("dart", "void a() { ", "; }")]
        {
            let nest = format!("{}x{}", "f(".repeat(DEPTH), ")".repeat(DEPTH));
            let source = format!("{head}{nest}{tail}");
            let found = find(id, "f($X)", &source);
            assert_eq!(found.matches.len(), DEPTH, "{id}");
            assert_eq!(found.matches[DEPTH - 1].captures[0].range.len(), 1, "{id}");
        }
    });
}

#[test]
fn deep_captures_are_compared_without_recursion() {
    const DEPTH: usize = 20_000;
    on_small_stack(|| {
        let nest = |seed: &str, space: &str| {
            format!("{}{seed}{}", format!("f({space}").repeat(DEPTH), ")".repeat(DEPTH))
        };
        for (left, right, matches) in [("x", "x", 1), ("x", "y", 0)] {
            let source = format!("fn a() {{ g({}, {}) }}", nest(left, ""), nest(right, " "));
            assert_eq!(find("rust", "g($X, $X)", &source).matches.len(), matches);
        }
        let minus = format!("fn a() {{ {}x }}", "- ".repeat(DEPTH));
        assert_eq!(find("rust", "-$X", &minus).matches.len(), DEPTH);
    });
}

#[test]
fn errors_are_found_in_deep_sources_too() {
    on_small_stack(|| {
        let source = format!("fn a() {{ {}x", "f(".repeat(50_000));
        let tree = tree(grammar("rust"), &source);
        assert!(!error_regions(&tree).is_empty());
    });
}

#[test]
fn a_pattern_may_not_be_deep_or_long() {
    on_small_stack(|| {
        let nested = |depth: usize| format!("{}x{}", "f(".repeat(depth), ")".repeat(depth));
        assert!(Pattern::compile(grammar("rust"), &nested(60)).is_ok());
        let error = Pattern::compile(grammar("rust"), &nested(2_000)).unwrap_err();
        assert!(matches!(error, PatternError::TooDeep { .. }), "{error}");
        let error = Pattern::compile(grammar("rust"), &nested(20_000)).unwrap_err();
        assert!(matches!(error, PatternError::TooLong { .. }), "{error}");
    });
}

#[test]
fn an_explosion_of_ellipses_is_reported_not_endured() {
    // The last argument holds what the patterns look for, so that none is dismissed by its words alone.
    let source = format!("fn f() {{ g({}, h(y, z)) }}", vec!["a"; 400].join(", "));
    let repeated = find("rust", "g($$$A, $X, $$$B, $X, $$$C, z)", &source);
    assert!(repeated.matches.is_empty());
    let hard = find("rust", "g($$$A, $$$B, $$$C, $$$D, y, $$$A, $$$B)", &source);
    assert!(hard.matches.is_empty());
    assert_eq!(hard.exhausted, 1);
    // Without a repeated variable failures are remembered, and the search ends.
    let plain = find("rust", "g($$$A, $$$B, $$$C, $$$D, y, $$$E, $$$F)", &source);
    assert!(plain.matches.is_empty());
    assert_eq!(plain.exhausted, 0);
}

#[test]
fn a_search_ends_when_told_to() {
    let source = format!("fn f() {{ {} }}", "g(1);".repeat(10_000));
    let pattern = Pattern::compile(grammar("rust"), "g($X)").unwrap();
    let tree = tree(grammar("rust"), &source);
    assert!(pattern.find(&tree, source.as_bytes(), &|| true).matches.len() < 10_000);
    let limits = Limits { stop: &|| true, time: Duration::from_mins(1) };
    let source = source.repeat(20);
    assert!(parse(grammar("rust"), source.as_bytes(), &limits).is_err());
    let limits = Limits { stop: &|| false, time: Duration::ZERO };
    assert!(parse(grammar("rust"), source.as_bytes(), &limits).is_err());
}

/// What must hold of whatever was found.
fn check(pattern: &Pattern, found: &Found, source: &str) {
    let order = |it: &Match| (it.range.start, std::cmp::Reverse(it.range.end));
    assert!(found.matches.is_sorted_by(|left, right| order(left) < order(right)), "sorted, no duplicate");
    for it in &found.matches {
        assert!(source.get(it.range.clone()).is_some(), "a match starts and ends between characters");
        for capture in &it.captures {
            let within = it.range.start <= capture.range.start && capture.range.end <= it.range.end;
            assert!(within, "{capture:?} lies in {:?}", it.range);
            let items = capture.items.iter();
            assert!(
                items.clone().all(|item| capture.range.start <= item.start && item.end <= capture.range.end)
            );
            // A node with suffixes, or an argument of raw tokens, is several.
            assert!(capture.many || items.len() > 0);
        }
        let bound: Vec<&str> = it.captures.iter().map(|capture| capture.name.as_str()).collect();
        let named: Vec<&str> = pattern.variables().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(bound, named, "every variable that binds is bound once");
    }
    for literal in pattern.literals() {
        let there = memchr::memmem::find(source.as_bytes(), literal).is_some();
        assert!(there || found.matches.is_empty(), "a file without a literal cannot match");
    }
}

fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "$X", "$X", "$Y", "$_", "$$$", "$$$A", "\\$", "$x", "a", "foo", "(", ")", "{", "}", "[", "]", "<",
        ">", ",", ";", ":", "=", "==", "=>", "->", ".", "?", "!", "|", "&", "\"", "'", "\"s\"", "\n",
        "\n    ", "#", "@", "if", "else", "for", "in", "fn", "def", "class", "return", "lambda", "void",
        "let", "match", "case", "1", "é", "…", "/*", "//", "\u{feff}",
    ]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_fragment_and_no_source_is_too_odd(fragment in words(), source in words(), glue in any::<bool>()) {
        let source = if glue { source.replace(' ', "") } else { source };
        for grammar in Grammar::bundled() {
            let tree = tree(grammar, &source);
            match Pattern::compile(grammar, &fragment) {
                Ok(pattern) => check(&pattern, &pattern.find(&tree, source.as_bytes(), &|| false), &source),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// A pattern cut out of a file, with the indentation of its first line.
fn cut(source: &str, range: std::ops::Range<usize>) -> Option<String> {
    let line = source[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let margin = &source[line..range.start];
    let text = &source[range];
    if text.contains('$') || text.contains('\n') && !margin.trim().is_empty() {
        return None;
    }
    Some(if margin.trim().is_empty() { format!("{margin}{text}") } else { text.to_owned() })
}

/// Whether the node means the same outside of its place: a parameter list would be read as a tuple.
fn stands_alone(grammar: &Grammar, node: tree_sitter::Node<'_>) -> bool {
    let kinds = grammar.kinds();
    let kind = node.kind_id();
    let expression = kinds.expressions.contains(kind) || kinds.atoms.contains(kind);
    let bracketed = node.child(0).is_some_and(|first| matches!(first.kind(), "(" | "[" | "{" | "<"));
    node.is_named() && !kinds.text.contains(kind) && (expression || !bracketed)
}

#[test]
fn a_fragment_is_found_where_it_was_cut() {
    for grammar in Grammar::bundled() {
        let (mut tried, mut refused, mut lost) = (0, Vec::new(), Vec::new());
        for source in corpus::sources(grammar, 12) {
            let tree = tree(grammar, &source);
            let mut nodes = Vec::new();
            crate::parse::preorder(tree.root_node(), |node| {
                if node.is_named()
                    && stands_alone(grammar, node)
                    && !node.is_extra()
                    && !node.has_error()
                    && (8..400).contains(&node.byte_range().len())
                {
                    nodes.push(node);
                }
                crate::parse::Descend::Yes
            });
            for node in nodes.iter().step_by(nodes.len() / 40 + 1) {
                let Some(fragment) = cut(&source, node.byte_range()) else { continue };
                tried += 1;
                let Ok(pattern) = Pattern::compile(grammar, &fragment) else {
                    refused.push(format!("{} `{fragment}`", node.kind()));
                    continue;
                };
                let found = pattern.find(&tree, source.as_bytes(), &|| false);
                check(&pattern, &found, &source);
                let there = found
                    .matches
                    .iter()
                    .any(|it| it.range.start == node.start_byte() && it.range.end <= node.end_byte());
                if !there && found.also.is_empty() {
                    lost.push(format!("{} `{fragment}` read as {}", node.kind(), pattern.reading()));
                }
            }
        }
        if tried == 0 {
            println!("skipped: no {} sources on this machine", grammar.id());
            continue;
        }
        println!("{}: {tried} fragments, {} refused, {} lost", grammar.id(), refused.len(), lost.len());
        println!("refused:\n  {}", refused.join("\n  "));
        lost.sort();
        lost.dedup();
        // What reads otherwise on its own, such as a type of several lines, is the exception.
        assert!(lost.len() * 100 <= tried, "{} of {tried} lost:\n{}", lost.len(), lost.join("\n"));
    }
}
