//! lldb-dap with a program of C and one of Rust.

use std::time::Duration;

use outrigger_debug::DebugSessions;
use serde_json::json;

use crate::desk::{Desk, Running, found, listens, lldb_server, on_system, port};

pub(crate) const C: &str = "\
//- /CMakeLists.txt
//- /main.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(int a, int b) {
    int sum = a + b;
    return sum;
}

int main(int argc, char **argv) {
    int total = 0;
    for (int i = 0; i < 5; i++) {
        total = add(total, i);
    }

    printf(\"total %d\\n\", total);
    fflush(stdout);
    fprintf(stderr, \"warned\\n\");
    if (argc > 1 && strcmp(argv[1], \"crash\") == 0) {
        *(volatile int *)0 = 1;
    }
    return 3;
}
//- /loop.c
#include <unistd.h>
volatile int n;
int main(void) {
    if (fork() == 0) { setsid(); for (;;) pause(); }
    for (;;) { n++; usleep(1000); }
}
";

pub(crate) fn compiled(adapter: &str) -> Option<Desk> {
    compiled_with(adapter, |sessions| sessions.wait(Duration::from_secs(20)))
}

pub(crate) fn compiled_with(
    adapter: &str,
    change: impl FnOnce(DebugSessions) -> DebugSessions,
) -> Option<Desk> {
    found(adapter)?;
    on_system("cc")?;
    let desk = Desk::with(C, change);
    desk.compile("cc", &["-g", "-O0", "-o", "main", "main.c"]);
    desk.compile("cc", &["-g", "-O0", "-o", "loop", "loop.c"]);
    Some(desk)
}

#[tokio::test]
async fn a_program_of_c_from_its_breakpoints_to_its_exit() {
    let Some(desk) = compiled("lldb-dap") else { return };
    let (_, said) = desk.refused("launch", json!({"program": "main.c"})).await;
    assert!(said.contains("is compiled first"), "{said}");
    let first = desk.launch_at("main", "main.c", &[7]).await;
    first.is_stopped("breakpoint", "main.c", 7);
    first.says("→ 7 |     return sum;");
    first.says("breakpoints hit: main.c:7");
    assert_eq!(desk.value("a + b").await, "0");
    let locals = desk.locals().await;
    assert!(locals.contains(&("sum".to_owned(), "0".to_owned())), "{locals:?}");
    let stack = desk.call("stack", json!({})).await;
    stack.says("`main` at main.c:13");
    let moved = desk.call("breakpoints", json!({"file": "main.c", "lines": [15]})).await;
    moved.says("15: moved 15 → 16: `printf(\"total %d\\n\", total);`");
    desk.call("step_out", json!({})).await.is_stopped("step", "main.c", 13);
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "main.c", 16);
    assert_eq!(desk.value("total").await, "10");
    desk.call("continue", json!({})).await.has_exited(3);
    let output = desk.output("stdout").await;
    assert!(output.contains("total 10\n") && output.contains("warned\n"), "{output:?}");
    desk.is_deserted().await;
}

#[tokio::test]
async fn an_expression_is_a_value_and_never_a_command() {
    let Some(desk) = compiled("lldb-dap") else { return };
    let first = desk.launch_at("main", "main.c", &[7]).await;
    for command in ["c", "n", "`process continue", "continue"] {
        let _ = desk.try_call(json!({"action": "evaluate", "expression": command})).await;
        let status = desk.call("status", json!({})).await;
        assert_eq!(status.data["stop"], first.data["stop"], "{command}: {}", status.text);
    }
}

#[tokio::test]
async fn conditions_functions_and_a_crash() {
    let Some(desk) = compiled("lldb-dap") else { return };
    let lines = json!([{"line": 7, "condition": "b == 3"}]);
    desk.call("breakpoints", json!({"file": "main.c", "lines": lines})).await;
    desk.call("function_breakpoints", json!({"names": ["main"]})).await;
    let entry = desk.call("launch", json!({"program": "main", "args": ["crash"]})).await;
    entry.is_stopped("breakpoint", "main.c", 11);
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "main.c", 7);
    assert_eq!(desk.value("b").await, "3");
    let crash = desk.call("continue", json!({})).await;
    crash.is_stopped("exception", "main.c", 20);
    assert!(crash.text.contains("SIGSEGV") || crash.text.contains("address"), "{}", crash.text);
    desk.call("terminate", json!({})).await.is_state("terminated");
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_running_program_is_paused_and_its_children_end_with_it() {
    let Some(desk) = compiled("lldb-dap") else { return };
    desk.call("breakpoints", json!({"file": "loop.c", "lines": [5]})).await;
    desk.call("launch", json!({"program": "loop"})).await.is_stopped("breakpoint", "loop.c", 5);
    desk.call("breakpoints", json!({"file": "loop.c", "lines": []})).await;
    let surface = desk.surface();
    let waiting = tokio::spawn(async move { surface.call("debug", json!({"action": "continue"})).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let paused = desk.call("pause", json!({})).await;
    assert_eq!(paused.data["reason"], "pause", "{}", paused.text);
    paused.says("called from `main` at loop.c:5");
    assert_eq!(waiting.await.unwrap().unwrap().data.unwrap()["state"], "running");
    assert!(desk.survivors().len() > 2);
    desk.call("terminate", json!({})).await.is_state("terminated");
    assert_eq!(desk.survivors(), []);
}

#[tokio::test]
async fn a_program_of_rust_shows_its_values_and_its_panic() {
    if found("lldb-dap").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /Cargo.toml\n//- /main.rs\nfn total(values: &[i32]) -> i32 {\n    let mut sum = 0;\n    for value in values {\n        sum += value;\n    }\n    sum\n}\n\nfn main() {\n    let text = String::from(\"hello\");\n    let values = vec![1, 2, 3];\n    let some = Some(5);\n    println!(\"{} {text} {some:?}\", total(&values));\n    if values.len() == 3 {\n        panic!(\"at the end\");\n    }\n}\n",
    );
    desk.compile("rustc", &["-g", "-o", "main", "main.rs"]);
    let (_, said) = desk.refused("launch", json!({"program": "main.rs"})).await;
    assert!(said.contains("with `cargo build`"), "{said}");
    let first = desk.launch_at("main", "main.rs", &[13]).await;
    first.is_stopped("breakpoint", "main.rs", 13);
    assert_eq!(first.data["function"], "main::main");
    let locals = desk.locals().await;
    let value = |name: &str| &locals.iter().find(|(known, _)| known == name).unwrap().1;
    assert!(value("text").contains("\"hello\""), "{locals:?}");
    assert!(value("values").contains("size=3"), "{locals:?}");
    let (_, said) = desk.refused("evaluate", json!({"expression": "values.iter().sum::<i32>()"})).await;
    assert!(said.contains("name a path such as `v[1]`"), "{said}");
    // The line has several places in the program.
    desk.call("breakpoints", json!({"file": "main.rs", "lines": []})).await;
    let end = desk.call("continue", json!({})).await;
    end.has_exited(101);
    assert!(desk.output("stdout").await.contains("6 hello Some(5)"));
}

#[tokio::test]
async fn a_program_below_a_server_is_joined_by_its_port() {
    let Some(desk) = compiled("lldb-dap") else { return };
    let Some(server) = lldb_server() else { return };
    let port = port();
    let address = format!("127.0.0.1:{port}");
    let _server = Running::start(&desk, &server, &["gdbserver", &address, "--", "./main"]);
    listens(port).await;
    desk.call("breakpoints", json!({"file": "main.c", "lines": [16]})).await;
    let attached = desk.call("attach", json!({"port": port, "adapter": "lldb"})).await;
    attached.is_state("stopped");
    // The adapter may let it go by itself a moment after it has joined: `continue` is then refused, as not stopped.
    let begun = std::time::Instant::now();
    loop {
        let status = desk.call("status", json!({})).await;
        if status.data["reason"] == "breakpoint" {
            assert!(status.text.contains("main.c:16"), "{}", status.text);
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", status.text);
        if status.data["state"] == "stopped" {
            let _ = desk.try_call(json!({"action": "continue"})).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    desk.call("terminate", json!({})).await.is_state("terminated");
}

#[tokio::test]
async fn an_entry_comes_before_the_programs_first_line() {
    let Some(desk) = compiled("lldb-dap") else { return };
    let entry = desk.call("launch", json!({"program": "main", "stop_on_entry": true})).await;
    assert_eq!(
        (&entry.data["state"], &entry.data["reason"]),
        (&"stopped".into(), &"entry".into()),
        "{}",
        entry.text
    );
    desk.call("breakpoints", json!({"file": "main.c", "lines": [11]})).await;
    desk.call("continue", json!({})).await.is_stopped("breakpoint", "main.c", 11);
    desk.call("continue", json!({})).await.has_exited(3);
}

/// An adapter that is this command.
fn standing_in(command: &str) -> Option<Desk> {
    let table = format!("[gdb]\ncommand = {command}\nprobe = []\n");
    compiled_with("gdb-dap", |sessions| sessions.adapters(table))
}

#[tokio::test]
async fn an_adapter_that_dies_at_its_start_is_told_at_once_with_its_words() {
    let Some(desk) = standing_in("['sh', '-c', 'echo it is broken >&2; exit 3']") else { return };
    let begun = std::time::Instant::now();
    let (kind, said) = desk.refused("launch", json!({"program": "main", "adapter": "gdb"})).await;
    assert_eq!(kind, tool::ErrorKind::Failed);
    assert!(said.contains("it is broken") && said.contains("exit code 3"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    desk.call("status", json!({})).await.is_state("none");
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_start_that_takes_long_is_heard_and_can_be_ended() {
    let Some(desk) = standing_in("['sleep', '1000']") else { return };
    let surface = desk.surface();
    let launch = json!({"action": "launch", "program": "main", "adapter": "gdb"});
    let launching = tokio::spawn(async move { surface.call("debug", launch).await });
    desk.process("sleep 1000").await;
    desk.call("status", json!({})).await.is_state("configuring");
    desk.call("terminate", json!({})).await.is_state("terminated");
    let error = launching.await.unwrap().unwrap_err();
    assert_eq!(error.kind, tool::ErrorKind::Cancelled, "{error}");
    desk.is_deserted().await;
}
