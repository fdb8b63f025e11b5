//! What owns a session's process: its life, its end, and that nothing of it is left.
//!
//! The session ends when the program does, when it is told to, when its life is over, when the adapter is lost, or when
//! nobody holds it. It must never wait for an adapter without a limit, and never outlive its task.

use std::sync::Arc;

use peer::Child;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{Instant, sleep_until, timeout};

use crate::connection::Connection;
use crate::limits;
use crate::shared::Shared;
use crate::state::{Ended, Phase};

/// Whose the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// It was started by us, and ends with the session.
    Launched,
    /// It ran before, and is let go.
    Attached,
}

#[derive(Debug)]
pub(crate) struct Keeper {
    /// None where the program's port speaks the protocol itself.
    pub(crate) child: Option<Child>,
    pub(crate) connection: Connection,
    pub(crate) shared: Arc<Shared>,
    pub(crate) ownership: Ownership,
    pub(crate) life_ends: Instant,
    /// What is built for the session, removed with it.
    pub(crate) scratch: Option<TempDir>,
}

/// Why a session ends.
enum Why {
    Asked,
    Expired,
    Over,
    Lost,
}

impl Keeper {
    pub(crate) async fn run(mut self) {
        let abandoned = self.shared.abandoned.clone();
        tokio::select! {
            biased;
            () = abandoned.cancelled() => {}
            () = self.keep() => {}
        }
        self.connection.close();
        let gone = self.shared.gone.clone();
        // Dropping the child kills whatever is left of its tree.
        drop(self);
        gone.cancel();
    }

    async fn keep(&mut self) {
        let why = tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => Why::Asked,
            () = sleep_until(self.life_ends) => Why::Expired,
            () = self.shared.over() => Why::Over,
            () = self.connection.closed() => Why::Lost,
            () = exit(self.child.as_ref()) => Why::Lost,
        };
        let detached = self.ownership == Ownership::Attached;
        match why {
            Why::Asked => {
                self.shared.standing.ends(Ended::Terminated { detached });
                self.farewell().await;
            }
            Why::Expired => {
                self.shared.standing.ends(Ended::Expired { detached });
                self.farewell().await;
            }
            Why::Over => self.is_over().await,
            Why::Lost => self.is_lost().await,
        }
        self.connection.close();
        self.connection.input_ended().await;
        if let Some(child) = &mut self.child {
            let _ = child.stop(&limits::LADDER).await;
        }
        drop(self.scratch.take());
    }

    /// The program has ended: the other half of the news is waited for, then what was still on its way.
    async fn is_over(&mut self) {
        let mut state = self.shared.standing.subscribe();
        let limit = if state.borrow().exited { limits::LAST_WORDS } else { limits::EXIT_CODE };
        let _ = timeout(limit, state.wait_for(|state| state.exited && state.terminated)).await;
        let _ = timeout(limits::LAST_WORDS, self.disconnect()).await;
        self.shared.standing.ends(Ended::Exited(self.shared.standing.now().exit_code));
    }

    /// The adapter is gone: what it said last is waited for.
    async fn is_lost(&mut self) {
        let _ = timeout(limits::LAST_WORDS, self.connection.closed()).await;
        let _ = timeout(limits::LAST_WORDS, exit(self.child.as_ref())).await;
        let state = self.shared.standing.now();
        if state.exited || state.terminated {
            self.shared.standing.ends(Ended::Exited(state.exit_code));
            return;
        }
        let how = match self.child.as_ref().and_then(Child::exit) {
            Some(exit) => exit.to_string(),
            None => "it closed the connection".to_owned(),
        };
        self.shared.standing.ends(Ended::Lost(how));
    }

    /// Asks the adapter to end the program, or to let go of it.
    async fn farewell(&mut self) {
        let can_terminate = self.shared.capabilities().has("supportsTerminateRequest");
        if self.ownership == Ownership::Launched && can_terminate {
            let asked = self.connection.request("terminate", json!({}), limits::FAREWELL);
            let ended = timeout(limits::FAREWELL, self.shared.over());
            let _ = futures_util::future::join(asked, ended).await;
        }
        let _ = timeout(limits::FAREWELL, self.disconnect()).await;
    }

    async fn disconnect(&self) {
        let ours = self.ownership == Ownership::Launched;
        let arguments = json!({"restart": false, "terminateDebuggee": ours});
        let _ = self.connection.request("disconnect", arguments, limits::FAREWELL).await;
    }
}

/// Waits for the process; for ever where there is none.
async fn exit(child: Option<&Child>) {
    match child {
        Some(child) => drop(child.wait().await),
        None => std::future::pending().await,
    }
}

/// The end of a session in words, for a program called `program`.
pub(crate) fn told(phase: &Phase, program: &str) -> Option<String> {
    let Phase::Ended(ended) = phase else { return None };
    Some(match &**ended {
        Ended::Exited(Some(code)) => format!("`{program}` has exited with code {code}"),
        Ended::Exited(None) => format!("`{program}` has ended; its exit code is not known"),
        Ended::Terminated { detached: false } => format!("`{program}` was ended by `terminate`"),
        Ended::Terminated { detached: true } => format!("`{program}` was let go by `terminate`, and runs on"),
        Ended::Expired { detached: false } => {
            format!("`{program}` was ended: the life of its session was over")
        }
        Ended::Expired { detached: true } => {
            format!("`{program}` was let go, and runs on: the life of its session was over")
        }
        Ended::Lost(how) => format!("the debug adapter of `{program}` ended before the program did: {how}"),
    })
}

#[cfg(test)]
mod tests;
