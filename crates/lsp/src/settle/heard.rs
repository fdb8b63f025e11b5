//! The signs by which it is told that a server's diagnostics are those of the text it was sent: counted as they
//! arrive, so that a moment before a write can be compared with now. It must never decide anything.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::time::Instant;

use crate::limits;
use crate::progress::{Step, token};
use crate::uri;

/// What was heard so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// Publishes by file: how many, the version of the last, and when it came.
    published: HashMap<PathBuf, Published>,
    last_publish: Option<Instant>,
    files: HashMap<PathBuf, FileState>,
    checks: Checks,
    work: HashMap<String, Work>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Published {
    pub(crate) count: u64,
    pub(crate) version: Option<i32>,
}

/// clangd's word about one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileState {
    pub(crate) busy: bool,
    pub(crate) at: Instant,
    includes_since: Option<Instant>,
    /// When a preamble was last built anew.
    pub(crate) rebuilt: Option<Instant>,
}

/// The compiler's checks that saves start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    /// Saves (and the end of loading) since the last check began.
    pub(crate) unanswered: u64,
    running: BTreeSet<String>,
    pub(crate) begun: u64,
    /// The most saves that one check stood for.
    last_change: Option<Instant>,
    /// Whether a check began that more than one save may have started: another may follow.
    pub(crate) doubtful_at: u64,
}

/// Work of one token.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) begun: u64,
    pub(crate) open: bool,
    pub(crate) changed: Option<Instant>,
}

/// The tokens of rust-analyzer's checks, one a workspace.
const CHECK: &str = "rust-analyzer/flycheck/";

impl Heard {
    pub(crate) fn published(&mut self, path: PathBuf, version: &Value) {
        let published = self.published.entry(path).or_insert(Published { count: 0, version: None });
        published.count += 1;
        published.version = version.as_i64().and_then(|version| i32::try_from(version).ok());
        self.last_publish = Some(Instant::now());
        if self.published.len() > limits::DIAGNOSED_FILES {
            self.published.clear();
        }
    }

    /// Reads `textDocument/clangd.fileStatus`.
    pub(crate) fn file_status(&mut self, params: &Value) {
        let Some(path) = params["uri"].as_str().and_then(uri::canonical_path) else { return };
        let Some(state) = params["state"].as_str() else { return };
        let now = Instant::now();
        if self.files.len() > limits::DIAGNOSED_FILES {
            self.files.retain(|_, file| file.busy);
        }
        let file = self.files.entry(path).or_insert(FileState {
            busy: false,
            at: now,
            includes_since: None,
            rebuilt: None,
        });
        file.at = now;
        file.busy = state != "idle";
        if state.contains("includes") {
            file.includes_since.get_or_insert(now);
        } else if let Some(since) = file.includes_since.take()
            && now - since >= limits::PREAMBLE_REUSED
        {
            file.rebuilt = Some(now);
        }
    }

    /// Reads `$/progress`.
    pub(crate) fn progress(&mut self, params: &Value, step: Step) {
        let Some(token) = token(&params["token"]) else { return };
        if token.starts_with(CHECK) {
            self.checks.hear(&token, step);
        }
        if self.work.len() > limits::DIAGNOSED_FILES {
            self.work.retain(|_, work| work.open);
        }
        let work = self.work.entry(token).or_default();
        match step {
            Step::Begin => {
                work.begun += 1;
                work.open = true;
            }
            Step::Report => return,
            Step::End => work.open = false,
        }
        work.changed = Some(Instant::now());
    }

    /// A document was saved, or a project loaded: a check will begin.
    pub(crate) fn check_due(&mut self) {
        self.checks.unanswered += 1;
    }

    pub(crate) fn checks(&self) -> &Checks {
        &self.checks
    }

    pub(crate) fn work(&self, token: &str) -> Work {
        self.work.get(token).copied().unwrap_or_default()
    }

    pub(crate) fn publishes(&self, path: &Path) -> Option<Published> {
        self.published.get(path).copied()
    }

    pub(crate) fn last_publish(&self) -> Option<Instant> {
        self.last_publish
    }

    pub(crate) fn file(&self, path: &Path) -> Option<FileState> {
        self.files.get(path).copied()
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&PathBuf, &FileState)> {
        self.files.iter()
    }
}

impl Checks {
    fn hear(&mut self, token: &str, step: Step) {
        match step {
            Step::Begin => {
                self.begun += 1;
                if std::mem::take(&mut self.unanswered) > 1 {
                    self.doubtful_at = self.begun;
                }
                self.running.insert(token.to_owned());
            }
            Step::Report => return,
            Step::End => {
                self.running.remove(token);
            }
        }
        self.last_change = Some(Instant::now());
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// When a check last began or ended.
    pub(crate) fn last_change(&self) -> Option<Instant> {
        self.last_change
    }
}
