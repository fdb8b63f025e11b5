//! From nothing to a program that runs at its breakpoints.
//!
//! The start request is sent and *not* waited for: some adapters answer it only after `configurationDone`, some before
//! they take breakpoints, and some never once they have failed. Whichever comes first counts: its failure, the
//! adapter's readiness, or the adapter's end. It must never lose the first real error behind a later one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, join3};
use peer::{Command, Spawn};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, timeout};

use crate::adapters::Adapter;
use crate::connection::Connection;
use crate::error::{Error, Refusal};
use crate::keeper::{Keeper, Ownership};
use crate::limits;
use crate::session::{Common, Session};
use crate::shared::Shared;
use crate::state::{Ended, Intent, Phase, Standing};
use crate::transport;

/// All that is needed to start.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The program, as answers show it.
    pub(crate) program: String,
    pub(crate) adapter: Arc<Adapter>,
    pub(crate) reach: Reach,
    pub(crate) ownership: Ownership,
    /// The fields of the start request.
    pub(crate) fields: Map<String, Value>,
    pub(crate) enters: bool,
    pub(crate) scratch: Option<TempDir>,
    /// What the caller should know of this session.
    pub(crate) notes: Vec<String>,
    pub(crate) life: Duration,
}

#[derive(Debug)]
pub(crate) enum Reach {
    Start { executable: PathBuf, arguments: Vec<String>, folder: PathBuf },
    Connect(u16),
}

impl Plan {
    /// Starts the adapter. From here on a process is there, and ends with the session.
    pub(crate) async fn open(
        &mut self,
        spawn: &dyn Spawn,
        environment: &[(std::ffi::OsString, std::ffi::OsString)],
        common: Arc<Common>,
    ) -> Result<Arc<Session>, Error> {
        let life_ends = Instant::now() + self.life;
        common.breakpoints.unbind();
        let standing = Standing::new(Arc::clone(&common.stops));
        if self.enters {
            standing.intends(Intent::Enter);
        }
        let shared =
            Arc::new(Shared::new(Arc::clone(&self.adapter), standing, Arc::clone(&common.breakpoints)));
        let reached = match &self.reach {
            Reach::Connect(port) => transport::connect(*port).await,
            Reach::Start { executable, arguments, folder } => {
                let command =
                    Command::new(executable, folder).args(arguments).environment(environment.iter().cloned());
                let announcement = self.adapter.announcement.as_deref();
                transport::start(spawn, command, announcement, &shared.output).await
            }
        };
        let reached = reached.map_err(|why| self.failed(&shared, why))?;
        let handler: Arc<Shared> = Arc::clone(&shared);
        let connection = Connection::start(reached.reader, reached.writer, handler);
        let keeper = Keeper {
            child: reached.child,
            connection: connection.clone(),
            shared: Arc::clone(&shared),
            ownership: self.ownership,
            life_ends,
            scratch: self.scratch.take(),
        };
        tokio::spawn(keeper.run());
        Ok(Arc::new(Session::new(self, shared, connection, common)))
    }

    /// Sets the breakpoints and lets the program run.
    pub(crate) async fn configure(&self, session: &Session) -> Result<(), Error> {
        let shared = session.shared();
        let mut state = shared.standing.subscribe();
        let done = tokio::select! {
            biased;
            done = self.handshake(session) => done,
            ended = state.wait_for(|state| matches!(state.phase, Phase::Ended(_))) => {
                match ended.map(|state| state.phase.clone()) {
                    Ok(Phase::Ended(ended)) => match &*ended {
                        // It was quicker than the adapter's answers.
                        Ended::Exited(_) => Ok(()),
                        Ended::Lost(how) => Err(lost(how)),
                        Ended::Expired { .. } => Err("the life of its session was over".to_owned()),
                        Ended::Terminated { .. } => {
                            return Err(Error::Abandoned { program: self.program.clone() });
                        }
                    },
                    _ => Ok(()),
                }
            }
        };
        done.map_err(|why| self.failed(shared, why))
    }

    async fn handshake(&self, session: &Session) -> Result<(), String> {
        let (connection, shared) = (session.connection(), session.shared());
        match connection.request("initialize", self.hello(), limits::INITIALIZE).await {
            Ok(capabilities) => shared.can(&capabilities),
            Err(why) => return Err(in_words("initialize", why, session).await),
        }
        let command = match self.ownership {
            Ownership::Launched => "launch",
            Ownership::Attached => "attach",
        };
        let started = connection.request(command, Value::Object(self.fields.clone()), limits::INITIALIZED);
        tokio::pin!(started);
        let mut answered = false;
        let configured = configure_when_ready(connection, shared);
        tokio::pin!(configured);
        let configured = loop {
            tokio::select! {
                biased;
                answer = &mut started, if !answered => match answer {
                    Ok(_) => answered = true,
                    Err(why) => return Err(in_words(command, why, session).await),
                },
                configured = &mut configured => break configured,
            }
        };
        if let Err(later) = configured {
            // The failure of the start itself explains what failed after it.
            if answered {
                return Err(later);
            }
            return match timeout(limits::REAL_ERROR, started).await {
                Ok(Err(why)) => Err(in_words(command, why, session).await),
                _ => Err(later),
            };
        }
        if !answered && let Err(why) = started.await {
            return Err(in_words(command, why, session).await);
        }
        shared.standing.configured();
        Ok(())
    }

