//! One running server: asked only with the disk's text in it, believed only when it has loaded.
//! The way of a question: the file and every open document are compared with the disk (`client/sync.rs`), readiness
//! is waited for, and the request is queued before anybody may send another text. It must never hand out an answer to
//! another text than the one it is paired with, and never outlive its process unnoticed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use peer::{Command, Rpc, RpcError, RpcLimits, Spawn, Tail};
use serde_json::{Value, json};
use tokio::sync::RwLock;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::diagnostic::Diagnostic;
use crate::documents::{Documents, Synced};
use crate::error::Error;
use crate::handler::Handler;
use crate::handshake;
use crate::limits;
use crate::live::Live;
use crate::outside::{Known, Tracked};
use crate::position::Encoding;
use crate::process::{self, Ended, Process};
use crate::readiness::{Judged, Readiness, Status};
use crate::registrations;
use crate::servers::Server;
use crate::uri;

mod overlay;
mod stop;
mod sync;
#[cfg(test)]
mod tests;

/// What a server is started with and in.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) spawn: Arc<dyn Spawn>,
    /// Every variable the server gets, but for those of its own row.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) tracked: Arc<Tracked>,
    pub(crate) open_documents: usize,
    /// Ends a start that is under way, and waits for the end of its process.
    pub(crate) cancelled: CancellationToken,
}

/// A server that has come up.
#[derive(Debug)]
pub(crate) struct Client {
    server: Arc<Server>,
    root: PathBuf,
    capabilities: Value,
    encoding: Encoding,
    /// When it came up.
    up: Instant,
    rpc: Rpc,
    process: Process,
    live: Arc<Live>,
    documents: Mutex<Documents>,
    /// What it knows of the tracked files; nothing where they could not be listed.
    known: Mutex<Option<Known>>,
    /// Held for writing while a preview has given the server other texts than the disk's.
    disk_is_shown: Arc<RwLock<()>>,
}

/// An answer, the text it is about, and whether it can be believed when it is empty.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) document: Synced,
    pub(crate) value: Value,
    /// The worse of before and after the question.
    pub(crate) readiness: Readiness,
}

impl Client {
    /// Starts `executable` for `root` and comes back once the server is up and configured.
    ///
    /// *Cancel safety*: dropping the future kills what was started.
    pub(crate) async fn start(
        server: Arc<Server>,
        root: PathBuf,
        executable: PathBuf,
        host: Host,
    ) -> Result<Arc<Self>, Error> {
        let command = Command::new(executable, &root)
            .args(server.command.iter().skip(1))
            .environment(host.environment)
            .environment(server.environment.iter());
        let failed = |why| Error::Start { server: server.id.clone(), why };
        let mut child = host.spawn.spawn(command).await.map_err(failed)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr())
        else {
            let why = "it was started without its three streams".to_owned();
            return Err(Error::Initialize { server: server.id.clone(), why, stderr: String::new() });
        };
        let live = Arc::new(Live::new(&server));
        let handler = Handler::new(Arc::clone(&server), root.clone(), Arc::clone(&live));
        let rpc = Rpc::start(stdout, stdin, RpcLimits::default(), Arc::new(handler));
        let process =
            Process::watch(child, rpc.clone(), Arc::clone(&live), Tail::drain(stderr, limits::STDERR_TAIL));
        let come_up =
            async { tokio::join!(initialize(&server, &root, &rpc, &process), host.tracked.latest()) };
        let (answer, listed) = tokio::select! {
            come_up = come_up => come_up,
            () = host.cancelled.cancelled() => {
                rpc.close();
                let _ = process.stop(process::at_once()).await;
                return Err(Error::Closing { server: server.id.clone() });
            }
        };
        let mut answer = answer?;
        let capabilities = answer["capabilities"].take();
        let encoding = match &capabilities["positionEncoding"] {
            Value::Null => Encoding::Utf16,
            named => named.as_str().and_then(Encoding::named).ok_or_else(|| {
                let why = format!("it counts positions in `{named}`, which was not offered");
                Error::Initialize { server: server.id.clone(), why, stderr: process.stderr() }
            })?,
        };
        // A conversation that is closed by now is told by the first request.
        let _ = rpc.notify("initialized", json!({}));
        let settings = json!({ "settings": server.settings.clone() });
        let _ = rpc.notify("workspace/didChangeConfiguration", settings);
        Ok(Arc::new(Self {
            server,
            root,
            capabilities,
            encoding,
            up: Instant::now(),
            rpc,
            process,
            live,
            documents: Mutex::new(Documents::new(host.open_documents)),
            known: Mutex::new(listed.ok().map(Known::new)),
            disk_is_shown: Arc::default(),
        }))
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What the server counts within a line.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Bytes of memory of the server and everything below it.
    pub(crate) async fn memory(&self) -> Option<u64> {
        self.process.memory().await
    }

