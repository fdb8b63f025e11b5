//! Keeping the server in step with the disk: before a question, after our own writes, and when others have written.
//! It must never send two texts of one file out of order, and never tell a server of a file event it did not ask for.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use serde_json::{Value, json};
use tokio::sync::OwnedRwLockReadGuard;
use tokio::time::{Instant, timeout};

use super::Client;
use workspace::detect::matches_star;

use crate::disk::Disk;
use crate::documents::{ChangeKind, Documents, FileChange, Message, Synced, Trust, watched};
use crate::error::Error;
use crate::limits;
use crate::outside::Snapshot;
use crate::registrations::Save;
use crate::servers::Settle;
use crate::uri;

impl Client {
    /// Compares `path` with the disk, and sends what the server does not have.
    pub(crate) async fn sync(&self, path: &Path) -> Result<Synced, Error> {
        let path = uri::canonical(path);
        self.refresh(&path).await
    }

    /// The same for every open document. A file that can no longer be sent is closed.
    pub(crate) async fn sync_all(&self) -> Result<(), Error> {
        let stale = self.documents().stale(Trust::Settled);
        for path in stale {
            // The document is closed then, which is all that can be done for it here.
            let _ = self.refresh(&path).await;
        }
        match self.end() {
            Some(_) => Err(self.explain("textDocument/didChange", closed()).await),
            None => Ok(()),
        }
    }

    /// After a write of our own: the events that were asked for, the new texts, and with `save` the saves. A file that
    /// is not this server's is only an event; one that cannot be sent is closed.
    pub(crate) async fn written(&self, changes: &[FileChange], save: bool) {
        let Ok(_shown) = self.disk_is_shown().await else { return };
        let changes: Vec<FileChange> = changes
            .iter()
            .map(|change| FileChange { path: uri::canonical(&change.path), kind: change.kind })
            .collect();
        self.note_told(&changes);
        self.announce(&changes);
        for change in &changes {
            match change.kind {
                ChangeKind::Deleted => {
                    self.close(&change.path);
                    self.live.change(|told| told.diagnostics.forget(&change.path));
                }
                _ if self.server.language(&change.path).is_some() => {
                    if let Err(error) = self.refresh_unsaved(&change.path).await {
                        tracing::debug!(server = self.server.id, %error, "not sent");
                    }
                }
                _ => {}
            }
        }
        if save {
            changes.iter().filter(|change| change.kind != ChangeKind::Deleted).for_each(|change| {
                self.save(&change.path);
            });
        }
    }

    /// After others may have written: tells the server what it does not know of `now`, and sends the open documents
    /// that changed.
    pub(crate) async fn outside_changes(&self, now: &Arc<Snapshot>) {
        let Ok(_shown) = self.disk_is_shown().await else { return };
        let changes = {
            let mut known = self.known();
            if let Some(known) = known.as_mut() {
                known.catch_up(now)
            } else {
                *known = Some(crate::outside::Known::new(Arc::clone(now)));
                Vec::new()
            }
        };
        self.announce(&changes);
        for change in changes.iter().filter(|change| change.kind == ChangeKind::Deleted) {
            self.close(&change.path);
            self.live.change(|told| told.diagnostics.forget(&change.path));
        }
        let _ = self.sync_all().await;
        if self.server.settle == Settle::Flycheck && !changes.is_empty() {
            // The compiler's word about files that are not open is that of the last check, and nothing else starts one.
            self.notify("rust-analyzer/runFlycheck", json!({ "textDocument": null }));
        }
    }

