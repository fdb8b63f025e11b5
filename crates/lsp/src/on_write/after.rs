//! After a write: the servers are told, waited for within limits, and compared with what they knew before. Who takes
//! longer is waited for in the background, and what it finds is kept for a later result.
//! What is found before a server has settled must never become what was reported.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;
use tool::Cancellation;

use super::findings::{Findings, Reach};
use super::registry::{Registry, Snapshot};
use super::watch::{Before, Known, Watch, Written};
use super::{Servers, owner};
use crate::client::Client;
use crate::documents::ChangeKind;
use crate::error::Error;
use crate::limits;
use crate::servers::Settle;
use crate::settle::{Mark, Occasion, Patience, Settlement};
use crate::uri;

/// Diagnostics on write, for all tools of one run. Cloning shares it.
#[derive(Clone)]
pub(crate) struct OnWrite {
    inner: Arc<Inner>,
    _background: Arc<Background>,
}

struct Inner {
    background: Weak<Background>,
    servers: Arc<dyn Servers>,
    workspace: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    registry: Registry,
    /// The servers of which everything was known once.
    settled_once: HashSet<Arc<str>>,
    /// Writes whose servers had not settled.
    pending: HashMap<Arc<str>, Pending>,
    late: Vec<Findings>,
    generation: u64,
}

/// Work that nobody waits for. It ends with the layer: it may hold servers, and is not held by what it holds.
#[derive(Default)]
struct Background(Mutex<Vec<AbortOnDropHandle<()>>>);

/// What is to be compared once a server has settled.
struct Pending {
    generation: u64,
    comparison: Comparison,
    _task: Option<AbortOnDropHandle<()>>,
}

/// What a server knew before, and of which files that is to be told.
#[derive(Clone, Default)]
struct Comparison {
    baseline: Snapshot,
    own: BTreeSet<PathBuf>,
    /// Written files of which nothing was known before.
    uncompared: BTreeSet<PathBuf>,
    /// Whether what is not known of other files was nothing.
    complete: bool,
}

const INLINE: Patience = Patience { quick: limits::AFTER_WRITE, check: limits::AFTER_WRITE_CHECK };
const LATER: Patience = Patience { quick: limits::LATER, check: limits::LATER };

impl OnWrite {
    /// `workspace` is the canonical root: files outside are never told of.
    pub(crate) fn new(servers: Arc<dyn Servers>, workspace: PathBuf) -> Self {
        let background = Arc::<Background>::default();
        let weak = Arc::downgrade(&background);
        let inner = Inner { background: weak, servers, workspace, state: Mutex::default() };
        Self { inner: Arc::new(inner), _background: background }
    }

    pub(super) fn servers(&self) -> Arc<dyn Servers> {
        Arc::clone(&self.inner.servers)
    }

    /// What was found late, once.
    pub(super) fn take_late(&self) -> Vec<Findings> {
        std::mem::take(&mut self.inner.state().late)
    }

    /// What an explicit question for the diagnostics of `path` has shown, settled: it is not told again.
    pub(crate) fn shown(&self, client: &Client, path: &Path) {
        let (owner, path) = (owner(client), uri::canonical(path));
        let current = Snapshot::of(&owner, vec![(path.clone(), client.diagnostics(&path))]);
        self.inner.state().registry.settled_of(&owner, &path, &current);
    }

    /// Waits for the servers of what was written, within the limits of a result.
    pub(super) async fn after_write(&self, watch: Arc<Watch>, cancellation: &Cancellation) -> Vec<Findings> {
        let finished = tokio::task::spawn_blocking(move || watch.finish()).await;
        let Ok((written, known)) = finished else { return Vec::new() };
        if written.changes.is_empty() {
            return Vec::new();
        }
        let work = AbortOnDropHandle::new(tokio::spawn({
            let inner = Arc::clone(&self.inner);
            async move { inner.diagnose(Arc::new(written), Arc::new(known), INLINE).await }
        }));
        let bound = limits::AFTER_WRITE_CHECK + limits::AFTER_WRITE;
        let unknown = |why: &str| {
            let settlement = Settlement::Unknown { why: why.to_owned() };
            vec![Findings::without_answer("language servers".to_owned(), settlement)]
        };
        tokio::select! {
            findings = timeout(bound, work) => match findings {
                Ok(Ok(findings)) => findings,
                Ok(Err(_)) => unknown("the comparison failed"),
                Err(_) => unknown(&format!("no answer in {} s", bound.as_secs())),
            },
            () = cancellation.cancelled() => unknown("the call was cancelled"),
        }
    }