    pub(crate) fn open_documents(&self) -> usize {
        self.documents().len()
    }

    /// Requests that wait for an answer.
    pub(crate) fn pending(&self) -> usize {
        self.rpc.pending()
    }

    /// When it was last asked, told or answered something.
    pub(crate) fn last_exchange(&self) -> Instant {
        self.rpc.last_exchange()
    }

    /// How it ended, if it did so by itself.
    pub(crate) fn end(&self) -> Option<Arc<Ended>> {
        self.process.ended()
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) -> Option<Arc<Ended>> {
        self.process.end().await
    }

    /// What it says of its own health, where it does.
    pub(crate) fn status(&self) -> Option<Status> {
        self.live.told().status.clone()
    }

    /// The last errors and warnings it had for its user.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.live.told().messages.iter().cloned().collect()
    }

    /// What it has told, for those who settle on it.
    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// What is known to be wrong with `path`.
    pub(crate) fn diagnostics(&self, path: &Path) -> Vec<Diagnostic> {
        self.live.told().diagnostics.of(&uri::canonical(path))
    }

    /// The same for every file that was reported, clean ones included.
    pub(crate) fn all_diagnostics(&self) -> Vec<(PathBuf, Vec<Diagnostic>)> {
        self.live.told().diagnostics.all()
    }

    /// The open documents as they were sent.
    pub(crate) fn all_documents(&self) -> Vec<Synced> {
        self.documents().all()
    }

    /// Whether it offers `method`: from the beginning, or registered since.
    pub(crate) fn offers(&self, method: &str) -> bool {
        registrations::offered(&self.capabilities, method)
            || self.live.told().registrations.of(method).next().is_some()
    }

    /// A capability from the beginning, by JSON pointer; `null` and `false` are none.
    pub(crate) fn capability(&self, pointer: &str) -> Option<&Value> {
        self.capabilities.pointer(pointer).filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
    }

    /// One request within the usual limit, with no look at the disk.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.request_within(method, params, limits::REQUEST).await
    }

    /// The same within a limit of the caller's.
    pub(crate) fn request_within<'a>(
        &'a self,
        method: &'a str,
        params: Value,
        limit: Duration,
    ) -> impl Future<Output = Result<Value, Error>> + Send + 'a {
        let answer = self.rpc.request(method, params, limit);
        async move {
            match answer.await {
                Ok(value) => Ok(value),
                Err(error) => Err(self.explain(method, error).await),
            }
        }
    }

    /// Tells the server something, in order with all else. An end of the server is told by the next request.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let _ = self.rpc.notify(method, params);
    }

    /// Asks about `path`. The disk's text is sent first, readiness waited for, and `params` made from the very text
    /// the server has when it reads the question. An answer that the server calls outdated is asked for again.
    ///
    /// `params` is called under a lock: it must not call back.
    ///
    /// *Cancel safety*: dropping the future cancels the request at the server.
    pub(crate) async fn ask(
        &self,
        path: &Path,
        method: &str,
        params: impl Fn(&Synced) -> Result<Value, Error>,
    ) -> Result<Asked, Error> {
        self.sync(path).await?;
        let before = self.ready(limits::READINESS).await;
        let mut retries = limits::RETRIES;
        loop {
            let shown = self.disk_is_shown().await?;
            let (document, answer) = self.queue(path, method, &params).await?;
            let answer = answer.await;
            drop(shown);
            match answer {
                Err(error) if error.is_outdated() && retries > 0 => retries -= 1,
                Err(error) => return Err(error),
                Ok(value) => {
                    let readiness = if before.is_ready() { self.readiness() } else { before };
                    return Ok(Asked { document, value, readiness });
                }
            }
            tokio::time::sleep(limits::RETRY_PAUSE).await;
        }
    }

    /// Waits until the server has loaded, as it tells it, for at most `limit`.
    pub(crate) async fn ready(&self, limit: Duration) -> Readiness {
        let readiness = self.loaded(limit).await;
        if !readiness.is_ready() {
            self.live.told().progress.give_up();
        }
        readiness
    }

    /// The same for a wait so short that it proves nothing about work that takes long.
    pub(crate) async fn loaded(&self, limit: Duration) -> Readiness {
        let end = Instant::now() + limit;
        let mut changes = self.live.changes();
        loop {
            changes.borrow_and_update();
            let Judged::Loading { waiting_for, again, overdue } = self.judge() else {
                return Readiness::Ready;
            };
            let now = Instant::now();
            if overdue || now >= end || self.live.is_closing() {
                return Readiness::Loading { waiting_for };
            }
            let next = again.unwrap_or(end).min(end);
            tokio::select! {
                _ = changes.changed() => {}
                () = sleep_until(next) => {}
                _ = self.process.end() => return Readiness::Loading { waiting_for: "a server that has ended".to_owned() },
            }
        }
    }

    /// Whether the server has loaded, without a wait.
    pub(crate) fn readiness(&self) -> Readiness {
        match self.judge() {
            Judged::Ready => Readiness::Ready,
            Judged::Loading { waiting_for, .. } => Readiness::Loading { waiting_for },
        }
    }

    /// What a reader of its answers must know, beyond that it is ready.
    pub(crate) fn caveat(&self) -> Option<String> {
        self.server.readiness.caveat(&self.live.told().progress).map(str::to_owned)
    }

    fn judge(&self) -> Judged {
        let told = self.live.told();
        let since = told.first_document.unwrap_or(self.up);
        self.server.readiness.judge(
            &told.progress,
            told.status.as_ref(),
            told.loaded_by_log,
            since,
            Instant::now(),
        )
    }

    fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What went wrong, in the server's own last words where it has ended.
    async fn explain(&self, method: &str, error: RpcError) -> Error {
        let server = || self.server.id.clone();
        match error {
            RpcError::Answered(fault) => Error::Answered {
                server: server(),
                method: method.to_owned(),
                code: fault.code,
                message: fault.message,
            },
            RpcError::TimedOut { after } => {
                Error::TimedOut { server: server(), method: method.to_owned(), after }
            }
            _ if self.live.is_closing() => Error::Closing { server: server() },
            error => {
                // The reason is known a moment after the end; twice the limit of both halves of it.
                let ended = timeout(limits::LAST_WORDS * 3, self.process.end()).await.ok().flatten();
                let (how, stderr) = match &ended {
                    Some(ended) => (ended.how.clone(), ended.stderr.clone()),
                    None => (error.to_string(), self.process.stderr()),
                };
                Error::Ended { server: server(), method: method.to_owned(), how, stderr }
            }
        }
    }
}

/// Asks `initialize`; a server that does not answer in time, or not so, is dropped by the caller with its tree.
async fn initialize(server: &Server, root: &Path, rpc: &Rpc, process: &Process) -> Result<Value, Error> {
    let params = handshake::params(server, root);
    let why = match rpc.request("initialize", params, limits::INITIALIZE).await {
        Ok(answer) => return Ok(answer),
        Err(RpcError::TimedOut { after }) => format!("no answer to `initialize` within {after:?}"),
        Err(RpcError::Answered(fault)) => format!("it refused `initialize`: {fault}"),
        Err(error) => match timeout(limits::LAST_WORDS * 3, process.end()).await.ok().flatten() {
            Some(ended) => ended.how.clone(),
            None => error.to_string(),
        },
    };
    Err(Error::Initialize { server: server.id.clone(), why, stderr: process.stderr() })
}
