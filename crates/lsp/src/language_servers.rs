//! What a host says about the language servers of a run: which, with what, where, and how many.
//! It must never start anything, and never read the environment: it is handed in.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use peer::Spawn;

use crate::limits;
use crate::servers::Overrides;

/// The language servers of a run to be: the built-in table, what the host lays over it, and the limits.
#[derive(Clone, Debug)]
#[must_use]
pub struct LanguageServers {
    pub(crate) overrides: Vec<Overrides>,
    pub(crate) environment: Option<Vec<(OsString, OsString)>>,
    pub(crate) spawn: Arc<dyn Spawn>,
    pub(crate) project_code: bool,
    pub(crate) trusts_workspace: bool,
    pub(crate) most: usize,
    pub(crate) idle: Duration,
    pub(crate) open_documents: usize,
}

impl Default for LanguageServers {
    fn default() -> Self {
        Self {
            overrides: Vec::new(),
            environment: None,
            spawn: Arc::new(peer::Host),
            project_code: true,
            trusts_workspace: false,
            most: limits::SERVERS,
            idle: limits::IDLE_SERVER,
            open_documents: limits::OPEN_DOCUMENTS,
        }
    }
}

impl LanguageServers {
    /// Lays rows over the table, as TOML by server id (`[ty]`, `[rust-analyzer.settings.rust-analyzer]`); a new id
    /// is a new server, before all others. Fields are those of `servers.toml`.
    ///
    /// # Errors
    /// Why the text is no TOML.
    pub fn overrides(mut self, text: &str) -> Result<Self, String> {
        self.overrides.push(Overrides::parse(text)?);
        Ok(self)
    }

    /// All variables that servers see, and the `PATH` and `VIRTUAL_ENV` they are looked for in. Default, in a run: the
    /// process's own; without a run: none.
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.environment = Some(variables.collect());
        self
    }

    /// The same, unless an environment has been said already.
    pub fn environment_if_unsaid(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        if self.environment.is_some() { self } else { self.environment(variables) }
    }

    /// Where servers and checkers are started. Default: this machine.
    pub fn spawn(mut self, spawn: impl Spawn + 'static) -> Self {
        self.spawn = Arc::new(spawn);
        self
    }

    /// Leaves out servers that run code of the project (build scripts, macros, configuration that is a program), or
    /// limits them where they can be limited, and every program that lies in the workspace. Project checkers run code
    /// as well: `diagnostics` of `*` is refused.
    pub fn without_project_code(mut self) -> Self {
        self.project_code = false;
        self
    }

    /// Lets the workspace's `.outrigger/servers.toml` say what is started and with which settings. Default: it may
    /// only say what can make no server run anything.
    pub fn trusting_the_workspace(mut self) -> Self {
        self.trusts_workspace = true;
        self
    }

    /// How many servers run at once (8); the one that was left alone longest makes room.
    pub fn at_most(mut self, servers: usize) -> Self {
        self.most = servers.max(1);
        self
    }

    /// How long a server may be left alone before it is stopped (15 minutes).
    pub fn idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// How many documents a server holds open (64).
    pub fn open_documents(mut self, documents: usize) -> Self {
        self.open_documents = documents.max(1);
        self
    }
}
