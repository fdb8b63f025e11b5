//! Renames whose answers are wrong in one way each: refused whole, with not one byte written.

use serde_json::{Value, json};
use test_support::lsp::{Script, Step};

use crate::bench::Bench;

const FILES: &str = "//- /a.fix\nlet total = 1\n//- /b.fix\nuse total\n";

fn capable() -> Value {
    json!({
        "textDocumentSync": 1, "renameProvider": { "prepareProvider": true }, "referencesProvider": true,
        "positionEncoding": "utf-16",
    })
}

fn span(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

fn edit(line: u32, from: u32, to: u32, text: &str) -> Value {
    json!({ "range": span(line, from, to), "newText": text })
}

/// A server that consents, and answers with `edit`.
fn answering(edit: Value) -> Script {
    Script::new(capable())
        .on("textDocument/prepareRename", [Step::reply(span(0, 4, 9))])
        .on("textDocument/references", [Step::reply(json!([]))])
        .on("textDocument/documentSymbol", [Step::reply(json!([]))])
        .on("textDocument/rename", [Step::reply(edit)])
}

async fn rename(script: Script, row: &str) -> (String, bool) {
    let bench = Bench::new(FILES, script, row);
    let before = (bench.fixture.read("a.fix"), bench.fixture.read("b.fix"));
    let arguments = json!({ "file": "a.fix", "line": 1, "symbol": "total", "new_name": "sum" });
    let said = bench.call("lsp_rename", arguments).await;
    let untouched = before == (bench.fixture.read("a.fix"), bench.fixture.read("b.fix"));
    bench.end().await;
    (said, untouched)
}

fn changes(edits: Value) -> Value {
    json!({ "changes": { "$uri": edits } })
}

#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_answer_is_refused_with_nothing_written() {
    let outside = json!({ "changes": { "file:///elsewhere/c.fix": [edit(0, 0, 1, "sum")] } });
    let versioned = json!({ "documentChanges": [
        { "textDocument": { "uri": "$uri", "version": 77 }, "edits": [edit(0, 4, 9, "sum")] },
    ] });
    let unknown = json!({ "documentChanges": [{ "kind": "teleport", "uri": "$uri" }] });
    let doubtful = json!({
        "documentChanges": [{ "textDocument": { "uri": "$uri", "version": null },
            "edits": [{ "range": span(0, 4, 9), "newText": "sum", "annotationId": "x" }] }],
        "changeAnnotations": { "x": { "label": "sure?", "needsConfirmation": true } },
    });
    for (answer, expected) in [
        (Value::Null, "names nothing to change"),
        (changes(json!([])), "names nothing to change"),
        (changes(json!([edit(0, 0, 3, "sum")])), "does more than rename"),
        (changes(json!([edit(0, 4, 9, "other")])), "does more than rename"),
        (changes(json!([edit(0, 4, 9, "sum"), edit(0, 5, 8, "sum")])), "overlap"),
        (outside, "outside the workspace"),
        (versioned, "version"),
        (unknown, "not understood"),
        (doubtful, "a person's word"),
    ] {
        let (said, untouched) = rename(answering(answer.clone()), "").await;
        assert!(
            untouched && said.contains(expected) && said.contains("nothing was written"),
            "{answer}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_no_is_believed() {
    for answer in [Step::reply(Value::Null), Step::error(-32602, "you cannot rename this")] {
        let script = Script::new(capable()).on("textDocument/prepareRename", [answer]);
        let (said, untouched) = rename(script, "").await;
        assert!(untouched && said.contains("does not rename `total` here"), "{said}");
    }
    let elsewhere = Script::new(capable()).on("textDocument/prepareRename", [Step::reply(span(0, 0, 3))]);
    let (said, untouched) = rename(elsewhere, "").await;
    assert!(untouched && said.contains("instead of `total`"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_use_that_the_edit_leaves_out_refuses_the_whole() {
    let script = |fixture: &test_support::Fixture| {
        let other = format!("file://{}", fixture.path("b.fix").display());
        Script::new(capable())
            .on("textDocument/prepareRename", [Step::reply(span(0, 4, 9))])
            .on("textDocument/references", [Step::reply(json!([{ "uri": other, "range": span(0, 4, 9) }]))])
            .on("textDocument/rename", [Step::reply(changes(json!([edit(0, 4, 9, "sum")])))])
    };
    let bench = Bench::made(FILES, script, "");
    let arguments = json!({ "file": "a.fix", "line": 1, "symbol": "total", "new_name": "sum" });
    let said = bench.call("lsp_rename", arguments).await;
    assert!(said.contains("its own edit leaves out") && said.contains("b.fix:1"), "{said}");
    assert_eq!(bench.fixture.read("a.fix"), "let total = 1\n");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_edit_said_twice_is_made_once() {
    let twice = changes(json!([edit(0, 4, 9, "sum"), edit(0, 4, 9, "sum")]));
    let bench = Bench::new(FILES, answering(twice), "");
    let arguments = json!({ "file": "a.fix", "line": 1, "symbol": "total", "new_name": "sum" });
    let said = bench.call("lsp_rename", arguments).await;
    assert!(said.starts_with("rename `total` to `sum`: 1 occurrence in 1 file"), "{said}");
    assert_eq!(bench.fixture.read("a.fix"), "let sum = 1\n");
    assert!(said.contains("left alone") && said.contains("b.fix:1:5"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_still_loads_is_not_asked_to_rename() {
    let begin = json!({ "token": "t", "value": { "kind": "begin", "title": "Indexing" } });
    let end = json!({ "token": "t", "value": { "kind": "end" } });
    let script = answering(changes(json!([edit(0, 4, 9, "sum")]))).on(
        "textDocument/didOpen",
        [Step::tell("$/progress", begin), Step::Wait(500), Step::tell("$/progress", end)],
    );
    let bench = Bench::new(FILES, script, "readiness = { signal = \"progress\" }");
    let started = std::time::Instant::now();
    let arguments = json!({ "file": "a.fix", "line": 1, "symbol": "total", "new_name": "sum" });
    let said = bench.call("lsp_rename", arguments).await;
    assert!(said.starts_with("rename `total`") && started.elapsed().as_millis() >= 450, "{said}");
    bench.end().await;
}
