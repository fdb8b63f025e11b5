//! One run: a workspace, the resources attached to it, and the registry of their tools. It registers exactly the
//! tools whose resources are attached, and stops what it started when it is closed or dropped.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use edits::{Edits, Limits, Resolve};
use tool::{AttachError, Layer, Registry, Surface, Tier, Tool, TypedTool};
use workspace::Workspace;

#[cfg(feature = "structural")]
use crate::Grammars;
use crate::approval::{Approval, ApprovalLayer, ByTier};
#[cfg(feature = "debug")]
use crate::debugging::{self, DebugSessions};
#[cfg(feature = "lsp")]
use crate::language::{self, LanguageServers};
use crate::{Approver, Policy, state, telemetry};

/// Makes the tools of one resource, each time it is attached.
type Factory = Arc<dyn Fn(&Parts) -> Vec<Arc<dyn Tool>> + Send + Sync>;

/// What a resource's tools are made from.
#[derive(Clone, Debug)]
pub struct Parts {
    workspace: Workspace,
    edits: Edits,
}

impl Parts {
    /// The files of the run.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The one door for changes of those files; it honours this run's permits only.
    pub fn edits(&self) -> &Edits {
        &self.edits
    }
}

/// Why a run could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The state folder that was named has no absolute path.
    #[error(transparent)]
    State(#[from] edits::Error),
    /// Two resources bring the same tool.
    #[error(transparent)]
    Attach(#[from] AttachError),
}

/// Collects what a run has. See [`Run::builder`].
#[must_use]
pub struct RunBuilder {
    workspace: Workspace,
    resources: Vec<(String, Factory)>,
    policy: Arc<dyn Policy>,
    approver: Option<Arc<dyn Approver>>,
    layers: Vec<Arc<dyn Layer>>,
    inner_layers: Vec<Arc<dyn Layer>>,
    limits: Limits,
    state_folder: Option<PathBuf>,
    keep_staged: bool,
    staging: bool,
    #[cfg(feature = "lsp")]
    language_servers: Option<LanguageServers>,
}

impl RunBuilder {
    /// Attaches syntax trees: `ast_grep`, `ast_edit`, and `resolve` for what is staged.
    #[cfg(feature = "structural")]
    pub fn syntax(mut self, grammars: Grammars) -> Self {
        self.staging = true;
        self.resource("syntax", move |parts| grammars.tools(parts))
    }

    /// Attaches language servers: `lsp`, `lsp_rename`, `lsp_rename_file`, `resolve` with its action `check`, and around
    /// every tool that changes files the errors and warnings which that introduced. Nothing is started before a call
    /// needs it. Unless they have one, servers get the environment of this process.
    #[cfg(feature = "lsp")]
    pub fn language_servers(mut self, servers: LanguageServers) -> Self {
        self.staging = true;
        self.language_servers = Some(servers);
        self
    }

    /// Attaches debug adapters for one conversation: `debug`, one session at a time. Nothing is started before a call
    /// needs it, and whatever was started ends with the attachment. Unless they have one, adapters and programs get the
    /// environment of this process.
    #[cfg(feature = "debug")]
    pub fn debuggers(self, sessions: DebugSessions, conversation: &str) -> Self {
        let (sessions, conversation) = (debugging::in_environment(sessions), conversation.to_owned());
        self.resource(debugging::RESOURCE, move |parts| debugging::tools(&sessions, &conversation, parts))
    }

    /// Attaches a resource of the host's own: `tools` is called at each attachment.
    pub fn resource(
        mut self,
        name: &str,
        tools: impl Fn(&Parts) -> Vec<Arc<dyn Tool>> + Send + Sync + 'static,
    ) -> Self {
        self.resources.push((name.to_owned(), Arc::new(tools)));
        self
    }

    /// Adds one tool of the host's, as a resource that bears the tool's name.
    pub fn tool(self, tool: impl TypedTool) -> Self {
        self.raw_tool(tool::tool(tool))
    }

    /// The same for a tool that is adapted already, or written against [`Tool`] itself.
    pub fn raw_tool(self, tool: Arc<dyn Tool>) -> Self {
        let name = tool.spec().name.clone();
        self.resource(&name, move |_| vec![Arc::clone(&tool)])
    }

    /// Decides what is asked. Default: read never, write and exec always.
    pub fn policy(mut self, policy: impl Policy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Who answers. Without one, whatever needs approval is refused at once.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Adds a layer around every call, outside approval, inside the layers added before.
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Adds a layer inside the gates, inside the inner layers added before: it runs while a call holds its turn.
    pub fn inner_layer(mut self, layer: impl Layer + 'static) -> Self {
        self.inner_layers.push(Arc::new(layer));
        self
    }

    /// How many edits stay staged and for how long, how long a commit waits for another, how much of a diff is shown.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where journal, lock and staged edits live; made with mode 0700. Default: [`state_folder`](crate::state_folder).
    /// Where it cannot be used, read tools work all the same, and write tools answer `Unavailable` and say why.
    pub fn state_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state_folder = Some(folder.into());
        self
    }

    /// Keeps staged edits in the state folder, so that another process can resolve them. Default: in memory.
    pub fn keep_staged_edits(mut self) -> Self {
        self.keep_staged = true;
        self
    }

    /// Builds the run, recovering first from a commit that a crash cut short.
    ///
    /// # Errors
    /// [`BuildError`] where two resources bring one tool. (A state folder that cannot be used is none: see
    /// [`RunBuilder::state_folder`].)
    pub fn build(self) -> Result<Run, BuildError> {
        let mut registry = Registry::builder().layer(telemetry::Telemetry);
        for layer in self.layers {
            registry = registry.layer(move |inner| layer.wrap(inner));
        }
        for layer in self.inner_layers {
            registry = registry.inner_layer(move |inner| layer.wrap(inner));
        }
        #[cfg(feature = "lsp")]
        let language = language::Attached::new(&self.workspace);
        #[cfg(feature = "lsp")]
        if self.language_servers.is_some() {
            let layer = language.layer();
            registry = registry.inner_layer(move |inner| layer.wrap(inner));
        }
        let registry = registry.layer(ApprovalLayer(Approval::new(self.policy, self.approver))).build();
        let state = state::state(self.state_folder, self.keep_staged, self.workspace.root());
        let edits = Edits::open_with(self.workspace.clone(), registry.authority(), state, self.limits)?;
        let parts = Parts { workspace: self.workspace, edits };
        let mut factories: BTreeMap<String, Factory> = BTreeMap::new();
        if self.staging {
            #[cfg(feature = "lsp")]
            let preview = self.language_servers.as_ref().map(|_| language.preview());
            let resolve: Factory = Arc::new(move |parts| {
                let resolve = Resolve::new(parts.edits().clone());
                #[cfg(feature = "lsp")]
                let resolve = match preview.clone() {
                    Some(preview) => resolve.with_preview(preview),
                    None => resolve,
                };
                vec![tool::tool(resolve)]
            });
            registry.attach("staging", resolve(&parts))?;
            factories.insert("staging".to_owned(), resolve);
        }
        #[cfg(feature = "lsp")]
        let language_servers = self.language_servers.map(|servers| {
            let language = language.clone();
            let tools: Factory = Arc::new(move |parts| language.tools(&servers, parts));
            (language::RESOURCE.to_owned(), tools)
        });
        #[cfg(not(feature = "lsp"))]
        let language_servers = None;
        for (name, factory) in self.resources.into_iter().chain(language_servers) {
            registry.attach(&name, factory(&parts))?;
            factories.insert(name, factory);
        }
        Ok(Run {
            registry,
            parts,
            factories,
            #[cfg(feature = "lsp")]
            language,
        })
    }
}

impl fmt::Debug for RunBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.resources.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("RunBuilder").field("resources", &names).finish_non_exhaustive()
    }
}

