//! What a run is built from: its resources, its layers and limits, its state folder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use outrigger::edits::Limits;
use outrigger::tool::{AttachError, BoxFuture, Spec, tool};
use outrigger::{AllowAll, BuildError, Call, Error, Output, ResourceError, Run, RunBuilder, Tier, Tool};
use serde_json::json;
use test_support::Fixture;

use crate::asked::{builder, look};

fn names(run: &Run) -> Vec<String> {
    run.surface(Tier::Exec).specs().into_iter().map(|spec| spec.name).collect()
}

/// A run whose resource `bench` counts how often its tools are made.
fn counted(fixture: &Fixture, made: &Arc<AtomicUsize>) -> RunBuilder {
    let made = Arc::clone(made);
    builder(fixture).resource("bench", move |_| {
        made.fetch_add(1, Ordering::SeqCst);
        vec![tool(look("look"))]
    })
}

#[tokio::test]
async fn a_resource_comes_back_and_is_made_only_where_it_was_gone() {
    let fixture = Fixture::empty();
    let made = Arc::default();
    let run = counted(&fixture, &made).build().unwrap();
    let again = run.attach("bench").unwrap_err();
    assert!(matches!(&again, ResourceError::Attach(AttachError::DuplicateResource { .. })), "{again}");
    assert_eq!(again.to_string(), "the resource `bench` is already attached");
    assert_eq!(made.load(Ordering::SeqCst), 1, "what is attached is not made a second time");
    assert!(run.detach("bench").unwrap());
    assert!(!run.detach("bench").unwrap());
    assert!(names(&run).is_empty());
    run.attach("bench").unwrap();
    assert_eq!((names(&run), made.load(Ordering::SeqCst)), (vec!["look".to_owned()], 2));
}

#[test]
fn a_resource_it_was_not_built_with_is_named_beside_those_it_has() {
    let fixture = Fixture::empty();
    let run = builder(&fixture).tool(look("look")).tool(look("see")).build().unwrap();
    let error = run.attach("syntax").unwrap_err().to_string();
    assert_eq!(error, "this run has no resource `syntax`; it has `look`, `see`");
    assert_eq!(run.detach("syntax").unwrap_err().to_string(), error);
    let bare = builder(&fixture).build().unwrap();
    let error = bare.detach("x").unwrap_err();
    assert!(matches!(error, ResourceError::Unknown { .. }));
    assert_eq!(error.to_string(), "this run has no resource `x`; it has none");
}

#[test]
fn a_tool_or_a_resource_twice_is_no_run() {
    let fixture = Fixture::empty();
    let twice = builder(&fixture).tool(look("look")).raw_tool(tool(look("look"))).build().unwrap_err();
    assert!(matches!(&twice, BuildError::Attach(AttachError::DuplicateResource { .. })), "{twice}");
    let twin = builder(&fixture).tool(look("look")).resource("other", |_| vec![tool(look("look"))]).build();
    assert_eq!(twin.unwrap_err().to_string(), "a tool named `look` is already attached with `look`");
}

/// Logs its name around each call.
struct Named {
    inner: Arc<dyn Tool>,
    name: &'static str,
    log: Arc<Mutex<Vec<&'static str>>>,
}

impl Tool for Named {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        self.log.lock().unwrap().push(self.name);
        self.inner.call(call).boxed()
    }
}

#[tokio::test]
async fn layers_stand_outside_inner_layers_in_the_order_they_were_added() {
    let fixture = Fixture::empty();
    let log: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let layer = |name: &'static str| {
        let log = Arc::clone(&log);
        move |inner| -> Arc<dyn Tool> { Arc::new(Named { inner, name, log: Arc::clone(&log) }) }
    };
    let run = builder(&fixture)
        .inner_layer(layer("third"))
        .layer(layer("first"))
        .inner_layer(layer("fourth"))
        .layer(layer("second"))
        .tool(look("look"))
        .build()
        .unwrap();
    run.surface(Tier::Read).call("look", json!({})).await.unwrap();
    assert_eq!(*log.lock().unwrap(), ["first", "second", "third", "fourth"]);
    log.lock().unwrap().clear();
    let _ = run.surface(Tier::Read).call("nothing", json!({})).await;
    assert_eq!(*log.lock().unwrap(), ["first", "second"], "an unknown name passes the outer ones");
}

#[cfg(feature = "structural")]
#[tokio::test]
async fn the_hosts_limits_hold() {
    let fixture = Fixture::new("//- /a.rs\nfn f() { g(1); }\n");
    let mut limits = Limits::default();
    limits.pending = 1;
    let run = builder(&fixture).syntax(outrigger::Grammars::bundled()).limits(limits).approver(AllowAll);
    let run = run.build().unwrap();
    let surface = run.surface(Tier::Write);
    let rewrite = |to: &str| json!({"pattern": "g($X)", "rewrite": to, "language": "rust"});
    surface.call("ast_edit", rewrite("h($X)")).await.unwrap();
    surface.call("ast_edit", rewrite("i($X)")).await.unwrap();
    let show = |id: &str| json!({"edit_id": id, "action": "show"});
    surface.call("resolve", show("edit_2")).await.unwrap();
    let error = surface.call("resolve", show("edit_1")).await.unwrap_err();
    assert!(error.message.contains("edit_1"), "{error}");
}

#[tokio::test]
async fn the_state_folder_is_the_hosts_and_one_that_cannot_be_used_stops_no_reader() {
    let fixture = Fixture::new("//- /file\nx\n");
    let state = fixture.outside().join("state");
    let run = builder(&fixture).tool(look("look")).build().unwrap();
    assert!(state.is_dir(), "it is made where the host said");
    drop(run);
    let blocked = builder(&fixture).state_folder(fixture.path("file")).tool(look("look")).build().unwrap();
    blocked.surface(Tier::Read).call("look", json!({})).await.unwrap();
    let error: Error = blocked.parts().edits().ready().unwrap_err().into();
    assert!(error.to_string().contains("state_folder"), "it says how to name another: {error}");
}
