//! What a rewrite makes of real code in each language.
#![expect(clippy::needless_raw_string_hashes, reason = "`expect!` is written by its update")]

mod deep;
mod lines;
mod losses;

use std::time::Duration;

use expect_test::{Expect, expect};

use super::*;
use crate::parse::parse;
use grammars::Grammar;

const LIMITS: Limits<'static> = Limits { stop: &|| false, time: Duration::from_mins(1) };

fn rule(grammar: &'static Grammar, pattern: &str, rewrite: &str) -> Rule {
    let compiled = Pattern::compile(grammar, pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let template = Template::compile(&compiled, pattern, rewrite).unwrap_or_else(|error| panic!("{error}"));
    Rule { pattern: compiled, fragment: pattern.to_owned(), template }
}

fn rewritten(language: &str, source: &[u8], rules: &[(&str, &str)]) -> (Vec<u8>, Rewritten) {
    let grammar = Grammar::by_id(language).unwrap();
    let rules: Vec<Rule> = rules.iter().map(|(pattern, rewrite)| rule(grammar, pattern, rewrite)).collect();
    let tree = parse(grammar, source, &LIMITS).unwrap();
    let matches = rules.iter().map(|rule| rule.pattern.find(&tree, source, &|| false).matches).collect();
    let rewritten = super::rewrite(&rules, source, &tree, matches, &LIMITS).unwrap();
    let mut out = source.to_vec();
    for (range, text) in rewritten.edits.iter().rev() {
        out.splice(range.clone(), text.iter().copied());
    }
    (out, rewritten)
}

/// The new source, then what a proposal would say about it.
fn outcome(language: &str, source: &str, rules: &[(&str, &str)]) -> String {
    let (out, rewritten) = rewritten(language, source.as_bytes(), rules);
    let mut text = String::from_utf8(out).unwrap();
    let Rewritten { replacements, nested, refused, parenthesized, comments, quoted, error, .. } = rewritten;
    let line = |at: &usize| source[..*at].matches('\n').count() + 1;
    let lines = |places: &[usize]| {
        places.iter().map(line).map(|line| line.to_string()).collect::<Vec<_>>().join(", ")
    };
    text.push_str(&format!("---\n{replacements} replaced"));
    for (what, places) in
        [("nested", &nested), ("refused", &refused), ("comments dropped", &comments), ("quoted", &quoted)]
    {
        if !places.is_empty() {
            text.push_str(&format!("; {what} at {}", lines(places)));
        }
    }
    if parenthesized > 0 {
        text.push_str(&format!("; {parenthesized} parenthesized"));
    }
    if let Some(error) = error {
        text.push_str(&format!("; would not parse: {} `{}`", line(&error.at), error.excerpt));
    }
    text.push('\n');
    text
}

fn check(language: &str, source: &str, pattern: &str, rewrite: &str, expected: Expect) {
    expected.assert_eq(&outcome(language, source, &[(pattern, rewrite)]));
}

#[test]
fn a_call_becomes_a_method() {
    check(
        "dart",
        "void f() {\n  dispose(a);\n  dispose( b.c );\n  dispose(a + b);\n  dispose(() => 1);\n  print('dispose(x)');\n}\n",
        "dispose($X)",
        "$X.dispose()",
        expect![[r#"
            void f() {
              a.dispose();
              b.c.dispose();
              (a + b).dispose();
              (() => 1).dispose();
              print('dispose(x)');
            }
            ---
            4 replaced; 2 parenthesized
        "#]],
    );
    check(
        "python",
        "foo(a + b)\nfoo(lambda: 1)\nfoo(1)\nfoo(x[0])\nfoo(await y)\n",
        "foo($X)",
        "$X.bar()",
        expect![[r#"
            (a + b).bar()
            (lambda: 1).bar()
            (1).bar()
            x[0].bar()
            (await y).bar()
            ---
            5 replaced; 3 parenthesized
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    foo(a + b);\n    foo(&x);\n    foo(|| 1);\n    foo(S { a: 1 });\n}\n",
        "foo($X)",
        "$X.bar()",
        expect![[r#"
            fn f() {
                (a + b).bar();
                (&x).bar();
                (|| 1).bar();
                S { a: 1 }.bar();
            }
            ---
            4 replaced; 3 parenthesized
        "#]],
    );
}

#[test]
fn a_replacement_binds_as_the_match_did() {
    check(
        "python",
        "x = foo(a, b) * 2\ny = -foo(a, b)\nz = foo(a, b)\nf(foo(a, b), 1)\n",
        "foo($A, $B)",
        "$A + $B",
        expect![[r#"
            x = (a + b) * 2
            y = -(a + b)
            z = a + b
            f(a + b, 1)
            ---
            4 replaced; 2 parenthesized
        "#]],
    );
    check(
        "dart",
        "var x = !foo(a, b);\nvar y = 3 + foo(a, b);\nvar z = foo(a, b).c;\n",
        "foo($A, $B)",
        "$A ?? $B",
        expect![[r#"
            var x = !(a ?? b);
            var y = 3 + (a ?? b);
            var z = (a ?? b).c;
            ---
            3 replaced; 3 parenthesized
        "#]],
    );
    check(
        "rust",
        "fn f() { let x = foo(a, b) as u8 * 2; }\n",
        "foo($A, $B)",
        "$A + $B",
        expect![[r#"
            fn f() { let x = (a + b) as u8 * 2; }
            ---
            1 replaced; 1 parenthesized
        "#]],
    );
}

#[test]
fn operands_of_one_flat_node_are_no_list() {
    check(
        "python",
        "x = a < foo(b, c)\n",
        "foo($A, $B)",
        "$A < $B",
        expect![[r#"
        x = a < (b < c)
        ---
        1 replaced; 1 parenthesized
    "#]],
    );
    check(
        "python",
        "x = [a, foo(b, c)]\n",
        "foo($A, $B)",
        "$A, $B",
        expect![[r#"
        x = [a, b, c]
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn inner_matches_are_rewritten_inside_captures() {
    check(
        "python",
        "f(1, f(2, f(3, 4)))\n",
        "f($A, $B)",
        "g($B, $A)",
        expect![[r#"
        g(g(g(4, 3), 2), 1)
        ---
        3 replaced
    "#]],
    );
    check(
        "python",
        "f(f(1))\n",
        "f(f($X))",
        "g($X)",
        expect![[r#"
        g(1)
        ---
        1 replaced
    "#]],
    );
    check(
        "python",
        "f(f(1))\n",
        "f($X)",
        "0",
        expect![[r#"
        0
        ---
        1 replaced; nested at 1
    "#]],
    );
}

#[test]
fn earlier_rules_win() {
    let rules = [("f($X)", "g($X)"), ("f(1)", "one()"), ("h($X)", "i($X)")];
    expect![[r#"
        g(1)
        g(i(2))
        i(g(3))
        ---
        5 replaced; nested at 1
    "#]]
    .assert_eq(&outcome("python", "f(1)\nf(h(2))\nh(f(3))\n", &rules));
    let swap = [("a", "b"), ("b", "a")];
    expect![[r#"
        b = a + b
        ---
        3 replaced
    "#]]
    .assert_eq(&outcome("python", "a = b + a\n", &swap));
}

#[test]
fn what_would_not_parse_is_said() {
    check(
        "dart",
        "void f() {\n  foo(1);\n}\n",
        "foo($X)",
        "if ($X) { bar(); }",
        expect![[r#"
        void f() {
          if (1) { bar(); }
        }
        ---
        1 replaced
    "#]],
    );
    check(
        "python",
        "x = foo(1)\ny = 2\n",
        "foo($X)",
        "return $X",
        expect![[r#"
            x = foo(1)
            y = 2
            ---
            0 replaced; refused at 1
        "#]],
    );
}

#[test]
fn a_capture_in_a_string_or_a_name_is_pasted() {
    check(
        "python",
        "foo(bar)\nfoo(a.b)\n",
        "foo($X)",
        "call('$X')",
        expect![[r#"
        call('bar')
        call('a.b')
        ---
        2 replaced; quoted at 1, 2
    "#]],
    );
    check(
        "python",
        "foo(bar)\nfoo(a.b)\nfoo(1 + 2)\n",
        "foo($X)",
        "get_$X()",
        expect![[r#"
        get_bar()
        foo(a.b)
        foo(1 + 2)
        ---
        1 replaced; refused at 2, 3
    "#]],
    );
}

#[test]
fn edits_side_by_side_do_not_touch() {
    check(
        "python",
        "f(1); f(2); g(f(3), f(4))\n",
        "f($X)",
        "long_name($X, $X)",
        expect![[r#"
        long_name(1, 1); long_name(2, 2); g(long_name(3, 3), long_name(4, 4))
        ---
        4 replaced
    "#]],
    );
    check(
        "python",
        "a()\na()\na()\n",
        "a()\na()",
        "b()",
        expect![[r#"
        b()
        a()
        ---
        1 replaced; nested at 2
    "#]],
    );
    check(
        "dart",
        "var x = [f(1), f(2)];\n",
        "f($X)",
        "$X, $X",
        expect![[r#"
        var x = [1, 1, 2, 2];
        ---
        2 replaced
    "#]],
    );
    check(
        "dart",
        "void g() {\n  if (a) f(1);\n  f(2);\n}\n",
        "f($X);",
        "b($X); c($X);",
        expect![[r#"
        void g() {
          if (a) f(1);
          b(2); c(2);
        }
        ---
        1 replaced; refused at 2
    "#]],
    );
}

#[test]
fn a_variable_alone_is_a_rewrite() {
    check(
        "python",
        "x = int(a + b) * 2\nint(c)\n",
        "int($X)",
        "$X",
        expect![[r#"
            x = (a + b) * 2
            c
            ---
            2 replaced; 1 parenthesized
        "#]],
    );
    check(
        "rust",
        "fn f() { g(Some(a)); }\n",
        "Some($X)",
        "$X",
        expect![[r#"
        fn f() { g(a); }
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn a_file_with_errors_is_rewritten_outside_of_them() {
    check(
        "python",
        "f(1)\ndef (:\nf(2)\n",
        "f($X)",
        "g($X)",
        expect![[r#"
        g(1)
        def (:
        f(2)
        ---
        1 replaced
    "#]],
    );
}