/// Why a resource could not be attached again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The run was not built with it.
    #[error("this run has no resource `{name}`; it has {known}")]
    Unknown {
        /// What was asked.
        name: String,
        /// What there is.
        known: String,
    },
    /// It is attached, or its tools collide.
    #[error(transparent)]
    Attach(#[from] AttachError),
}

/// One run of an agent: dropped or closed, it takes everything it started with it.
#[must_use]
pub struct Run {
    registry: Registry,
    parts: Parts,
    factories: BTreeMap<String, Factory>,
    #[cfg(feature = "lsp")]
    language: language::Attached,
}

/// What ended with a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// The processes that were running, and that their end was not by itself: killed, or not seen.
    pub forced: Vec<String>,
    /// How many were running.
    pub processes: usize,
}

impl Run {
    /// A run of `workspace` to be.
    pub fn builder(workspace: Workspace) -> RunBuilder {
        RunBuilder {
            workspace,
            resources: Vec::new(),
            policy: Arc::new(ByTier),
            approver: None,
            layers: Vec::new(),
            inner_layers: Vec::new(),
            limits: Limits::default(),
            state_folder: None,
            keep_staged: false,
            staging: false,
            #[cfg(feature = "lsp")]
            language_servers: None,
        }
    }

    /// What a reader with this ceiling sees and may call: `Tier::Read` is plan mode.
    pub fn surface(&self, ceiling: Tier) -> Surface {
        self.registry.surface(ceiling)
    }

