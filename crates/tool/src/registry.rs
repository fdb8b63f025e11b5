//! The tools of one run, each under the resource it is attached to. Attaching and detaching change the schema at
//! once. A call in flight never keeps the registry alive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::gate::{self, Gates};
use crate::innermost::Innermost;
use crate::tenure::Tenure;
use crate::unknown::Unknown;
use crate::{Authority, Cancellation, Layer, Spec, Surface, Tier, Tool, schema};

/// Why tools could not be attached; nothing was attached then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// A tool of that name is there already.
    #[error("a tool named `{name}` is already attached with `{resource}`")]
    DuplicateTool {
        /// The tool.
        name: String,
        /// What brought the first one.
        resource: String,
    },
    /// The resource is attached already; detach it first.
    #[error("the resource `{resource}` is already attached")]
    DuplicateResource {
        /// The resource.
        resource: String,
    },
    /// The name does not fit every schema format.
    #[error("`{name}` is no tool name: use 1 to 64 of a-z, 0-9 and _, the first no digit")]
    BadName {
        /// The tool.
        name: String,
    },
    /// The arguments cannot be described to every model. See [`TypedTool::Args`](crate::TypedTool::Args).
    #[error("`{name}` cannot be offered: {problem}")]
    BadSchema {
        /// The tool.
        name: String,
        /// The place in its arguments and what is wrong there.
        problem: String,
    },
    /// The run is over.
    #[error("the registry is closed")]
    Closed,
}

/// The tools of one run. Cloning shares them.
#[derive(Clone)]
#[must_use]
pub struct Registry {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    table: RwLock<Table>,
    outside: Vec<Arc<dyn Layer>>,
    inside: Vec<Arc<dyn Layer>>,
    gates: Arc<Gates>,
    /// Where names go that no visible tool has.
    unknown: Seat,
    authority: Authority,
    changes: watch::Sender<u64>,
    in_flight: TaskTracker,
}

#[derive(Default)]
struct Table {
    resources: BTreeMap<String, Cancellation>,
    tools: BTreeMap<String, Seat>,
    closed: bool,
}

/// A tool in its layers, and what brought it. The spec is the one it was attached with: the name, the tier and the
/// schema of a tool never change while it is attached, whatever the tool or a layer says later.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) tenure: Tenure,
}

/// Collects layers. See [`Registry::builder`].
#[must_use]
#[derive(Default)]
pub struct RegistryBuilder {
    outside: Vec<Arc<dyn Layer>>,
    inside: Vec<Arc<dyn Layer>>,
}

impl RegistryBuilder {
    /// Adds a layer outside the gates, inside the layers added before: nobody holds a gate while it works. For
    /// telemetry, ledger, approval, replay and verification.
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.outside.push(Arc::new(layer));
        self
    }

    /// Adds a layer inside the gates: it runs while the call holds its turn. For diagnostics on write.
    pub fn inner_layer(mut self, layer: impl Layer + 'static) -> Self {
        self.inside.push(Arc::new(layer));
        self
    }

    /// An empty registry with these layers and an authority of its own.
    pub fn build(self) -> Registry {
        let nobody = Arc::new(Unknown::new());
        let unknown = Seat {
            spec: Arc::new(nobody.spec().clone()),
            tool: wrap(&self.outside, nobody),
            tenure: Tenure { resource: None, detached: Cancellation::new() },
        };
        Registry {
            inner: Arc::new(Inner {
                table: RwLock::default(),
                outside: self.outside,
                inside: self.inside,
                gates: Arc::default(),
                unknown,
                authority: Authority::fresh(),
                changes: watch::Sender::new(0),
                in_flight: TaskTracker::new(),
            }),
        }
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegistryBuilder {{ layers: {} }}", self.outside.len() + self.inside.len())
    }
}

impl Registry {
    /// A registry to be: layers first, outermost first.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Registers `tools` under `resource`, in this registry's layers. All or none.
    ///
    /// # Errors
    /// [`AttachError`] for a name or resource that is there already, and for a name or arguments that some schema
    /// format does not accept.
    pub fn attach(&self, resource: &str, tools: Vec<Arc<dyn Tool>>) -> Result<(), AttachError> {
        let detached = Cancellation::new();
        let owner: Arc<str> = resource.into();
        let mut seats: BTreeMap<String, Seat> = BTreeMap::new();
        for tool in tools {
            let spec = Arc::new(tool.spec().clone());
            let name = spec.name.clone();
            check_name(&name)?;
            if let Some(problem) = schema::problem(&spec.input_schema) {
                return Err(AttachError::BadSchema { name, problem });
            }
            let tenure = Tenure { resource: Some(Arc::clone(&owner)), detached: detached.clone() };
            let seat = self.inner.seat(tool, spec, tenure);
            if seats.insert(name.clone(), seat).is_some() {
                return Err(AttachError::DuplicateTool { name, resource: resource.to_owned() });
            }
        }
        let mut table = self.inner.write();
        if table.closed {
            return Err(AttachError::Closed);
        }
        if table.resources.contains_key(resource) {
            return Err(AttachError::DuplicateResource { resource: resource.to_owned() });
        }
        if let Some((name, seat)) = seats.keys().find_map(|name| table.tools.get_key_value(name)) {
            return Err(AttachError::DuplicateTool {
                name: name.clone(),
                resource: seat.tenure.resource.as_deref().unwrap_or_default().to_owned(),
            });
        }
        table.tools.append(&mut seats);
        table.resources.insert(resource.to_owned(), detached);
        drop(table);
        self.inner.changes.send_modify(|version| *version += 1);
        Ok(())
    }

