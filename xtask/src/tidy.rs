//! What every file of the project must look like, beyond what rustfmt and clippy hold.
//! It must never read a file that the project did not write: build output and the lock file are left out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::arrows;

/// Lines of the longest file.
const MAX_LINES: usize = 600;
const SKIPPED: &[&str] = &["target", ".git", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT"];
/// Kinds of file with words of ours in them.
const TEXT: &[&str] = &["rs", "toml", "md", "sh", "yml", "yaml", "json", "py", "js", ""];

/// Words that belong to one machine or to one registry; in two halves, so that this file is tidy itself.
const OUTSIDE: &[(&str, &str, &str)] = &[
    ("/ro", "ot/", "a path of one machine"),
    ("/wo", "rk/", "a path of one machine"),
    ("/home/ru", "nner", "a path of one machine"),
    ("registry.npm", "js.org", "a registry's address"),
    ("registry.yarn", "pkg.com", "a registry's address"),
    ("files.python", "hosted.org", "a registry's address"),
    ("pypi", ".org", "a registry's address"),
    ("index.crates", ".io", "a registry's address"),
    ("static.crates", ".io", "a registry's address"),
    ("proxy.golang", ".org", "a registry's address"),
];

/// Checks every file and every arrow.
///
/// # Errors
/// When something is wrong, after each finding has been printed.
pub fn run() -> anyhow::Result<()> {
    let mut wrong = violations(&crate::root())?;
    wrong.extend(arrows::violations()?);
    for finding in &wrong {
        println!("{finding}");
    }
    if !wrong.is_empty() {
        bail!("{} untidy", wrong.len());
    }
    Ok(())
}

/// What is wrong with the files below `root`, as `path:line: what`; empty when nothing is.
///
/// # Errors
/// When a file cannot be read.
pub fn violations(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut wrong = Vec::new();
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        let findings = if rust { rust_findings(&text) } else { Vec::new() };
        let findings = findings.into_iter().chain(outside_findings(&text));
        wrong.extend(findings.map(|(line, what)| format!("{name}:{line}: {what}")));
    }
    Ok(wrong)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if SKIPPED.contains(&&*name) {
            continue;
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            collect(&path, files)?;
        } else if TEXT.contains(&&*extension) {
            files.push(path);
        }
    }
    Ok(())
}

fn rust_findings(text: &str) -> Vec<(usize, String)> {
    let mut findings = Vec::new();
    if !text.starts_with("//!") {
        findings.push((1, "a file starts with `//!`: what this room is for".to_owned()));
    }
    let lines = text.lines().count();
    if lines > MAX_LINES {
        findings.push((lines, format!("{lines} lines, more than {MAX_LINES}")));
    }
    let allows = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("#[") || line.starts_with("#!["))
            && line.split(['[', ',', ' ']).any(|word| word.starts_with("allow("))
    };
    let lines = text.lines().enumerate().filter(|(_, line)| allows(line));
    findings.extend(lines.map(|(at, _)| (at + 1, "`expect` with a reason, never `allow`".to_owned())));
    findings
}

fn outside_findings(text: &str) -> Vec<(usize, String)> {
    let mut findings = Vec::new();
    for (first, second, what) in OUTSIDE {
        let word = format!("{first}{second}");
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains(&word));
        findings.extend(lines.map(|(at, _)| (at + 1, format!("{what}: `{word}`"))));
    }
    findings
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    #[test]
    fn each_rule_finds_its_breach() {
        let fixture = Fixture::empty();
        fixture.write("good.rs", "//! A room.\nfn allow() {}\n");
        fixture.write("nameless.rs", "fn main() {}\n");
        fixture.write("long.rs", format!("//! A room.\n{}", "\n".repeat(MAX_LINES)));
        let allow = "allow";
        fixture.write(
            "lax.rs",
            format!("//! A room.\n#![cfg_attr(test, {allow}(dead_code))]\n#[{allow}(unused)]\n"),
        );
        fixture.write("notes.md", format!("see /ro{}x\n", "ot/"));
        fixture.write("run", format!("get pypi{}/simple\n", ".org"));
        fixture.write("target/left/out.rs", "");
        fixture.write("picture.png", [0xff, 0xfe]);
        let wrong = violations(fixture.root()).unwrap();
        assert_eq!(
            wrong,
            [
                "lax.rs:2: `expect` with a reason, never `allow`",
                "lax.rs:3: `expect` with a reason, never `allow`",
                "long.rs:601: 601 lines, more than 600",
                "nameless.rs:1: a file starts with `//!`: what this room is for",
                &format!("notes.md:1: a path of one machine: `/ro{}`", "ot/"),
                &format!("run:1: a registry's address: `pypi{}`", ".org"),
            ]
        );
    }
}
