//! The files a server asked to hear about: `workspace/didChangeWatchedFiles` registrations, compiled.
//! It must never send what was not asked for: some servers answer such an event with an error of their own.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::documents::ChangeKind;
use crate::uri;

/// One registration: any number of watchers.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Vec<Watcher>);

#[derive(Debug)]
struct Watcher {
    /// Where a relative pattern starts. Without one, a pattern is tried on the whole path and from the server's root.
    base: Option<PathBuf>,
    glob: GlobMatcher,
    kinds: u64,
}

impl Watchers {
    /// Reads `registerOptions`. A watcher that cannot be understood is left out, and told to `refused`.
    pub(crate) fn parse(options: &Value, mut refused: impl FnMut(&Value)) -> Self {
        let watchers = options["watchers"].as_array().into_iter().flatten();
        Self(
            watchers
                .filter_map(|watcher| {
                    let parsed = Watcher::parse(watcher);
                    if parsed.is_none() {
                        refused(watcher);
                    }
                    parsed
                })
                .collect(),
        )
    }

    /// Whether a change of this kind to `path` is to be told; `root` is the server's.
    pub(crate) fn want(&self, path: &Path, kind: ChangeKind, root: &Path) -> bool {
        let bit = match kind {
            ChangeKind::Created => 1,
            ChangeKind::Changed => 2,
            ChangeKind::Deleted => 4,
        };
        self.0.iter().any(|watcher| watcher.kinds & bit != 0 && watcher.matches(path, root))
    }
}

impl Watcher {
    fn parse(watcher: &Value) -> Option<Self> {
        /// Created, changed and deleted: the protocol's default.
        const ALL: u64 = 7;
        let pattern = &watcher["globPattern"];
        let (base, glob) = match pattern {
            Value::String(glob) => (None, glob.as_str()),
            _ => (Some(base(&pattern["baseUri"])?), pattern["pattern"].as_str()?),
        };
        let kinds = watcher["kind"].as_u64().unwrap_or(ALL);
        Some(Self { base, glob: compile(glob)?, kinds })
    }

    fn matches(&self, path: &Path, root: &Path) -> bool {
        match &self.base {
            Some(base) => path.strip_prefix(base).is_ok_and(|rest| self.glob.is_match(rest)),
            None => {
                self.glob.is_match(path) || path.strip_prefix(root).is_ok_and(|rest| self.glob.is_match(rest))
            }
        }
    }
}

/// A URI, or a workspace folder, which holds one. Links are followed as everywhere else.
fn base(uri: &Value) -> Option<PathBuf> {
    let uri = uri.as_str().or_else(|| uri["uri"].as_str())?;
    uri::canonical_path(uri)
}

/// The protocol's globs: `*` and `?` stay within a folder's name, `**` crosses them, braces group.
pub(crate) fn compile(glob: &str) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wants(options: Value, path: &str, kind: ChangeKind) -> bool {
        let watchers = Watchers::parse(&options, |watcher| panic!("refused {watcher}"));
        watchers.want(Path::new(path), kind, Path::new("/w"))
    }

    #[test]
    fn plain_patterns_are_tried_whole_and_from_the_root() {
        use ChangeKind::Changed;
        for (glob, path, wanted) in [
            ("**/*.rs", "/w/a/b.rs", true),
            ("**/*.rs", "/w/b.rs", true),
            ("*.rs", "/w/b.rs", true),
            ("*.rs", "/w/a/b.rs", false),
            ("**/{Cargo.toml,*.{ts,tsx}}", "/w/x/a.tsx", true),
            ("**/{Cargo.toml,*.{ts,tsx}}", "/w/Cargo.toml", true),
            ("**/*.[jt]s", "/w/a.ts", true),
            ("**/[!a]*.ts", "/w/a.ts", false),
            ("/w/src/**/*.rs", "/w/src/a.rs", true),
            ("/w/src/**/*.rs", "/w/b/a.rs", false),
            ("**", "/w/pyrightconfig.json", true),
            ("**/?.go", "/w/ab.go", false),
        ] {
            let options = json!({ "watchers": [{ "globPattern": glob }] });
            assert_eq!(wants(options, path, Changed), wanted, "{glob} {path}");
        }
    }

    #[test]
    fn relative_patterns_start_at_their_base() {
        let options = |base: Value| json!({ "watchers": [{ "globPattern": { "baseUri": base, "pattern": "**/*.rs" } }] });
        let folder = json!({ "uri": "file:///w/sub/", "name": "sub" });
        for base in [json!("file:///w/sub"), json!("file:///w/s%75b/"), folder] {
            assert!(wants(options(base.clone()), "/w/sub/a/b.rs", ChangeKind::Created), "{base}");
            assert!(!wants(options(base), "/w/b.rs", ChangeKind::Created));
        }
    }

    #[test]
    fn only_the_kinds_asked_for_are_told() {
        let options = json!({ "watchers": [{ "globPattern": "**/*.rs", "kind": 5 }] });
        assert!(wants(options.clone(), "/w/a.rs", ChangeKind::Created));
        assert!(!wants(options.clone(), "/w/a.rs", ChangeKind::Changed));
        assert!(wants(options, "/w/a.rs", ChangeKind::Deleted));
    }

    #[test]
    fn one_odd_watcher_does_not_lose_the_rest() {
        let options = json!({ "watchers": [
            { "globPattern": "a{" }, { "globPattern": 3 }, { "globPattern": { "baseUri": "untitled:x", "pattern": "*" } },
            { "globPattern": "*.rs" },
        ]});
        let mut refused = 0;
        let watchers = Watchers::parse(&options, |_| refused += 1);
        assert_eq!(refused, 3);
        assert!(watchers.want(Path::new("/w/a.rs"), ChangeKind::Changed, Path::new("/w")));
    }
}
