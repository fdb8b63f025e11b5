//! Plan mode: a surface limited to read neither lists a higher tool nor tells it from a name that never existed,
//! whichever way it is reached.

use std::sync::{Arc, Mutex};

use outrigger::tool::{self, About, Dispatch, ExecContext, ReadContext, TypedTool};
use outrigger::{Error, Output, Surface, Tier};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_support::Fixture;

use crate::embedded::{builder, run};

#[derive(Deserialize, JsonSchema)]
struct Inner {
    tool: String,
}

/// A read tool that calls another tool, as a cell or a worker would.
struct Relay {
    name: &'static str,
    kept: Arc<Mutex<Option<Dispatch>>>,
}

impl TypedTool for Relay {
    type Args = Inner;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new(self.name, "Calls another tool without arguments.")
    }

    async fn call(&self, args: Inner, cx: ReadContext) -> Result<Output, Error> {
        *self.kept.lock().expect("no panic before") = Some(cx.dispatch());
        cx.dispatch().call(&args.tool, json!({})).await
    }
}

/// The same at exec tier.
struct ExecRelay;

impl TypedTool for ExecRelay {
    type Args = Inner;
    type Context = ExecContext;

    fn about(&self) -> About {
        About::new("exec_relay", "Calls another tool without arguments.")
    }

    async fn call(&self, args: Inner, cx: ExecContext) -> Result<Output, Error> {
        cx.dispatch().call(&args.tool, json!({})).await
    }
}

fn relay(name: &'static str) -> Relay {
    Relay { name, kept: Arc::default() }
}

fn names(surface: &Surface) -> Vec<String> {
    surface.specs().into_iter().map(|spec| spec.name).collect()
}

/// What a call answers, with the asked name taken out.
async fn unknown(surface: &Surface, name: &str) -> String {
    let error = surface.call(name, json!({})).await.expect_err("no such tool");
    error.to_string().replace(name, "NAME")
}

#[tokio::test]
async fn the_schema_lists_read_tools_only() {
    let fixture = Fixture::empty();
    let run = run(&fixture);
    assert_eq!(names(&run.surface(Tier::Read)), ["ast_grep"]);
    assert_eq!(names(&run.surface(Tier::Write)), ["ast_edit", "ast_grep", "resolve"]);
}

#[tokio::test]
async fn a_hidden_name_answers_as_one_that_never_existed() {
    let fixture = Fixture::empty();
    let run = builder(&fixture).tool(ExecRelay).build().expect("a run");
    let plan = run.surface(Tier::Read);
    // Names of one length and as far from every visible one, so that the whole answers can be compared.
    assert_eq!(unknown(&plan, "resolve").await, unknown(&plan, "qqqqqqq").await);
    assert_eq!(unknown(&plan, "exec_relay").await, unknown(&plan, "qqqqqqqqqq").await);
    assert!(!unknown(&plan, "exec_rela").await.contains("exec_relay"), "hidden names are no near names");
}

#[tokio::test]
async fn re_entry_keeps_the_ceiling() {
    let fixture = Fixture::empty();
    let run = builder(&fixture).tool(relay("relay")).tool(ExecRelay).build().expect("a run");
    // From a full surface, a read tool still cannot reach above its own tier.
    for surface in [run.surface(Tier::Read), run.surface(Tier::Exec)] {
        for hidden in ["resolve", "ast_edit", "exec_relay"] {
            let error = surface.call("relay", json!({"tool": hidden})).await.expect_err("hidden");
            assert_eq!(error.kind.name(), "unknown_tool", "{hidden}: {error}");
        }
    }
    // What it can reach answers for itself.
    let error =
        run.surface(Tier::Read).call("relay", json!({"tool": "ast_grep"})).await.expect_err("no pattern");
    assert_eq!(error.kind.name(), "bad_arguments");
}

#[tokio::test]
async fn a_dispatch_kept_past_its_call_is_refused() {
    let fixture = Fixture::empty();
    let relay = relay("relay");
    let kept = Arc::clone(&relay.kept);
    let run = builder(&fixture).tool(relay).build().expect("a run");
    let _ = run.surface(Tier::Exec).call("relay", json!({"tool": "ast_grep"})).await;
    let dispatch = kept.lock().unwrap().take().expect("the kept dispatch");
    assert_eq!(dispatch.call("ast_grep", json!({})).await.expect_err("too late").kind.name(), "refused");
    drop(run);
    assert_eq!(dispatch.call("ast_grep", json!({})).await.expect_err("no run").kind.name(), "unavailable");
}

#[tokio::test]
async fn a_tool_that_comes_late_or_comes_back_is_hidden_too() {
    let fixture = Fixture::empty();
    let run = run(&fixture);
    let plan = run.surface(Tier::Read);
    run.registry()
        .attach("late", vec![tool::tool(ExecRelay), tool::tool(relay("late_read"))])
        .expect("attached");
    assert_eq!(names(&plan), ["ast_grep", "late_read"]);
    assert_eq!(
        plan.call("exec_relay", json!({"tool": "x"})).await.expect_err("hidden").kind.name(),
        "unknown_tool"
    );
    assert!(run.detach("syntax").expect("a resource"));
    assert_eq!(names(&plan), ["late_read"]);
    assert_eq!(names(&run.surface(Tier::Exec)), ["exec_relay", "late_read", "resolve"]);
    run.attach("syntax").expect("attached again");
    assert_eq!(names(&plan), ["ast_grep", "late_read"]);
    assert_eq!(plan.call("ast_edit", json!({})).await.expect_err("hidden").kind.name(), "unknown_tool");
}

#[tokio::test]
async fn nobody_to_approve_refuses_at_once() {
    let fixture = Fixture::new("//- /a.dart\nvoid f() { g(x); }\n");
    let run = builder(&fixture).build().expect("a run");
    let rewrite = json!({"pattern": "g($X)", "rewrite": "h($X)", "language": "dart"});
    let refused = run.surface(Tier::Write).call("ast_edit", rewrite).await.expect_err("refused");
    assert_eq!(refused.kind.name(), "refused");
    let found =
        run.surface(Tier::Write).call("ast_grep", json!({"pattern": "g($X)", "language": "dart"})).await;
    assert!(found.is_ok(), "read is never asked: {found:?}");
}
