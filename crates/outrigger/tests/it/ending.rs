//! How calls end when their resource or their run does: at once, wherever they wait.

use std::time::Duration;

use outrigger::{ErrorKind, Tier};
use serde_json::json;
use test_support::Fixture;
use tokio::time::timeout;

use crate::asked::{Look, Write, asked, builder};

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_call_that_waits_for_a_person_ends_with_its_resource() {
    let fixture = Fixture::empty();
    let (approver, mut questions) = asked();
    let run = builder(&fixture).approver(approver).tool(Write("write")).build().unwrap();
    let surface = run.surface(Tier::Write);
    let (answer, mut withdrawn) = tokio::join!(timeout(SOON, surface.call("write", json!({}))), async {
        let (_, answer) = questions.recv().await.unwrap();
        assert!(run.detach("write").unwrap());
        answer
    });
    let error = answer.expect("it ends at once").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(error.message, "`write` ended: its resource `write` was detached from the run");
    timeout(SOON, withdrawn.closed()).await.expect("the question is withdrawn");
}

#[tokio::test]
async fn closing_waits_for_no_person() {
    let fixture = Fixture::empty();
    let (approver, mut questions) = asked();
    let run = builder(&fixture).approver(approver).tool(Write("write")).build().unwrap();
    let surface = run.surface(Tier::Write);
    let (answer, _question) = tokio::join!(timeout(SOON, surface.call("write", json!({}))), async {
        let question = questions.recv().await.unwrap();
        timeout(SOON, run.close()).await.expect("the run closes");
        question
    });
    assert_eq!(answer.expect("it ends at once").unwrap_err().kind, ErrorKind::Unavailable);
}

#[tokio::test]
async fn dropping_the_run_ends_its_calls() {
    let fixture = Fixture::empty();
    let run = builder(&fixture).tool(Look { name: "waits", answers: false }).build().unwrap();
    let surface = run.surface(Tier::Read);
    let (answer, ()) = tokio::join!(timeout(SOON, surface.call("waits", json!({}))), async {
        tokio::task::yield_now().await;
        drop(run);
    });
    assert_eq!(answer.expect("it ends at once").unwrap_err().kind, ErrorKind::Unavailable);
    let late = surface.call("waits", json!({})).await.unwrap_err();
    assert_eq!(late.kind, ErrorKind::UnknownTool);
    assert!(surface.specs().is_empty());
}