    /// Takes the resource's tools out of every schema at once. Calls in flight end with `Unavailable` at once, wherever
    /// they wait: for a layer, a gate, or in the tool; a commit that has begun is finished and answered. Says whether it
    /// was attached.
    pub fn detach(&self, resource: &str) -> bool {
        let mut table = self.inner.write();
        let Some(detached) = table.resources.remove(resource) else { return false };
        table.tools.retain(|_, seat| seat.tenure.resource.as_deref() != Some(resource));
        drop(table);
        detached.cancel();
        self.inner.changes.send_modify(|version| *version += 1);
        true
    }

    /// Detaches everything, for ever.
    pub fn close(&self) {
        let mut table = self.inner.write();
        table.closed = true;
        table.tools.clear();
        let resources = std::mem::take(&mut table.resources);
        drop(table);
        resources.values().for_each(Cancellation::cancel);
        self.inner.unknown.tenure.detached.cancel();
        self.inner.in_flight.close();
        self.inner.changes.send_modify(|version| *version += 1);
    }

    /// Waits, after [`Registry::close`], until every call in flight has answered: a commit that has begun is
    /// finished first.
    ///
    /// # Cancel safety
    /// Safe to drop at any await.
    pub async fn drained(&self) {
        self.inner.in_flight.wait().await;
    }

    /// The resources attached now, by name.
    pub fn resources(&self) -> Vec<String> {
        self.inner.read().resources.keys().cloned().collect()
    }

    /// A view that lists and serves tools up to `ceiling`.
    pub fn surface(&self, ceiling: Tier) -> Surface {
        Surface::new(self.clone(), ceiling)
    }

    /// What its permits carry; `edits` is opened with it.
    pub fn authority(&self) -> Authority {
        self.inner.authority.clone()
    }

    /// Hears of each attachment and detachment from now on: the list of tools may have changed.
    pub fn changes(&self) -> Changes {
        Changes(self.inner.changes.subscribe())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.inner.read().tools.keys()).finish()
    }
}

/// Hears when a registry's list of tools may have changed. See [`Registry::changes`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Changes(watch::Receiver<u64>);

impl Changes {
    /// Waits for a change since the last time it answered; several are told once. For ever once the registry has gone.
    ///
    /// # Cancel safety
    /// Safe to drop at any await: no change is lost.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Inner {
    fn seat(&self, tool: Arc<dyn Tool>, spec: Arc<Spec>, tenure: Tenure) -> Seat {
        let innermost = Innermost { inner: tool, spec: Arc::clone(&spec), tenure: tenure.clone() };
        let inside = wrap(&self.inside, Arc::new(innermost));
        let tool = wrap(&self.outside, gate::gated(inside, &self.gates, tenure.clone()));
        Seat { tool, spec, tenure }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Seat> {
        self.read().tools.get(name).cloned()
    }

    /// Counts the calls that run and the commits that have begun.
    pub(crate) fn in_flight(&self) -> &TaskTracker {
        &self.in_flight
    }

    pub(crate) fn unknown(&self) -> &Seat {
        &self.unknown
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// What `read` takes from each visible spec, in the order of names.
    pub(crate) fn specs<T>(&self, visible: impl Fn(&Spec) -> bool, read: impl Fn(&Spec) -> T) -> Vec<T> {
        self.read().tools.values().map(|seat| &*seat.spec).filter(|spec| visible(spec)).map(read).collect()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wrap(layers: &[Arc<dyn Layer>], tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
    layers.iter().rev().fold(tool, |inner, layer| layer.wrap(inner))
}

fn check_name(name: &str) -> Result<(), AttachError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_well = name.starts_with(|c: char| fits(c) && !c.is_ascii_digit());
    if starts_well && name.len() <= 64 && name.chars().all(fits) {
        return Ok(());
    }
    Err(AttachError::BadName { name: name.to_owned() })
}
