//! The adapter within gdb.

use serde_json::json;

use crate::desk::{Desk, Running, found, listens, on_system, port};
use crate::native::compiled;

fn desk() -> Option<Desk> {
    found("gdb-dap")?;
    compiled("gdb-dap")
}

#[tokio::test]
async fn a_program_of_c_from_its_breakpoints_to_its_exit() {
    let Some(desk) = desk() else { return };
    desk.call("breakpoints", json!({"file": "main.c", "lines": [7]})).await;
    let first = desk.call("launch", json!({"program": "main", "adapter": "gdb"})).await;
    first.is_stopped("breakpoint", "main.c", 7);
    assert_eq!(desk.value("a + b").await, "0");
    desk.call("step_over", json!({})).await.is_state("stopped");
    let points = desk.call("breakpoints", json!({"file": "main.c", "lines": [16]})).await;
    assert_eq!(points.data["breakpoints"][0]["state"], "bound", "{}", points.text);
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "main.c", 16);
    assert_eq!(desk.value("total").await, "10");
    desk.call("continue", json!({})).await.has_exited(3);
    desk.is_deserted().await;
}

#[tokio::test]
async fn an_entry_a_pause_and_an_end() {
    let Some(desk) = desk() else { return };
    let launch = json!({"program": "loop", "adapter": "gdb", "stop_on_entry": true});
    let entry = desk.call("launch", launch).await;
    assert_eq!(entry.data["reason"], "entry", "{}", entry.text);
    let surface = desk.surface();
    let waiting = tokio::spawn(async move { surface.call("debug", json!({"action": "continue"})).await });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let paused = desk.call("pause", json!({})).await;
    assert_eq!(paused.data["reason"], "pause", "{}", paused.text);
    assert_eq!(waiting.await.unwrap().unwrap().data.unwrap()["state"], "running");
    desk.call("terminate", json!({})).await.is_state("terminated");
    assert_eq!(desk.survivors(), []);
}

#[tokio::test]
async fn a_program_below_a_server_is_joined_by_its_port() {
    let Some(desk) = desk() else { return };
    let Some(server) = on_system("gdbserver") else { return };
    let port = port();
    let address = format!("127.0.0.1:{port}");
    let _server = Running::start(&desk, &server, &[&address, "./main"]);
    listens(port).await;
    desk.call("breakpoints", json!({"file": "main.c", "lines": [16]})).await;
    let attached = desk.call("attach", json!({"port": port, "adapter": "gdb"})).await;
    attached.is_state("stopped");
    desk.call("terminate", json!({})).await.is_state("terminated");
}
