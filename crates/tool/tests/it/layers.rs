//! The order of layers, what they see, and that nobody holds a gate while an outer layer waits.

use std::sync::Arc;

use outrigger_tool::{
    BoxFuture, Call, Cancellation, ErrorKind, Gate, ReadContext, Registry, Request, Tier, Tool, WriteContext,
};
use serde_json::json;

use crate::scripted::{Answer, Around, Hold, Log, done, gated, kind, logging, plain, scripted, text};

#[tokio::test]
async fn layers_wrap_outermost_first_and_unknown_names_pass_the_outer_ones() {
    let log = Log::default();
    let registry = Registry::builder()
        .layer(logging("ledger", &log))
        .inner_layer(logging("diagnostics", &log))
        .layer(logging("policy", &log))
        .build();
    registry.attach("bench", vec![plain::<ReadContext>("look"), plain::<WriteContext>("hidden")]).unwrap();
    let surface = registry.surface(Tier::Read);
    surface.call("look", json!({})).await.unwrap();
    let passed = [
        "ledger before look",
        "policy before look",
        "diagnostics before look",
        "diagnostics after look: ok",
        "policy after look: ok",
        "ledger after look: ok",
    ];
    assert_eq!(log.take(), passed);
    for name in ["nothing", "hidden"] {
        assert_eq!(kind(&surface.call(name, json!({})).await), ErrorKind::UnknownTool);
        let row = |layer: &str, rest: &str| format!("{layer} {rest}");
        let before = format!("before {name}");
        let after = format!("after {name}: unknown_tool");
        assert_eq!(
            log.take(),
            [row("ledger", &before), row("policy", &before), row("policy", &after), row("ledger", &after)]
        );
    }
}

#[tokio::test]
async fn a_layer_can_tell_a_name_that_no_visible_tool_has() {
    let log = Log::default();
    let told = log.clone();
    let tells = move |inner| -> Arc<dyn Tool> {
        let told = told.clone();
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            told.add(format!("{} {}", call.tool, call.is_unknown()));
            Box::pin(async move { inner.call(call).await })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().layer(tells).build();
    registry.attach("bench", vec![plain::<ReadContext>("look"), plain::<WriteContext>("hidden")]).unwrap();
    for name in ["look", "hidden", "unknown"] {
        let _ = registry.surface(Tier::Read).call(name, json!({})).await;
    }
    assert_eq!(log.take(), ["look false", "hidden true", "unknown true"]);
}

#[tokio::test]
async fn layers_see_how_a_call_ended() {
    let log = Log::default();
    let registry = Registry::builder().layer(logging("ledger", &log)).build();
    let tools = vec![
        scripted("panics", |_: ReadContext| async { panic!("ouch") }),
        scripted("waits", |_: ReadContext| std::future::pending()),
        scripted("fails", |_: ReadContext| async {
            done("x").and(Err(outrigger_tool::Error::conflict("x")))
        }),
    ];
    registry.attach("bench", tools).unwrap();
    let surface = registry.surface(Tier::Read);
    for (name, end) in [("panics", "bug"), ("fails", "conflict"), ("waits", "cancelled")] {
        let cancellation = Cancellation::new();
        let request = Request::new(name, json!({})).cancellation(cancellation.clone());
        let (_, ()) = tokio::join!(surface.request(request), async {
            tokio::task::yield_now().await;
            cancellation.cancel();
        });
        assert_eq!(log.take(), [format!("ledger before {name}"), format!("ledger after {name}: {end}")]);
    }
}

#[tokio::test]
async fn nobody_holds_a_gate_while_an_outer_layer_waits() {
    let approval = Hold::new();
    let asks = approval.clone();
    let ask = move |inner| -> Arc<dyn Tool> {
        let asks = asks.clone();
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            let asks = asks.clone();
            Box::pin(async move {
                if call.arguments.value()["text"] == "ask" {
                    asks.wait().await;
                }
                inner.call(call).await
            })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().layer(ask).build();
    let gate = Gate::Exclusive("edits".to_owned());
    let tool = gated("edit", gate, |_: ReadContext| async { done("edited") });
    registry.attach("bench", vec![tool]).unwrap();
    let surface = registry.surface(Tier::Read);
    let (asked, ()) = tokio::join!(surface.call("edit", json!({"text": "ask"})), async {
        approval.reached(1).await;
        // A person thinks; the same gate is free for others.
        assert_eq!(text(&surface.call("edit", json!({})).await), "edited");
        approval.release(1);
    });
    assert_eq!(text(&asked), "edited");
}

#[tokio::test]
async fn an_inner_layer_runs_while_the_call_holds_its_turn() {
    let hold = Hold::new();
    let log = Log::default();
    let settles = hold.clone();
    let settle = move |inner| -> Arc<dyn Tool> {
        let settles = settles.clone();
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            let settles = settles.clone();
            Box::pin(async move {
                let answer = inner.call(call).await;
                settles.wait().await;
                answer
            })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().inner_layer(settle).build();
    let ran = log.clone();
    let tool = gated("edit", Gate::Exclusive("edits".to_owned()), move |_: ReadContext| {
        ran.add("ran");
        std::future::ready(done("edited"))
    });
    registry.attach("bench", vec![tool]).unwrap();
    let surface = registry.surface(Tier::Read);
    tokio::join!(
        async { surface.call("edit", json!({})).await.unwrap() },
        async { surface.call("edit", json!({})).await.unwrap() },
        async {
            hold.reached(1).await;
            tokio::task::yield_now().await;
            assert_eq!(log.take(), ["ran"], "the second call waits for the first one's layer");
            hold.release(2);
        }
    );
    assert_eq!(log.take(), ["ran"]);
}
