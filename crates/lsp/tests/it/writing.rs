//! Writes beside servers that publish late, twice, under the wrong version, or not at all: no write waits long, and none
//! is called clean that is not known to be.

use std::time::Duration;

use serde_json::{Value, json};
use test_support::lsp::{Script, Step};

use crate::bench::{Bench, timed, wrong};

const FILE: &str = "//- /a.fix\none\n";
/// The longest that a result may be held up by servers, and what a loaded machine adds.
const BOUND: Duration = Duration::from_secs(5);

fn pushing() -> Value {
    json!({ "textDocumentSync": { "openClose": true, "change": 1, "save": true } })
}

fn pulling() -> Value {
    json!({ "textDocumentSync": 1, "diagnosticProvider": { "interFileDependencies": false, "workspaceDiagnostics": false } })
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_never_clean() {
    let bench = Bench::new(FILE, Script::new(pushing()), "");
    let (said, took) = timed(bench.write("a.fix", "two\n")).await;
    assert!(said.starts_with("written\n") && !said.contains("No new diagnostics"), "{said}");
    assert!(took < BOUND, "{took:?}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_before_the_real_one_hides_nothing() {
    let publishes = [Step::publish(json!([])), Step::Wait(10), Step::publish(json!([wrong("bad")]))];
    let script = Script::new(pushing()).on("textDocument/didChange", publishes);
    let bench = Bench::new(FILE, script, "");
    let _ = bench.write("a.fix", "two\n").await;
    let said = bench.write("a.fix", "three\n").await;
    assert!(said.contains("bad") && !said.contains("No new diagnostics"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_rides_on_the_next_result() {
    let report = |items: Value| Step::reply(json!({ "kind": "full", "items": items }));
    let script = Script::new(pulling())
        .on("textDocument/diagnostic", [report(json!([]))])
        .on("textDocument/diagnostic", [Step::Wait(3_500), report(json!([wrong("late")]))]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let _ = bench.call("lsp", json!({ "action": "diagnostics", "file": "a.fix" })).await;
    let (said, took) = timed(bench.write("a.fix", "two\n")).await;
    assert!(!said.contains("No new diagnostics") && took < BOUND, "{took:?}: {said}");
    let mut later = String::new();
    for _ in 0..40 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        later = bench.call("lsp", json!({ "action": "status" })).await;
        if later.contains("earlier write") {
            break;
        }
    }
    assert!(later.contains("Of an earlier write") && later.contains("late"), "{later}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_fails_is_not_clean() {
    let script =
        Script::new(pulling()).on("textDocument/diagnostic", [Step::error(-32603, "internal error")]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let said = bench.write("a.fix", "two\n").await;
    assert!(said.starts_with("written\n") && !said.contains("No new diagnostics"), "{said}");
    let asked = bench.call("lsp", json!({ "action": "diagnostics", "file": "a.fix" })).await;
    assert!(!asked.starts_with("no errors") && !asked.contains("(settled"), "{asked}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_offers_no_pull_is_not_pulled_from() {
    let script = Script::new(pushing()).on("textDocument/diagnostic", [Step::Die]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let said = bench.write("a.fix", "two\n").await;
    assert!(said.starts_with("written\n"), "{said}");
    assert!(bench.server.params_of("textDocument/diagnostic").is_empty());
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_and_information_are_nothing() {
    let mut hint = wrong("unused");
    hint["severity"] = 4.into();
    let mut information = wrong("note");
    information["severity"] = 3.into();
    let items = json!({ "kind": "full", "items": [hint, information] });
    let script = Script::new(pulling()).on("textDocument/diagnostic", [Step::reply(items)]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let said = bench.write("a.fix", "two\n").await;
    assert_eq!(said, "written\nNo new diagnostics in open files (scripted settled)");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_was_there_before_is_not_new() {
    let items = json!({ "kind": "full", "items": [wrong("old")] });
    let script = Script::new(pulling()).on("textDocument/diagnostic", [Step::reply(items)]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let _ = bench.call("lsp", json!({ "action": "diagnostics", "file": "a.fix" })).await;
    let said = bench.write("a.fix", "two\n").await;
    assert_eq!(said, "written\nNo new diagnostics in open files (scripted settled)");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_comes_up_holds_up_no_write() {
    let bench = Bench::new(FILE, Script::new(pushing()).on("initialize", []), "");
    let (said, took) = timed(bench.write("a.fix", "two\n")).await;
    assert!(said.starts_with("written\n") && !said.contains("No new diagnostics"), "{said}");
    assert!(took < Duration::from_secs(12), "{took:?}");
    assert_eq!(bench.fixture.read("a.fix"), "two\n");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_reading_holds_up_no_write() {
    let script = Script::new(pushing()).on("initialized", [Step::StopReading]);
    let bench = Bench::new(FILE, script, "");
    let large = "x".repeat(1 << 20);
    for _ in 0..3 {
        let (said, took) = timed(bench.write("a.fix", &large)).await;
        assert!(said.starts_with("written"), "{said}");
        assert!(took < Duration::from_secs(12), "{took:?}");
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_of_files_outside_is_not_told() {
    let outside = json!({ "uri": "file:///elsewhere/b.fix", "diagnostics": [wrong("foreign")] });
    let items = json!({ "kind": "full", "items": [] });
    let script = Script::new(pulling())
        .on("textDocument/didChange", [Step::tell("textDocument/publishDiagnostics", outside)])
        .on("textDocument/diagnostic", [Step::reply(items)]);
    let bench = Bench::new(FILE, script, "settle = \"pull\"");
    let _ = bench.write("a.fix", "two\n").await;
    let said = bench.write("a.fix", "three\n").await;
    assert!(!said.contains("foreign"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_elsewhere_that_may_be_old_are_counted_and_not_called_new() {
    let script = |fixture: &test_support::Fixture| {
        let other = format!("file://{}", fixture.path("b.fix").display());
        let publish = json!({ "uri": other, "diagnostics": [wrong("perhaps old")] });
        let items = json!({ "kind": "full", "items": [] });
        Script::new(pulling())
            .on("textDocument/didOpen", [Step::tell("textDocument/publishDiagnostics", publish)])
            .on("textDocument/diagnostic", [Step::reply(items)])
    };
    let bench = Bench::made("//- /a.fix\none\n//- /b.fix\nother\n", script, "settle = \"pull\"");
    let said = bench.write("a.fix", "two\n").await;
    assert!(
        said.contains("1 error in other files (b.fix: 1); whether this made them is not known"),
        "{said}"
    );
    assert!(
        said.contains("No new diagnostics in what was written (") && !said.contains("perhaps old"),
        "{said}"
    );
    bench.end().await;
}
