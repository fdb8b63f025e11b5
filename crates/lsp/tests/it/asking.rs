//! Questions to servers that answer late, wrongly, or not at all.

use std::time::Duration;

use serde_json::{Value, json};
use test_support::lsp::{Script, Step};

use crate::bench::{Bench, timed};

const FILE: &str = "//- /a.fix\nlet total = 1\nuse total\n";

fn capable() -> Value {
    json!({
        "textDocumentSync": 1, "definitionProvider": true, "referencesProvider": true, "hoverProvider": true,
        "positionEncoding": "utf-16",
    })
}

fn location(line: u32, from: u32, to: u32) -> Value {
    json!({ "uri": "$uri", "range": { "start": { "line": line, "character": from }, "end": { "line": line, "character": to } } })
}

fn answering() -> Script {
    Script::new(capable()).on("textDocument/definition", [Step::reply(json!([location(0, 4, 9)]))])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_asks_is_answered_each_in_its_shape() {
    let items = json!({ "items": [{ "section": "a" }, { "section": "b" }, {}] });
    let registration = json!({ "registrations": [{ "id": "1", "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": [{ "globPattern": "**/*.fix" }] } }] });
    let script = answering().on(
        "initialized",
        [
            Step::ask("workspace/configuration", items),
            Step::ask("client/registerCapability", registration),
            Step::ask("window/workDoneProgress/create", json!({ "token": 1 })),
            Step::ask("workspace/applyEdit", json!({ "edit": {} })),
            Step::ask("no/suchMethod", json!({})),
            // An id of ours, for a question of its own.
            Step::Ask { method: "workspace/workspaceFolders".to_owned(), params: Value::Null, id: json!(2) },
        ],
    );
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("a.fix:1:5: let total = 1"), "{said}");
    let read = || -> Vec<Value> {
        bench.server.received().into_iter().filter(|message| message.get("method").is_none()).collect()
    };
    let all = async {
        while read().len() < 6 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), all).await.unwrap();
    let replies = read();
    assert_eq!(replies[0]["result"].as_array().map(Vec::len), Some(3), "{replies:?}");
    assert!(replies[1].get("error").is_none() && replies[1]["result"].is_null(), "{replies:?}");
    assert!(replies[2].get("error").is_none(), "{replies:?}");
    assert_eq!(replies[3]["result"]["applied"], false, "{replies:?}");
    assert_eq!(replies[4]["error"]["code"], -32601, "{replies:?}");
    assert!(replies[5]["result"].is_array(), "{replies:?}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_between_messages_are_passed_over() {
    let script = answering()
        .start([Step::raw("starting up …\n"), Step::raw("Content-Length: 99999999999999\r\n\r\n")])
        .on("textDocument/didOpen", [Step::raw("opened\n"), Step::raw("Content-Length: 7\r\n\r\n{\"a\": b")]);
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("a.fix:1:5"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_answer_of_a_server_that_loads_is_not_known() {
    let begin = json!({ "token": "t", "value": { "kind": "begin", "title": "Indexing" } });
    let end = json!({ "token": "t", "value": { "kind": "end" } });
    let script = Script::new(capable())
        .on(
            "textDocument/didOpen",
            [Step::tell("$/progress", begin), Step::Wait(700), Step::tell("$/progress", end)],
        )
        .on("textDocument/references", [Step::reply(json!([location(0, 4, 9), location(1, 4, 9)]))]);
    let bench = Bench::new(FILE, script, "readiness = { signal = \"progress\" }");
    let (said, took) = timed(bench.lsp("references", "a.fix", 1, "total")).await;
    assert!(said.starts_with("2 references"), "{said}");
    assert!(took >= Duration::from_millis(600), "asked before it had loaded: {took:?}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_outdated_is_asked_for_again() {
    let script = Script::new(capable())
        .on("textDocument/definition", [Step::error(-32801, "content modified")])
        .on("textDocument/definition", [Step::error(-32802, "server cancelled")])
        .on("textDocument/definition", [Step::reply(json!([location(0, 4, 9)]))]);
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("a.fix:1:5"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_in_the_middle_is_told_and_the_next_question_starts_it_again() {
    let script = Script::new(capable()).on(
        "textDocument/definition",
        [Step::Fork { new_session: true }, Step::Fork { new_session: false }, Step::Die],
    );
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("scripted") && said.contains("SIGKILL"), "{said}");
    let status = bench.call("lsp", json!({ "action": "status" })).await;
    assert!(status.contains("scripted: ended"), "{status}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ignores_every_word_is_ended_all_the_same() {
    let script =
        answering().start([Step::IgnoreTerminate, Step::OutliveInput, Step::Fork { new_session: true }]);
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("a.fix:1:5"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_are_those_of_the_encoding_the_server_chose() {
    // After an emoji and a combining mark: 8 bytes, 5 units or 4 signs before the name.
    for (encoding, from) in [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)] {
        let mut capabilities = capable();
        capabilities["positionEncoding"] = encoding.into();
        let script = Script::new(capabilities)
            .on("textDocument/definition", [Step::reply(json!([location(0, from, from + 5)]))]);
        let bench = Bench::new("//- /a.fix\n😀e\u{301} total\nuse total\n", script, "");
        let said = bench.lsp("definition", "a.fix", 1, "total").await;
        assert!(said.contains("a.fix:1:5: "), "{encoding}: {said}");
        let asked = bench.server.params_of("textDocument/definition");
        assert_eq!(asked[0]["position"]["character"], from, "{encoding}: {asked:?}");
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_behind_the_end_is_the_end() {
    let script =
        Script::new(capable()).on("textDocument/definition", [Step::reply(json!([location(99, 7, 9)]))]);
    let bench = Bench::new(FILE, script, "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("a.fix:") && !said.contains(":100:"), "{said}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_not_asked_of_a_server_that_does_not_offer_it() {
    let bench = Bench::new(FILE, Script::new(json!({ "textDocumentSync": 1 })), "");
    let said = bench.lsp("definition", "a.fix", 2, "total").await;
    assert!(said.contains("scripted does not") || said.contains("`scripted`"), "{said}");
    assert!(bench.server.params_of("textDocument/definition").is_empty());
    bench.end().await;
}
