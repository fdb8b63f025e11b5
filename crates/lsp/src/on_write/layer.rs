//! The layer around every tool of a run: a tool that may write is watched and its result completed, one that may run
//! anything has its changes told to the servers, and every result carries what was found late.
//! It must never change a tool's own result: it only adds behind it.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tool::{Call, Error, Layer, Output, Spec, Tier, Tool};

use super::OnWrite;
use super::render::{self, About};
use super::watch::Watch;

impl Layer for OnWrite {
    fn wrap(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Wrapped { inner, on_write: self.clone() })
    }
}

struct Wrapped {
    inner: Arc<dyn Tool>,
    on_write: OnWrite,
}

impl Tool for Wrapped {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        match self.spec().tier {
            Tier::Read => async move { Ok(self.late(self.inner.call(call).await?)) }.boxed(),
            tier => self.watched(call, tier).boxed(),
        }
    }
}

impl Wrapped {
    async fn watched(&self, call: Call, tier: Tier) -> Result<Output, Error> {
        let watch = Arc::new(Watch::new(self.on_write.servers()));
        call.watch_writes(Arc::clone(&watch) as Arc<dyn tool::WriteWatcher>);
        let cancellation = call.cancellation.clone();
        // A call that is dropped may have written all the same.
        let unfinished = Unfinished { on_write: &self.on_write, watch: Some(Arc::clone(&watch)) };
        let answer = self.inner.call(call).await;
        unfinished.finished();
        if tier == Tier::Exec {
            self.on_write.after_exec(watch).await;
            return answer.map(|output| self.late(output));
        }
        match answer {
            Ok(output) => {
                // Before the wait, so that what is late stays with an earlier write.
                let output = self.late(output);
                let findings = self.on_write.after_write(watch, &cancellation).await;
                Ok(render::add(output, &findings, About::ThisWrite))
            }
            Err(error) => {
                self.on_write.in_background(watch);
                Err(error)
            }
        }
    }

    fn late(&self, output: Output) -> Output {
        render::add(output, &self.on_write.take_late(), About::EarlierWrite)
    }
}

/// Tells the servers what was written when nobody waits for the call any more.
struct Unfinished<'a> {
    on_write: &'a OnWrite,
    watch: Option<Arc<Watch>>,
}

impl Unfinished<'_> {
    fn finished(mut self) {
        self.watch = None;
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            self.on_write.in_background(watch);
        }
    }
}
