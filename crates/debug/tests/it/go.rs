//! delve: builds, tests and executables of Go.

use serde_json::json;
use tool::ErrorKind;

use crate::desk::{Desk, Running, found, listens, port};

const GO: &str = "\
//- /go.mod
module demo

go 1.19
//- /main.go
package main

import (
\t\"fmt\"
\t\"os\"
)

func main() {
\ttotal := 0
\tfor i := 0; i < 5; i++ {
\t\ttotal = add(total, i)
\t}
\tfmt.Println(\"total\", total)
\tfmt.Fprintln(os.Stderr, \"warned\")
\tif len(os.Args) > 1 {
\t\tpanic(\"at the end\")
\t}
\tos.Exit(3)
}
//- /add.go
package main

func add(a, b int) int {
\tsum := a + b
\treturn sum
}
//- /add_test.go
package main

import \"testing\"

func TestAdd(t *testing.T) {
\tif add(1, 2) != 3 {
\t\tt.Fatal()
\t}
}
//- /broken/main.go
package main

func main() {
\tundefinedName()
}
";

fn go() -> Option<Desk> {
    found("go")?;
    found("dlv").map(|_| Desk::with(GO, |sessions| sessions.wait(std::time::Duration::from_mins(1))))
}

#[tokio::test]
async fn a_package_is_built_stopped_looked_at_and_ended() {
    let Some(desk) = go() else { return };
    let lines = json!([{"line": 5, "condition": "b == 3"}]);
    desk.call("breakpoints", json!({"file": "add.go", "lines": lines})).await;
    let first = desk.call("launch", json!({"program": "main.go"})).await;
    first.is_stopped("breakpoint", "add.go", 5);
    assert_eq!(first.data["function"], "main.add");
    assert_eq!(desk.value("a + b").await, "6");
    let locals = desk.locals().await;
    assert!(locals.contains(&("sum".to_owned(), "6".to_owned())), "{locals:?}");
    let old = first.data["frame_id"].clone();
    desk.call("step_out", json!({})).await.is_state("stopped");
    let (kind, _) = desk.refused("scopes", json!({"frame_id": old})).await;
    assert_eq!(kind, ErrorKind::Conflict);
    let rejected = desk.call("breakpoints", json!({"file": "add.go", "lines": [2]})).await;
    assert_eq!(rejected.data["breakpoints"][0]["state"], "rejected", "{}", rejected.text);
    desk.call("breakpoints", json!({"file": "add.go", "lines": []})).await;
    desk.call("continue", json!({})).await.has_exited(3);
    assert!(desk.output("stdout").await.contains("total 10\n"));
    assert!(desk.output("stderr").await.contains("warned\n"));
    assert!(desk.fixture.tree().keys().all(|name| !name.contains("__debug_bin")));
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_build_that_fails_is_told_with_the_compilers_lines() {
    let Some(desk) = go() else { return };
    let (kind, said) = desk.refused("launch", json!({"program": "broken"})).await;
    assert_eq!(kind, ErrorKind::Failed);
    assert!(said.contains("undefinedName"), "{said}");
    desk.call("status", json!({})).await.is_state("none");
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_panic_and_a_test_and_a_binary() {
    let Some(desk) = go() else { return };
    let panicked = desk.call("launch", json!({"program": ".", "args": ["x"]})).await;
    panicked.is_state("stopped");
    panicked.says("at the end");
    desk.call("terminate", json!({})).await.is_state("terminated");
    let tested = desk.launch_at("add_test.go", "add.go", &[5]).await;
    tested.is_stopped("breakpoint", "add.go", 5);
    desk.call("terminate", json!({})).await.is_state("terminated");
    desk.compile("go", &["build", "-gcflags=all=-N -l", "-o", "demo", "."]);
    desk.call("launch", json!({"program": "demo"})).await.is_stopped("breakpoint", "add.go", 5);
    desk.call("terminate", json!({})).await.is_state("terminated");
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_headless_delve_is_joined_by_its_port() {
    let Some(desk) = go() else { return };
    let dlv = found("dlv").unwrap();
    let port = port();
    let listen = format!("--listen=127.0.0.1:{port}");
    let output = desk.fixture.outside().join("built");
    let output = format!("--output={}", output.display());
    let _server = Running::start(
        &desk,
        &dlv,
        &["debug", "--headless", "--api-version=2", "--accept-multiclient", &listen, &output],
    );
    listens(port).await;
    desk.call("breakpoints", json!({"file": "add.go", "lines": [5]})).await;
    let attached = desk.call("attach", json!({"port": port})).await;
    attached.is_state("stopped");
    if attached.data["reason"] != "breakpoint" {
        desk.call("continue", json!({})).await.is_stopped("breakpoint", "add.go", 5);
    }
    desk.call("terminate", json!({})).await.is_state("terminated");
}

#[tokio::test]
async fn an_entry_without_a_frame_and_a_log_message() {
    let Some(desk) = go() else { return };
    let entry = desk.call("launch", json!({"program": ".", "stop_on_entry": true})).await;
    assert_eq!(
        (&entry.data["state"], &entry.data["reason"]),
        (&"stopped".into(), &"entry".into()),
        "{}",
        entry.text
    );
    let lines = json!([{"line": 4, "log_message": "b is {b}"}]);
    desk.call("breakpoints", json!({"file": "add.go", "lines": lines})).await;
    desk.call("continue", json!({})).await.has_exited(3);
    let written = desk.call("output", json!({})).await;
    written.says("b is 4");
}

#[tokio::test]
async fn an_adapter_that_announces_nothing_is_heard_while_it_is_waited_for() {
    if found("go").is_none() {
        return;
    }
    let desk = Desk::with(GO, |sessions| sessions.adapters("[delve]\ncommand = ['sleep', '1000']\n"));
    let surface = desk.surface();
    let launch = json!({"action": "launch", "program": "."});
    let launching = tokio::spawn(async move { surface.call("debug", launch).await });
    desk.process("sleep 1000").await;
    desk.call("status", json!({})).await.is_state("configuring");
    desk.call("terminate", json!({})).await.is_state("terminated");
    assert_eq!(launching.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    desk.is_deserted().await;
}