    /// Queues a request about `path` in the moment in which every open document has the disk's text.
    pub(super) async fn queue<'a>(
        &'a self,
        path: &Path,
        method: &'a str,
        params: &impl Fn(&Synced) -> Result<Value, Error>,
    ) -> Result<(Synced, impl Future<Output = Result<Value, Error>> + Send + 'a), Error> {
        let path = uri::canonical(path);
        let mut reads = 0;
        loop {
            // What has just been read is young, and its stamp proves all that can be proved.
            let trust = if reads == 0 { Trust::Settled } else { Trust::Equal };
            let stale = {
                let mut documents = self.documents();
                let mut stale = documents.stale(trust);
                if !documents.contains(&path) {
                    stale.push(path.clone());
                }
                if (stale.is_empty() || reads == limits::READS)
                    && let Some(document) = documents.get(&path)
                {
                    let params = params(&document)?;
                    return Ok((document, self.request_within(method, params, limits::REQUEST)));
                }
                stale
            };
            for other in stale {
                let refreshed = self.refresh(&other).await;
                if other == path {
                    refreshed?;
                }
            }
            reads += 1;
            if reads > limits::READS {
                // Opened and closed again each time: more documents are in use at once than may be open.
                return Err(Error::Crowded { server: self.server.id.clone(), path });
            }
        }
    }

    /// Sends the disk's text of `path`, which is canonical, where the server has another. It is told of a save as well:
    /// what is on disk has been saved by somebody, and some servers look at a header or start a check only then.
    pub(super) async fn refresh(&self, path: &Path) -> Result<Synced, Error> {
        let before = self.documents().version(path);
        let document = self.refresh_unsaved(path).await?;
        if before.is_some_and(|before| before != document.version) {
            self.save(path);
        }
        Ok(document)
    }

    async fn refresh_unsaved(&self, path: &Path) -> Result<Synced, Error> {
        let mut reads = 0;
        loop {
            let current = |trust| {
                let mut documents = self.documents();
                if documents.is_current(path, trust) { documents.get(path) } else { None }
            };
            if let Some(document) = current(Trust::Settled) {
                return Ok(document);
            }
            let read = {
                let path = path.to_owned();
                let read = tokio::task::spawn_blocking(move || Disk::read(&path)).await;
                read.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
            };
            reads += 1;
            let disk = match read {
                Ok(disk) => disk,
                Err(error) => {
                    self.lose(path, &error);
                    return Err(error);
                }
            };
            let language = self.server.language(path).unwrap_or("plaintext");
            let mut documents = self.documents();
            // Under the lock: of two that read at once, the one with the older text reads again.
            let stamp = crate::stamp::Stamp::of(path).ok().flatten();
            if stamp != Some(disk.stamp) && reads < limits::READS {
                continue;
            }
            let mut messages = Vec::new();
            let document = documents.put(path, &disk, language, &mut messages);
            self.send(&documents, messages);
            return Ok(document);
        }
    }

    /// A file that can no longer be read as text: the server must not go on with the old one.
    fn lose(&self, path: &Path, error: &Error) {
        if !self.documents().contains(path) {
            return;
        }
        self.close(path);
        if matches!(error, Error::NoFile { .. }) {
            let change = FileChange { path: path.to_owned(), kind: ChangeKind::Deleted };
            self.note_told(std::slice::from_ref(&change));
            self.announce(&[change]);
        }
    }

    /// Closes the document of `path`.
    pub(super) fn close(&self, path: &Path) {
        let mut documents = self.documents();
        let mut messages = Vec::new();
        documents.close(path, &mut messages);
        self.send(&documents, messages);
    }

    /// Sends in order. The lock is shown: nobody may come between two messages about one document.
    pub(super) fn send(&self, _locked: &MutexGuard<'_, Documents>, messages: Vec<Message>) {
        for message in messages {
            if message.method == "textDocument/didOpen" && self.live.told().first_document.is_none() {
                self.live.change(|told| told.first_document = Some(Instant::now()));
            }
            if message.method == "textDocument/didClose"
                && let Some(path) = message.params["textDocument"]["uri"].as_str().and_then(uri::path)
            {
                self.live.change(|told| told.diagnostics.closed(&path));
            }
            self.notify(message.method, message.params);
        }
    }

    /// Tells the events that the server asked for. The project's own markers go with them once it asks for any:
    /// servers forget to ask for their own configuration.
    pub(super) fn announce(&self, changes: &[FileChange]) {
        let told = self.live.told();
        if !told.registrations.watches() {
            return;
        }
        let is_marker = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            path.starts_with(&self.root)
                && self.server.markers.iter().any(|marker| matches_star(marker, name))
        };
        let wanted: Vec<&FileChange> = changes
            .iter()
            .filter(|change| {
                told.registrations.wants(&change.path, change.kind, &self.root) || is_marker(&change.path)
            })
            .collect();
        if !wanted.is_empty() {
            let Message { method, params } = watched(&wanted);
            self.notify(method, params);
        }
    }

    fn save(&self, path: &Path) {
        let Some(document) = self.documents().get(path) else { return };
        let language = self.server.language(path).unwrap_or("plaintext");
        let save = Save::of(&self.capabilities, &self.live.told().registrations, path, language);
        let document_id = json!({ "uri": &*document.uri });
        let params = match save {
            Save::Untold => return,
            Save::Told => json!({ "textDocument": document_id }),
            Save::WithText => json!({ "textDocument": document_id, "text": &*document.text }),
        };
        self.live.change(|told| told.heard.check_due());
        self.notify("textDocument/didSave", params);
    }

    fn note_told(&self, changes: &[FileChange]) {
        if let Some(known) = self.known().as_mut() {
            for change in changes {
                known.told(&change.path);
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<crate::outside::Known>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// While this is held, no preview gives the server other texts than the disk's.
    pub(super) async fn disk_is_shown(&self) -> Result<OwnedRwLockReadGuard<()>, Error> {
        let shown = Arc::clone(&self.disk_is_shown).read_owned();
        timeout(limits::OVERLAY, shown)
            .await
            .map_err(|_| Error::Previewing { server: self.server.id.clone(), after: limits::OVERLAY })
    }
}

fn closed() -> peer::RpcError {
    peer::RpcError::Closed(peer::Closed::EndOfOutput)
}