    /// The same for a call that failed or was dropped: nobody waits.
    pub(super) fn in_background(&self, watch: Arc<Watch>) {
        let inner = Arc::downgrade(&self.inner);
        self.inner.spawn(async move {
            let Ok((written, known)) = tokio::task::spawn_blocking(move || watch.finish()).await else {
                return;
            };
            let Some(inner) = inner.upgrade().filter(|_| !written.changes.is_empty()) else { return };
            let findings = inner.diagnose(Arc::new(written), Arc::new(known), INLINE).await;
            inner.keep_late(findings);
        });
    }

    /// After a tool that may have run anything: whatever changed is told to the servers, before the next question if
    /// that does not take long.
    pub(super) async fn after_exec(&self, watch: Arc<Watch>) {
        self.in_background(watch);
        let servers = self.servers();
        let (done, told) = oneshot::channel();
        self.inner.spawn(async move {
            servers.outside_changes().await;
            let _ = done.send(());
        });
        let _ = timeout(limits::AFTER_WRITE, told).await;
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends with the run.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(background) = self.background.upgrade()
            && tokio::runtime::Handle::try_current().is_ok()
        {
            let handle = AbortOnDropHandle::new(tokio::spawn(work));
            let mut running = background.0.lock().unwrap_or_else(PoisonError::into_inner);
            running.retain(|handle| !handle.is_finished());
            running.push(handle);
        }
    }

    fn keep_late(&self, findings: Vec<Findings>) {
        let told = findings.into_iter().filter(|one| !one.is_empty());
        self.state().late.extend(told);
    }

    async fn diagnose(
        self: &Arc<Self>,
        written: Arc<Written>,
        known: Arc<HashMap<Arc<str>, Known>>,
        patience: Patience,
    ) -> Vec<Findings> {
        self.rename(&written);
        let began = Instant::now();
        let (mut clients, mut findings) = self.concerned(&written, &known, patience.quick).await;
        clients.sort_by_key(|client| owner(client));
        clients.dedup_by_key(|client| owner(client));
        let left = Patience {
            quick: patience.quick.saturating_sub(began.elapsed()).max(Duration::from_millis(200)),
            check: patience.check.saturating_sub(began.elapsed()),
        };
        let each = clients.iter().map(|client| self.one(client, &written, &known, left));
        findings.extend(join_all(each).await.into_iter().flatten());
        findings
    }

    /// Files that moved or went, in what was reported.
    fn rename(&self, written: &Written) {
        let mut state = self.state();
        for (from, to) in &written.moves {
            state.registry.moved(from, to);
        }
        let moved: Vec<&PathBuf> = written.moves.iter().map(|(from, _)| from).collect();
        let gone = written.changes.iter().filter(|change| change.kind == ChangeKind::Deleted);
        gone.filter(|change| !moved.contains(&&change.path))
            .for_each(|change| state.registry.deleted(&change.path));
    }

    /// The servers of the written files, started where need be, and those that run in whose folder something went.
    async fn concerned(
        self: &Arc<Self>,
        written: &Arc<Written>,
        known: &Arc<HashMap<Arc<str>, Known>>,
        limit: Duration,
    ) -> (Vec<Arc<Client>>, Vec<Findings>) {
        let (mut clients, mut findings) = (Vec::new(), Vec::new());
        for client in self.servers.running() {
            if written.changes.iter().any(|change| change.path.starts_with(client.root())) {
                clients.push(client);
            }
        }
        let files = written.changes.iter().filter(|change| change.kind != ChangeKind::Deleted);
        let starts: Vec<_> = files
            .map(|change| {
                let (servers, path) = (Arc::clone(&self.servers), change.path.clone());
                AbortOnDropHandle::new(tokio::spawn(async move { servers.diagnosing(path).await }))
            })
            .collect();
        let end = Instant::now() + limit;
        let mut failures: BTreeSet<String> = BTreeSet::new();
        for mut start in starts {
            match tokio::time::timeout_at(end, &mut start).await {
                Ok(Ok(Ok(started))) => clients.extend(started),
                Ok(Ok(Err(error))) => drop(failures.insert(first_line(&error))),
                Ok(Err(_)) => {}
                Err(_) => {
                    let why = "a server is being started".to_owned();
                    if failures.insert(why) {
                        self.once_started(start, Arc::clone(written), Arc::clone(known));
                    }
                }
            }
        }
        let unknown =
            |why| Findings::without_answer("language server".to_owned(), Settlement::Unknown { why });
        findings.extend(failures.into_iter().map(unknown));
        (clients, findings)
    }

