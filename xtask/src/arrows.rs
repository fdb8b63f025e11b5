//! The arrows between the crates, as a table, and what each crate must not name.
//! Only normal, direct dependencies count. It must never be loosened in passing: a new arrow is a commit of its own.

use anyhow::Context;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// A crate and the crates of ours it may depend on. A crate without a row is a violation.
const ARROWS: &[(&str, &[&str])] = &[
    ("outrigger-tool", &[]),
    ("outrigger-workspace", &[]),
    ("outrigger-peer", &[]),
    ("outrigger-grammars", &[]),
    ("outrigger-test-support", &[]),
    ("xtask", &["outrigger-test-support"]),
    ("outrigger-edits", &["outrigger-tool", "outrigger-workspace"]),
    (
        "outrigger-structural",
        &["outrigger-tool", "outrigger-workspace", "outrigger-edits", "outrigger-grammars"],
    ),
    ("outrigger-lsp", &["outrigger-tool", "outrigger-workspace", "outrigger-edits", "outrigger-peer"]),
    ("outrigger-debug", &["outrigger-tool", "outrigger-workspace", "outrigger-peer"]),
    (
        "outrigger",
        &[
            "outrigger-tool",
            "outrigger-workspace",
            "outrigger-peer",
            "outrigger-grammars",
            "outrigger-edits",
            "outrigger-structural",
            "outrigger-lsp",
            "outrigger-debug",
        ],
    ),
    ("outrigger-cli", &["outrigger"]),
    ("outrigger-tests", &["outrigger"]),
    ("outrigger-benches", &["outrigger"]),
];

/// Crates that must not name a package of others.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("outrigger-workspace", &["tokio", "tokio-util"]),
    ("outrigger-edits", &["tokio", "tokio-util"]),
    ("outrigger-structural", &["tokio", "tokio-util"]),
    ("outrigger-grammars", &["tokio", "tokio-util"]),
];

/// Packages that only the named crates may name.
const RESERVED: &[(&str, &[&str])] = &[
    ("anyhow", &["outrigger-cli", "xtask"]),
    ("libc", &["outrigger-peer"]),
    ("ignore", &["outrigger-workspace"]),
];

/// One dependency of one crate of ours.
#[derive(Clone, Copy, Debug)]
struct Arrow<'a> {
    from: &'a str,
    to: &'a str,
}

/// What is wrong with this workspace's dependencies; empty when nothing is.
///
/// # Errors
/// When `cargo metadata` cannot be run.
pub fn violations() -> anyhow::Result<Vec<String>> {
    let metadata = MetadataCommand::new()
        .current_dir(crate::root())
        .no_deps()
        .exec()
        .context("cannot run `cargo metadata`")?;
    Ok(check(&metadata))
}

fn check(metadata: &Metadata) -> Vec<String> {
    let ours: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut wrong: Vec<String> = ours
        .iter()
        .filter(|name| row(name).is_none())
        .map(|name| format!("`{name}` has no row of arrows"))
        .collect();
    for arrow in metadata.packages.iter().flat_map(arrows) {
        wrong.extend(judge(arrow, &ours));
    }
    wrong.sort();
    wrong
}

fn arrows(package: &Package) -> impl Iterator<Item = Arrow<'_>> {
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    normal.map(|dependency| Arrow { from: package.name.as_str(), to: &dependency.name })
}

fn judge(Arrow { from, to }: Arrow<'_>, ours: &[&str]) -> Option<String> {
    let listed = |table: &[(&str, &[&str])], key: &str, value: &str| {
        table.iter().find(|(name, _)| *name == key).map(|(_, values)| values.contains(&value))
    };
    let wrong = if ours.contains(&to) {
        !row(from).unwrap_or(&[]).contains(&to)
    } else {
        listed(FORBIDDEN, from, to) == Some(true) || listed(RESERVED, to, from) == Some(false)
    };
    wrong.then(|| format!("`{from}` must not depend on `{to}`"))
}

fn row(name: &str) -> Option<&'static [&'static str]> {
    ARROWS.iter().find(|(from, _)| *from == name).map(|(_, to)| *to)
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    fn judged(text: &str) -> Vec<String> {
        let fixture = Fixture::new(text);
        check(&MetadataCommand::new().current_dir(fixture.root()).no_deps().exec().unwrap())
    }

    #[test]
    fn a_forbidden_arrow_and_a_forbidden_package_are_found() {
        let wrong = judged(
            r#"
//- /Cargo.toml
[workspace]
resolver = "3"
members = ["edits", "peer", "stray"]
//- /edits/Cargo.toml
[package]
name = "outrigger-edits"
[dependencies]
tokio = "1"
anyhow = "1"
serde = "1"
peer = { package = "outrigger-peer", path = "../peer" }
[dev-dependencies]
tokio-util = "0.7"
//- /edits/src/lib.rs
//- /peer/Cargo.toml
[package]
name = "outrigger-peer"
[dependencies]
tokio = "1"
libc = "0.2"
//- /peer/src/lib.rs
//- /stray/Cargo.toml
[package]
name = "stray"
[dependencies]
libc = "0.2"
//- /stray/src/lib.rs
"#,
        );
        assert_eq!(
            wrong,
            [
                "`outrigger-edits` must not depend on `anyhow`",
                "`outrigger-edits` must not depend on `outrigger-peer`",
                "`outrigger-edits` must not depend on `tokio`",
                "`stray` has no row of arrows",
                "`stray` must not depend on `libc`",
            ]
        );
    }
}
