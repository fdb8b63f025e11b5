//! Who is asked, about what, and what the answer does.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outrigger::tool::{Cancellation, Request};
use outrigger::{
    About, Call, Decision, Error, ErrorKind, Output, Policy, Run, Tier, TypedTool, Verdict, WriteContext,
};
use serde_json::json;
use test_support::Fixture;
use tokio::time::timeout;

use crate::asked::{Nothing, Question, Write, asked, builder, look};

/// Asks about everything.
struct Everything;

impl Policy for Everything {
    fn decide(&self, _: &outrigger::tool::Spec, _: &Call) -> Decision {
        Decision::Ask
    }
}

fn run(fixture: &Fixture) -> (Run, tokio::sync::mpsc::UnboundedReceiver<Question>) {
    let (approver, questions) = asked();
    let run =
        builder(fixture).approver(approver).tool(look("look")).tool(Write("write")).tool(Write("patch"));
    (run.build().unwrap(), questions)
}

/// Calls `tool`; answers the one question about it with `verdict`.
async fn answered(
    run: &Run,
    questions: &mut tokio::sync::mpsc::UnboundedReceiver<Question>,
    tool: &str,
    verdict: Result<Verdict, Error>,
) -> Result<Output, Error> {
    let surface = run.surface(Tier::Write);
    let (answer, ()) = tokio::join!(surface.call(tool, json!({})), async {
        let (card, answer) = questions.recv().await.unwrap();
        assert_eq!((card.tool.as_str(), card.tier), (tool, Tier::Write));
        answer.send(verdict).unwrap();
    });
    answer
}

#[tokio::test]
async fn read_is_never_asked_and_once_is_once() {
    let fixture = Fixture::empty();
    let (run, mut questions) = run(&fixture);
    run.surface(Tier::Write).call("look", json!({})).await.unwrap();
    for _ in 0..2 {
        answered(&run, &mut questions, "write", Ok(Verdict::AllowOnce)).await.unwrap();
    }
    assert!(questions.try_recv().is_err());
}

#[tokio::test]
async fn for_the_run_is_for_this_tool_until_the_run_ends() {
    let fixture = Fixture::empty();
    let (run, mut questions) = run(&fixture);
    answered(&run, &mut questions, "write", Ok(Verdict::AllowForRun)).await.unwrap();
    run.surface(Tier::Write).call("write", json!({})).await.unwrap();
    assert!(questions.try_recv().is_err(), "it is not asked again");
    answered(&run, &mut questions, "patch", Ok(Verdict::AllowOnce)).await.unwrap();
    let (other, mut questions) = self::run(&fixture);
    answered(&other, &mut questions, "write", Ok(Verdict::AllowOnce)).await.unwrap();
}

#[tokio::test]
async fn a_refusal_carries_the_persons_words_and_no_answer_is_a_refusal() {
    let fixture = Fixture::empty();
    let (run, mut questions) = run(&fixture);
    let deny = |words: Option<&str>| Ok(Verdict::Deny { message: words.map(str::to_owned) });
    for (verdict, message) in [
        (deny(Some("use the test folder")), "`write` was not allowed: use the test folder"),
        (deny(Some(" ")), "`write` was not allowed"),
        (deny(None), "`write` was not allowed"),
        (
            Err(Error::unavailable("nobody is there")),
            "`write` needs approval, and none was given: nobody is there",
        ),
    ] {
        let error = answered(&run, &mut questions, "write", verdict).await.unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Refused, message));
    }
    let alone = builder(&fixture).tool(Write("write")).build().unwrap();
    let error = alone.surface(Tier::Write).call("write", json!({})).await.unwrap_err();
    assert_eq!(error.message, "`write` needs approval and nobody is there to give it");
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_a_person_thinks_ends_and_withdraws_the_question() {
    let fixture = Fixture::empty();
    let (run, mut questions) = run(&fixture);
    let (surface, cancellation) = (run.surface(Tier::Write), Cancellation::new());
    let request = Request::new("write", json!({})).cancellation(cancellation.clone());
    let (error, ()) = tokio::join!(surface.request(request), async {
        let (_, answer) = questions.recv().await.unwrap();
        cancellation.cancel();
        let mut answer = answer;
        answer.closed().await;
    });
    let error = error.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert_eq!(error.message, "`write` was cancelled while it waited for approval");
}

#[tokio::test]
async fn nobody_is_asked_about_a_name_that_no_tool_has() {
    let fixture = Fixture::empty();
    let (approver, mut questions) = asked();
    let run = builder(&fixture).approver(approver).policy(Everything).tool(Write("write")).build().unwrap();
    for name in ["nothing", "unknown", "write"] {
        let surface = run.surface(Tier::Read);
        let answer = timeout(Duration::from_secs(10), surface.call(name, json!({}))).await;
        assert_eq!(answer.expect("it waits for nobody").unwrap_err().kind, ErrorKind::UnknownTool);
    }
    assert!(questions.try_recv().is_err());
}

/// A write tool whose preview waits until it is told to go on.
struct Slow(Arc<Mutex<Receiver<()>>>);

impl TypedTool for Slow {
    type Args = Nothing;
    type Context = WriteContext;

    fn about(&self) -> About {
        let told = Arc::clone(&self.0);
        About::new("slow", "Previews slowly.").preview(move |_: &Nothing| {
            let told = told.lock().unwrap().recv_timeout(Duration::from_secs(5));
            told.map_or("held everything up", |()| "went on").to_owned()
        })
    }

    async fn call(&self, _: Nothing, _: WriteContext) -> Result<Output, Error> {
        Ok(Output::text("done"))
    }
}

#[tokio::test]
async fn a_preview_that_blocks_holds_nothing_else_up() {
    let fixture = Fixture::empty();
    let (approver, mut questions) = asked();
    let (go_on, told) = channel();
    let run = builder(&fixture).approver(approver).tool(Slow(Arc::new(Mutex::new(told)))).build().unwrap();
    let surface = run.surface(Tier::Write);
    let (answer, ()) = tokio::join!(surface.call("slow", json!({})), async {
        go_on.send(()).unwrap();
        let (card, answer) = questions.recv().await.unwrap();
        assert_eq!(card.preview.as_deref(), Some("went on"));
        answer.send(Ok(Verdict::AllowOnce)).unwrap();
    });
    answer.unwrap();
}