    fn once_started(
        self: &Arc<Self>,
        start: AbortOnDropHandle<Result<Vec<Arc<Client>>, Error>>,
        written: Arc<Written>,
        known: Arc<HashMap<Arc<str>, Known>>,
    ) {
        let inner = Arc::downgrade(self);
        self.spawn(async move {
            let Ok(Ok(clients)) = start.await else { return };
            for client in clients {
                let Some(inner) = inner.upgrade() else { return };
                let findings = inner.one(&client, &written, &known, LATER).await;
                inner.keep_late(findings.into_iter().collect());
            }
        });
    }

    /// Tells one server, waits, compares. Nothing for a server that has no business with what was written.
    async fn one(
        self: &Arc<Self>,
        client: &Arc<Client>,
        written: &Written,
        known: &HashMap<Arc<str>, Known>,
        patience: Patience,
    ) -> Option<Findings> {
        let began = Instant::now();
        let owner = owner(client);
        let known = known.get(&owner).filter(|known| Arc::ptr_eq(&known.client, client));
        let mut comparison = self.comparison(client, &owner, written, known);
        let serves = written.changes.iter().any(|change| client.server().language(&change.path).is_some());
        if serves {
            learn_before(client, &owner, written, &mut comparison, patience.quick / 2).await;
        }
        // Again, since what was asked about the old text has left its signs.
        let mark = if serves && known.is_none() {
            client.mark()
        } else {
            known.map_or_else(|| client.mark(), |known| known.mark.clone())
        };
        client.written(&written.changes, true).await;
        if !serves {
            return None;
        }
        let left = Patience { quick: patience.quick.saturating_sub(began.elapsed()), ..patience };
        let own: Vec<PathBuf> = comparison.own.iter().cloned().collect();
        let settlement = client.settle(&mark, &own, left, Occasion::Saved).await;
        let findings = self.compare(client, &owner, &comparison, settlement);
        if findings.settlement != Settlement::Settled {
            self.later(client, owner, mark, comparison);
        }
        Some(findings)
    }

    /// What to compare with: of a write before this one, if its server has not settled since.
    fn comparison(
        &self,
        client: &Client,
        owner: &Arc<str>,
        written: &Written,
        known: Option<&Known>,
    ) -> Comparison {
        let mut state = self.state();
        // A server that tells of every file has found nothing where it told nothing; others know open files alone.
        let everywhere = matches!(client.server().settle, Settle::Flycheck | Settle::Progress { .. });
        let earlier = state.pending.remove(owner).map(|pending| pending.comparison);
        let mut comparison = earlier.unwrap_or_else(|| Comparison {
            baseline: known.map(|known| known.baseline.clone()).unwrap_or_default(),
            complete: everywhere && known.is_some() && state.settled_once.contains(owner),
            ..Comparison::default()
        });
        for (from, to) in &written.moves {
            comparison.baseline.moved(from, to);
            comparison.own.remove(from);
        }
        for change in &written.changes {
            let path = uri::canonical(&change.path);
            if change.kind == ChangeKind::Deleted || client.server().language(&path).is_none() {
                continue;
            }
            if written.before.get(&change.path) == Some(&Before::Absent) && !comparison.baseline.knows(&path)
            {
                comparison.baseline.absent(&path);
            }
            if !comparison.baseline.knows(&path) && !comparison.complete {
                comparison.uncompared.insert(path.clone());
            }
            comparison.own.insert(path);
        }
        comparison
    }

