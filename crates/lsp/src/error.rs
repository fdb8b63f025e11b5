//! Everything that can go wrong between a question and a server's answer, with data.
//! A message names its subject, and quotes a server where it said why; none claims more than was seen.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use workspace::shown;

use crate::symbol::PlaceError;

/// Why a language server gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path cannot be used.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// A file that is not there.
    #[error("`{}` does not exist", file(path))]
    NoFile { path: PathBuf },
    /// A file that cannot be read.
    #[error("cannot read `{}`: {why}", file(path))]
    Unreadable { path: PathBuf, why: io::Error },
    /// A file that is not UTF-8: servers are sent text.
    #[error("`{}` is not UTF-8 text, and servers are sent nothing else", file(path))]
    NotText { path: PathBuf },
    /// A file above the limit.
    #[error("`{}` has {length} bytes; servers are sent files of at most {limit}", file(path))]
    TooLarge { path: PathBuf, length: u64, limit: u64 },
    /// The server's program could not be started.
    #[error("{server} cannot be started: {why}")]
    Start { server: String, why: peer::Error },
    /// The server did not come up.
    #[error("{server} did not come up: {why}{}", tail(stderr))]
    Initialize { server: String, why: String, stderr: String },
    /// The server's process or its output has ended.
    #[error("{server} has ended while it was asked `{method}`: {how}{}", tail(stderr))]
    Ended { server: String, method: String, how: String, stderr: String },
    /// The program is a stand-in for one that is not installed.
    #[error("{server} is not installed: {why}")]
    NotInstalled { server: String, why: String, install: Option<String> },
    /// The server has ended, or did not come up, and its time to be started again has not come.
    #[error("{server} is not started again for {} more seconds: {why}", wait.as_secs() + 1)]
    BackingOff { server: String, wait: Duration, why: String },
    /// The server has ended too often.
    #[error("{server} has ended {times} times within {} minutes, so it stays down: {why}", within.as_secs() / 60)]
    Degraded { server: String, times: usize, within: Duration, why: String },
    /// Every server that runs is being asked something.
    #[error("{server} is not started: {running} language servers run already, and each is in use")]
    TooMany { server: String, running: usize },
    /// The server is being stopped by us.
    #[error("{server} is being stopped")]
    Closing { server: String },
    /// More documents are in use than the server may hold open.
    #[error("`{}` cannot be kept open in {server}: too many other files are asked about at once", file(path))]
    Crowded { server: String, path: PathBuf },
    /// A preview that does not end.
    #[error("{server} is busy with the preview of a change for more than {after:?}")]
    Previewing { server: String, after: Duration },
    /// No answer in time.
    #[error("{server} did not answer `{method}` within {after:?}")]
    TimedOut { server: String, method: String, after: Duration },
    /// Checkers run code of the project, which this run does not allow.
    #[error(
        "the project's checkers run its own code (build scripts, plugins), which this run does not allow"
    )]
    ProjectCode,
    /// A line and a symbol that name no place, or several.
    #[error(transparent)]
    Symbol(#[from] PlaceError),
    /// No server of the file offers what was asked.
    #[error("no language server here offers `{method}`{}", offered(running, others))]
    NotOffered {
        method: &'static str,
        /// Those that run and do not.
        running: Vec<String>,
        /// Others of the table for such files, with what is missing.
        others: Vec<(String, String)>,
    },
    /// No file of the workspace has a language server.
    #[error("no language server serves a file of this workspace")]
    NoServerRuns,
    /// The server answered with an error of its own.
    #[error("{server} refused `{method}`: {message} (code {code})")]
    Answered { server: String, method: String, code: i64, message: String },
}

impl Error {
    /// Whether the server says that the text changed, or its own state, while it was answering.
    pub(crate) fn is_outdated(&self) -> bool {
        const CONTENT_MODIFIED: i64 = -32801;
        const SERVER_CANCELLED: i64 = -32802;
        matches!(self, Self::Answered { code: CONTENT_MODIFIED | SERVER_CANCELLED, .. })
    }
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}

fn offered(running: &[String], others: &[(String, String)]) -> String {
    let mut text = String::new();
    if !running.is_empty() {
        text.push_str(&format!(": {} does not", running.join(", ")));
    }
    for (server, why) in others {
        text.push_str(&format!("\n- `{server}`, for such files: {why}"));
    }
    text
}

/// How a server ended, with the end of its error stream.
pub(crate) fn ended(how: &str, stderr: &str) -> String {
    format!("{how}{}", tail(stderr))
}

/// The end of what a server wrote on its error stream, if it wrote anything.
fn tail(stderr: &str) -> String {
    /// Lines that a reader is shown of it.
    const LINES: usize = 10;
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let last = &lines[lines.len().saturating_sub(LINES)..];
    format!("; the end of its error stream:\n{}", last.join("\n"))
}
