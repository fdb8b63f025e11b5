//! That a call which waits in a layer, for a person or for something of the host's, ends when it has to, and that a commit
//! is waited for all the same.

use std::sync::Arc;
use std::time::Duration;

use outrigger_tool::{
    BoxFuture, Call, Cancellation, ErrorKind, ReadContext, Registry, Request, Tier, Tool, WriteContext,
};
use serde_json::json;
use tokio::time::timeout;

use crate::scripted::{Answer, Around, Hold, Log, done, kind, logging, plain, poll_once, scripted};

/// A layer that waits at `before` and, when the tool has answered, at `after`; it listens to nobody.
fn waiting(
    before: Option<Hold>,
    after: Option<Hold>,
) -> impl Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static {
    move |inner| {
        let (before, after) = (before.clone(), after.clone());
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            let (before, after) = (before.clone(), after.clone());
            Box::pin(async move {
                if let Some(hold) = before {
                    hold.wait().await;
                }
                let answer = inner.call(call).await;
                if let Some(hold) = after {
                    hold.wait().await;
                }
                answer
            })
        };
        Arc::new(Around { inner, body })
    }
}

/// The answer to a call that `stop` ends while it waits in a layer.
async fn stopped(name: &str, before: bool, stop: impl FnOnce(&Registry, &Cancellation)) -> Answer {
    let hold = Hold::new();
    let layer = waiting(before.then(|| hold.clone()), (!before).then(|| hold.clone()));
    let registry = Registry::builder().layer(layer).build();
    registry.attach("bench", vec![plain::<ReadContext>("look")]).unwrap();
    let surface = registry.surface(Tier::Read);
    let cancellation = Cancellation::new();
    let request = Request::new(name, json!({})).cancellation(cancellation.clone());
    let (answer, ()) = tokio::join!(timeout(Duration::from_secs(5), surface.request(request)), async {
        hold.reached(1).await;
        stop(&registry, &cancellation);
    });
    timeout(Duration::from_secs(5), async {
        registry.close();
        registry.drained().await;
    })
    .await
    .expect("nothing is left in flight");
    answer.expect("it ends at once")
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_in_a_layer_ends_with_its_resource_its_run_and_its_caller() {
    for before in [true, false] {
        let error =
            stopped("look", before, |registry, _| assert!(registry.detach("bench"))).await.unwrap_err();
        assert_eq!(error.message, "`look` ended: its resource `bench` was detached from the run");
        let error = stopped("look", before, |registry, _| registry.close()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        let error = stopped("look", before, |_, caller| caller.cancel()).await.unwrap_err();
        assert_eq!(error.message, "`look` was cancelled");
        let error = stopped("nothing", before, |registry, _| registry.close()).await.unwrap_err();
        assert_eq!(error.message, "`nothing` ended: the run is closed");
        assert_eq!(error.kind, ErrorKind::Unavailable);
        let error = stopped("nothing", before, |_, caller| caller.cancel()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled);
    }
}

#[tokio::test]
async fn a_layer_that_listens_ends_the_call_and_those_outside_it_see_how() {
    let log = Log::default();
    let asks = |inner: Arc<dyn Tool>| -> Arc<dyn Tool> {
        let body = |call: Call, _: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            Box::pin(async move {
                call.cancellation.cancelled().await;
                Err(outrigger_tool::Error::cancelled("nobody waits"))
            })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().layer(logging("ledger", &log)).layer(asks).build();
    registry.attach("bench", vec![plain::<ReadContext>("look")]).unwrap();
    let surface = registry.surface(Tier::Read);
    let mut call = Box::pin(surface.call("look", json!({})));
    assert!(poll_once(&mut call).is_none());
    registry.detach("bench");
    let answer = poll_once(&mut call).expect("it ends at once");
    assert_eq!(kind(&answer), ErrorKind::Unavailable, "the caller learns why");
    assert_eq!(log.take(), ["ledger before look", "ledger after look: cancelled"]);
}

#[tokio::test]
async fn a_commit_is_answered_as_it_ended_whatever_its_layers_wait_for() {
    let hold = Hold::new();
    let registry = Registry::builder().layer(waiting(None, Some(hold.clone()))).build();
    let authority = registry.authority();
    let write = scripted("write", move |cx: WriteContext| {
        let authority = authority.clone();
        async move {
            cx.permit(["/w/a".into()])?.begin(&authority)?;
            done("written")
        }
    });
    registry.attach("bench", vec![write]).unwrap();
    let surface = registry.surface(Tier::Write);
    let mut call = Box::pin(surface.call("write", json!({})));
    assert!(poll_once(&mut call).is_none());
    registry.close();
    assert!(poll_once(&mut call).is_none(), "the file is written: only the tool's answer is true");
    assert!(poll_once(&mut Box::pin(registry.drained())).is_none());
    hold.release(1);
    assert_eq!(call.await.unwrap().to_text(), "written");
    registry.drained().await;
}