    fn hello(&self) -> Value {
        json!({
            "clientID": "outrigger",
            "clientName": "Outrigger",
            "adapterID": self.adapter.id,
            "locale": "en-US",
            "pathFormat": "path",
            "linesStartAt1": true,
            "columnsStartAt1": true,
            "supportsVariableType": true,
            "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": false,
            "supportsStartDebuggingRequest": false,
        })
    }

    /// The error of a start, with what adapter and compiler have said.
    fn failed(&self, shared: &Shared, why: String) -> Error {
        let mut why = why;
        let said = [shared.output.console_text(), written(shared)].concat();
        let said = said.replace("\r\n", "\n");
        let said = said.trim();
        if !said.is_empty() {
            let cut = said.len().saturating_sub(limits::FAILURE);
            why = format!("{why}\nthe adapter wrote:\n{}", &said[said.ceil_char_boundary(cut)..]);
        }
        let hint = match self.ownership {
            Ownership::Attached => self.adapter.attach_hint.clone(),
            Ownership::Launched => None,
        };
        Error::Start { program: self.program.clone(), why, hint }
    }
}

/// Why a request of the start failed; of an adapter that is gone, how it ended.
async fn in_words(command: &str, why: Refusal, session: &Session) -> String {
    match why {
        Refusal::Answered(text) => text,
        Refusal::TimedOut(seconds) => format!("`{command}` was not answered within {seconds} s"),
        Refusal::Closed => {
            let mut state = session.shared().standing.subscribe();
            let ended = state.wait_for(|state| matches!(state.phase, Phase::Ended(_)));
            match timeout(limits::LAST_WORDS * 3, ended).await {
                Ok(Ok(state)) => match &state.phase {
                    Phase::Ended(ended) if let Ended::Lost(how) = &**ended => lost(how),
                    _ => "the debug adapter ended".to_owned(),
                },
                _ => "the debug adapter ended".to_owned(),
            }
        }
    }
}

fn lost(how: &str) -> String {
    format!("the debug adapter ended: {how}")
}

fn written(shared: &Shared) -> String {
    shared.output.take().pieces.into_iter().map(|piece| piece.text).collect()
}

/// Waits until the adapter takes breakpoints, which it may have said long before, and gives it all of them.
async fn configure_when_ready(connection: &Connection, shared: &Shared) -> Result<(), String> {
    let mut state = shared.standing.subscribe();
    let ready = state.wait_for(|state| state.initialized);
    if timeout(limits::INITIALIZED, ready).await.is_err() {
        return Err(format!("it was not ready within {} s", limits::INITIALIZED.as_secs()));
    }
    configure(connection, shared).await
}

/// Everything between `initialized` and the end of the configuration, sent at once.
async fn configure(connection: &Connection, shared: &Shared) -> Result<(), String> {
    let capabilities = shared.capabilities();
    let files = shared.breakpoints.files();
    let files = join_all(files.iter().map(|file| set_file(connection, shared, file)));
    let functions = async {
        if !shared.breakpoints.functions().is_empty() {
            set_functions(connection, shared).await;
        }
    };
    let exceptions = async {
        let none = capabilities.exception_filters().is_empty();
        // An adapter without `configurationDone` takes this for it.
        if !none || !capabilities.has("supportsConfigurationDoneRequest") {
            let _ = set_filters(connection, shared).await;
        }
    };
    join3(files, functions, exceptions).await;
    if capabilities.has("supportsConfigurationDoneRequest") {
        let done = connection.request("configurationDone", json!({}), limits::REQUEST);
        done.await.map_err(|why| format!("`configurationDone`: {why}"))?;
    }
    Ok(())
}

/// Tells the adapter the breakpoints of one file.
pub(crate) async fn set_file(connection: &Connection, shared: &Shared, file: &std::path::Path) {
    let arguments = shared.breakpoints.request(file, &shared.capabilities());
    let answer = connection.request("setBreakpoints", arguments, limits::REQUEST).await;
    shared.breakpoints.answered(file, answer.map_err(|why| why.to_string()));
}

/// Tells the adapter the functions to stop at, if it can.
pub(crate) async fn set_functions(connection: &Connection, shared: &Shared) {
    let answer = if shared.capabilities().has("supportsFunctionBreakpoints") {
        let arguments = shared.breakpoints.function_request();
        let answer = connection.request("setFunctionBreakpoints", arguments, limits::REQUEST).await;
        answer.map_err(|why| why.to_string())
    } else {
        Err("this adapter has no function breakpoints".to_owned())
    };
    shared.breakpoints.functions_answered(answer);
}

/// The exceptions the program is to stop at: those asked for, else those of the adapter's row, else its own defaults.
pub(crate) fn filters(shared: &Shared) -> Vec<String> {
    let offered = shared.capabilities().exception_filters();
    let wanted = shared.breakpoints.filters();
    let chosen = wanted.unwrap_or_else(|| shared.adapter.exceptions.clone());
    let by_name: Vec<String> = offered
        .iter()
        .filter(|filter| chosen.contains(&filter.filter))
        .map(|filter| filter.filter.clone())
        .collect();
    if by_name.is_empty() && shared.breakpoints.filters().is_none() {
        return offered.into_iter().filter(|filter| filter.default).map(|filter| filter.filter).collect();
    }
    by_name
}

/// Tells the adapter the exceptions to stop at.
pub(crate) async fn set_filters(connection: &Connection, shared: &Shared) -> Result<(), Refusal> {
    let arguments = json!({"filters": filters(shared)});
    connection.request("setExceptionBreakpoints", arguments, limits::REQUEST).await.map(drop)
}
