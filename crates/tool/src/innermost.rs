//! The innermost wrapper of every tool: panics, cancellation and the loss of the tool's resource end here, so that
//! every layer outside sees how the call ended. It never cuts off a commit.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::{Call, Cancellation, Error, Output, Spec, Tool};

pub(crate) struct Innermost {
    pub(crate) inner: Arc<dyn Tool>,
    pub(crate) resource: Arc<str>,
    /// Cancelled when the resource is detached.
    pub(crate) detached: Cancellation,
}

impl Tool for Innermost {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            let (name, cancellation, life) =
                (Arc::clone(&call.tool), call.cancellation.clone(), Arc::clone(&call.origin.life));
            let work = AssertUnwindSafe(self.inner.call(call)).catch_unwind();
            let mut work = std::pin::pin!(work);
            let stop = async {
                tokio::select! {
                    biased;
                    () = cancellation.cancelled() => Error::cancelled(format!("`{name}` was cancelled")),
                    () = self.detached.cancelled() => self.gone(&name),
                }
            };
            tokio::select! {
                biased;
                done = &mut work => return done.unwrap_or_else(|panic| Err(panicked(&name, &*panic))),
                error = stop => {
                    if life.interrupt() {
                        cancellation.cancel();
                        return Err(error);
                    }
                }
            }
            // A commit has begun: its own answer is the only true one.
            work.await.unwrap_or_else(|panic| Err(panicked(&name, &*panic)))
        }
        .boxed()
    }
}

impl Innermost {
    fn gone(&self, name: &str) -> Error {
        Error::unavailable(format!(
            "`{name}` ended: its resource `{}` was detached from the run",
            self.resource
        ))
    }
}

/// The answer to a panic, with its message.
pub(crate) fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Error {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::bug(format!("`{tool}` panicked: {}", text.unwrap_or("without a message")))
        .with_hint("this is a defect of the tool; other tools are not affected")
}
