//! Tools whose body is a closure, layers that write a log, and a way to hold a call at a point. It never stands in for
//! a part of the crate itself.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use outrigger_tool::{
    About, BoxFuture, Call, Context, Error, ErrorKind, Gate, Output, Registry, Spec, Tool, TypedTool, tool,
};
use tokio::sync::Semaphore;

pub(crate) type Answer = Result<Output, Error>;

/// Arguments that nobody has to give.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Loose {
    /// Any text.
    #[expect(dead_code, reason = "layers read it before it is decoded")]
    text: Option<String>,
}

struct Scripted<C, F> {
    name: String,
    gate: Gate,
    body: F,
    context: PhantomData<fn(C)>,
}

impl<C, F, Fut> TypedTool for Scripted<C, F>
where
    C: Context,
    F: Fn(C, Loose) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send,
{
    type Args = Loose;
    type Context = C;

    fn about(&self) -> About {
        About::new(&self.name, "A scripted tool.").gate(self.gate.clone())
    }

    fn call(&self, args: Loose, cx: C) -> impl Future<Output = Answer> + Send {
        (self.body)(cx, args)
    }
}

/// A tool that does what `body` says; its tier is that of the context `body` takes.
pub(crate) fn scripted<C, F, Fut>(name: &str, body: F) -> Arc<dyn Tool>
where
    C: Context,
    F: Fn(C) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    gated(name, Gate::Parallel, body)
}

/// The same behind a gate.
pub(crate) fn gated<C, F, Fut>(name: &str, gate: Gate, body: F) -> Arc<dyn Tool>
where
    C: Context,
    F: Fn(C) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let body = move |cx: C, _: Loose| body(cx);
    tool(Scripted { name: name.to_owned(), gate, body, context: PhantomData })
}

/// A tool that answers its own name.
pub(crate) fn plain<C: Context>(name: &'static str) -> Arc<dyn Tool> {
    scripted(name, move |_: C| std::future::ready(done(name)))
}

/// An answer of one text.
#[expect(clippy::unnecessary_wraps, reason = "tools answer results")]
pub(crate) fn done(text: &str) -> Answer {
    Ok(Output::text(text))
}

/// A registry with one resource, `bench`.
pub(crate) fn registry(tools: Vec<Arc<dyn Tool>>) -> Registry {
    let registry = Registry::builder().build();
    registry.attach("bench", tools).expect("the test's tools fit");
    registry
}

#[track_caller]
pub(crate) fn kind(answer: &Answer) -> ErrorKind {
    answer.as_ref().expect_err("an error").kind
}

#[track_caller]
pub(crate) fn text(answer: &Answer) -> String {
    answer.as_ref().expect("an answer").to_text()
}

/// The error as a host sends it.
#[track_caller]
pub(crate) fn bytes(answer: &Answer) -> String {
    serde_json::to_string(answer.as_ref().expect_err("an error")).expect("errors are JSON")
}

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().expect("no test panics while it logs").push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no test panics while it logs"))
    }
}

/// A point where calls wait until the test lets them go.
#[derive(Clone)]
pub(crate) struct Hold {
    reached: Arc<Semaphore>,
    released: Arc<Semaphore>,
}

impl Hold {
    pub(crate) fn new() -> Self {
        Self { reached: Arc::new(Semaphore::new(0)), released: Arc::new(Semaphore::new(0)) }
    }

    /// Called by a tool: says that it is here, and waits.
    pub(crate) async fn wait(&self) {
        self.reached.add_permits(1);
        self.released.acquire().await.expect("never closed").forget();
    }

    /// Waits until `calls` have arrived since the last time.
    pub(crate) async fn reached(&self, calls: u32) {
        self.reached.acquire_many(calls).await.expect("never closed").forget();
    }

    pub(crate) fn release(&self, calls: usize) {
        self.released.add_permits(calls);
    }
}

/// A tool written against `Tool` itself.
pub(crate) struct Raw<F> {
    pub(crate) spec: Spec,
    pub(crate) body: F,
}

impl<F: Fn(Call) -> BoxFuture<'static, Answer> + Send + Sync> Tool for Raw<F> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Answer> {
        (self.body)(call)
    }
}

/// A layer around one tool, from a function of the call and the tool inside.
pub(crate) struct Around<F> {
    pub(crate) inner: Arc<dyn Tool>,
    pub(crate) body: F,
}

impl<F> Tool for Around<F>
where
    F: Fn(Call, Arc<dyn Tool>) -> BoxFuture<'static, Answer> + Send + Sync,
{
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Answer> {
        (self.body)(call, Arc::clone(&self.inner))
    }
}

/// A layer that logs `name` before and the kind of the answer after.
pub(crate) fn logging(
    name: &'static str,
    log: &Log,
) -> impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static + use<> {
    let log = log.clone();
    move |inner| {
        let log = log.clone();
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            let log = log.clone();
            Box::pin(async move {
                log.add(format!("{name} before {}", call.tool));
                let asked = Arc::clone(&call.tool);
                let answer = inner.call(call).await;
                let how = answer.as_ref().map_or_else(|error| error.kind.name(), |_| "ok");
                log.add(format!("{name} after {asked}: {how}"));
                answer
            })
        };
        Arc::new(Around { inner, body })
    }
}

/// The future's output where it is ready at once.
pub(crate) fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    match std::pin::Pin::new(future).poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}
