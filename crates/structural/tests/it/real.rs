//! Real sources: rewrites that change nothing change no byte, and what is rewritten can be written back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use test_support::Fixture;

use crate::bench::Bench;

/// Files, and bytes of all of them, at most.
const MAX_FILES: usize = 60;
const MAX_BYTES: u64 = 700_000;

/// Cargo's sources of other crates.
fn crates() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    Some(home.join("registry/src")).filter(|folder| folder.is_dir())
}

/// Python's standard library.
fn standard_library() -> Option<PathBuf> {
    let program = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
    let output = Command::new("python3").args(["-c", program]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    folder.is_dir().then_some(folder)
}

/// A workspace with copies of the first files of a kind.
fn copies(from: Option<PathBuf>, extension: &str, what: &str) -> Option<Bench> {
    let Some(from) = from else {
        println!("skipped: no {what}");
        return None;
    };
    let mut files = Vec::new();
    collect(&from, extension, &mut files);
    files.sort();
    let fixture = Fixture::empty();
    let (mut count, mut bytes) = (0, 0);
    // Some from everywhere rather than all of the first folder.
    let every = (files.len() / MAX_FILES).max(1);
    for (number, file) in files.iter().step_by(every).enumerate() {
        let content = std::fs::read(file).unwrap();
        if content.len() > 60_000 || bytes + content.len() as u64 > MAX_BYTES {
            continue;
        }
        (count, bytes) = (count + 1, bytes + content.len() as u64);
        fixture.write(&format!("f{number:04}.{extension}"), content);
    }
    assert!(count > 20, "{count} files of {what} are too few to show anything");
    Some(Bench::of(fixture))
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, extension, files);
        } else if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
}

async fn identities(bench: &Bench, patterns: &[&str], least: u64) {
    let mut total = 0;
    for pattern in patterns {
        let output = bench.output("ast_edit", json!({"pattern": pattern, "rewrite": pattern})).await.unwrap();
        let data = output.data.clone().unwrap();
        assert_eq!(data["replacements"], 0, "`{pattern}`: {}", output.to_text());
        assert_eq!(data["refused"], json!([]), "`{pattern}`: {}", output.to_text());
        let matches = data["matches"].as_u64().unwrap();
        assert!(matches > 0, "`{pattern}` matches nothing: {}", output.to_text());
        total += matches;
    }
    assert!(total >= least, "{total} matches are too few to show anything");
}

/// Rewrites there and back; in between the files are others.
async fn there_and_back(bench: &Bench, one: &str, other: &str) {
    let before = bench.fixture.tree();
    for (number, (pattern, rewrite)) in [(one, other), (other, one)].into_iter().enumerate() {
        let output = bench.output("ast_edit", json!({"pattern": pattern, "rewrite": rewrite})).await.unwrap();
        let data = output.data.clone().unwrap();
        assert_eq!(data["refused"], json!([]), "{}", output.to_text());
        assert_eq!(data["would_not_parse"], json!([]), "{}", output.to_text());
        let id = data["edit_id"].as_str().unwrap_or_else(|| panic!("{}", output.to_text())).to_owned();
        bench.output("resolve", json!({"edit_id": id, "action": "accept"})).await.unwrap();
        let after = bench.fixture.tree();
        let changed: Vec<&String> = before.keys().filter(|path| before[*path] != after[*path]).collect();
        assert_eq!(
            changed.is_empty(),
            number == 1,
            "`{pattern}` ⇒ `{rewrite}`: {}",
            first_difference(&before, &after)
        );
    }
}

/// The first line that differs.
fn first_difference(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let differing = before.iter().find(|(path, bytes)| after[*path] != **bytes);
    let Some((path, old)) = differing else { return String::new() };
    let (old, new) = (text(old), text(&after[path]));
    let lines = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    format!("{path}: {lines:?}")
}

#[tokio::test]
async fn identity_rewrites_of_rust_change_no_byte() {
    let Some(bench) = copies(crates(), "rs", "sources of crates") else { return };
    let patterns = [
        "$F($$$A)",
        "$X.$M($$$A)",
        "if $C { $$$B }",
        "fn $F($$$P) { $$$B }",
        "match $X { $$$A }",
        "let $P = $V;",
        "$A == $B",
        "impl $T { $$$M }",
        "use $P;",
        "return $X;",
    ];
    identities(&bench, &patterns, 2_000).await;
}

#[tokio::test]
async fn identity_rewrites_of_python_change_no_byte() {
    let Some(bench) = copies(standard_library(), "py", "Python") else { return };
    let patterns = [
        "$F($$$A)",
        "if $C:\n    $$$B",
        "if $C: $$$B",
        "def $F($$$P):\n    $$$B",
        "for $X in $Y:\n    $$$B",
        "[$$$X]",
        "$A == $B",
        "return $X",
        "from $M import $$$N",
        "class $C($$$B):\n    $$$M",
        "try:\n    $$$B\nexcept $E:\n    $$$H",
    ];
    identities(&bench, &patterns, 2_000).await;
}

#[tokio::test]
async fn rust_is_rewritten_there_and_back() {
    let Some(bench) = copies(crates(), "rs", "sources of crates") else { return };
    there_and_back(&bench, "$X.unwrap()", "$X.unwrap_for_a_test()").await;
}

#[tokio::test]
async fn python_is_rewritten_there_and_back() {
    let Some(bench) = copies(standard_library(), "py", "Python") else { return };
    there_and_back(&bench, "isinstance($X, $Y)", "is_for_a_test($X, $Y)").await;
    there_and_back(&bench, "$X.append($Y)", "$X.append_for_a_test($Y)").await;
    there_and_back(&bench, "len($X)", "len_for_a_test($X)").await;
}
