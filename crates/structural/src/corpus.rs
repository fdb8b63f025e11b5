//! Real sources for the tests: other crates for Rust, the standard library for Python. What this machine
//! lacks is skipped by the tests, with a line that says so.
#![expect(clippy::disallowed_methods, reason = "a test asks the environment and python3 where sources lie")]

use grammars::Grammar;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAX_BYTES: u64 = 120_000;

fn folder(grammar: &Grammar) -> Option<PathBuf> {
    match grammar.id() {
        "rust" => {
            let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
            let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
            Some(home.join("registry/src"))
        }
        "python" => {
            let program = "import sysconfig; print(sysconfig.get_paths()['stdlib'])";
            let output = Command::new("python3").args(["-c", program]).output().ok()?;
            Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
        }
        _ => None,
    }
}

/// Up to `most` sources of the language, taken from everywhere in the corpus.
pub(crate) fn sources(grammar: &Grammar, most: usize) -> Vec<String> {
    let mut files = Vec::new();
    if let Some(folder) = folder(grammar) {
        collect(&folder, grammar, &mut files);
    }
    files.sort();
    files
        .iter()
        .step_by((files.len() / most).max(1))
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .filter(|source| source.len() > 500)
        .collect()
}

fn collect(folder: &Path, grammar: &Grammar, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, grammar, files);
        } else if Grammar::by_path(&path).is_some_and(|found| found.id() == grammar.id())
            && entry.metadata().is_ok_and(|data| data.len() < MAX_BYTES)
        {
            files.push(path);
        }
    }
}
