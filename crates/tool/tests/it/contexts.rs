//! What a context says and hands out, and that it is of no use once its call has ended.

use std::sync::{Arc, Mutex};

use outrigger_tool::{
    Cancellation, ErrorKind, ExecContext, Output, ReadContext, Request, Tier, WriteContext,
};
use serde_json::json;

use crate::scripted::{Log, done, kind, plain, registry, scripted, text};

fn facts(cx: &ReadContext) -> String {
    format!("{} {:?} {}", cx.call_id(), cx.conversation(), cx.ceiling())
}

#[tokio::test]
async fn each_context_has_what_the_one_below_it_has() {
    let registry = registry(vec![
        scripted("look", |cx: ReadContext| async move { done(&facts(&cx)) }),
        scripted("change", |cx: WriteContext| async move {
            let permit = cx.permit(["/w/a".into()])?;
            done(&format!("{} {:?}", facts(&cx), permit.paths()))
        }),
        scripted("run", |cx: ExecContext| async move {
            let permit = cx.permit(["/w/b".into()])?;
            assert!(permit.covers("/w/b".as_ref()) && !permit.covers("/w/c".as_ref()));
            done(&facts(&cx))
        }),
    ]);
    let surface = registry.surface(Tier::Exec).conversation("main");
    let ask = async |tool: &str| text(&surface.request(Request::new(tool, json!({})).id("c1")).await);
    assert_eq!(ask("look").await, "c1 Some(\"main\") exec");
    assert_eq!(ask("change").await, "c1 Some(\"main\") exec [\"/w/a\"]");
    assert_eq!(ask("run").await, "c1 Some(\"main\") exec");
    let elsewhere = registry.surface(Tier::Read);
    let answer = elsewhere.request(Request::new("look", json!({})).id("c2")).await;
    assert_eq!(text(&answer), "c2 None read");
}

#[tokio::test]
async fn a_call_without_an_id_gets_one_of_its_own() {
    let registry = registry(vec![scripted("id", |cx: ReadContext| async move { done(cx.call_id()) })]);
    let surface = registry.surface(Tier::Read);
    let first = text(&surface.call("id", json!({})).await);
    let second = text(&surface.call("id", json!({})).await);
    assert!(first.starts_with("call_") && second.starts_with("call_") && first != second, "{first} {second}");
}

#[tokio::test]
async fn a_nested_call_is_in_the_same_conversation_and_knows_its_caller() {
    let log = Log::default();
    let heard = log.clone();
    let registry = outrigger_tool::Registry::builder()
        .layer(move |inner| -> Arc<dyn outrigger_tool::Tool> {
            let heard = heard.clone();
            let body = move |call: outrigger_tool::Call, inner: Arc<dyn outrigger_tool::Tool>| {
                heard.add(format!("{} under {:?}", call.tool, call.parent()));
                Box::pin(async move { inner.call(call).await }) as outrigger_tool::BoxFuture<'static, _>
            };
            Arc::new(crate::scripted::Around { inner, body })
        })
        .build();
    let tools = vec![
        scripted("outer", |cx: ReadContext| async move { cx.dispatch().call("inner", json!({})).await }),
        scripted("inner", |cx: ReadContext| async move { done(cx.conversation().unwrap_or("none")) }),
    ];
    registry.attach("bench", tools).unwrap();
    let surface = registry.surface(Tier::Read).conversation("talk");
    assert_eq!(text(&surface.request(Request::new("outer", json!({})).id("o")).await), "talk");
    assert_eq!(log.take(), ["outer under None", "inner under Some(\"o\")"]);
}

#[tokio::test]
async fn progress_reaches_the_caller_that_listens() {
    let registry = registry(vec![scripted("slow", |cx: ReadContext| async move {
        cx.progress("half");
        cx.progress("all");
        done("ok")
    })]);
    let log = Log::default();
    let heard = log.clone();
    let request = Request::new("slow", json!({})).progress(move |line| heard.add(line));
    registry.surface(Tier::Read).request(request).await.unwrap();
    assert_eq!(log.take(), ["half", "all"]);
    registry.surface(Tier::Read).call("slow", json!({})).await.unwrap();
}

