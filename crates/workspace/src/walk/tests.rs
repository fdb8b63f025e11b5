//! The rules of the walk, on real trees.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};

use test_support::Fixture;

use super::*;

fn walk(fixture: &Fixture, path: Option<&str>, wanted: Wanted<'_>) -> Result<Walk, Error> {
    let workspace = Workspace::open(fixture.root())?;
    workspace.walk(&workspace.scope(path)?, wanted, &|| false)
}

/// The relative paths found, and what was skipped as it is said.
fn listed(fixture: &Fixture, path: Option<&str>, wanted: Wanted<'_>) -> (String, String) {
    let walk = walk(fixture, path, wanted).unwrap();
    let names: Vec<_> = walk.files.iter().map(|file| file.relative.as_str()).collect();
    (names.join(" "), walk.skipped.to_string())
}

fn all(fixture: &Fixture, path: Option<&str>) -> (String, String) {
    listed(fixture, path, &|_| true)
}

fn pair(files: &str, skipped: &str) -> (String, String) {
    (files.to_owned(), skipped.to_owned())
}

fn extension(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == wanted)
}

fn dart(path: &str) -> bool {
    extension(path, "dart")
}

const TREE: &str = "
//- /.gitignore
*.g.dart
build/
//- /.ignore
lib/vendored
//- /.hidden.dart
//- /.tool/x.dart
//- /build/out.dart
//- /build/deep/out.dart
//- /lib/a.dart
//- /lib/a.g.dart
//- /lib/notes.txt
//- /lib/src/b.dart
//- /lib/vendored/v.dart
//- /lib-b/c.dart
//- /main.dart
";

#[test]
fn ignore_files_count_without_git_and_the_order_is_the_paths() {
    let fixture = Fixture::new(TREE);
    let files = "lib-b/c.dart lib/a.dart lib/src/b.dart main.dart";
    let skipped = "1 ignored, 2 ignored folders, 1 hidden, 1 hidden folder";
    assert_eq!(listed(&fixture, None, &dart), pair(files, skipped));
    fixture.write(".git/HEAD", "ref: refs/heads/main\n");
    fixture.write(".git/info/exclude", "main.dart\n");
    let files = "lib-b/c.dart lib/a.dart lib/src/b.dart";
    let skipped = "2 ignored, 2 ignored folders, 1 hidden, 1 hidden folder";
    assert_eq!(
        listed(&fixture, None, &dart),
        pair(files, skipped),
        "git's own exclude file counts, `.git` does not"
    );
}

#[test]
fn scopes() {
    let fixture = Fixture::new(TREE);
    let cases = [
        ("lib", "lib/a.dart lib/notes.txt lib/src/b.dart"),
        ("lib/**/*.dart", "lib/a.dart lib/src/b.dart"),
        ("lib/*.dart", "lib/a.dart"),
        ("./*.dart", "main.dart"),
        ("*.dart", "lib-b/c.dart lib/a.dart lib/src/b.dart main.dart"),
        ("lib*/*.{dart,txt}", "lib-b/c.dart lib/a.dart lib/notes.txt"),
        ("**/src/*", "lib/src/b.dart"),
        ("lib/src/../*.txt", "lib/notes.txt"),
        ("*.nothing", ""),
        ("lib/vendored", "lib/vendored/v.dart"),
    ];
    for (path, files) in cases {
        assert_eq!(all(&fixture, Some(path)).0, files, "{path}");
    }
    let absolute = format!("{}/lib/*.dart", fixture.root().display());
    assert_eq!(all(&fixture, Some(&absolute)).0, "lib/a.dart");
}

#[test]
fn a_folder_without_wanted_files_is_empty_and_no_error() {
    let fixture = Fixture::new(TREE);
    assert_eq!(listed(&fixture, Some("lib/src"), &|path| extension(path, "rs")), pair("", ""));
}

#[test]
fn a_named_file_is_listed_whatever_the_rules_say() {
    let fixture = Fixture::new(TREE);
    fixture.write(".git/config", "[core]\n");
    for path in ["lib/a.g.dart", ".hidden.dart", ".git/config"] {
        assert_eq!(listed(&fixture, Some(path), &|_| false), pair(path, ""), "{path}");
    }
    let walk = walk(&fixture, Some(".git/config"), &|_| true).unwrap();
    assert_eq!(walk.files[0].len, 7);
}

