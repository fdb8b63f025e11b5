//! Whether a server has loaded its project, by the signal that its row of the table names.
//! A server that is not ready answers, wrongly: its silence and its empty lists must never pass for an answer.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::limits;
use crate::progress::Progress;

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
        /// What is to be told of its answers when it has begun none.
        #[serde(default)]
        else_told: Option<String>,
    },
    /// The last word of its log about loading is one of those it ends with: `window/logMessage`.
    Log { begins: Vec<String>, ends: Vec<String> },
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
        /// As a sentence names it: `Indexing`.
        waiting_for: String,
    },
}

impl Readiness {
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self, Self::Ready)
    }
}

/// `experimental/serverStatus`, as rust-analyzer and its kin send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// `ok`, `warning` or `error`.
    pub(crate) health: String,
    pub(crate) quiescent: bool,
    pub(crate) message: Option<String>,
}

/// What is known at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Ready,
    Loading {
        waiting_for: String,
        /// When to judge again though nothing was told.
        again: Option<Instant>,
        /// It was waited for in vain already.
        overdue: bool,
    },
}

impl Signal {
    /// What a reader of its answers must know, beyond that it is ready.
    pub(crate) fn caveat(&self, progress: &Progress) -> Option<&str> {
        match self {
            Self::Progress { of, else_told, .. } if !progress.has_begun(of) => else_told.as_deref(),
            _ => None,
        }
    }

    /// What a line of its log says about loading, if it says anything: begun, or ended.
    pub(crate) fn read_log(&self, line: &str) -> Option<bool> {
        let Self::Log { begins, ends } = self else { return None };
        let holds = |words: &[String]| words.iter().any(|words| line.contains(words));
        if holds(ends) {
            return Some(true);
        }
        holds(begins).then_some(false)
    }

    /// Judges by what the server has told; `since` is when it was given its first document, or came up.
    pub(crate) fn judge(
        &self,
        progress: &Progress,
        status: Option<&Status>,
        loaded_by_log: bool,
        since: Instant,
        now: Instant,
    ) -> Judged {
        let until = |end: Instant, waiting_for: &str| {
            if end > now {
                Judged::Loading { waiting_for: waiting_for.to_owned(), again: Some(end), overdue: false }
            } else {
                Judged::Ready
            }
        };
        match self {
            Self::Holds => Judged::Ready,
            Self::Log { .. } if loaded_by_log => Judged::Ready,
            Self::Log { .. } => loading("the end of its search for source files", false),
            Self::Grace { ms } => until(since + Duration::from_millis(*ms), "its first look at the project"),
            Self::Status => match status {
                Some(status) if status.quiescent => Judged::Ready,
                _ => by_work(progress, &[])
                    .unwrap_or_else(|| loading("the server's word that it has loaded", false)),
            },
            Self::Progress { of, begins_within_ms, .. } => by_work(progress, of).unwrap_or_else(|| {
                if progress.has_begun(of) {
                    let end = progress.last_end().map_or(now, |end| end + limits::BETWEEN_PROGRESS);
                    return until(end, "what may follow its last progress");
                }
                let limit = begins_within_ms.map_or(limits::FIRST_PROGRESS, Duration::from_millis);
                until(since + limit, "its first progress")
            }),
        }
    }
}

fn by_work(progress: &Progress, of: &[String]) -> Option<Judged> {
    let open = || progress.open(of);
    let names: Vec<String> = open().map(|work| format!("`{}`", work.name())).collect();
    (!names.is_empty()).then(|| loading(&names.join(", "), open().all(crate::progress::Work::is_overdue)))
}

fn loading(waiting_for: &str, overdue: bool) -> Judged {
    Judged::Loading { waiting_for: waiting_for.to_owned(), again: None, overdue }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn signal(row: &str) -> Signal {
        toml::from_str(row).unwrap()
    }

    fn is_ready(signal: &Signal, progress: &Progress, since: Instant, after_ms: u64) -> bool {
        signal.judge(progress, None, false, since, since + Duration::from_millis(after_ms)) == Judged::Ready
    }

    fn hear(progress: &mut Progress, token: &str, kind: &str) {
        progress.hear(&json!({ "token": token, "value": { "kind": kind, "title": "Indexing" } }));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_waited_for_until_it_has_begun_and_ended() {
        let (signal, mut progress, since) =
            (signal("signal = 'progress'"), Progress::default(), Instant::now());
        assert!(!is_ready(&signal, &progress, since, 4_900), "it may begin yet");
        assert!(is_ready(&signal, &progress, since, 5_000), "it has none to tell");
        hear(&mut progress, "t", "begin");
        let judged = signal.judge(&progress, None, false, since, since + Duration::from_mins(1));
        assert_eq!(judged, loading("`Indexing`", false));
        hear(&mut progress, "t", "end");
        assert!(!is_ready(&signal, &progress, since, 0), "another may follow at once");
        assert!(is_ready(&signal, &progress, since, 200));
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_progress_that_is_meant_counts() {
        let signal = signal("signal = 'progress'\nof = ['background']\nbegins_within_ms = 2000");
        let (mut progress, since) = (Progress::default(), Instant::now());
        hear(&mut progress, "other", "begin");
        assert!(!is_ready(&signal, &progress, since, 1_900) && is_ready(&signal, &progress, since, 2_000));
        hear(&mut progress, "backgroundIndex", "begin");
        assert!(!is_ready(&signal, &progress, since, 2_000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_status_is_believed_when_it_is_quiescent() {
        let (signal, progress, now) = (signal("signal = 'status'"), Progress::default(), Instant::now());
        let status = |quiescent| Status { health: "ok".into(), quiescent, message: None };
        let judge = |status: Option<&Status>| signal.judge(&progress, status, false, now, now);
        assert_eq!(judge(Some(&status(true))), Judged::Ready);
        for status in [None, Some(&status(false))] {
            assert_eq!(judge(status), loading("the server's word that it has loaded", false));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_tells_nothing_is_given_time() {
        let (signal, since) = (signal("signal = 'grace'\nms = 300"), Instant::now());
        assert!(!is_ready(&signal, &Progress::default(), since, 299));
        assert!(is_ready(&signal, &Progress::default(), since, 300));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_word_of_a_log_counts() {
        let signal = signal("signal = 'log'\nbegins = ['Loading ']\nends = ['source file']");
        let said = ["Loading a", "Found 3 source files", "hello", "Loading b", "No source files found."];
        let read: Vec<Option<bool>> = said.iter().map(|line| signal.read_log(line)).collect();
        assert_eq!(read, [Some(false), Some(true), None, Some(false), Some(true)]);
        let (progress, now) = (Progress::default(), Instant::now());
        assert_eq!(signal.judge(&progress, None, true, now, now), Judged::Ready);
        assert_ne!(signal.judge(&progress, None, false, now, now + Duration::from_mins(1)), Judged::Ready);
    }
}
