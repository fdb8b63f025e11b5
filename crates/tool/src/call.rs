//! One call as it travels through layers: small owned data and a private origin. It never holds the run alive and
//! never carries a resource; those come in through each tool's constructor.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crate::life::Life;
use crate::permit::Authority;
use crate::registry::Inner;
use crate::surface::Scope;
use crate::{Arguments, Cancellation, Tier, WriteWatcher};

/// Receives what a running call says about its progress. Called on the tool's thread: it must not block.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// One call. A call made with [`Call::new`], outside a surface, has no grant beyond `Read`.
#[derive(Clone)]
#[non_exhaustive]
pub struct Call {
    /// The host's id of this call, or one of ours.
    pub id: Arc<str>,
    /// The name that was asked for, even where no such tool exists.
    pub tool: Arc<str>,
    /// What was sent.
    pub arguments: Arguments,
    /// The conversation it belongs to.
    pub conversation: Option<Arc<str>>,
    /// Cancelled when the caller cancels, drops the call, or the call has ended.
    pub cancellation: Cancellation,
    pub(crate) progress: Option<Progress>,
    pub(crate) origin: Origin,
}

/// Where a call came from. Private: only a surface makes one with a grant.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// What adapters compare with their tier: the tier of the tool that the surface found.
    pub(crate) grant: Tier,
    /// The surface's ceiling.
    pub(crate) ceiling: Tier,
    pub(crate) lineage: Lineage,
    pub(crate) life: Arc<Life>,
    pub(crate) authority: Authority,
    pub(crate) registry: Weak<Inner>,
    /// What the surface shows; a dispatch narrows it further.
    pub(crate) scope: Option<Scope>,
    /// The names visible on the surface, for an unknown name's near ones; `None` for a name that was found.
    pub(crate) visible: Option<Arc<[String]>>,
}

impl Call {
    /// A call outside any surface: a read call, whatever tool it is given to.
    pub fn new(tool: impl Into<Arc<str>>, arguments: impl Into<Arguments>) -> Self {
        let tool = tool.into();
        Self {
            id: "".into(),
            arguments: arguments.into(),
            conversation: None,
            cancellation: Cancellation::new(),
            progress: None,
            origin: Origin {
                grant: Tier::Read,
                ceiling: Tier::Read,
                lineage: Lineage::root(Arc::clone(&tool)),
                life: Arc::default(),
                authority: Authority::nobody(),
                registry: Weak::new(),
                scope: None,
                visible: None,
            },
            tool,
        }
    }

    /// The highest tier of the surface this call came through.
    pub fn ceiling(&self) -> Tier {
        self.origin.ceiling
    }

    /// Whether no visible tool has the name that was asked for: the call passes the layers, does nothing, and is answered
    /// `UnknownTool`.
    pub fn is_unknown(&self) -> bool {
        self.origin.visible.is_some()
    }

    /// The id of the call that made this one through [`Dispatch`](crate::Dispatch).
    pub fn parent(&self) -> Option<&str> {
        self.origin.lineage.0.parent.as_ref().map(|parent| &*parent.0.id)
    }

    /// Has `watcher` told before this call, or a call that it makes, changes any file. Meant for layers.
    pub fn watch_writes(&self, watcher: Arc<dyn WriteWatcher>) {
        self.origin.life.watch(watcher);
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("id", &self.id).field("tool", &self.tool).finish_non_exhaustive()
    }
}

/// A call and its ancestors: who waits for whom.
#[derive(Clone)]
pub(crate) struct Lineage(Arc<Link>);

struct Link {
    serial: u64,
    id: Arc<str>,
    tool: Arc<str>,
    parent: Option<Lineage>,
}

impl Lineage {
    pub(crate) fn root(tool: Arc<str>) -> Self {
        Self::grow(None, "".into(), tool)
    }

    pub(crate) fn grow(parent: Option<Self>, id: Arc<str>, tool: Arc<str>) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        Self(Arc::new(Link { serial: SERIAL.fetch_add(1, Ordering::Relaxed), id, tool, parent }))
    }

    pub(crate) fn serial(&self) -> u64 {
        self.0.serial
    }

    pub(crate) fn tool(&self) -> &str {
        &self.0.tool
    }

    /// This call, its caller, its caller's caller…
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |link| link.0.parent.as_ref())
    }

    /// How many calls lie above this one.
    pub(crate) fn depth(&self) -> usize {
        self.ancestors().count() - 1
    }

    /// Whether `other` is this call or one of its ancestors.
    pub(crate) fn descends_from(&self, other: &Self) -> bool {
        self.ancestors().any(|link| link.serial() == other.serial())
    }
}

impl fmt::Debug for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ancestors().map(Self::tool)).finish()
    }
}
