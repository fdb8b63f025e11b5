//! What a rewrite must not lose or leave: else branches, comments, separators.

use expect_test::expect;

use super::check;

#[test]
fn nothing_of_the_match_is_lost() {
    check(
        "dart",
        "void f() {\n  if (a) {\n    b();\n  } else {\n    c();\n  }\n  if (a) {\n    b();\n  }\n}\n",
        "if ($C) { $$$A }",
        "when($C, () { $$$A });",
        expect![[r#"
            void f() {
              if (a) {
                b();
              } else {
                c();
              }
              when(a, () {
                b();
              });
            }
            ---
            1 replaced
        "#]],
    );
    check(
        "python",
        "assert a == b, 'msg'\nassert a == b\n",
        "assert $A == $B",
        "check($A, $B)",
        expect![[r#"
        assert a == b, 'msg'
        check(a, b)
        ---
        1 replaced
    "#]],
    );
    check(
        "dart",
        "void f() {\n  foo(a, /* keep me */ b);\n}\n",
        "foo($A, $B);",
        "bar($B, $A);",
        expect![[r#"
            void f() {
              bar(b, a);
            }
            ---
            1 replaced; comments dropped at 2
        "#]],
    );
    check(
        "python",
        "foo(\n    a,  # first\n    b,\n)\nfoo(a, b)\n",
        "foo($A, $B)",
        "bar($A, $B)",
        expect![[r#"
            bar(
                a,  # first
                b,
            )
            bar(a, b)
            ---
            2 replaced
        "#]],
    );
}

#[test]
fn comments_beside_shared_tokens_stay() {
    check(
        "rust",
        "fn f() {\n    a()\n        // why\n        .unwrap();\n}\n",
        "$X.unwrap()",
        "$X.expect(\"x\")",
        expect![[r#"
        fn f() {
            a()
                // why
                .expect("x");
        }
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn separators_are_neither_doubled_nor_left() {
    check(
        "python",
        "foo(1, 2,)\nfoo()\nfoo(1)\n",
        "foo($$$A)",
        "bar($$$A, 9)",
        expect![[r#"
        bar(1, 2, 9)
        bar(9)
        bar(1, 9)
        ---
        3 replaced
    "#]],
    );
    check(
        "python",
        "foo(1, 2,)\nfoo()\nfoo(1)\n",
        "foo($$$A)",
        "bar(9, $$$A)",
        expect![[r#"
        bar(9, 1, 2,)
        bar(9)
        bar(9, 1)
        ---
        3 replaced
    "#]],
    );
    check(
        "python",
        "foo(1)\nfoo(1, 2)\n",
        "foo($A, $$$B)",
        "bar($$$B, $A)",
        expect![[r#"
        bar(1)
        bar(2, 1)
        ---
        2 replaced
    "#]],
    );
    check(
        "dart",
        "void f() {\n  {\n    a();\n    b();\n  }\n}\n",
        "{ $$$A b(); }",
        "{ $$$A; c(); }",
        expect![[r#"
            void f() {
              {
                a(); c();
              }
            }
            ---
            1 replaced
        "#]],
    );
}

#[test]
fn a_separator_beside_an_empty_ellipsis_is_not_kept() {
    check(
        "python",
        "f(1, 2)\nf(1, 3, 2)\n",
        "f($A, $$$M, $B)",
        "g($$$M, $B)",
        expect![[r#"
        g(2)
        g(3, 2)
        ---
        2 replaced
    "#]],
    );
    check(
        "python",
        "f(1, 2)\nf(1, 3, 2)\n",
        "f($A, $$$M, $B)",
        "g($A, $$$M)",
        expect![[r#"
        g(1)
        g(1, 3)
        ---
        2 replaced
    "#]],
    );
    check(
        "python",
        "f( )\nf(  # why\n)\n",
        "f($$$A)",
        "g($$$A)",
        expect![[r#"
        g()
        g()
        ---
        2 replaced; comments dropped at 2
    "#]],
    );
}

#[test]
fn a_deleted_item_takes_one_separator_and_a_deleted_statement_its_line() {
    let list = "x = [a, drop(), b]\ny = [drop(), a]\nz = [a, drop()]\nw = [drop(), drop()]\nv = [a, drop(), drop()]\nu = [drop(), drop(), b]\n";
    check(
        "python",
        list,
        "drop()",
        "",
        expect![[r#"
            x = [a, b]
            y = [a]
            z = [a]
            w = []
            v = [a]
            u = [b]
            ---
            9 replaced
        "#]],
    );
    check(
        "python",
        "x = [\n    a,  # about a\n    drop(),\n    b,\n]\n",
        "drop()",
        "",
        expect![[r#"
        x = [
            a,  # about a
            b,
        ]
        ---
        1 replaced
    "#]],
    );
    check(
        "dart",
        "void f() {\n  a();\n  print(1);\n  b(); print(2);\n}\n",
        "print($X)",
        "",
        expect![[r#"
            void f() {
              a();
              b();
            }
            ---
            2 replaced
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    a();\n    drop(x);\n    b();\n}\n",
        "drop($X);",
        "",
        expect![[r#"
            fn f() {
                a();
                b();
            }
            ---
            1 replaced
        "#]],
    );
}
