//! What a proposed change would introduce: the servers are given its texts in place of the disk's, asked, and given the
//! disk's texts back. It must never write, and never leave a server with a text that nobody accepted.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use edits::{Preview, Proposed};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use tool::{Output, ReadContext};

use super::findings::{Findings, Reach};
use super::registry::{Registry, Snapshot};
use super::render::{self, About};
use super::{Servers, owner};
use crate::client::Client;
use crate::limits;
use crate::settle::{Occasion, Patience, Settlement};
use crate::uri;

/// Judges proposed changes with the servers of a run.
pub(crate) struct Judge {
    servers: Arc<dyn Servers>,
    workspace: PathBuf,
}

const PATIENCE: Patience = Patience { quick: limits::PREVIEW, check: limits::PREVIEW };

impl Judge {
    /// `workspace` is the canonical root.
    pub(crate) fn new(servers: Arc<dyn Servers>, workspace: PathBuf) -> Self {
        Self { servers, workspace }
    }

    async fn check(&self, files: Vec<Proposed>) -> Output {
        let mut clients: Vec<Arc<Client>> = Vec::new();
        let mut findings: Vec<Findings> = Vec::new();
        let mut failures: BTreeSet<String> = BTreeSet::new();
        for file in &files {
            match self.servers.diagnosing(file.path.clone()).await {
                Ok(started) => clients.extend(started),
                Err(error) => drop(failures.insert(error.to_string())),
            }
        }
        clients.sort_by_key(|client| owner(client));
        clients.dedup_by_key(|client| owner(client));
        let unknown =
            |why| Findings::without_answer("language server".to_owned(), Settlement::Unknown { why });
        findings.extend(failures.into_iter().map(unknown));
        findings.extend(join_all(clients.iter().map(|client| self.one(client, &files))).await);
        if findings.is_empty() {
            return Output::text("Not checked: no language server serves these files");
        }
        render::add(Output::default(), &findings, About::Proposal)
    }

    async fn one(&self, client: &Arc<Client>, files: &[Proposed]) -> Findings {
        let served = |file: &&Proposed| client.server().language(&file.path).is_some();
        let owner = owner(client);
        let own: Vec<PathBuf> = files.iter().filter(served).map(|file| uri::canonical(&file.path)).collect();
        // The old texts first, and every open document as the disk has it.
        for file in files.iter().filter(served) {
            let path = file.renamed_from.as_ref().unwrap_or(&file.path);
            if file.before.is_some() {
                // A file that cannot be sent has no baseline, which is told.
                let _ = client.sync(path).await;
            }
        }
        let mark = client.mark();
        let old: Vec<PathBuf> = files.iter().filter(served).filter_map(known_as).collect();
        let before = if old.is_empty() {
            Settlement::Settled
        } else {
            client.settle(&mark, &old, PATIENCE, Occasion::Unwritten).await
        };
        let mut baseline = Snapshot::of(&owner, client.all_diagnostics());
        for file in files.iter().filter(served) {
            match (&file.renamed_from, &file.before) {
                (Some(from), _) => baseline.moved(from, &uri::canonical(&file.path)),
                (None, None) => baseline.absent(&uri::canonical(&file.path)),
                (None, Some(_)) => {}
            }
        }
        let mark = client.mark();
        let overlay = client.overlay(texts(files)).await;
        let settlement = client.settle(&mark, &own, PATIENCE, Occasion::Unwritten).await;
        let current = Snapshot::of(&owner, client.all_diagnostics());
        let compared = |path: &Path| baseline.knows(path) && !matches!(before, Settlement::Unknown { .. });
        let reach = Reach { workspace: &self.workspace, own: &own, compared: &compared };
        let new = Registry::default().introduced(&current, &baseline);
        let findings = Findings::of(client, settlement, new, &reach);
        overlay.end().await;
        findings
    }
}

/// The path of what is there now, for what is there.
fn known_as(file: &Proposed) -> Option<PathBuf> {
    file.before.as_ref()?;
    Some(uri::canonical(file.renamed_from.as_ref().unwrap_or(&file.path)))
}

/// What the servers are to see: the texts after, and nothing where a file goes or went.
fn texts(files: &[Proposed]) -> Vec<(PathBuf, Option<String>)> {
    let mut texts = Vec::new();
    for file in files {
        if let Some(from) = &file.renamed_from {
            texts.push((from.clone(), None));
        }
        let text = file.after.as_ref().map(|after| String::from_utf8_lossy(after).into_owned());
        texts.push((file.path.clone(), text));
    }
    texts
}

impl Preview for Judge {
    fn preview(&self, files: Vec<Proposed>, cx: ReadContext) -> BoxFuture<'_, Result<Output, tool::Error>> {
        async move {
            let cancellation = cx.cancellation();
            tokio::select! {
                output = self.check(files) => Ok(output),
                () = cancellation.cancelled() => Err(tool::Error::cancelled("the check was cancelled")),
            }
        }
        .boxed()
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}
