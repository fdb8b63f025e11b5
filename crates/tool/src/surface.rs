//! What one reader sees of a registry: a ceiling and a view. It is the only maker of calls with a grant, and the
//! grant is the called tool's own tier, never the ceiling.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt;

use crate::call::{Lineage, Origin};
use crate::innermost::{caught, interrupted};
use crate::life::{Life, LifeGuard};
use crate::registry::{Inner, Registry, Seat};
use crate::{Arguments, Call, Cancellation, Error, ErrorKind, MAX_RESULT_TEXT, Output, Progress, Spec, Tier};

type View = Arc<dyn Fn(&Spec) -> bool + Send + Sync>;

/// Lists and serves the tools up to a ceiling. Cheap to clone.
#[derive(Clone)]
#[must_use]
pub struct Surface {
    registry: Registry,
    scope: Scope,
}

/// What of a registry can be seen and called.
#[derive(Clone)]
pub(crate) struct Scope {
    ceiling: Tier,
    view: Option<View>,
    conversation: Option<Arc<str>>,
}

impl Scope {
    /// The same, no higher than `ceiling`.
    pub(crate) fn capped(&self, ceiling: Tier) -> Self {
        Self { ceiling: self.ceiling.min(ceiling), ..self.clone() }
    }

    pub(crate) fn sees(&self, spec: &Spec) -> bool {
        spec.tier <= self.ceiling && self.view.as_ref().is_none_or(|view| view(spec))
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("ceiling", &self.ceiling).finish_non_exhaustive()
    }
}

/// One request to a surface.
#[derive(Clone)]
#[must_use]
pub struct Request {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) tool: Arc<str>,
    pub(crate) arguments: Arguments,
    /// `None` where nobody outside can cancel: the call then needs no link to anything.
    pub(crate) cancellation: Option<Cancellation>,
    pub(crate) progress: Option<Progress>,
}

impl Request {
    /// Calls `tool` with `arguments`.
    pub fn new(tool: impl Into<Arc<str>>, arguments: impl Into<Arguments>) -> Self {
        let (tool, arguments) = (tool.into(), arguments.into());
        Self { id: None, tool, arguments, cancellation: None, progress: None }
    }

    /// The host's own id for the call.
    pub fn id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Cancels the call from outside.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = Some(cancellation);
        self
    }

    /// Hears how far the call is.
    pub fn progress(mut self, progress: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Surface {
    pub(crate) fn new(registry: Registry, ceiling: Tier) -> Self {
        Self { registry, scope: Scope { ceiling, view: None, conversation: None } }
    }

    /// The highest tier it lists and serves.
    pub fn ceiling(&self) -> Tier {
        self.scope.ceiling
    }

    /// The same surface for one conversation.
    pub fn conversation(mut self, id: impl Into<Arc<str>>) -> Self {
        self.scope.conversation = Some(id.into());
        self
    }

    /// A narrower view: only tools that `keep` accepts, besides what this one shows.
    pub fn only(mut self, keep: impl Fn(&Spec) -> bool + Send + Sync + 'static) -> Self {
        let before = self.scope.view.take();
        self.scope.view =
            Some(Arc::new(move |spec| before.as_ref().is_none_or(|view| view(spec)) && keep(spec)));
        self
    }

    /// The visible tools, by name.
    pub fn specs(&self) -> Vec<Spec> {
        self.registry.inner.specs(|spec| self.scope.sees(spec), Spec::clone)
    }

    /// Calls a tool by name.
    ///
    /// # Errors
    /// The tool's own; `UnknownTool` for a name that is not visible; `Bug` for a panic; `Cancelled` and `Unavailable`
    /// where the call was stopped before it changed a file; `Failed` where it was stopped after calls that it made
    /// had changed files.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call; a commit that has begun is finished all the same.
    pub async fn call(&self, tool: &str, arguments: impl Into<Arguments>) -> Result<Output, Error> {
        self.request(Request::new(tool, arguments)).await
    }

    /// Calls a tool with everything a host may say about the call. See [`Surface::call`].
    ///
    /// # Errors
    /// As [`Surface::call`].
    ///
    /// # Cancel safety
    /// As [`Surface::call`].
    pub async fn request(&self, request: Request) -> Result<Output, Error> {
        serve(&self.registry.inner, &self.scope, None, request).await
    }
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface").field("ceiling", &self.scope.ceiling).finish_non_exhaustive()
    }
}

/// Cancels the call when its caller goes away, and whatever it left behind when it has answered.
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// One call, from name to answer.
pub(crate) async fn serve(
    registry: &Arc<Inner>,
    scope: &Scope,
    parent: Option<&Call>,
    request: Request,
) -> Result<Output, Error> {
    let found = registry.find(&request.tool).filter(|seat| scope.sees(&seat.spec));
    let call = stamp(registry, scope, parent, request, found.as_ref());
    let _cancel = CancelOnDrop(call.cancellation.clone());
    let _life = LifeGuard(Arc::clone(&call.origin.life));
    let _in_flight = registry.in_flight().token();
    let answer = answer(found.as_ref().unwrap_or(registry.unknown()), call).await;
    answer.map(|output| output.bounded(MAX_RESULT_TEXT)).map_err(|error| error.bounded(MAX_RESULT_TEXT))
}

/// What the layers answer, once more guarded for themselves: a panic of theirs is an answer, and a wait of theirs, such
/// as that for a person, ends with the call. A tool's own panic, and its own wait, end at the innermost wrapper.
async fn answer(seat: &Seat, call: Call) -> Result<Output, Error> {
    let (name, cancellation, life) =
        (Arc::clone(&call.tool), call.cancellation.clone(), Arc::clone(&call.origin.life));
    let mut work = std::pin::pin!(caught(&seat.tool, call));
    let error = tokio::select! {
        biased;
        done = &mut work => return done,
        error = seat.tenure.stop(&name, &cancellation) => error,
    };
    cancellation.cancel();
    // Layers that listen end the call themselves, and the others see how it ended.
    if let Some(done) = work.as_mut().now_or_never() {
        // They were told to stop, and cannot know why.
        let unsaid = matches!(&done, Err(Error { kind: ErrorKind::Cancelled, .. }));
        return if unsaid && error.kind != ErrorKind::Cancelled { Err(error) } else { done };
    }
    interrupted(&life, work, error).await
}

fn stamp(
    registry: &Arc<Inner>,
    scope: &Scope,
    parent: Option<&Call>,
    request: Request,
    seat: Option<&Seat>,
) -> Call {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let Request { id, tool, arguments, cancellation, progress } = request;
    let id = id.unwrap_or_else(|| format!("call_{}", NEXT.fetch_add(1, Ordering::Relaxed)).into());
    let visible = || registry.specs(|spec| scope.sees(spec), |spec| spec.name.clone()).into();
    let origin = Origin {
        grant: seat.map_or(Tier::Read, |seat| seat.spec.tier),
        ceiling: scope.ceiling,
        lineage: Lineage::grow(
            parent.map(|call| call.origin.lineage.clone()),
            Arc::clone(&id),
            Arc::clone(&tool),
        ),
        life: Arc::new(Life::below(parent.map(|call| Arc::clone(&call.origin.life)))),
        authority: registry.authority().clone(),
        registry: Arc::downgrade(registry),
        scope: Some(scope.clone()),
        visible: seat.is_none().then(visible),
    };
    let cancellation = cancellation.map_or_else(Cancellation::new, |outside| outside.child());
    let conversation = scope.conversation.clone();
    Call { id, tool, arguments, conversation, cancellation, progress, origin }
}
