//! The documents a server holds open, and what text each was last sent. What is to be sent is collected as messages,
//! in order; the caller sends them before anybody else may touch the documents.
//! A version must never be used twice, over a close and a new opening too, and a file has one document, whatever
//! links lead to it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::disk::Disk;
use crate::stamp::Stamp;
use crate::uri;

#[cfg(test)]
mod tests;

/// A document as the server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Synced {
    /// Canonical.
    pub(crate) path: PathBuf,
    pub(crate) uri: Arc<str>,
    /// What was sent, a byte order mark included.
    pub(crate) text: Arc<str>,
    pub(crate) version: i32,
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) kind: ChangeKind,
}

/// With the protocol's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

/// A notification to the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

/// How far the stamp of a document must agree with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Equal, and old enough that a later change would show.
    Settled,
    /// Equal: the file was read a moment ago.
    Equal,
}

/// Every open document of one server, by canonical path.
#[derive(Debug)]
pub(crate) struct Documents {
    open: HashMap<PathBuf, Document>,
    capacity: usize,
    last_version: i32,
    uses: u64,
}

#[derive(Debug)]
struct Document {
    synced: Synced,
    source: Source,
    /// The time of the last use, in uses.
    used: u64,
}

/// Where a document's text comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// From the disk, as its stamp was then.
    Disk { stamp: Stamp, settled: bool },
    /// Given in place of what is on disk.
    Overlay,
    /// What was an overlay until now: the disk is to be read.
    Unknown,
}

impl Documents {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { open: HashMap::new(), capacity: capacity.max(1), last_version: 0, uses: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// Every open document.
    pub(crate) fn all(&self) -> Vec<Synced> {
        self.open.values().map(|document| document.synced.clone()).collect()
    }

    /// The version of the document of `path`, if it is open.
    pub(crate) fn version(&self, path: &Path) -> Option<i32> {
        self.open.get(path).map(|document| document.synced.version)
    }

    /// The document of `path` as it was sent, which becomes the last used.
    pub(crate) fn get(&mut self, path: &Path) -> Option<Synced> {
        let document = self.open.get_mut(path)?;
        self.uses += 1;
        document.used = self.uses;
        Some(document.synced.clone())
    }

    /// The documents whose files may hold another text than was sent.
    pub(crate) fn stale(&self, trust: Trust) -> Vec<PathBuf> {
        let stale = self.open.iter().filter(|(path, document)| !document.is_current(path, trust));
        stale.map(|(path, _)| path.clone()).collect()
    }

    /// Whether the document of `path` is open and has the text of the disk, or an overlay.
    pub(crate) fn is_current(&self, path: &Path, trust: Trust) -> bool {
        self.open.get(path).is_some_and(|document| document.is_current(path, trust))
    }

    /// Opens the document of `path` with what was read, or sends it if it differs from what the server has.
    pub(crate) fn put(
        &mut self,
        path: &Path,
        disk: &Disk,
        language: &str,
        messages: &mut Vec<Message>,
    ) -> Synced {
        let source = Source::Disk { stamp: disk.stamp, settled: disk.settled };
        self.set(path, &disk.text, source, language, messages)
    }

    /// Gives the server `text` in place of what is on disk.
    pub(crate) fn lay_over(
        &mut self,
        path: &Path,
        text: &Arc<str>,
        language: &str,
        messages: &mut Vec<Message>,
    ) -> Synced {
        self.set(path, text, Source::Overlay, language, messages)
    }

    /// Overlays become documents that are to be read again.
    pub(crate) fn end_overlays(&mut self) -> Vec<PathBuf> {
        let overlaid =
            self.open.iter_mut().filter(|(_, document)| matches!(document.source, Source::Overlay));
        overlaid
            .map(|(path, document)| {
                document.source = Source::Unknown;
                path.clone()
            })
            .collect()
    }

    /// Closes the document of `path`, if it is open.
    pub(crate) fn close(&mut self, path: &Path, messages: &mut Vec<Message>) -> bool {
        let Some(document) = self.open.remove(path) else { return false };
        let params = json!({ "textDocument": { "uri": &*document.synced.uri } });
        messages.push(Message { method: "textDocument/didClose", params });
        true
    }

    fn set(
        &mut self,
        path: &Path,
        text: &Arc<str>,
        source: Source,
        language: &str,
        messages: &mut Vec<Message>,
    ) -> Synced {
        self.uses += 1;
        let used = self.uses;
        if let Some(document) = self.open.get_mut(path) {
            document.source = source;
            document.used = used;
            if document.synced.text != *text {
                self.last_version += 1;
                document.synced.version = self.last_version;
                document.synced.text = Arc::clone(text);
                messages.push(document.synced.change());
            }
            return document.synced.clone();
        }
        self.make_room(messages);
        self.last_version += 1;
        let uri = Arc::from(uri::of(path));
        let synced =
            Synced { path: path.to_owned(), uri, text: Arc::clone(text), version: self.last_version };
        messages.push(synced.opening(language));
        self.open.insert(path.to_owned(), Document { synced: synced.clone(), source, used });
        synced
    }

    /// Closes the document that was used the longest ago, if there are as many as there may be. An overlay stays.
    fn make_room(&mut self, messages: &mut Vec<Message>) {
        if self.open.len() < self.capacity {
            return;
        }
        let closable = self.open.iter().filter(|(_, document)| !matches!(document.source, Source::Overlay));
        let oldest = closable.min_by_key(|(_, document)| document.used).map(|(path, _)| path.clone());
        if let Some(path) = oldest {
            self.close(&path, messages);
        }
    }
}

impl Document {
    fn is_current(&self, path: &Path, trust: Trust) -> bool {
        match self.source {
            Source::Overlay => true,
            Source::Unknown => false,
            Source::Disk { settled: false, .. } if trust == Trust::Settled => false,
            Source::Disk { stamp, .. } => Stamp::of(path).is_ok_and(|now| now == Some(stamp)),
        }
    }
}

impl Synced {
    fn opening(&self, language: &str) -> Message {
        let params = json!({ "textDocument": {
            "uri": &*self.uri, "languageId": language, "version": self.version, "text": &*self.text,
        }});
        Message { method: "textDocument/didOpen", params }
    }

    /// The whole text: legal whatever the server asked for, and nothing can go out of step.
    fn change(&self) -> Message {
        let params = json!({
            "textDocument": { "uri": &*self.uri, "version": self.version },
            "contentChanges": [{ "text": &*self.text }],
        });
        Message { method: "textDocument/didChange", params }
    }
}

/// `workspace/didChangeWatchedFiles`.
pub(crate) fn watched(changes: &[&FileChange]) -> Message {
    let changes: Vec<Value> = changes
        .iter()
        .map(|change| json!({ "uri": uri::of(&change.path), "type": change.kind as i32 }))
        .collect();
    Message { method: "workspace/didChangeWatchedFiles", params: json!({ "changes": changes }) }
}
