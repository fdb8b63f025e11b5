//! The innermost wrapper of every tool: panics, cancellation and the loss of the tool's resource end here, so that
//! every layer outside sees how the call ended. It never cuts off a commit, and never answers `Cancelled` once a file
//! was changed through the call.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::life::{Interrupted, Life};
use crate::tenure::Tenure;
use crate::{Call, Error, Output, Spec, Tool};

pub(crate) struct Innermost {
    pub(crate) inner: Arc<dyn Tool>,
    /// The one it was attached with: what the tool says later changes nothing for gate and layers.
    pub(crate) spec: Arc<Spec>,
    pub(crate) tenure: Tenure,
}

impl Tool for Innermost {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            let (name, cancellation, life) =
                (Arc::clone(&call.tool), call.cancellation.clone(), Arc::clone(&call.origin.life));
            if let Some(error) = self.tenure.stopped(&name, &cancellation).await {
                return Err(error);
            }
            let mut work = std::pin::pin!(caught(&self.inner, call));
            let error = tokio::select! {
                biased;
                done = &mut work => return done,
                error = self.tenure.stop(&name, &cancellation) => error,
            };
            // The tool hears of it whatever stopped it: after a commit it is the tool that ends the call.
            cancellation.cancel();
            interrupted(&life, work, error).await
        }
        .boxed()
    }
}

/// Calls `tool`; a panic is an answer. The call is made inside the future, so that a tool that panics before it has one
/// is caught too.
pub(crate) async fn caught(tool: &Arc<dyn Tool>, call: Call) -> Result<Output, Error> {
    let name = Arc::clone(&call.tool);
    let done = AssertUnwindSafe(async { tool.call(call).await }).catch_unwind().await;
    done.unwrap_or_else(|panic| Err(panicked(&name, &*panic)))
}

/// The answer of a call that has to stop: `error` where nothing was changed, else the truth about the change.
pub(crate) async fn interrupted(
    life: &Life,
    mut work: Pin<&mut impl Future<Output = Result<Output, Error>>>,
    error: Error,
) -> Result<Output, Error> {
    loop {
        match life.interrupt() {
            Interrupted::Unchanged => return Err(error),
            Interrupted::ChangedBelow => {
                return Err(Error::failed(format!(
                    "{}, after calls it made had changed files",
                    error.message
                ))
                .with_hint("those changes stay; look at the files before you go on"));
            }
            Interrupted::Committing => return work.await,
            Interrupted::CommittingBelow => {
                tokio::select! {
                    biased;
                    done = &mut work => return done,
                    () = life.settled() => {}
                }
            }
        }
    }
}

/// The answer to a panic, with its message.
fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Error {
    Error::bug(format!("`{tool}` panicked: {}", panic_text(panic)))
        .with_hint("this is a defect of the tool; other tools are not affected")
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
