//! Terminators, indentation, the content of strings, and the bytes of line ends.

use expect_test::expect;

use super::{check, rewritten};

#[test]
fn a_terminator_stays() {
    check(
        "dart",
        "void f(x) {\n  if (x != null) x.dispose();\n}\n",
        "if ($X != null) $X.dispose()",
        "$X?.dispose()",
        expect![[r#"
        void f(x) {
          x?.dispose();
        }
        ---
        1 replaced
    "#]],
    );
    check(
        "dart",
        "void f(x) {\n  if (x != null) x.dispose();\n}\n",
        "if ($X != null) $X.dispose()",
        "if ($X != null) { $X.close(); }",
        expect![[r#"
            void f(x) {
              if (x != null) { x.close(); }
            }
            ---
            1 replaced
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    foo(x);\n}\n",
        "foo($X)",
        "bar($X);",
        expect![[r#"
        fn f() {
            bar(x);
        }
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn lines_keep_their_relative_indentation() {
    check(
        "python",
        "class A:\n    def f(self):\n        if ready:\n            go(\n                1,\n            )\n\n            stop()\n",
        "if $C:\n    $$$B",
        "with $C:\n    try:\n        $$$B\n    finally:\n        done()",
        expect![[r#"
            class A:
                def f(self):
                    with ready:
                        try:
                            go(
                                1,
                            )

                            stop()
                        finally:
                            done()
            ---
            1 replaced
        "#]],
    );
    check(
        "python",
        "def f():\n\tif x:\n\t\ta()\n\t\tb()\n",
        "if $C: $B",
        "if not $C:\n    pass\nelse:\n    $B",
        expect![[r#"
        def f():
        	if not x:
        		pass
        	else:
        		a()
        		b()
        ---
        1 replaced
    "#]],
    );
    check(
        "python",
        "if x:\n    a()\n    b()\n",
        "if $C:\n    $$$B",
        "while $C: $$$B",
        expect![[r#"
        while x:
            a()
            b()
        ---
        1 replaced
    "#]],
    );
    check(
        "rust",
        "fn f() {\n    if a {\n        b(|x| {\n            x\n        });\n    }\n}\n",
        "if $C { $$$B }",
        "loop {\n    if !$C { break; }\n    $$$B\n}",
        expect![[r#"
        fn f() {
            loop {
                if !a { break; }
                b(|x| {
                    x
                });
            }
        }
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn content_of_strings_is_never_moved() {
    check(
        "python",
        "def f():\n    g('''\n  a\n        b\n''')\n",
        "g($X)",
        "h(\n    $X,\n)",
        expect![[r#"
            def f():
                h(
                    '''
              a
                    b
            ''',
                )
            ---
            1 replaced
        "#]],
    );
    check(
        "dart",
        "void f() {\n  g('''\n a\n   b\n''');\n}\n",
        "g($X)",
        "h(\n  $X,\n)",
        expect![[r#"
            void f() {
              h(
                '''
             a
               b
            ''',
              );
            }
            ---
            1 replaced
        "#]],
    );
    check(
        "rust",
        "fn f() {\n    g(r#\"\n  a\n\"#, \"x\\\n y\");\n}\n",
        "g($X, $Y)",
        "{\n    h($X);\n    h($Y)\n}",
        expect![[r##"
        fn f() {
            {
                h(r#"
          a
        "#);
                h("x\
         y")
            };
        }
        ---
        1 replaced
    "##]],
    );
    check(
        "python",
        "def f():\n    g(1)\n",
        "g($X)",
        "h('''\n  text\n''', $X)",
        expect![[r#"
        def f():
            h('''
          text
        ''', 1)
        ---
        1 replaced
    "#]],
    );
}

#[test]
fn bytes_outside_stay_and_new_lines_end_as_the_file_does() {
    let (out, _) = rewritten(
        "python",
        "\u{feff}if a:\r\n    f(1)\r\n\r\n    g()\r\nx = 1".as_bytes(),
        &[("f($X)", "h(\n    $X,\n)")],
    );
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\u{feff}if a:\r\n    h(\r\n        1,\r\n    )\r\n\r\n    g()\r\nx = 1"
    );
    let (out, _) = rewritten("python", "\u{feff}f(1)".as_bytes(), &[("f($X)", "g($X)")]);
    assert_eq!(out, "\u{feff}g(1)".as_bytes());
}
