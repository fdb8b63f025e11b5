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
    pub(crate) tenure: Tenure,
}

impl Tool for Innermost {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            let (name, cancellation, life) =
                (Arc::clone(&call.tool), call.cancellation.clone(), Arc::clone(&call.origin.life));
            if let Some(error) = self.tenure.stopped(&name, &cancellation).await {
                return Err(error);
            }
            let caught = AssertUnwindSafe(async { self.inner.call(call).await }).catch_unwind();
            let work = caught.map(|done| done.unwrap_or_else(|panic| Err(panicked(&name, &*panic))));
            let mut work = std::pin::pin!(work);
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

/// The answer of a call that has to stop: `error` where nothing was changed, else the truth about the change.
async fn interrupted(
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
pub(crate) fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Error {
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
