//! That a panic, wherever it comes from, is an answer, and that the run goes on after it.

use std::sync::Arc;

use outrigger_tool::{
    About, BoxFuture, Call, Card, Error, ErrorKind, Output, ReadContext, Registry, Tier, Tool, TypedTool,
    tool,
};
use serde_json::json;

use crate::scripted::{Answer, Around, Log, done, kind, logging, plain, registry, scripted, text};

#[tokio::test]
async fn a_tool_that_panics_answers_bug_with_what_it_said() {
    let registry = registry(vec![
        scripted("soon", |_: ReadContext| async { panic!("at {}", "once") }),
        scripted("later", |_: ReadContext| async {
            tokio::task::yield_now().await;
            panic!("later")
        }),
        // Before there is a future at all.
        scripted("first", |_: ReadContext| -> std::future::Ready<Answer> { panic!("first") }),
        plain::<ReadContext>("look"),
    ]);
    let surface = registry.surface(Tier::Read);
    for (name, said) in [("soon", "at once"), ("later", "later"), ("first", "first")] {
        let error = surface.call(name, json!({})).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Bug);
        assert_eq!(error.message, format!("`{name}` panicked: {said}"));
    }
    assert_eq!(text(&surface.call("look", json!({})).await), "look");
}

#[tokio::test]
async fn a_raw_tool_that_panics_before_its_future_is_seen_by_layers_too() {
    let log = Log::default();
    let registry = Registry::builder().layer(logging("ledger", &log)).build();
    let body = |_: Call| -> BoxFuture<'static, Answer> { panic!("raw") };
    let raw = crate::scripted::Raw { spec: plain::<ReadContext>("raw").spec().clone(), body };
    registry.attach("bench", vec![Arc::new(raw)]).unwrap();
    assert_eq!(kind(&registry.surface(Tier::Read).call("raw", json!({})).await), ErrorKind::Bug);
    assert_eq!(log.take(), ["ledger before raw", "ledger after raw: bug"]);
}

#[tokio::test]
async fn a_layer_that_panics_answers_bug() {
    let layer = |inner| -> Arc<dyn Tool> {
        let body = |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            assert!(call.arguments.value()["text"] != "now", "layer broke");
            Box::pin(async move {
                let later = call.arguments.value()["text"] == "later";
                let answer = inner.call(call).await;
                assert!(!later, "layer broke later");
                answer
            })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().layer(layer).build();
    registry.attach("bench", vec![plain::<ReadContext>("look")]).unwrap();
    let surface = registry.surface(Tier::Read);
    for (when, said) in [("now", "layer broke"), ("later", "layer broke later")] {
        let error = surface.call("look", json!({"text": when})).await.unwrap_err();
        assert_eq!((error.kind, error.message), (ErrorKind::Bug, format!("`look` panicked: {said}")));
    }
    assert_eq!(text(&surface.call("look", json!({})).await), "look");
    assert_eq!(kind(&surface.call("nowhere", json!({"text": "now"})).await), ErrorKind::Bug);
}

struct Previewed;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Paint {
    colour: String,
    #[serde(default = "once")]
    coats: u8,
}

fn once() -> u8 {
    1
}

impl TypedTool for Previewed {
    type Args = Paint;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("paint", "Paints.").preview(|paint: &Paint| {
            assert!(paint.colour != "octarine", "no such colour");
            format!("{} × {}", paint.colour, paint.coats)
        })
    }

    async fn call(&self, args: Paint, _: ReadContext) -> Result<Output, Error> {
        done(&args.colour)
    }
}

#[tokio::test]
async fn a_card_shows_the_preview_and_one_that_panics_says_so() {
    let paint = tool(Previewed);
    let spec = paint.spec().clone();
    assert_eq!(spec.preview(&json!({"colour": "red"})).as_deref(), Some("red × 1"));
    // Read as the call reads it: null equals absent.
    assert_eq!(spec.preview(&json!({"colour": "red", "coats": null})).as_deref(), Some("red × 1"));
    assert_eq!(spec.preview(&json!({"colour": 3})), None);
    assert_eq!(plain::<ReadContext>("look").spec().preview(&json!({})), None);
    let card = Card::new(&spec, &Call::new("paint", json!({"colour": "octarine", "coats": 2})));
    assert_eq!(card.preview.as_deref(), Some("no preview: it panicked: no such colour"));
    assert_eq!(card.arguments, "colour: octarine\ncoats: 2");
    assert_eq!((card.tool.as_str(), card.tier), ("paint", Tier::Read));
}
