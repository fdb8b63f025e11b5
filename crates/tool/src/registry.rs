//! The tools of one run, each under the resource it is attached to. Attaching and detaching change the schema at
//! once. A call in flight never keeps the registry alive.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::gate::{self, Gates};
use crate::innermost::Innermost;
use crate::spec::About;
use crate::tenure::Tenure;
use crate::{
    Authority, Call, Cancellation, Error, Layer, Output, Spec, Surface, Tier, Tool, nearest, schema,
};

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
pub struct Registry {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    table: RwLock<Table>,
    outside: Vec<Arc<dyn Layer>>,
    inside: Vec<Arc<dyn Layer>>,
    gates: Arc<Gates>,
    unknown: Arc<dyn Tool>,
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
    resource: Arc<str>,
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
        let unknown = wrap(&self.outside, Arc::new(Unknown { spec: unknown_spec() }));
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
            let tenure = Tenure { resource: Arc::clone(&owner), detached: detached.clone() };
            let seat = Seat { tool: self.inner.seat(tool, tenure), spec, resource: Arc::clone(&owner) };
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
                resource: seat.resource.to_string(),
            });
        }
        table.tools.append(&mut seats);
        table.resources.insert(resource.to_owned(), detached);
        drop(table);
        self.inner.changes.send_modify(|version| *version += 1);
        Ok(())
    }

    /// Takes the resource's tools out of every schema at once. Calls in flight end with `Unavailable`: from the wait
    /// for a gate inward at once, from a layer further out when it hands them on; a commit that has begun is finished
    /// and answered. Says whether it was attached.
    pub fn detach(&self, resource: &str) -> bool {
        let mut table = self.inner.write();
        let Some(detached) = table.resources.remove(resource) else { return false };
        table.tools.retain(|_, seat| &*seat.resource != resource);
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

    /// Counts attachments and detachments; changes when the list of tools may have.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.inner.read().tools.keys()).finish()
    }
}

impl Inner {
    fn seat(&self, tool: Arc<dyn Tool>, tenure: Tenure) -> Arc<dyn Tool> {
        let innermost = Arc::new(Innermost { inner: tool, tenure: tenure.clone() });
        wrap(&self.outside, gate::gated(wrap(&self.inside, innermost), &self.gates, tenure))
    }

    pub(crate) fn find(&self, name: &str) -> Option<Seat> {
        self.read().tools.get(name).cloned()
    }

    /// Counts the calls that run and the commits that have begun.
    pub(crate) fn in_flight(&self) -> &TaskTracker {
        &self.in_flight
    }

    pub(crate) fn unknown(&self) -> &Arc<dyn Tool> {
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

/// Answers every name that is not visible, in the same layers as real tools, so that they see those calls too.
struct Unknown {
    spec: Spec,
}

fn unknown_spec() -> Spec {
    let schema = serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false});
    Spec::new(About::new("unknown", "Answers names that no visible tool has."), Tier::Read, schema)
}

impl Tool for Unknown {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        let visible = call.origin.visible.as_deref().unwrap_or_default();
        let near = nearest(&call.tool, visible.iter().map(String::as_str), 3);
        let error = Error::unknown_tool(format!("there is no tool named `{}`", call.tool));
        let quoted =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let hint = if !near.is_empty() {
            format!("did you mean {}?", quoted(&near))
        } else if visible.is_empty() {
            "no tool is attached here".to_owned()
        } else {
            let names: Vec<&str> = visible.iter().map(String::as_str).collect();
            format!("the tools here are {}", quoted(&names))
        };
        std::future::ready(Err(error.with_hint(hint))).boxed()
    }
}
