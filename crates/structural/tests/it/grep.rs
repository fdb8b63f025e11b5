//! What `ast_grep` answers.

use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::json;
use test_support::Fixture;
use tool::{Cancellation, ErrorKind, Request, Tier};

use crate::bench::Bench;

const GUARDS: &str = r"
//- /lib/a.dart
class A {
  void close() {
    if (controller != null) controller.dispose();
    if (controller != null) other.dispose();
    if ( this.timer   != null )
      this. /* the timer */ timer.dispose();
    print('if (x != null) x.dispose()'); // if (x != null) x.dispose();
  }
}
//- /lib/b.dart
void g() {}
//- /notes.txt
if (x != null) x.dispose();
";

#[tokio::test]
async fn a_guard_that_disposes_what_it_checked() {
    let bench = Bench::new(GUARDS);
    let arguments = json!({"pattern": "if ($X != null) $X.dispose()", "language": "dart"});
    bench
        .check(
            "ast_grep",
            arguments.clone(),
            expect![[r#"
                2 matches in 1 file
                lib/a.dart:3:5: if (controller != null) controller.dispose()
                    $X = controller
                lib/a.dart:5:5: if ( this.timer   != null )
                    |   this. /* the timer */ timer.dispose()
                    $X = this.timer
                searched 2 dart files (read as `statement`) in the workspace
            "#]],
        )
        .await;
    let data = bench.data("ast_grep", arguments).await;
    assert_eq!(data["total"], 2);
    assert_eq!(data["matches"][0]["variables"]["X"], "controller");
    assert_eq!(data["matches"][0]["range"]["start"], json!({"byte": 31, "line": 3, "column": 5}));
    assert_eq!(data["files_searched"], 2);
}

#[tokio::test]
async fn nothing_found_says_where_it_looked_and_what_nearly_matched() {
    let bench = Bench::new(
        r"
//- /.gitignore
build/
*.log.dart
//- /a.dart
Future<void> f(int x) async {
  g(x);
}
int h(int x) {
  return x;
}
//- /build/b.dart
void f() {}
//- /c.log.dart
void f() {}
//- /broken.dart
void f( {
void missing() { missing(; }
",
    );
    bench.fixture.write("image.dart", b"void missing\0");
    bench.fixture.write("wide.dart", [0xff, 0xfe, 0, 1]);
    bench.fixture.write("latin.dart", b"// caf\xe9\nvoid missing() {}\n");
    bench
        .check(
            "ast_grep",
            json!({"pattern": "missing($X, $Y)"}),
            expect![[r#"
                0 matches outside syntax errors, which are a large part of 1 file
                searched 2 dart files (read as `statement`) in the workspace
                skipped: 1 ignored, 1 ignored folder, 1 binary, 1 UTF-16, 1 not UTF-8
                1 file with syntax errors, searched outside of them: broken.dart
                not searched, inside syntax errors: 100% of broken.dart
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "int h($$$P) { $$$B }", "path": "a.dart"}),
            expect![[r#"
                1 match in 1 file
                a.dart:4:1: int h(int x) {
                    |   return x;
                    | }
                    $$$P = int x
                    $$$B = return x;
                searched 1 dart file (read as `statement`) in `a.dart`
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "h($$$P) { $$$B }", "language": "dart"}),
            expect![[r#"
                0 matches; 1 more differs only by `return_type`
                searched 2 dart files (read as `statement`) in the workspace
                skipped: 1 ignored, 1 ignored folder, 1 binary, 1 UTF-16, 1 not UTF-8
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "$X + 1", "path": "build"}),
            expect![[r#"
                0 matches
                searched 1 dart file (read as `statement`) in `build`
            "#]],
        )
        .await;
}

#[tokio::test]
async fn only_the_first_matches_are_shown_and_all_are_counted() {
    let fixture = Fixture::empty();
    for file in 0..20 {
        fixture.write(&format!("f{file:02}.py"), "f(1)\nf(2)\nf(3)\n");
    }
    let bench = Bench::of(fixture);
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "max_results": 4}),
            expect![[r#"
                60 matches in 20 files; the first 4 by path
                f00.py:1:1: f(1)
                    $X = 1
                f00.py:2:1: f(2)
                    $X = 2
                f00.py:3:1: f(3)
                    $X = 3
                f01.py:1:1: f(1)
                    $X = 1
                searched 20 python files (read as `statement`) in the workspace
            "#]],
        )
        .await;
    let text = bench.call("ast_grep", json!({"pattern": "f($X)"})).await;
    assert_eq!(text.lines().filter(|line| line.starts_with('f')).count(), 50, "{text}");
    assert!(text.starts_with("60 matches in 20 files; the first 50 by path"), "{text}");
}

#[tokio::test]
async fn a_match_of_several_lines_is_bounded_and_aligned() {
    let bench = Bench::new(
        r"
//- /a.py
class A:
    def f(self):
        if ready:
            go(
                1,
            )
        return 1
",
    );
    bench
        .check(
            "ast_grep",
            json!({"pattern": "if $C:\n    $$$B", "path": "a.py", "context": 1}),
            expect![[r#"
                1 match in 1 file
                    2-     def f(self):
                a.py:3:9: if ready:
                    |     go(
                    |         1,
                    |     )
                    $C = ready
                    $$$B = go( 1, )
                    7-         return 1
                searched 1 python file (read as `statement`) in `a.py`
            "#]],
        )
        .await;
    bench.fixture.write("b.py", format!("f('{}')\n", "x".repeat(1_000)));
    let text = bench.call("ast_grep", json!({"pattern": "f($X)", "path": "b.py"})).await;
    assert!(text.contains("… (+605 characters)"), "{text}");
}

#[tokio::test]
async fn every_language_that_takes_the_fragment_is_searched() {
    let bench = Bench::new(
        r"
//- /a.dart
void f() { print(1); }
//- /b.py
print(2)
//- /c.rs
fn f() { print(3); }
",
    );
    bench.check("ast_grep", json!({"pattern": "print($X)"}), expect![[r#"
        3 matches in 3 files
        a.dart:1:12: print(1)
            $X = 1
        b.py:1:1: print(2)
            $X = 2
        c.rs:1:10: print(3)
            $X = 3
        searched 1 dart file (read as `statement`), 1 python file (read as `statement`), 1 rust file (read as `statement`) in the workspace
    "#]]).await;
    bench.check("ast_grep", json!({"pattern": "a b c d"}), expect![[r#"
        bad_arguments: the pattern is none in any language of the files here:
        - not a pattern in dart: the pattern does not parse as `dart` in any context; it stopped at line 1, column 5
          a b c d
              ^
        the nearest form that is accepted: `a b, c d`
        - not a pattern in python: the pattern does not parse as `python` in any context; it stopped at line 1, column 3
          a b c d
            ^
        - not a pattern in rust: the pattern does not parse as `rust` in any context; it stopped at line 1, column 3
          a b c d
            ^
        hint: give a complete piece of code in the language of the files; nothing was searched
    "#]]).await;
    bench.check("ast_grep", json!({"pattern": "fn f() { $$$B }"}), expect![[r#"
        1 match in 1 file
        c.rs:1:1: fn f() { print(3); }
            $$$B = print(3);
        searched 1 dart file (read as `statement`), 1 rust file (read as `declaration`) in the workspace
        not searched: 1 python file; not a pattern in python: the pattern does not parse as `python` in any context; it stopped at line 1, column 4 fn f() { $$$B } ^
    "#]]).await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "print($X)", "path": "*.py"}),
            expect![[r#"
                1 match in 1 file
                b.py:1:1: print(2)
                    $X = 2
                searched 1 python file (read as `statement`) in `*.py`
            "#]],
        )
        .await;
}

#[tokio::test]
async fn a_folder_without_files_of_any_language_is_said() {
    let bench = Bench::new("//- /notes/a.txt\nf(1)\n");
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)"}),
            expect![[r#"
        0 matches
        searched 0 files in the workspace: it has none of LANGUAGES
    "#]],
        )
        .await;
    let nonsense = bench.output("ast_grep", json!({"pattern": "[a b (c \" '"})).await.unwrap_err();
    assert_eq!(nonsense.kind, ErrorKind::BadArguments);
}

#[tokio::test]
async fn bad_arguments_are_told_apart() {
    let bench = Bench::new("//- /a.dart\nvoid f() {}\n//- /notes.txt\nf(1)\n");
    let outside = bench.fixture.outside().join("secret.dart");
    std::fs::write(&outside, "f(1);").unwrap();
    std::os::unix::fs::symlink(&outside, bench.fixture.path("link.dart")).unwrap();
    bench.check("ast_grep", json!({"pattern": "if ($X != null {"}), expect![[r#"
        bad_arguments: not a pattern in dart: the pattern does not parse as `dart` in any context; it stopped at line 1, column 16
          if ($X != null {
                         ^
        hint: give a complete piece of code in the language of the files; nothing was searched
    "#]]).await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": ""}),
            expect![[r#"
        bad_arguments: not a pattern in dart: the pattern is empty
        hint: give a complete piece of code in the language of the files; nothing was searched
    "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "language": "drat"}),
            expect![[r#"
                bad_arguments: there is no language `drat`; bundled: LANGUAGES; the nearest is `dart`
                hint: name one of: LANGUAGES
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "language": "py"}),
            expect![[r#"
                bad_arguments: there is no language `py`; bundled: LANGUAGES; the nearest is `python`
                hint: name one of: LANGUAGES
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "path": "notes.txt"}),
            expect![[r#"
                bad_arguments: no bundled language goes with the name of `notes.txt`; bundled: LANGUAGES
                hint: name one of: LANGUAGES
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "path": "../outside/secret.dart"}),
            expect![[r#"
        refused: `../outside/secret.dart` leaves the workspace
        hint: only files of the workspace can be searched
    "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "path": "link.dart"}),
            expect![[r#"
        refused: `link.dart` leaves the workspace through the link `link.dart`
        hint: only files of the workspace can be searched
    "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "path": "b.dart"}),
            expect![[r#"
        bad_arguments: `b.dart` does not exist; the nearest name is `a.dart`
    "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "language": "dart", "path": "notes.txt"}),
            expect![[r#"
                0 matches outside syntax errors, which are a large part of 1 file
                searched 1 dart file (read as `statement`) in `notes.txt`
                1 file with syntax errors, searched outside of them: notes.txt
                not searched, inside syntax errors: 100% of notes.txt
            "#]],
        )
        .await;
    let absolute = outside.to_str().unwrap();
    let error = bench.output("ast_grep", json!({"pattern": "f($X)", "path": absolute})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_eq!(
        bench.call("ast_grep", json!({"pattern": "f($X)", "path": "*.dart"})).await.lines().next(),
        Some("0 matches")
    );
}

#[tokio::test]
async fn huge_files_are_skipped_and_counted() {
    let fixture = Fixture::new("//- /a.py\nf(1)\n");
    fixture.write("huge.py", "f(2)\n".repeat(2 << 20));
    let bench = Bench::of(fixture);
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)"}),
            expect![[r#"
                1 match in 1 file
                a.py:1:1: f(1)
                    $X = 1
                searched 1 python file (read as `statement`) in the workspace
                skipped: 1 too large
            "#]],
        )
        .await;
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)", "path": "huge.py"}),
            expect![[r#"
                0 matches
                searched 0 python files (read as `statement`) in `huge.py`
                skipped: 1 too large
            "#]],
        )
        .await;
}

#[tokio::test]
async fn generated_files_are_marked_and_marks_of_bytes_take_no_column() {
    let bench = Bench::new("//- /a.g.dart\nvar x = f(1);\n//- /b.dart\n// DO NOT EDIT\nvar x = f(2);\n");
    bench.fixture.write("c.dart", "\u{feff}var x = f(3);\r\nvar y = f(4);\r\n");
    bench
        .check(
            "ast_grep",
            json!({"pattern": "f($X)"}),
            expect![[r#"
                4 matches in 3 files
                a.g.dart:1:9 (generated): f(1)
                    $X = 1
                b.dart:2:9 (generated): f(2)
                    $X = 2
                c.dart:1:9: f(3)
                    $X = 3
                c.dart:2:9: f(4)
                    $X = 4
                searched 3 dart files (read as `statement`) in the workspace
            "#]],
        )
        .await;
}

#[tokio::test]
async fn a_search_beyond_the_counting_limit_stops_and_says_so() {
    let fixture = Fixture::empty();
    for file in 0..60 {
        fixture.write(&format!("f{file:02}.py"), "f(1)\n".repeat(3_000));
    }
    let bench = Bench::of(fixture);
    let text = bench.call("ast_grep", json!({"pattern": "f($X)", "max_results": 1})).await;
    assert!(text.starts_with("≥ 100,000 matches; the first 1 by path\nf00.py:1:1: f(1)\n"), "{text}");
    assert!(text.contains("not every file was searched"), "{text}");
    let data = bench.data("ast_grep", json!({"pattern": "f($X)"})).await;
    assert_eq!((data["total"].as_u64(), data["total_is_exact"].as_bool()), (Some(100_000), Some(false)));
    assert_eq!(data["matches"].as_array().unwrap().len(), 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_search_ends_soon() {
    let fixture = Fixture::empty();
    for file in 0..40 {
        fixture.write(&format!("f{file:02}.py"), "f(1, [2, {3: 4}])\n".repeat(60_000));
    }
    let bench = Bench::of(fixture);
    let cancellation = Cancellation::new();
    let request =
        Request::new("ast_grep", json!({"pattern": "f($X, [$Y, $Z])"})).cancellation(cancellation.clone());
    let begun = Instant::now();
    let surface = bench.surface.clone();
    let call = tokio::spawn(async move { surface.request(request).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    cancellation.cancel();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_schemas_are_written_for_a_model() {
    let bench = Bench::new("");
    let specs = bench.surface.specs();
    let grep = specs.iter().find(|spec| spec.name == "ast_grep").unwrap();
    assert_eq!(grep.tier, Tier::Read);
    expect![[r#"
        Finds code by its structure, not its text: `dispose($X)` finds every call however it is spaced, wrapped or commented, and never the same characters in a string or comment. `$NAME` matches any one node and binds it, `$$$NAME` a run of siblings (possibly none), `$_` and `$$$` the same without binding; a repeated variable must be the same text each time; `\$` is a dollar sign. White space, comments and trailing separators may differ, nothing else: what the pattern leaves out must not be in the code either (write `$$$` for what may be there). Ignored, hidden and binary files are skipped and counted.
        {
          "type": "object",
          "properties": {
            "pattern": {
              "type": "string",
              "description": "A piece of code with variables, such as `if ($X != null) $X.dispose()`: `$NAME` is one node, `$$$NAME` a run of siblings, `$_` and `$$$` the same without a name. It is parsed by the grammar of the files, so it must be complete code: an expression, statement, class member, declaration or the like."
            },
            "path": {
              "type": "string",
              "description": "A file, folder or glob such as `lib/**/*.dart`, relative to the workspace; the whole workspace if absent. What is named is searched even when it is hidden or ignored."
            },
            "language": {
              "type": "string",
              "description": "The language of the pattern and the files, such as `dart`, `python` or `rust`. If absent: the language of the file that `path` names, else every language that has files there and in which the pattern parses."
            },
            "max_results": {
              "type": "integer",
              "maximum": 1000,
              "minimum": 1,
              "description": "How many matches to show (50 if absent); all are counted, up to 100,000."
            },
            "context": {
              "type": "integer",
              "maximum": 20,
              "minimum": 0,
              "description": "How many lines to show around each match (0 if absent)."
            }
          },
          "required": [
            "pattern"
          ],
          "additionalProperties": false
        }
    "#]].assert_eq(&format!("{}\n{:#}\n", grep.description, grep.input_schema));
}

#[tokio::test]
async fn a_name_with_a_line_break_forges_no_match() {
    let bench = Bench::new("");
    let name = "a\nb.py:1:1: f(2)\n.py";
    bench.fixture.write(name, "f(1)\n");
    let arguments = json!({"pattern": "f($X)", "language": "python"});
    bench
        .check(
            "ast_grep",
            arguments.clone(),
            expect![[r"
                1 match in 1 file
                a\nb.py:1:1: f(2)\n.py:1:1: f(1)
                    $X = 1
                searched 1 python file (read as `statement`) in the workspace
            "]],
        )
        .await;
    assert_eq!(bench.data("ast_grep", arguments).await["matches"][0]["path"], name);
    let edit = json!({"pattern": "f($X)", "rewrite": "g($X)", "language": "python"});
    let text = bench.call("ast_edit", edit).await;
    assert!(text.contains(r"a\nb.py:1:1: f(2)\n.py: 1 replacement") && !text.contains("\nb.py"), "{text}");
    let text = bench.call("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await;
    assert!(text.contains(r"`a\nb.py:1:1: f(2)\n.py`: edited"), "{text}");
}