    fn compare(
        &self,
        client: &Client,
        owner: &Arc<str>,
        comparison: &Comparison,
        settlement: Settlement,
    ) -> Findings {
        let current = Snapshot::of(owner, client.all_diagnostics());
        let mut state = self.state();
        let new = state.registry.introduced(&current, &comparison.baseline);
        if settlement == Settlement::Settled {
            state.registry.settled(owner, &current);
            state.settled_once.insert(Arc::clone(owner));
        }
        drop(state);
        let compared = |path: &Path| {
            !comparison.uncompared.contains(path)
                && (comparison.complete || comparison.baseline.knows(path) || comparison.own.contains(path))
        };
        let own: Vec<PathBuf> = comparison.own.iter().cloned().collect();
        let reach = Reach { workspace: &self.workspace, own: &own, compared: &compared };
        Findings::of(client, settlement, new, &reach)
    }

    /// Goes on waiting; the next write to the same server takes over.
    fn later(self: &Arc<Self>, client: &Arc<Client>, owner: Arc<str>, mark: Mark, comparison: Comparison) {
        let mut state = self.state();
        state.generation += 1;
        let generation = state.generation;
        let work = wait_on(Arc::downgrade(self), Arc::clone(client), Arc::clone(&owner), mark, generation);
        let task = Some(AbortOnDropHandle::new(tokio::spawn(work)));
        state.pending.insert(owner, Pending { generation, comparison, _task: task });
    }
}

async fn wait_on(inner: Weak<Inner>, client: Arc<Client>, owner: Arc<str>, mark: Mark, generation: u64) {
    let own = {
        let Some(inner) = inner.upgrade() else { return };
        let state = inner.state();
        let Some(pending) = state.pending.get(&owner).filter(|pending| pending.generation == generation)
        else {
            return;
        };
        pending.comparison.own.iter().cloned().collect::<Vec<_>>()
    };
    let settlement = client.settle(&mark, &own, LATER, Occasion::Saved).await;
    let Some(inner) = inner.upgrade() else { return };
    let comparison = {
        let mut state = inner.state();
        let ours = state.pending.get(&owner).is_some_and(|pending| pending.generation == generation);
        // What is still open then is compared with the next write.
        if !ours || settlement != Settlement::Settled {
            return;
        }
        let pending = state.pending.get_mut(&owner).map(|pending| std::mem::take(&mut pending.comparison));
        pending.unwrap_or_default()
    };
    let findings = inner.compare(&client, &owner, &comparison, settlement);
    let mut state = inner.state();
    state.late.push(findings);
    // Drops this task's own handle: it has nothing more to wait for.
    state.pending.remove(&owner);
}

/// What a server that answers for a text says of the old one, where it never saw it: it is given it for a moment.
async fn learn_before(
    client: &Arc<Client>,
    owner: &Arc<str>,
    written: &Written,
    comparison: &mut Comparison,
    limit: Duration,
) {
    if matches!(client.server().settle, Settle::Flycheck | Settle::Quiet { .. })
        || !client.readiness().is_ready()
    {
        return;
    }
    let old = |(path, before): (&PathBuf, &Before)| {
        let Before::Content(content) = before else { return None };
        let path = uri::canonical(path);
        let text = String::from_utf8(content.clone()).ok()?;
        comparison.uncompared.contains(&path).then_some((path, Some(text)))
    };
    let texts: Vec<(PathBuf, Option<String>)> = written.before.iter().filter_map(old).collect();
    if texts.is_empty() {
        return;
    }
    let paths: Vec<PathBuf> = texts.iter().map(|(path, _)| path.clone()).collect();
    let mark = client.mark();
    let Ok(overlay) = timeout(limit, client.overlay(texts)).await else { return };
    let patience = Patience { quick: limit, check: limit };
    if client.settle(&mark, &paths, patience, Occasion::Unwritten).await == Settlement::Settled {
        // With the written files the server has answered for all others that are open.
        let open = client.all_documents().into_iter().map(|document| document.path);
        for path in open {
            if !paths.contains(&path) && comparison.baseline.knows(&path) {
                continue;
            }
            let before = Snapshot::of(owner, vec![(path.clone(), client.diagnostics(&path))]);
            comparison.baseline.learn(&path, &before);
            comparison.uncompared.remove(&path);
        }
    }
    overlay.end().await;
}

fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

impl fmt::Debug for OnWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnWrite").field("workspace", &self.inner.workspace).finish_non_exhaustive()
    }
}