    /// The registry behind the surfaces.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The workspace and the door to its files.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Attaches a resource that was detached.
    ///
    /// # Errors
    /// [`ResourceError`] for a resource the run was not built with, or one that is attached.
    pub fn attach(&self, name: &str) -> Result<(), ResourceError> {
        let Some(factory) = self.factories.get(name) else { return Err(self.unknown(name)) };
        // Asked first: making tools may cost what an attached resource holds already.
        if self.registry.resources().iter().any(|attached| attached == name) {
            return Err(AttachError::DuplicateResource { resource: name.to_owned() }.into());
        }
        Ok(self.registry.attach(name, factory(&self.parts))?)
    }

    /// Detaches a resource: its tools leave every schema at once, calls in flight end with `Unavailable`. Says
    /// whether it was attached.
    ///
    /// # Errors
    /// [`ResourceError::Unknown`] for a resource the run was not built with.
    pub fn detach(&self, name: &str) -> Result<bool, ResourceError> {
        if !self.factories.contains_key(name) {
            return Err(self.unknown(name));
        }
        #[cfg(feature = "lsp")]
        let stopping = (name == language::RESOURCE).then(|| self.language.supervisor()).flatten();
        let was_attached = self.registry.detach(name);
        #[cfg(feature = "lsp")]
        language::stop_in_background(stopping);
        Ok(was_attached)
    }

    /// Ends the run in order: every tool leaves, calls in flight end with `Unavailable`, a commit that has begun is
    /// finished, and processes are asked to end before they are made to. Says which had to be made to.
    ///
    /// # Cancel safety
    /// Dropping the future ends the run all the same, without waiting.
    pub async fn close(self) -> Ended {
        #[cfg(feature = "lsp")]
        let servers = self.language.supervisor();
        self.registry.close();
        self.registry.drained().await;
        #[cfg(feature = "lsp")]
        return language::stop(servers).await;
        #[cfg(not(feature = "lsp"))]
        Ended::default()
    }

    fn unknown(&self, name: &str) -> ResourceError {
        let known = self.factories.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        ResourceError::Unknown {
            name: name.to_owned(),
            known: if known.is_empty() { "none".to_owned() } else { known },
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.registry.close();
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("registry", &self.registry).finish_non_exhaustive()
    }
}
