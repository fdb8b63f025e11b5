//! Texts that are not on disk, given to the server for a preview. While they last no question is asked about the
//! disk. It must never leave the server with them: what ends without a word is read from the disk again.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::OwnedRwLockWriteGuard;

use super::Client;
use crate::diagnostics::Store;
use crate::documents::{ChangeKind, FileChange};
use crate::uri;

/// The preview; dropped without [`end`](Self::end), the documents are read again before the next question.
#[derive(Debug)]
#[must_use = "the server has other texts than the disk's until the end"]
pub(crate) struct Overlay {
    client: Arc<Client>,
    /// Files that were open, or are not on disk: `(path, was open)`.
    before: Vec<(PathBuf, bool)>,
    deleted: Vec<PathBuf>,
    /// What was known of the disk's texts.
    diagnostics: Store,
    _exclusive: OwnedRwLockWriteGuard<()>,
}

impl Client {
    /// Gives the server `texts` in place of what is on disk; `None` is a file that is not there. Waits for questions
    /// that are under way. Whoever holds the overlay asks with [`request`](Self::request), not with `ask`.
    pub(crate) async fn overlay(self: &Arc<Self>, texts: Vec<(PathBuf, Option<String>)>) -> Overlay {
        let exclusive = Arc::clone(&self.disk_is_shown).write_owned().await;
        let mut overlay = Overlay {
            client: Arc::clone(self),
            before: Vec::new(),
            deleted: Vec::new(),
            diagnostics: self.live.told().diagnostics.clone(),
            _exclusive: exclusive,
        };
        let mut events = Vec::new();
        for (path, text) in texts {
            let path = uri::canonical(&path);
            let was_open = self.documents().contains(&path);
            overlay.before.push((path.clone(), was_open));
            let Some(text) = text else {
                self.close(&path);
                events.push(FileChange { path: path.clone(), kind: ChangeKind::Deleted });
                overlay.deleted.push(path);
                continue;
            };
            if !path.exists() {
                events.push(FileChange { path: path.clone(), kind: ChangeKind::Created });
            }
            if let Some(language) = self.server.language(&path) {
                let mut documents = self.documents();
                let mut messages = Vec::new();
                documents.lay_over(&path, &Arc::from(text), language, &mut messages);
                self.send(&documents, messages);
            }
        }
        overlay.deleted.extend(
            events.iter().filter(|event| event.kind == ChangeKind::Created).map(|event| event.path.clone()),
        );
        self.announce(&events);
        overlay
    }
}

impl Overlay {
    /// Gives the server the disk's texts back, and closes what was not open before.
    pub(crate) async fn end(self) {
        self.client.documents().end_overlays();
        for (path, was_open) in &self.before {
            if *was_open {
                // A file that is gone meanwhile is closed by the attempt.
                let _ = self.client.refresh(path).await;
            } else {
                self.client.close(path);
            }
        }
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        self.client.documents().end_overlays();
        // What was said of the other texts is not said of the disk's.
        let known = std::mem::take(&mut self.diagnostics);
        self.client.live.change(|told| told.diagnostics = known);
        let events: Vec<FileChange> = self
            .deleted
            .iter()
            .map(|path| {
                let kind = if path.exists() { ChangeKind::Created } else { ChangeKind::Deleted };
                FileChange { path: path.clone(), kind }
            })
            .collect();
        self.client.announce(&events);
    }
}
