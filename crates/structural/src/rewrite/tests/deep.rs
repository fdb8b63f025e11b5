//! Replacements in replacements, as deep as a file can be nested.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::*;

fn call(
    language: &str,
    source: &str,
    rewrite: (&str, &str),
    limits: &Limits<'_>,
) -> Result<Rewritten, Unwritten> {
    let grammar = Grammar::by_id(language).unwrap();
    let rules = [rule(grammar, rewrite.0, rewrite.1)];
    let tree = parse(grammar, source.as_bytes(), &LIMITS).unwrap();
    let matches = vec![rules[0].pattern.find(&tree, source.as_bytes(), &|| false).matches];
    let started = Instant::now();
    let rewritten = super::super::rewrite(&rules, source.as_bytes(), &tree, matches, limits);
    assert!(started.elapsed() < LIMITS.time, "{:?}", started.elapsed());
    rewritten
}

fn nested(depth: usize) -> String {
    format!("{}1{}\n", "print(".repeat(depth), ")".repeat(depth))
}

#[test]
fn nested_replacements_cost_what_they_add() {
    let rewritten = call("python", &nested(6_000), ("print($X)", "u($X)"), &LIMITS).unwrap();
    assert_eq!(rewritten.replacements, 6_000);
    assert_eq!(rewritten.edits.len(), 1);
    assert_eq!(rewritten.edits[0].1, nested(6_000).replace("print", "u").trim_end().as_bytes());
}

#[test]
fn a_chain_is_rewritten_however_long() {
    let depth = 100_000;
    let source = format!("fn f() {{ a{} }}", ".unwrap()".repeat(depth));
    let rewritten = call("rust", &source, ("$X.unwrap()", "u($X)"), &LIMITS).unwrap();
    assert_eq!((rewritten.replacements, rewritten.refused.len()), (depth, 0));
    let text = format!("{}a{}", "u(".repeat(depth), ")".repeat(depth));
    assert!(rewritten.edits[0].1 == text.as_bytes());
}

#[test]
fn what_would_double_at_every_level_is_refused_with_its_size() {
    let outcome = call("python", &nested(40), ("print($X)", "u($X, $X)"), &LIMITS);
    let Err(Unwritten::TooLong { size, unit: "bytes", .. }) = outcome else { panic!("{outcome:?}") };
    // Each level has `u(`, `, ` and `)` beside what it has twice.
    assert_eq!(size, (1 << 40) + 5 * ((1 << 40) - 1) + 1);
    let outcome = call("python", &nested(400), ("print($X)", "u($X, $X)"), &LIMITS);
    assert!(matches!(outcome, Err(Unwritten::TooLong { size: u64::MAX, .. })), "{outcome:?}");
    assert_eq!(call("python", &nested(10), ("print($X)", "u($X, $X)"), &LIMITS).unwrap().replacements, 10);
}

#[test]
fn it_stops_when_told_and_when_time_is_up() {
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let limits = Limits { stop: &stop, ..LIMITS };
    let outcome = call("python", &nested(200), ("print($X)", "u($X)"), &limits);
    assert!(matches!(outcome, Err(Unwritten::Unparsed(Unparsed::Cancelled))), "{outcome:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 11);
    let limits = Limits { time: Duration::ZERO, ..LIMITS };
    let outcome = call("python", &nested(200), ("print($X)", "u($X)"), &limits);
    assert!(matches!(outcome, Err(Unwritten::Unparsed(Unparsed::TimedOut))), "{outcome:?}");
}

#[test]
fn blocks_in_blocks_move_by_all_of_what_is_around_them() {
    let source = "if a:\n    if b:\n        if c:\n            x = '''\n  s'''\n            y()\n";
    let (out, _) =
        rewritten("python", source.as_bytes(), &[("if $C:\n    $$$B", "with $C:\n    if 1:\n        $$$B")]);
    expect![[r#"
        with a:
            if 1:
                with b:
                    if 1:
                        with c:
                            if 1:
                                x = '''
          s'''
                                y()
    "#]]
    .assert_eq(&String::from_utf8(out).unwrap());
}

#[test]
fn parentheses_at_every_level_take_few_rounds() {
    let depth = 1_000;
    let rewritten = call("python", &nested(depth), ("print($X)", "$X if a else b"), &LIMITS).unwrap();
    assert_eq!((rewritten.replacements, rewritten.refused.len()), (depth, 0));
    let text = String::from_utf8_lossy(&rewritten.edits[0].1);
    assert_eq!(text.replace(['(', ')'], ""), format!("1{}", " if a else b".repeat(depth)));
    // What is innermost needs none; what lies further out got them all at once, needed or not.
    assert!((depth - 1..=2 * depth).contains(&text.matches('(').count()), "{text}");
}
