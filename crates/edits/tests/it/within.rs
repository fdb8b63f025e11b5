//! Runs a piece of work inside a write call of a registry, which is the only place a permit comes from. It never
//! waits for anything, so it needs no runtime.

use std::pin::pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};

use tool::{About, Error, Output, Registry, Tier, TypedTool, WriteContext};

type Work = Box<dyn FnOnce(WriteContext) + Send>;

struct Script {
    work: Arc<Mutex<Option<Work>>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

impl TypedTool for Script {
    type Args = Nothing;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new("script", "Runs one piece of work.")
    }

    async fn call(&self, _args: Nothing, cx: WriteContext) -> Result<Output, Error> {
        let work = self.work.lock().unwrap().take().expect("one piece of work");
        work(cx);
        Ok(Output::default())
    }
}

/// What `work` answers, run within a call.
pub(crate) fn within<R: Send + 'static>(
    registry: &Registry,
    work: impl FnOnce(WriteContext) -> R + Send + 'static,
) -> R {
    let (send, answer) = mpsc::channel();
    let work: Work = Box::new(move |cx| send.send(work(cx)).expect("somebody listens"));
    let script = Script { work: Arc::new(Mutex::new(Some(work))) };
    registry.attach("script", vec![tool::tool(script)]).expect("one script at a time");
    now(registry.surface(Tier::Write).call("script", serde_json::json!({}))).expect("the script ran");
    registry.detach("script");
    answer.recv().expect("the work answered")
}

/// The value of a future that is never pending for long.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}
