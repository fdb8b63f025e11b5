//! Attached or absent: what can be attached, and what happens to schema, calls and commits when a resource goes.

use std::sync::{Arc, Mutex};

use outrigger_tool::{
    AttachError, Authority, Changes, ErrorKind, Gate, ReadContext, Registry, Tier, Tool, WriteContext,
};
use serde_json::json;

use crate::scripted::{Hold, Log, done, gated, kind, logging, plain, poll_once, registry, scripted, text};

fn names(registry: &Registry) -> Vec<String> {
    registry.surface(Tier::Exec).specs().into_iter().map(|spec| spec.name).collect()
}

/// Whether a change is told now.
fn told(changes: &mut Changes) -> bool {
    poll_once(&mut Box::pin(changes.changed())).is_some()
}

#[test]
fn duplicate_and_unfit_names_are_refused_and_then_nothing_is_attached() {
    let registry = registry(vec![plain::<ReadContext>("look")]);
    let attach = |resource: &str, tools| registry.attach(resource, tools).unwrap_err().to_string();
    assert_eq!(
        attach("other", vec![plain::<ReadContext>("fresh"), plain::<WriteContext>("look")]),
        "a tool named `look` is already attached with `bench`"
    );
    assert_eq!(
        attach("other", vec![plain::<ReadContext>("twin"), plain::<ReadContext>("twin")]),
        "a tool named `twin` is already attached with `other`"
    );
    assert_eq!(
        attach("bench", vec![plain::<ReadContext>("fresh")]),
        "the resource `bench` is already attached"
    );
    let long = Box::leak("x".repeat(65).into_boxed_str());
    for bad in ["", "Look", "1st", "a-b", "a b", "a.b", "é", long] {
        let error = registry.attach("other", vec![plain::<ReadContext>("fresh"), plain::<ReadContext>(bad)]);
        assert_eq!(error, Err(AttachError::BadName { name: bad.to_owned() }));
    }
    assert_eq!(names(&registry), ["look"]);
    assert_eq!(registry.resources(), ["bench"]);
    let longest = Box::leak("x".repeat(64).into_boxed_str());
    registry.attach("other", vec![plain::<ReadContext>("_1"), plain::<ReadContext>(longest)]).unwrap();
}

#[tokio::test]
async fn the_schema_follows_the_resource_at_once_and_says_that_it_changed() {
    let log = Log::default();
    let registry = Registry::builder().layer(logging("layer", &log)).build();
    let mut changes = registry.changes();
    let surface = registry.surface(Tier::Exec);
    assert!(surface.specs().is_empty());
    registry.attach("debugger", vec![plain::<ReadContext>("debug")]).unwrap();
    assert!(told(&mut changes));
    assert_eq!(names(&registry), ["debug"]);
    // A surface made before sees it, and a tool attached late is in the layers.
    assert_eq!(text(&surface.call("debug", json!({})).await), "debug");
    assert_eq!(log.take(), ["layer before debug", "layer after debug: ok"]);
    assert!(registry.detach("debugger"));
    assert!(told(&mut changes));
    assert!(names(&registry).is_empty());
    assert!(!registry.detach("debugger"));
    assert!(!told(&mut changes), "nothing happened");
    registry.attach("debugger", vec![plain::<ReadContext>("debug")]).unwrap();
    assert_eq!(text(&surface.call("debug", json!({})).await), "debug");
}

#[tokio::test]
async fn calls_in_flight_end_with_unavailable_and_the_name_of_the_resource() {
    let hold = Hold::new();
    let gate = Gate::Exclusive("one".to_owned());
    let waits = |name: &str, hold: &Hold| {
        let hold = hold.clone();
        gated(name, gate.clone(), move |_: ReadContext| {
            let hold = hold.clone();
            async move {
                hold.wait().await;
                done("let go")
            }
        })
    };
    let stays = registry(vec![waits("stays", &hold)]);
    stays.attach("server", vec![waits("goes", &hold)]).unwrap();
    let surface = stays.surface(Tier::Read);
    // `goes` waits for the gate that `stays` holds: that wait ends too, at once.
    let mut stayed = Box::pin(surface.call("stays", json!({})));
    assert!(poll_once(&mut stayed).is_none());
    let mut went = Box::pin(surface.call("goes", json!({})));
    assert!(poll_once(&mut went).is_none());
    stays.detach("server");
    assert_eq!(kind(&poll_once(&mut went).expect("it ends at once")), ErrorKind::Unavailable);
    hold.reached(1).await;
    hold.release(1);
    assert_eq!(text(&stayed.await), "let go");
    // Now in the tool itself.
    stays.attach("server", vec![waits("goes", &hold)]).unwrap();
    let (went, ()) = tokio::join!(surface.call("goes", json!({})), async {
        hold.reached(1).await;
        stays.detach("server");
    });
    let error = went.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(error.message, "`goes` ended: its resource `server` was detached from the run");
}

/// A write tool that stays in its commit until it is let go.
fn committer(hold: &Hold, log: &Log, authority: &Arc<Mutex<Option<Authority>>>) -> Arc<dyn Tool> {
    let (hold, log, authority) = (hold.clone(), log.clone(), Arc::clone(authority));
    scripted("write", move |cx: WriteContext| {
        let (hold, log, authority) = (hold.clone(), log.clone(), authority.lock().unwrap().clone().unwrap());
        async move {
            let permit = cx.permit(["/w/a".into()])?;
            permit.begin(&authority)?;
            // Like a real commit: on a thread of its own, which nobody can drop.
            let commit = tokio::spawn(async move {
                hold.wait().await;
                log.add("committed");
                drop(permit);
            });
            commit.await.unwrap();
            done("written")
        }
    })
}

#[tokio::test]
async fn a_commit_that_has_begun_is_finished_and_answered_when_the_run_closes() {
    let (hold, log, authority) = (Hold::new(), Log::default(), Arc::default());
    let registry = registry(vec![committer(&hold, &log, &authority), plain::<ReadContext>("look")]);
    *authority.lock().unwrap() = Some(registry.authority());
    let surface = registry.surface(Tier::Write);
    let (answer, ()) = tokio::join!(surface.call("write", json!({})), async {
        hold.reached(1).await;
        registry.close();
        assert!(names(&registry).is_empty() && registry.resources().is_empty());
        assert_eq!(kind(&surface.call("look", json!({})).await), ErrorKind::UnknownTool);
        let late = registry.attach("late", vec![plain::<ReadContext>("late")]);
        assert_eq!(late, Err(AttachError::Closed));
        assert!(log.take().is_empty());
        let drained = poll_once(&mut Box::pin(registry.drained()));
        assert!(drained.is_none(), "the commit is still on its way");
        hold.release(1);
        registry.drained().await;
        assert_eq!(log.take(), ["committed"]);
    });
    assert_eq!(text(&answer), "written");
}

#[tokio::test]
async fn closing_waits_for_a_commit_whose_caller_has_gone_away() {
    let (hold, log, authority) = (Hold::new(), Log::default(), Arc::default());
    let registry = registry(vec![committer(&hold, &log, &authority)]);
    *authority.lock().unwrap() = Some(registry.authority());
    let surface = registry.surface(Tier::Write);
    tokio::select! {
        _ = surface.call("write", json!({})) => panic!("the commit is held"),
        () = hold.reached(1) => {}
    }
    registry.close();
    assert!(poll_once(&mut Box::pin(registry.drained())).is_none(), "the file is half written");
    hold.release(1);
    registry.drained().await;
    assert_eq!(log.take(), ["committed"]);
}
