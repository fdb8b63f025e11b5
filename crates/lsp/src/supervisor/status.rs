//! What there is: servers that run or ran, those that could serve files of the workspace, and what the others lack.
//! It must never start one to find out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::slot::{Slot, Told};
use super::{Inner, Supervisor};
use crate::client::Client;
use crate::detect::Candidate;
use crate::limits;
use crate::readiness::Readiness;

/// One server for one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) server: String,
    pub(crate) root: PathBuf,
    /// `ready`, `loading …`, `ended …`, `not started`, `not detected`.
    pub(crate) state: String,
    /// What is known only of one that runs.
    pub(crate) running: Option<Running>,
    /// What is missing, with where it was looked for.
    pub(crate) missing: Option<String>,
    /// Whether it runs, or there are files here that it could serve.
    pub(crate) concerned: bool,
}

/// A server's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) pid: u32,
    /// Bytes, of everything below it too.
    pub(crate) memory: Option<u64>,
    pub(crate) open_documents: usize,
}

impl Supervisor {
    /// Every server that was started, then every other one of the table: for each root of the files it could serve,
    /// or once where the workspace has none of them.
    pub(crate) async fn statuses(&self) -> Vec<Status> {
        let slots: Vec<Arc<Slot>> = self.inner.slots().values().cloned().collect();
        let mut statuses = Vec::new();
        for slot in &slots {
            statuses.push(of_slot(slot).await);
        }
        let inner = Arc::clone(&self.inner);
        let walk = tokio::task::spawn_blocking(move || inner.detected());
        let detected = walk.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let known =
            |it: &Status| slots.iter().any(|slot| slot.server.id == it.server && slot.root == it.root);
        statuses.extend(detected.into_iter().filter(|status| !known(status)));
        statuses
    }

    /// What overrides said that could not be used.
    pub(crate) fn notes(&self) -> &[String] {
        &self.inner.notes
    }
}

async fn of_slot(slot: &Slot) -> Status {
    let client = slot.running();
    let state = match (&client, slot.told()) {
        (Some(client), _) => of_client(client),
        (None, Told::Starting) => "starting".to_owned(),
        (None, Told::Down | Told::Up) => "stopped; the next question starts it".to_owned(),
        (None, Told::Ended { why, wait: None }) => format!("down after too many ends, until `reload`: {why}"),
        (None, Told::Ended { why, wait: Some(Duration::ZERO) }) => {
            format!("ended, the next question starts it again: {why}")
        }
        (None, Told::Ended { why, wait: Some(wait) }) => {
            format!("ended, not started again for {} s: {why}", wait.as_secs() + 1)
        }
    };
    let running = match &client {
        Some(client) => Some(Running {
            pid: client.pid(),
            memory: client.memory().await,
            open_documents: client.open_documents(),
        }),
        None => None,
    };
    Status {
        server: slot.server.id.clone(),
        root: slot.root.clone(),
        state,
        running,
        missing: None,
        concerned: true,
    }
}

fn of_client(client: &Client) -> String {
    match client.readiness() {
        Readiness::Ready => "ready".to_owned(),
        Readiness::Loading { waiting_for } => format!("loading, waiting for {waiting_for}"),
    }
}

impl Inner {
    fn detected(&self) -> Vec<Status> {
        let root = self.search.workspace.root().to_owned();
        let files = self.files();
        let mut statuses = Vec::new();
        for server in &self.servers {
            let fitting = files.iter().filter(|path| server.language(path).is_some());
            let folders: BTreeSet<&Path> = fitting.filter_map(|path| path.parent()).collect();
            if folders.is_empty() {
                let candidate = self.search.candidate(server, &root);
                statuses.push(absent(&candidate));
                continue;
            }
            let mut roots = BTreeSet::new();
            for folder in folders.into_iter().take(limits::STATUS_FOLDERS) {
                let candidate = self.search.candidate(server, folder);
                if roots.insert(candidate.root.clone()) {
                    statuses.push(self.of_candidate(&candidate));
                }
            }
        }
        // Those that have files here come first.
        statuses.sort_by_key(|status| !status.concerned);
        statuses
    }

    fn of_candidate(&self, candidate: &Candidate) -> Status {
        let missing = (!candidate.is_usable()).then(|| candidate.why_not());
        let state = if missing.is_none() { "not started" } else { "not detected" };
        let run = &candidate.server.runs_project_code;
        let note = run.as_ref().filter(|_| missing.is_none() && self.search.project_code);
        let note = note.map(|what| format!("; once started it runs {what}")).unwrap_or_default();
        Status {
            server: candidate.server.id.clone(),
            root: candidate.root.clone(),
            state: format!("{state}{note}"),
            running: None,
            missing,
            concerned: true,
        }
    }

    /// The files of the workspace; none where it cannot be walked.
    fn files(&self) -> Vec<PathBuf> {
        let workspace = &self.search.workspace;
        let walk = workspace.scope(None).and_then(|scope| workspace.walk(&scope, &|_| true, &|| false));
        walk.map(|walk| walk.files.into_iter().map(|file| file.absolute).collect()).unwrap_or_default()
    }
}

fn absent(candidate: &Candidate) -> Status {
    let missing = (!candidate.is_usable()).then(|| candidate.why_not());
    Status {
        server: candidate.server.id.clone(),
        root: candidate.root.clone(),
        state: "no files of its languages here".to_owned(),
        running: None,
        missing: Some(missing.unwrap_or_else(|| "no file that it serves".to_owned())),
        concerned: false,
    }
}
