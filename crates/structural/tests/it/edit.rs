//! What `ast_edit` proposes and what `resolve` makes of it.

use expect_test::expect;
use serde_json::json;
use tool::ErrorKind;

use crate::bench::Bench;

fn disposals() -> Bench {
    let mut text = "//- /lib/e.dart\nfinal text = 'dispose(x)'; // dispose(x)\n".to_owned();
    for (name, count) in [("a", 5), ("b", 4), ("c", 2), ("d", 1)] {
        let calls: Vec<String> = (0..count).map(|at| format!("  dispose(c{at});\n")).collect();
        text.push_str(&format!("//- /lib/{name}.dart\nvoid close() {{\n{}}}\n", calls.concat()));
    }
    Bench::new(&text)
}

#[tokio::test]
async fn twelve_replacements_in_four_files_are_proposed_and_accepted() {
    let bench = disposals();
    let before = bench.fixture.tree();
    let arguments = json!({"pattern": "dispose($X)", "rewrite": "$X.dispose()", "language": "dart"});
    bench
        .check(
            "ast_edit",
            arguments.clone(),
            expect![[r#"
                (proposed) 12 replacements in 4 files; nothing is written yet: call resolve with edit_id "edit_1"
                lib/a.dart: 5 replacements
                lib/b.dart: 4 replacements
                lib/c.dart: 2 replacements
                lib/d.dart: 1 replacement
                searched 5 dart files (read as `statement`) in the workspace

                --- a/lib/a.dart
                +++ b/lib/a.dart
                @@ -1,7 +1,7 @@
                 void close() {
                -  dispose(c0);
                -  dispose(c1);
                -  dispose(c2);
                -  dispose(c3);
                -  dispose(c4);
                +  c0.dispose();
                +  c1.dispose();
                +  c2.dispose();
                +  c3.dispose();
                +  c4.dispose();
                 }
                --- a/lib/b.dart
                +++ b/lib/b.dart
                @@ -1,6 +1,6 @@
                 void close() {
                -  dispose(c0);
                -  dispose(c1);
                -  dispose(c2);
                -  dispose(c3);
                +  c0.dispose();
                +  c1.dispose();
                +  c2.dispose();
                +  c3.dispose();
                 }
                --- a/lib/c.dart
                +++ b/lib/c.dart
                @@ -1,4 +1,4 @@
                 void close() {
                -  dispose(c0);
                -  dispose(c1);
                +  c0.dispose();
                +  c1.dispose();
                 }
                --- a/lib/d.dart
                +++ b/lib/d.dart
                @@ -1,3 +1,3 @@
                 void close() {
                -  dispose(c0);
                +  c0.dispose();
                 }
            "#]],
        )
        .await;
    assert_eq!(bench.fixture.tree(), before, "nothing is written");

    bench.fixture.write("lib/d.dart", "void close() {\n  dispose(c0);\n  late();\n}\n");
    let refused =
        bench.output("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Conflict);
    expect![[r#"
        conflict: `edit_1` does not fit any more (1 of 4 paths); nothing was written
          `lib/d.dart`: changed
        hint: `edit_1` stays staged; to propose it anew call ast_edit {"pattern":"dispose($X)","rewrite":"$X.dispose()","language":"dart"}, and discard this one
    "#]].assert_eq(&format!("{refused}\n"));
    assert!(bench.fixture.read("lib/a.dart").contains("dispose(c0)"), "no file was changed");

    let data = bench.data("ast_edit", arguments).await;
    assert_eq!((data["edit_id"].as_str(), data["replacements"].as_u64()), (Some("edit_2"), Some(12)));
    let accepted = bench.call("resolve", json!({"edit_id": "edit_2", "action": "accept"})).await;
    assert_eq!(
        bench.fixture.read("lib/d.dart"),
        "void close() {\n  c0.dispose();\n  late();\n}\n",
        "{accepted}"
    );
    assert_eq!(bench.fixture.read("lib/e.dart"), "final text = 'dispose(x)'; // dispose(x)\n");
    let left = bench.data("ast_grep", json!({"pattern": "dispose($X)", "language": "dart"})).await;
    assert_eq!(left["total"], 0);
}

#[tokio::test]
async fn a_rewrite_and_its_inverse_restore_the_tree() {
    let bench = disposals();
    let before = bench.fixture.tree();
    for (pattern, rewrite, id) in
        [("dispose($X)", "$X.dispose()", "edit_1"), ("$X.dispose()", "dispose($X)", "edit_2")]
    {
        bench.call("ast_edit", json!({"pattern": pattern, "rewrite": rewrite, "language": "dart"})).await;
        bench.output("resolve", json!({"edit_id": id, "action": "accept"})).await.unwrap();
        assert_eq!(bench.fixture.tree() == before, id == "edit_2");
    }
}

#[tokio::test]
async fn nothing_is_staged_when_nothing_changes() {
    let bench = disposals();
    bench
        .check(
            "ast_edit",
            json!({"pattern": "absent($X)", "rewrite": "$X", "language": "dart"}),
            expect![[r#"
                0 replacements: 0 matches; nothing is staged
                searched 5 dart files (read as `statement`) in the workspace
            "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            json!({"pattern": "dispose($X)", "rewrite": "dispose($X)", "language": "dart"}),
            expect![[r#"
                0 replacements of 12 matches; nothing is staged
                searched 5 dart files (read as `statement`) in the workspace
            "#]],
        )
        .await;
    bench
        .check(
            "resolve",
            json!({"edit_id": "edit_1", "action": "accept"}),
            expect![[r#"
        bad_arguments: there is no staged edit `edit_1`
        hint: no edit is staged
    "#]],
        )
        .await;
}

#[tokio::test]
async fn what_would_not_parse_needs_force() {
    let bench = Bench::new("//- /a.py\nx = 1\n");
    bench.check("ast_edit", json!({"pattern": "x = $V", "rewrite": "case $V: pass", "path": "a.py"}), expect![[r#"
        (proposed, would not parse: a.py:1 `case 1: pass`) 1 replacement in 1 file; nothing is written yet: call resolve with edit_id "edit_1"; to accept it all the same needs force: true
        a.py: 1 replacement
        searched 1 python file (read as `statement`) in `a.py`

        --- a/a.py
        +++ b/a.py
        @@ -1 +1 @@
        -x = 1
        +case 1: pass
    "#]]).await;
    let refused =
        bench.output("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Refused, "{refused}");
    bench.output("resolve", json!({"edit_id": "edit_1", "action": "accept", "force": true})).await.unwrap();
    assert_eq!(bench.fixture.read("a.py"), "case 1: pass\n");
}

#[tokio::test]
async fn a_proposal_says_what_to_look_at() {
    let bench = Bench::new(
        r"
//- /a.dart
void f() {
  foo(a, /* why */ b);
  // foo(x, y)
  foo(c, // because
      d);
  foo(foo(1, 2), 3);
}
//- /b.g.dart
void f() { foo(1, 2); }
//- /broken.dart
void f() { foo(1, 2); }
void g( {
",
    );
    let arguments = json!({"pattern": "foo($A, $B)", "rewrite": "bar($B, $A)", "language": "dart"});
    bench
        .check(
            "ast_edit",
            arguments,
            expect![[r#"
                (proposed) 5 replacements in 2 files; nothing is written yet: call resolve with edit_id "edit_1"
                a.dart: 4 replacements
                broken.dart: 1 replacement
                drops 2 comments: a.dart:2, a.dart:4
                generated files are edited only when `path` names them; left alone: 1 file: b.g.dart
                searched 3 dart files (read as `statement`) in the workspace
                1 file with syntax errors, searched outside of them: broken.dart
                not searched, inside syntax errors: 27% of broken.dart

                --- a/a.dart
                +++ b/a.dart
                @@ -1,7 +1,6 @@
                 void f() {
                -  foo(a, /* why */ b);
                +  bar(b, a);
                   // foo(x, y)
                -  foo(c, // because
                -      d);
                -  foo(foo(1, 2), 3);
                +  bar(d, c);
                +  bar(3, bar(2, 1));
                 }
                --- a/broken.dart
                +++ b/broken.dart
                @@ -1,2 +1,2 @@
                -void f() { foo(1, 2); }
                +void f() { bar(2, 1); }
                 void g( {
            "#]],
        )
        .await;
    let named = json!({"pattern": "foo($A, $B)", "rewrite": "bar($B, $A)", "path": "b.g.dart"});
    let data = bench.data("ast_edit", named).await;
    assert_eq!(data["replacements"], 1, "a generated file is edited when it is named");
}

#[tokio::test]
async fn rewrites_that_do_not_fit_their_pattern_are_errors() {
    let bench = Bench::new("//- /a.py\nfoo(1)\n//- /b.dart\nvar x = foo(y);\n");
    let edit = |pattern: &str, rewrite: &str| json!({"pattern": pattern, "rewrite": rewrite, "path": "a.py"});
    bench
        .check(
            "ast_edit",
            edit("foo($A)", "bar($UNDEFINED)"),
            expect![[r#"
        bad_arguments: the rewrite uses `$UNDEFINED`, which the pattern does not bind; it binds `$A`
        hint: nothing was staged
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            edit("foo(1)", "bar($A)"),
            expect![[r#"
        bad_arguments: the rewrite uses `$A`, which the pattern does not bind; it binds no variable
        hint: nothing was staged
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            edit("foo($$$A)", "bar($A)"),
            expect![[r#"
        bad_arguments: the rewrite uses `$A`, but the pattern binds `$$$A`; write `$$$A`
        hint: nothing was staged
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            edit("foo($_)", "bar($_)"),
            expect![[r#"
        bad_arguments: the rewrite uses `$_`, which binds nothing; name the variable in the pattern and here
        hint: nothing was staged
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            edit("foo($A)", "bar($A"),
            expect![[r#"
        bad_arguments: the rewrite `bar($A` does not parse as python
        hint: nothing was staged
    "#]],
        )
        .await;
    bench.check("ast_edit", edit("foo($A", "bar($A)"), expect![[r#"
        bad_arguments: not a pattern in python: the pattern does not parse as `python` in any context; it stopped at line 1, column 7
          foo($A
                ^
        the nearest form that is accepted: `foo($A)`
        hint: give a complete piece of code in the language of the files; nothing was searched
    "#]]).await;
    bench
        .check(
            "ast_edit",
            json!({"pattern": "foo($A)"}),
            expect![[r#"
        bad_arguments: `rewrite` is missing; it may be empty, to delete what `pattern` matches
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            json!({"path": "a.py"}),
            expect![[r#"
        bad_arguments: `pattern` and `rewrite` are missing, and there are no `rules`
    "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            json!({"pattern": "foo($VAR)", "rewrite": "bar_$VARName(\\$HOME)", "path": "b.dart"}),
            expect![[r#"
                (proposed) 1 replacement in 1 file; nothing is written yet: call resolve with edit_id "edit_1"
                b.dart: 1 replacement
                searched 1 dart file (read as `statement`) in `b.dart`

                --- a/b.dart
                +++ b/b.dart
                @@ -1 +1 @@
                -var x = foo(y);
                +var x = bar_yName($HOME);
            "#]],
        )
        .await;
    assert_eq!(bench.fixture.read("a.py"), "foo(1)\n");
}

#[tokio::test]
async fn several_rules_are_one_edit() {
    let bench = Bench::new("//- /a.py\nold(1)\nlog(old(2), 3)\nlog(4)\n");
    let rules = json!([
        {"pattern": "old($X)", "rewrite": "new($X)"},
        {"pattern": "log($X)", "rewrite": "debug($X)"},
        {"pattern": "log($X, $Y)", "rewrite": ""},
    ]);
    bench
        .check(
            "ast_edit",
            json!({"rules": rules, "path": "a.py"}),
            expect![[r#"
                (proposed) 3 replacements in 1 file; nothing is written yet: call resolve with edit_id "edit_1"
                a.py: 3 replacements
                left as they are, since they overlap a replacement: 1 match: a.py:2; run again after accepting
                searched 1 python file (read as `statement`) in `a.py`

                --- a/a.py
                +++ b/a.py
                @@ -1,3 +1,3 @@
                -old(1)
                -log(old(2), 3)
                -log(4)
                +new(1)
                +log(new(2), 3)
                +debug(4)
            "#]],
        )
        .await;
}

#[tokio::test]
async fn more_replacements_than_an_edit_may_have_are_refused() {
    let bench = Bench::new("");
    bench.fixture.write("a.py", "f(1)\n".repeat(6_000));
    bench.fixture.write("b.py", "f(1)\n".repeat(6_000));
    bench
        .check(
            "ast_edit",
            json!({"pattern": "f($X)", "rewrite": "g($X)"}),
            expect![[r#"
        refused: 12000 matches are more than one edit may replace: 10000
        hint: nothing was staged; narrow `path` or the pattern and make several edits
    "#]],
        )
        .await;
    let data = bench.data("ast_edit", json!({"pattern": "f($X)", "rewrite": "g($X)", "path": "a.py"})).await;
    assert_eq!(data["replacements"], 6_000);
}

#[tokio::test]
async fn a_rewrite_that_doubles_at_every_level_is_refused() {
    let bench = Bench::new("");
    bench.fixture.write("a.py", format!("{}0{}\n", "f(".repeat(60), ")".repeat(60)));
    bench
        .check(
            "ast_edit",
            json!({"pattern": "f($X)", "rewrite": "g($X, $X)"}),
            expect![[r#"
                refused: the rewrite of `a.py` would have 6917529027641081852 bytes, over the limit of 33554432
                hint: nothing was staged; narrow `path` or the pattern and make several edits
            "#]],
        )
        .await;
}

#[tokio::test]
async fn links_are_followed_inside_and_refused_outside() {
    let bench = Bench::new("//- /real/a.py\nf(1)\n");
    std::os::unix::fs::symlink("real/a.py", bench.fixture.path("link.py")).unwrap();
    bench.call("ast_edit", json!({"pattern": "f($X)", "rewrite": "g($X)", "path": "link.py"})).await;
    bench.output("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await.unwrap();
    assert_eq!(bench.fixture.read("real/a.py"), "g(1)\n");
    assert!(bench.fixture.path("link.py").is_symlink(), "the link stays a link");

    let outside = bench.fixture.outside().join("b.py");
    std::fs::write(&outside, "f(1)\n").unwrap();
    std::os::unix::fs::symlink(&outside, bench.fixture.path("out.py")).unwrap();
    for path in ["out.py", "../outside/b.py", outside.to_str().unwrap()] {
        let arguments = json!({"pattern": "f($X)", "rewrite": "g($X)", "path": path});
        let error = bench.output("ast_edit", arguments).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused, "{path}: {error}");
    }
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "f(1)\n");
}

#[tokio::test]
async fn a_surface_of_the_read_tier_has_no_ast_edit() {
    let bench = disposals();
    let names: Vec<String> = bench.read_surface().specs().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["ast_grep"]);
    let error = bench.read_surface().call("ast_edit", json!({})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownTool);
}