#[test]
fn scope_errors_name_what_was_tried() {
    let fixture = Fixture::new(TREE);
    let cases = [
        ("libb/*.dart", "`libb` does not exist; the nearest name is `lib`"),
        ("main.dart/*.x", "`main.dart/*.x` goes on below `main.dart`, which is not a folder"),
        ("../*.dart", "`../*.dart` leaves the workspace"),
        ("/*.dart", "`/*.dart` leaves the workspace"),
        ("lib/*/../x", "the glob `lib/*/../x` is not valid: `..` cannot follow a wildcard"),
        ("none.dart", "`none.dart` does not exist"),
    ];
    for (path, message) in cases {
        assert_eq!(walk(&fixture, Some(path), &|_| true).unwrap_err().to_string(), message, "{path}");
    }
    let message = walk(&fixture, Some("lib/{a,b"), &|_| true).unwrap_err().to_string();
    assert!(message.starts_with("the glob `lib/{a,b` is not valid: "), "{message}");
}

#[test]
fn a_name_with_glob_signs_stands_for_itself() {
    let fixture = Fixture::new("//- /app/[id]/page.tsx\n//- /app/i/page.tsx\n//- /app/[id]/sub/x.tsx\n");
    assert_eq!(all(&fixture, Some("app/[id]")).0, "app/[id]/page.tsx app/[id]/sub/x.tsx");
    assert_eq!(all(&fixture, Some("app/[id]/page.tsx")).0, "app/[id]/page.tsx");
    assert_eq!(all(&fixture, Some("app/[id]/*.tsx")).0, "app/[id]/page.tsx");
    assert_eq!(all(&fixture, Some("app/[hi]/*.tsx")).0, "app/i/page.tsx");
}

#[test]
fn links_are_not_followed_but_a_named_one_is() {
    let fixture = Fixture::new("//- /lib/a.dart\n//- /other/b.dart\n");
    symlink("../other", fixture.path("lib/other")).unwrap();
    symlink("a.dart", fixture.path("lib/again.dart")).unwrap();
    symlink("..", fixture.path("lib/circle")).unwrap();
    assert_eq!(all(&fixture, Some("lib")), pair("lib/a.dart", "3 links"));
    assert_eq!(all(&fixture, Some("lib/other")).0, "other/b.dart");
    assert_eq!(all(&fixture, Some("lib/other/*.dart")).0, "other/b.dart", "a glob behind a link");
    assert_eq!(all(&fixture, Some("lib/again.dart")).0, "lib/a.dart");
}

#[test]
fn one_file_under_two_names_is_listed_once() {
    let fixture = Fixture::new("//- /a.dart\n");
    fs::hard_link(fixture.path("a.dart"), fixture.path("b.dart")).unwrap();
    assert_eq!(all(&fixture, None), pair("a.dart", "1 duplicate name"));
}

#[test]
fn odd_entries_are_counted() {
    let fixture = Fixture::new("//- /a.dart\n");
    fs::write(fixture.root().join(std::ffi::OsString::from_vec(b"\xe9.dart".to_vec())), "").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("s.dart")).unwrap();
    assert_eq!(listed(&fixture, None, &dart), pair("a.dart", "1 special, 1 names not UTF-8"));
}

#[test]
fn an_ignore_file_may_bring_hidden_files_back_but_not_git() {
    let fixture = Fixture::new("//- /.ignore\n!.*\n//- /.github/x.yml\n//- /.git/x.yml\n");
    assert_eq!(listed(&fixture, None, &|path| extension(path, "yml")), pair(".github/x.yml", ""));
    assert_eq!(all(&fixture, Some(".github/*.yml")).0, ".github/x.yml");
}

#[test]
fn a_cancelled_walk_is_an_error() {
    let fixture = Fixture::new(TREE);
    let workspace = Workspace::open(fixture.root()).unwrap();
    let scope = workspace.scope(None).unwrap();
    let asked = AtomicUsize::new(0);
    let result = workspace.walk(&scope, &|_| true, &|| asked.fetch_add(1, Ordering::Relaxed) >= 2);
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn timing_does_not_show() {
    let fixture = Fixture::empty();
    for folder in 0..20 {
        for file in 0..20 {
            fixture.write(&format!("d{folder}/f{file}.rs"), "");
        }
    }
    fixture.write("d3/.gitignore", "f1*.rs\n");
    let first = walk(&fixture, None, &|_| true).unwrap();
    assert_eq!(first.files.len(), 400 - 11);
    assert_eq!(first.skipped.ignored, 11);
    assert!(first.files.is_sorted_by(|left, right| left.relative < right.relative));
    for _ in 0..5 {
        let again = walk(&fixture, None, &|_| true).unwrap();
        assert_eq!((again.files, again.skipped), (first.files.clone(), first.skipped.clone()));
    }
}