#[tokio::test]
async fn blocking_work_runs_on_another_thread_and_its_panic_is_the_tools() {
    let registry = registry(vec![
        scripted("elsewhere", |cx: ReadContext| async move {
            let here = std::thread::current().id();
            let there = cx.blocking(move || std::thread::current().id()).await?;
            done(if here == there { "same" } else { "other" })
        }),
        scripted("breaks", |cx: ReadContext| async move {
            cx.blocking(|| panic!("down there")).await?;
            done("never")
        }),
    ]);
    let surface = registry.surface(Tier::Read);
    assert_eq!(text(&surface.call("elsewhere", json!({})).await), "other");
    let error = surface.call("breaks", json!({})).await.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Bug, "`breaks` panicked: down there"));
}

#[tokio::test]
async fn a_context_kept_after_its_call_has_ended_is_of_no_use() {
    let kept: Arc<Mutex<Option<WriteContext>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    let keep = scripted("keep", move |cx: WriteContext| {
        *keeper.lock().unwrap() = Some(cx);
        std::future::ready(done("kept"))
    });
    let registry = registry(vec![keep, plain::<ReadContext>("look")]);
    registry.surface(Tier::Write).call("keep", json!({})).await.unwrap();
    let cx = kept.lock().unwrap().take().unwrap();
    assert!(cx.cancellation().is_cancelled());
    assert_eq!(cx.permit(["/w/a".into()]).unwrap_err().kind, ErrorKind::Cancelled);
    let late = cx.dispatch().call("look", json!({})).await;
    assert_eq!(kind(&late), ErrorKind::Refused);
    assert!(late.unwrap_err().message.contains("after that call had ended"));
    drop(registry);
    let gone = cx.dispatch().call("look", json!({})).await;
    assert_eq!(kind(&gone), ErrorKind::Unavailable, "a context does not keep the run alive");
    assert!(cx.dispatch().specs().is_empty());
}

#[tokio::test]
async fn a_tool_that_calls_itself_for_ever_is_told_so() {
    let registry = registry(vec![scripted("again", |cx: ReadContext| async move {
        cx.dispatch().call("again", json!({})).await
    })]);
    let error = registry.surface(Tier::Read).call("again", json!({})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert!(error.message.contains("call number 32"), "{error}");
}

#[tokio::test]
async fn results_and_errors_carry_at_most_a_hundred_kibibytes_of_text() {
    let registry = registry(vec![
        scripted("long", |_: ReadContext| async { Ok(Output::text("€".repeat(100_000)).and_text("more")) }),
        scripted("wrong", |_: ReadContext| async {
            Err(outrigger_tool::Error::failed("x".repeat(200_000)).with_hint("y".repeat(200_000)))
        }),
        scripted("burst", |_: ReadContext| async { panic!("{}", "z".repeat(200_000)) }),
    ]);
    let surface = registry.surface(Tier::Read);
    let long = text(&surface.call("long", json!({})).await);
    assert!(long.len() <= 102_400, "{}", long.len());
    assert!(long.ends_with("bytes of text)") && long.contains("bytes cut"), "{}", &long[long.len() - 90..]);
    let asked = "q".repeat(300_000);
    for tool in ["wrong", "burst", asked.as_str()] {
        let error = surface.call(tool, json!({})).await.unwrap_err();
        let size = error.message.len() + error.hint.as_ref().map_or(0, String::len);
        assert!(size <= 102_400, "{size}");
        assert!(error.message.contains("bytes cut"));
    }
}

#[tokio::test]
async fn a_call_hears_of_cancellation_through_its_own_handle() {
    let registry = registry(vec![scripted("wait", |cx: ReadContext| async move {
        assert!(!cx.cancellation().is_cancelled());
        cx.cancellation().cancel();
        cx.cancellation().cancelled().await;
        done("never read")
    })]);
    let outside = Cancellation::new();
    let request = Request::new("wait", json!({})).cancellation(outside.clone());
    let _ = registry.surface(Tier::Read).request(request).await;
    assert!(!outside.is_cancelled(), "a call cancels itself and what is below, never its caller");
}
