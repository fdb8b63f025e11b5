//! Why a rename was not made. Whoever is told one of these may rely on it that no file has changed.
//! A message names its subject and quotes the server where it was the server's word.

use std::path::{Path, PathBuf};

use workspace::shown;

/// Places of one refusal that are named; the rest is counted.
const MAX_NAMED: usize = 10;

/// Why nothing was renamed or moved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{server} is still loading and would leave occurrences out: waiting for {waiting_for}")]
    NotReady { server: String, waiting_for: String },
    #[error("{server} does not rename `{symbol}` here: {why}")]
    NotHere { server: String, symbol: String, why: String },
    #[error("{server} would rename `{}` instead of `{symbol}`", clip(found))]
    OtherSymbol { server: String, symbol: String, found: String },
    #[error("`{name}` is the name it has")]
    SameName { name: String },
    #[error("`{}` is no name: {why}", clip(name))]
    BadName { name: String, why: String },
    #[error("{server} names nothing to change for `{symbol}`: {why}")]
    NoEdits { server: String, symbol: String, why: String },
    #[error("the answer of {server} cannot be read: {why}")]
    Unreadable { server: String, why: String },
    #[error(
        "the edit asks for `{}`, which is not understood; the edit is one, and is not made in part",
        clip(kind)
    )]
    UnknownOperation { kind: String },
    #[error("the edit wants a person's word first: {}", clip(label))]
    NeedsConfirmation { label: String },
    #[error("the edit inserts a snippet with places to fill in, which is no text")]
    Snippet,
    #[error("`{}` is no file of this machine", clip(uri))]
    NoFile { uri: String },
    #[error("the edit is about version {asked} of `{}`, and {}", shown(path), sent_version(*sent))]
    Version { path: String, asked: i64, sent: Option<i32> },
    #[error("`{}` has changed since it was sent to the server", shown(path))]
    Stale { path: String },
    #[error("`{}`: two edits of line {line} overlap", shown(path))]
    Overlap { path: String, line: usize },
    #[error(
        "`{}:{line}`: the edit does more than rename `{old}` to `{new}`: `{}` would become `{}`",
        shown(path),
        clip(was),
        clip(becomes)
    )]
    NotTheOldName {
        path: String,
        line: usize,
        old: Box<str>,
        new: Box<str>,
        was: Box<str>,
        becomes: Box<str>,
    },
    #[error("`{}:{line}`: the edit would cut `{}` in two", shown(path), clip(name))]
    CutName { path: String, line: usize, name: String },
    #[error("`{}` is not UTF-8 text", shown(path))]
    NotText { path: String },
    #[error("`{}` lies outside the workspace and would have to change too", file(path))]
    Outside { path: PathBuf },
    #[error("`{}` is git's own and would have to change too", shown(path))]
    Git { path: String },
    #[error("the edit changes what an ignore file names: {}", named(paths))]
    Ignored { paths: Vec<String> },
    #[error("`{}` exists already", shown(path))]
    Exists { path: String },
    #[error("`{}` is a folder", shown(path))]
    Folder { path: String },
    #[error("`{}`, which the edit changes, does not exist", shown(path))]
    Missing { path: String },
    #[error("the edit has {count} {what}, over the limit of {limit}")]
    TooMany { count: usize, what: &'static str, limit: usize },
    #[error("{server} knows uses of `{symbol}` that its own edit leaves out, asked twice: {}", named(places))]
    Incomplete { server: String, symbol: String, places: Vec<String> },
    #[error(
        "{server} has no index of the project, and {files} files that hold the name as text are too many to be opened one by \
         one: it would leave occurrences out"
    )]
    Unindexed { server: String, files: usize },
    #[error("{server} changed its answer each of the {times} times it was asked: it is still loading")]
    Unsettled { server: String, times: usize },
    #[error(transparent)]
    Path(#[from] workspace::Error),
    #[error("cannot read `{}`: {why}", shown(path))]
    Read { path: String, why: std::io::Error },
}

impl From<Refusal> for tool::Error {
    fn from(refusal: Refusal) -> Self {
        let message = format!("{refusal}; nothing was written");
        match refusal {
            Refusal::NotReady { .. } | Refusal::Unsettled { .. } => Self::unavailable(message)
                .with_hint("try again; `lsp` with action \"status\" says how far it is"),
            Refusal::SameName { .. } | Refusal::BadName { .. } | Refusal::Folder { .. } => {
                Self::bad_arguments(message)
            }
            Refusal::Version { .. } | Refusal::Stale { .. } => {
                Self::conflict(message).with_hint("call it again: the files are compared anew each time")
            }
            Refusal::Exists { .. } => Self::conflict(message).with_hint("choose another name"),
            Refusal::Incomplete { .. } => Self::refused(message)
                .with_hint("look at those places; `lsp` with action \"references\" lists all uses"),
            Refusal::Path(workspace::Error::Cancelled) => Self::cancelled(message),
            Refusal::Path(workspace::Error::Leaves { .. } | workspace::Error::LinkLeaves { .. }) => {
                Self::refused(message).with_hint("only files inside the workspace are changed")
            }
            Refusal::Path(_) => Self::bad_arguments(message),
            Refusal::Unreadable { .. } | Refusal::Read { .. } => Self::failed(message),
            _ => Self::refused(message),
        }
    }
}

fn sent_version(sent: Option<i32>) -> String {
    match sent {
        Some(version) => format!("the server was last sent version {version}"),
        None => "the server has not been sent that file".to_owned(),
    }
}

fn named(places: &[String]) -> String {
    let each: Vec<String> =
        places.iter().take(MAX_NAMED).map(|place| format!("`{}`", shown(place))).collect();
    let more = places.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", each.join(", "))
}

/// Text of somebody else's, on one line and short.
pub(crate) fn clip(text: &str) -> String {
    /// Characters shown of it.
    const MOST: usize = 120;
    let line = shown(text);
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}
