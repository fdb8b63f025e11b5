//! Each checker on a small broken project, by the real tool: what its exit code hides is what is tested.
#![expect(clippy::needless_raw_string_hashes, reason = "that is how expectations are written by their tool")]
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures, and are their own host")]

use std::ffi::OsString;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use peer::Host;
use test_support::{Fixture, real, real_environment};
use workspace::Workspace;

use super::*;
use crate::diagnostic::Severity;
use crate::limits;

async fn checked_with(fixture: &Fixture, environment: &[(OsString, OsString)]) -> Vec<Checked> {
    let workspace = Workspace::open(fixture.root()).unwrap();
    check_project(&workspace, environment, &Host).await.unwrap()
}

async fn check(fixture: &Fixture, names: &[&str], expect: Expect) {
    if names.iter().any(|name| real(name).is_none()) {
        return;
    }
    let text = output(&checked_with(fixture, &environment()).await).to_text();
    expect.assert_eq(&text.replace(&*fixture.root().to_string_lossy(), "ROOT"));
}

/// What a child gets of a host: the real programs, and where they keep their own.
fn environment() -> Vec<(OsString, OsString)> {
    let own = ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"]
        .into_iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    real_environment().into_iter().chain(own).collect()
}

fn make_executable(fixture: &Fixture, path: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(fixture.path(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Only the named real programs are on the path.
fn only(fixture: &Fixture, names: &[&str]) -> Vec<(OsString, OsString)> {
    let bin = fixture.outside().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in names {
        std::os::unix::fs::symlink(real(name).unwrap(), bin.join(name)).unwrap();
    }
    let mut environment = environment();
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".into(), bin.into()));
    environment
}

#[tokio::test]
async fn rust_errors_are_told_once_for_all_targets_and_those_of_tests_too() {
    let fixture = Fixture::new(
        r#"
//- /Cargo.toml
[package]
name = "one"
edition = "2024"
[workspace]
members = ["two"]
//- /src/lib.rs
pub fn shared() -> u32 {
    let unused = 1;
    "é"
}
#[test]
fn in_tests() {
    nowhere();
}
//- /two/Cargo.toml
[package]
name = "two"
edition = "2024"
//- /two/src/main.rs
fn main() {
    println!("{}", absent);
}
"#,
    );
    check(
        &fixture,
        &[],
        expect![[r#"
        cargo check: 3 errors, 0 warnings in 2 targets checked

        src/lib.rs:3:5: error E0308: mismatched types [cargo check]
        src/lib.rs:7:5: error E0425: cannot find function `nowhere` in this scope [cargo check]
        two/src/main.rs:2:20: error E0425: cannot find value `absent` in this scope [cargo check]"#]],
    )
    .await;
}

#[tokio::test]
async fn a_broken_manifest_is_not_a_run_and_hides_no_other_project() {
    let fixture = Fixture::new(
        r#"
//- /broken/Cargo.toml
[package
//- /whole/Cargo.toml
[package]
name = "whole"
//- /whole/src/lib.rs
fn dead() {}
"#,
    );
    check(
        &fixture,
        &[],
        expect![[r#"
        cargo check (broken): not verified: it ended with exit code 101:
        error: unclosed table, expected `]`
         --> Cargo.toml:1:9
          |
        1 | [package
          |         ^
        cargo check (whole): 0 errors, 1 warning in 1 target checked

        whole/src/lib.rs:1:4: warning dead_code: function `dead` is never used [cargo check]"#]],
    )
    .await;
}

#[tokio::test]
async fn a_build_script_that_fails_is_not_a_clean_crate() {
    let fixture = Fixture::new(
        r#"
//- /Cargo.toml
[package]
name = "scripted"
//- /build.rs
fn main() { std::process::exit(3); }
//- /src/lib.rs
"#,
    );
    let checked = checked_with(&fixture, &environment()).await;
    assert!(
        matches!(&checked[0].outcome, Outcome::NotVerified { why } if why.contains("build")),
        "{checked:?}"
    );
}

#[tokio::test]
async fn the_errors_of_a_crate_outside_are_counted_and_not_listed() {
    let fixture = Fixture::new(
        r#"
//- /Cargo.toml
[package]
name = "inside"
edition = "2024"
[dependencies]
near = { path = "../outside/near" }
//- /src/lib.rs
"#,
    );
    let near = fixture.outside().join("near");
    std::fs::create_dir_all(near.join("src")).unwrap();
    std::fs::write(near.join("Cargo.toml"), "[package]\nname = \"near\"\n").unwrap();
    std::fs::write(near.join("src/lib.rs"), "fn f() { absent() }").unwrap();
    let checked = checked_with(&fixture, &environment()).await;
    assert_eq!((checked[0].outside, checked[0].diagnostics.len()), (1, 0), "{checked:?}");
}

#[tokio::test]
async fn an_error_in_a_macro_of_others_is_where_the_macro_is_used() {
    let fixture = Fixture::new(
        r#"
//- /Cargo.toml
[package]
name = "used"
edition = "2024"
//- /src/lib.rs
pub struct Plain;
pub fn compare() {
    assert_eq!(Plain, Plain);
}
"#,
    );
    check(&fixture, &[], expect![[r#"
        cargo check: 2 errors, 0 warnings in 1 target checked

        src/lib.rs:3:5: error E0277: `Plain` doesn't implement `Debug` [cargo check]
        src/lib.rs:3:5: error E0369: binary operation `==` cannot be applied to type `Plain` [cargo check]"#]]).await;
}

const SOLUTION: &str = r#"
//- /tsconfig.json
{ "files": [], "references": [{ "path": "a" }, { "path": "b" }] }
//- /a/tsconfig.json
{ "compilerOptions": { "composite": true, "strict": true, "outDir": "../out/a", "rootDir": "." } }
//- /a/x.ts
export const x: number = "no";
//- /b/tsconfig.json
{ "compilerOptions": { "composite": true, "strict": true, "outDir": "../out/b", "rootDir": "." } }
//- /b/y.ts
const wide = "😀", take: (a: { b: number }) => void = (a: { b: string }) => {};
export { wide, take };
"#;

#[tokio::test]
async fn a_solution_of_typescript_is_checked_project_by_project_and_nothing_is_written() {
    let fixture = Fixture::new(SOLUTION);
    let before = fixture.tree();
    check(&fixture, &["tsc"], expect![[r#"
        tsc (a): 1 error, 0 warnings in 1 file checked
        tsc (b): 1 error, 0 warnings in 1 file checked

        a/x.ts:1:14: error TS2322: Type 'string' is not assignable to type 'number'. [tsc]
        b/y.ts:1:19: error TS2322: Type '(a: { b: string; }) => void' is not assignable to type '(a: { b: number; }) => void'.
              Types of parameters 'a' and 'a' are incompatible.
                Type '{ b: number; }' is not assignable to type '{ b: string; }'.
                  Types of property 'b' are incompatible.
                    Type 'number' is not assignable to type 'string'. [tsc]"#]]).await;
    assert_eq!(fixture.tree(), before);
}

#[tokio::test]
async fn the_native_typescript_is_read_as_well() {
    if real("tsc7").is_none() || real("tsc").is_none() {
        return;
    }
    let fixture = Fixture::new(SOLUTION);
    let old = checked_with(&fixture, &environment()).await;
    fixture.write("node_modules/.bin/tsc", "");
    std::fs::remove_file(fixture.path("node_modules/.bin/tsc")).unwrap();
    std::os::unix::fs::symlink(real("tsc7").unwrap(), fixture.path("node_modules/.bin/tsc")).unwrap();
    assert_eq!(checked_with(&fixture, &environment()).await, old);
}

#[tokio::test]
async fn a_project_whose_reference_is_not_built_is_not_verified() {
    let fixture = Fixture::new(
        r#"
//- /tsconfig.json
{ "files": [], "references": [{ "path": "b" }] }
//- /a/tsconfig.json
{ "compilerOptions": { "composite": true, "outDir": "../out/a", "rootDir": "." } }
//- /a/x.ts
export const x = 1;
//- /b/tsconfig.json
{ "compilerOptions": { "composite": true, "outDir": "../out/b" }, "references": [{ "path": "../a" }] }
//- /b/y.ts
import { x } from "../a/x";
export const y: string = x;
"#,
    );
    check(&fixture, &["tsc"], expect![[r#"
        tsc (a): 0 errors, 0 warnings in 1 file checked
        tsc (b): not verified: a project that it refers to has not been built, so types from there are unknown (TS6305); `tsc -b` builds it"#]]).await;
}

#[tokio::test]
async fn python_without_a_file_is_not_clean_and_columns_are_characters() {
    if real("pyright").is_none() {
        return;
    }
    let fixture = Fixture::new(
        r#"
//- /pyproject.toml
[tool.pyright]
include = ["absent"]
//- /main.py
x: int = 1
"#,
    );
    check(&fixture, &["pyright"], expect!["pyright: not verified: it checked no file"]).await;
    fixture.write("pyproject.toml", "");
    fixture.write("main.py", "face = '😀'; x: int = 'é'\n");
    check(
        &fixture,
        &["pyright"],
        expect![[r#"
        pyright: 1 error, 0 warnings in 1 file checked

        main.py:1:22: error reportAssignmentType: Type "Literal['é']" is not assignable to declared type "int"
              "Literal['é']" is not assignable to "int" [pyright]"#]],
    )
    .await;
}

#[tokio::test]
async fn without_a_type_checker_python_is_linted_by_ruff() {
    if real("ruff").is_none() {
        return;
    }
    let fixture = Fixture::new("//- /pyproject.toml\n//- /main.py\nimport os\n//- /broken.py\ndef (:\n");
    let text = output(&checked_with(&fixture, &only(&fixture, &["ruff"])).await).to_text();
    expect![[r#"
        ruff (no types): 3 errors, 1 warning in 2 files checked

        broken.py:1:5: error invalid-syntax: Expected an identifier [ruff (no types)]
        broken.py:1:6: error invalid-syntax: Expected a parameter or the end of the parameter list [ruff (no types)]
        broken.py:2:1: error invalid-syntax: unexpected EOF while parsing [ruff (no types)]
        main.py:1:8: warning F401: `os` imported but unused [ruff (no types)]"#]].assert_eq(&text);
}

#[tokio::test]
async fn mypy_is_believed_by_the_files_it_counts() {
    if real("mypy").is_none() {
        return;
    }
    let fixture = Fixture::new("//- /pyproject.toml\n//- /good.py\nx: int = 1\n");
    let environment = only(&fixture, &["mypy"]);
    let text = output(&checked_with(&fixture, &environment).await).to_text();
    expect!["mypy: 0 errors, 0 warnings in 1 file checked"].assert_eq(&text);
    fixture.write("bad.py", "x: int = 'a'\n");
    let text = output(&checked_with(&fixture, &environment).await).to_text();
    expect![[r#"
        mypy: 1 error, 0 warnings in 2 files checked

        bad.py:1:10: error assignment: Incompatible types in assignment (expression has type "str", variable has type "int") [mypy]"#]].assert_eq(&text);
    fixture.write("worse.py", "def (:\n");
    let text = output(&checked_with(&fixture, &environment).await).to_text();
    expect![[r#"
        mypy: not verified: it ended with exit code 2:
        worse.py:1:6: error: Expected an identifier  [syntax]
        worse.py:1:7: error: Expected a parameter or the end of the parameter list  [syntax]
        worse.py:2:2: error: Unexpected EOF while parsing  [syntax]
        Found 3 errors in 1 file (errors prevented further checking)

        worse.py:1:6: error syntax: Expected an identifier [mypy]
        worse.py:1:7: error syntax: Expected a parameter or the end of the parameter list [mypy]
        worse.py:2:2: error syntax: Unexpected EOF while parsing [mypy]"#]]
    .assert_eq(&text);
}

#[tokio::test(start_paused = true)]
async fn a_checker_that_does_not_end_is_not_verified() {
    let fixture =
        Fixture::new("//- /pyproject.toml\n//- /main.py\n//- /.venv/bin/pyright\n#!/bin/sh\nsleep 1000\n");
    make_executable(&fixture, ".venv/bin/pyright");
    let text = output(&checked_with(&fixture, &environment()).await).to_text();
    assert_eq!(text, "pyright: not verified: it did not end within 120s");
}

#[tokio::test]
async fn go_is_built_and_vetted_in_every_module_of_the_work() {
    let fixture = Fixture::new(
        r#"
//- /go.work
go 1.20
use ./a
use ./b
//- /a/go.mod
module a
go 1.20
//- /a/main.go
package main

func main() {
	var é, s int = 1, "x"
}
//- /a/tested/t_test.go
package tested

func helper() { absent() }
//- /b/go.mod
module b
go 1.20
//- /b/b.go
package b

import "fmt"

func F() { fmt.Printf("%d\n", "x") }
"#,
    );
    let before = fixture.tree();
    check(
        &fixture,
        &["go"],
        expect![[r#"
            go build, go vet (a): 4 errors, 0 warnings in 2 packages checked
            go build, go vet (b): 0 errors, 1 warning in 1 package checked

            a/main.go:4:6: error: declared and not used: é [go build, go vet]
            a/main.go:4:9: error: declared and not used: s [go build, go vet]
            a/main.go:4:20: error: cannot use "x" (untyped string constant) as int value in variable declaration [go build, go vet]
            a/tested/t_test.go:3:17: error: undefined: absent [go build, go vet]
            b/b.go:5:24: warning printf: fmt.Printf format %d has arg "x" of wrong type string [go build, go vet]"#]],
    )
    .await;
    assert_eq!(fixture.tree(), before);
}

#[tokio::test]
async fn a_module_without_packages_is_not_clean() {
    let fixture = Fixture::new("//- /go.mod\nmodule empty\n\ngo 1.20\n");
    check(
        &fixture,
        &["go"],
        expect![[r#"
        go build, go vet: not verified: it ended with exit code 1:
        go: warning: "./..." matched no packages
        no packages to vet"#]],
    )
    .await;
}

#[tokio::test]
async fn dart_messages_keep_their_bars() {
    let fixture = Fixture::new(
        r#"
//- /pubspec.yaml
name: d
environment:
  sdk: ^3.0.0
//- /lib/a.dart
class A {}
var joined = A() | A();
void unused() { final here = '😀'; }
"#,
    );
    check(&fixture, &["dart"], expect![[r#"
        dart analyze: 1 error, 1 warning in 1 file checked

        lib/a.dart:2:18: error undefined_operator: The operator '|' isn't defined for the type 'A'. [dart analyze]
        lib/a.dart:3:23: warning unused_local_variable: The value of the local variable 'here' isn't used. [dart analyze]"#]]).await;
}

#[tokio::test]
async fn c_is_checked_by_its_compiler_with_the_errors_of_headers_and_writes_nothing() {
    let fixture = Fixture::new(
        r#"
//- /build/compile_commands.json
[{"directory": "..", "file": "m.c", "command": "cc -Wall -Iinc -MD -MF m.d -c m.c -o m.o"},
 {"directory": "..", "file": "n.c", "arguments": ["cc", "-c", "n.c", "-on.o"]}]
//- /inc/h.h
static int k(void) { return zz; }
//- /m.c
#include "h.h"
int main(void) {
	int unused; return nope;
}
//- /n.c
int n;
"#,
    );
    let before = fixture.tree();
    check(
        &fixture,
        &[],
        expect![[r#"
        compile commands (build): 2 errors, 1 warning in 2 files checked

        inc/h.h:1:29: error: 'zz' undeclared (first use in this function) [compile commands]
        m.c:3:21: error: 'nope' undeclared (first use in this function) [compile commands]
        m.c:3:6: warning unused-variable: unused variable 'unused' [compile commands]"#]],
    )
    .await;
    assert_eq!(fixture.tree(), before);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let fixture = Fixture::new("//- /Cargo.toml\n//- /lib/tsconfig.json\n//- /go.mod\n//- /pubspec.yaml\n");
    let text = output(&checked_with(&fixture, &[]).await).to_text();
    expect![[r#"
        cargo check: not verified: no executable `cargo` in `PATH`
        tsc (lib): not verified: no executable `tsc` in `PATH`
        go build, go vet: not verified: no executable `go` in `PATH`
        dart analyze: not verified: no executable `dart` in `PATH`"#]]
    .assert_eq(&text);
    let text = output(&checked_with(&Fixture::new("//- /notes.txt\n"), &[]).await).to_text();
    assert!(text.starts_with("not verified: no checker") && text.contains("`go.work`"), "{text}");
}

#[tokio::test]
async fn the_projects_own_program_comes_first_and_a_dropped_check_leaves_no_process() {
    let fixture = Fixture::new(
        "//- /pyproject.toml\n//- /main.py\n//- /.venv/bin/pyright\n#!/bin/sh\necho $$ >pid\nsleep 1000 & sleep 1000\n",
    );
    make_executable(&fixture, ".venv/bin/pyright");
    let environment = environment();
    let pid = async {
        loop {
            let told = std::fs::read_to_string(fixture.path("pid")).unwrap_or_default();
            if let Ok(pid) = told.trim().parse::<u32>() {
                return pid;
            }
            tokio::task::yield_now().await;
        }
    };
    let pid = tokio::select! {
        pid = pid => pid,
        _ = checked_with(&fixture, &environment) => panic!("the program never ends"),
    };
    let folder = PathBuf::from(format!("/proc/{pid}"));
    while folder.exists() {
        tokio::task::yield_now().await;
    }
}

#[test]
fn at_most_fifty_are_shown_with_errors_first_and_true_totals() {
    let found = |severity, line| CheckerDiagnostic {
        severity,
        path: Some("a.rs".to_owned()),
        line,
        column: 1,
        code: None,
        message: "m".to_owned(),
    };
    let many = |severity, count: usize| (1..=count).map(move |line| found(severity, line));
    let outcome =
        |errors, warnings| Outcome::Verified { errors, warnings, checked: 1, of: Some(9), unit: Unit::Files };
    let one = |checker: &str, outcome, diagnostics: Vec<_>| Checked {
        checker: checker.to_owned(),
        folder: ".".to_owned(),
        command: String::new(),
        outcome,
        outside: 0,
        diagnostics,
    };
    let all = [
        one("x", outcome(0, 60), many(Severity::Warning, 60).collect()),
        one("y", outcome(2, 0), many(Severity::Error, 2).collect()),
    ];
    let output = output(&all);
    let text = output.to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "x: 0 errors, 60 warnings in 1 of 9 files checked");
    assert_eq!(lines[3], "a.rs:1:1: error: m [y]");
    assert_eq!(lines[5], "a.rs:1:1: warning: m [x]");
    assert_eq!(lines.last(), Some(&"50 of 62 shown (2 errors, 60 warnings)"));
    assert_eq!(output.data.as_ref().unwrap()["diagnostics"].as_array().unwrap().len(), 62);
}

#[tokio::test]
async fn of_very_many_projects_the_rest_is_told_not_to_be_checked() {
    let fixture = Fixture::empty();
    (0..=40).for_each(|at| fixture.write(&format!("p{at}/pubspec.yaml"), ""));
    let checked = checked_with(&fixture, &[]).await;
    assert_eq!(checked.len(), limits::CHECKED_PROJECTS + 1);
    assert!(checked.last().unwrap().outcome.to_string().starts_with("not verified: at most 32 projects"));
}

#[test]
fn a_place_is_read_behind_colons_in_a_name_and_without_a_column() {
    use report::located;
    let told = |line| {
        located(line, crate::position::Encoding::Utf8)
            .map(|(place, rest)| (place.path, place.line, place.column, rest.to_owned()))
    };
    assert_eq!(told("a:b.c:3:5: error: x"), Some(("a:b.c".into(), 3, 5, "error: x".to_owned())));
    assert_eq!(told("a.c:3: error: x"), Some(("a.c".into(), 3, 0, "error: x".to_owned())));
    assert_eq!(told("go: downloading x v1.2"), None);
}
