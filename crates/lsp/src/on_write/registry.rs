//! What was already reported in this run, and what a server knew before a write; from both, what is new.
//! Everything is counted: a second equal error is new, one that moved is not. Only settled reports may replace what
//! was reported: an empty list on the way would make every old error new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::message::without_positions;
use crate::diagnostic::{Diagnostic, Severity};

/// Where diagnostics are counted together: one file, one source, one running server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Part {
    owner: Arc<str>,
    source: Option<String>,
    path: PathBuf,
}

/// By what two diagnostics are the same. The position is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    severity: Severity,
    code: Option<String>,
    message: String,
}

/// Everything one server knows at one moment, errors and warnings alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    parts: BTreeMap<Part, BTreeMap<Key, Vec<Diagnostic>>>,
    known: HashSet<PathBuf>,
}

/// What was reported, by the server that found it.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    reported: HashMap<Part, BTreeMap<Key, usize>>,
}

/// A diagnostic there is more of than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct New {
    pub(crate) path: PathBuf,
    /// One of them; the last in the file.
    pub(crate) diagnostic: Diagnostic,
    pub(crate) added: usize,
    /// How many there are now.
    pub(crate) now: usize,
}

impl Snapshot {
    /// `owner` tells one running server from another.
    pub(crate) fn of(owner: &Arc<str>, files: Vec<(PathBuf, Vec<Diagnostic>)>) -> Self {
        let mut snapshot = Self::default();
        for (path, diagnostics) in files {
            for diagnostic in diagnostics {
                if !matches!(diagnostic.severity, Severity::Error | Severity::Warning) {
                    continue;
                }
                let source = diagnostic.source.clone();
                let part = Part { owner: Arc::clone(owner), source, path: path.clone() };
                let key = Key::of(&diagnostic);
                snapshot.parts.entry(part).or_default().entry(key).or_default().push(diagnostic);
            }
            snapshot.known.insert(path);
        }
        snapshot
    }

    /// Whether the server had said anything of `path`.
    pub(crate) fn knows(&self, path: &Path) -> bool {
        self.known.contains(path)
    }

    /// What is known of one file is that of `other`.
    pub(crate) fn learn(&mut self, path: &Path, other: &Self) {
        self.parts.retain(|part, _| part.path != path);
        let of_path = other.parts.iter().filter(|(part, _)| part.path == path);
        self.parts.extend(of_path.map(|(part, counts)| (part.clone(), counts.clone())));
        self.known.insert(path.to_owned());
    }

    /// A file that is not there has nothing.
    pub(crate) fn absent(&mut self, path: &Path) {
        self.learn(path, &Self::default());
    }

    /// What was known of `from` is known of `to`.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        if !self.known.remove(from) {
            return;
        }
        self.known.insert(to.to_owned());
        let parts = std::mem::take(&mut self.parts);
        self.parts = parts.into_iter().map(|(part, counts)| (part.moved(from, to), counts)).collect();
    }
}

impl Registry {
    /// What there is more of than was reported and than there was before, those of the lines above first.
    pub(crate) fn introduced(&self, current: &Snapshot, baseline: &Snapshot) -> Vec<New> {
        let mut new = Vec::new();
        for (part, counts) in &current.parts {
            for (key, now) in counts {
                let reported =
                    self.reported.get(part).and_then(|counts| counts.get(key)).copied().unwrap_or_default();
                let before = baseline.parts.get(part).and_then(|counts| counts.get(key)).map_or(0, Vec::len);
                let added = now.len().saturating_sub(reported.max(before));
                if added > 0
                    && let Some(last) = now.iter().max_by_key(|diagnostic| diagnostic.start)
                {
                    new.push(New {
                        path: part.path.clone(),
                        diagnostic: last.clone(),
                        added,
                        now: now.len(),
                    });
                }
            }
        }
        new.sort_by(|a, b| (&a.path, a.diagnostic.start).cmp(&(&b.path, b.diagnostic.start)));
        new
    }

    /// After a settled report: what `owner` knows is what was reported of it, no more and no less.
    pub(crate) fn settled(&mut self, owner: &str, current: &Snapshot) {
        self.reported.retain(|part, _| &*part.owner != owner);
        let parts = current.parts.iter().map(|(part, counts)| (part.clone(), counted(counts)));
        self.reported.extend(parts);
    }

    /// After a settled report about one file alone.
    pub(crate) fn settled_of(&mut self, owner: &str, path: &Path, current: &Snapshot) {
        self.reported.retain(|part, _| &*part.owner != owner || part.path != path);
        let of_path = current.parts.iter().filter(|(part, _)| part.path == path);
        self.reported.extend(of_path.map(|(part, counts)| (part.clone(), counted(counts))));
    }

    /// The file has another name now.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        let reported = std::mem::take(&mut self.reported);
        self.reported = reported
            .into_iter()
            .filter(|(part, _)| part.path != to)
            .map(|(part, counts)| (part.moved(from, to), counts))
            .collect();
    }

    /// The file is gone.
    pub(crate) fn deleted(&mut self, path: &Path) {
        self.reported.retain(|part, _| part.path != path);
    }
}

fn counted(counts: &BTreeMap<Key, Vec<Diagnostic>>) -> BTreeMap<Key, usize> {
    counts.iter().map(|(key, now)| (key.clone(), now.len())).collect()
}

impl Part {
    fn moved(mut self, from: &Path, to: &Path) -> Self {
        if self.path == from {
            to.clone_into(&mut self.path);
        }
        self
    }
}

impl Key {
    fn of(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.clone(),
            message: without_positions(&diagnostic.message),
        }
    }
}

#[cfg(test)]
mod tests;
