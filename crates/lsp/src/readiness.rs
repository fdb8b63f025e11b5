//! Whether a server has loaded its project, by the signal that its row of the table names.
//! A server that is not ready answers, wrongly: its silence and its empty lists must never pass for an answer.

use std::time::Duration;

use serde::Deserialize;

/// How a server tells that it has loaded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "signal", deny_unknown_fields)]
pub(crate) enum Signal {
    /// `experimental/serverStatus` with `quiescent: true`.
    Status,
    /// Every progress it began has ended, and it has begun one, or has begun none for as long as the limit says.
    Progress {
        /// Only progress whose token or title holds one of these; any progress when empty.
        #[serde(default)]
        of: Vec<String>,
        /// How long it has to begin one; the crate's limit when not said.
        #[serde(default)]
        begins_within_ms: Option<u64>,
    },
    /// It holds the first request until it has loaded: it may be asked at once.
    Holds,
    /// It tells nothing: it is taken for loaded so long after its first document.
    Grace { ms: u64 },
}

/// Whether a server can be believed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// It may answer, but what it leaves out may be there.
    Loading {
        /// As a sentence names it: `` `Indexing` of rust-analyzer ``.
        waiting_for: String,
    },
}

impl Readiness {
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self, Self::Ready)
    }
}
