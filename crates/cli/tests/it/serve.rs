//! `outrigger serve`: lists, calls, errors that are results, lines that are no messages, calls side by side,
//! cancellation, resources that come and go.

use serde_json::{Value, json};
use test_support::Fixture;

use crate::session::Session;

fn project() -> Fixture {
    Fixture::new("//- /a.dart\nvoid f() { dispose(x); }\n")
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().expect("a list of tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_host_in_any_language_lists_and_calls() {
    let fixture = project();
    let mut session = Session::start(&fixture, &["--tier", "read"]);
    session.request("list", "tools/list", json!({}));
    assert_eq!(names(&session.answer("list")), ["ast_grep", "lsp", "read"]);
    let found = session.call(7, "ast_grep", json!({"pattern": "dispose($X)", "language": "dart"}));
    assert_eq!(found["is_error"], false, "{found}");
    assert_eq!(found["content"][0]["type"], "text");
    assert_eq!(found["data"]["total"], 1, "{found}");
    assert!(session.end().0.success());
}

#[test]
fn unknown_tools_hidden_tools_and_bad_arguments_are_results() {
    let fixture = project();
    let mut session = Session::start(&fixture, &["--tier", "read"]);
    let error = |answer: &Value| answer["error"]["kind"].as_str().unwrap().to_owned();
    let hidden = session.call(1, "resolve", json!({"edit_id": "edit_1", "action": "accept"}));
    let unknown = session.call(2, "resalve", json!({}));
    assert_eq!((error(&hidden), error(&unknown)), ("unknown_tool".to_owned(), "unknown_tool".to_owned()));
    assert_eq!(hidden.to_string(), unknown.to_string().replace("resalve", "resolve"));
    let bad = session.call(3, "ast_grep", json!({"patern": "x"}));
    assert_eq!((error(&bad).as_str(), &bad["is_error"]), ("bad_arguments", &json!(true)));
    assert!(bad["error"]["message"].as_str().unwrap().contains("did you mean `pattern`?"), "{bad}");
    let list = session.call(4, "read", json!(["a.dart"]));
    assert_eq!(error(&list), "bad_arguments");
}

#[test]
fn a_line_that_is_no_message_is_answered_and_the_session_goes_on() {
    let fixture = project();
    let mut session = Session::start(&fixture, &[]);
    let bad: [(&[u8], i64); 6] = [
        (b"{\n", -32700),
        (b"\xff\xfe\n", -32700),
        (b"[{\"id\":1}]\n", -32600),
        (b"{\"id\":{},\"method\":\"tools/list\"}\n", -32600),
        (b"{\"id\":null,\"method\":\"tools/list\"}\n", -32600),
        (b"true\n", -32600),
    ];
    for (line, code) in bad {
        session.raw(line);
        let answer = session.answer(Value::Null);
        assert_eq!(answer["error"]["code"], code, "{} → {answer}", String::from_utf8_lossy(line));
    }
    session.raw(b"\n\r\n");
    let mut long = vec![b'x'; 20 << 20];
    long.push(b'\n');
    session.raw(&long);
    assert_eq!(session.answer(Value::Null)["error"]["code"], -32600);
    session.request(1, "tools/lost", json!({}));
    assert_eq!(session.answer(1)["error"]["code"], -32601);
    session.request(2, "tools/call", json!({"arguments": {}}));
    assert_eq!(session.answer(2)["error"]["code"], -32602);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    session.raw(
        format!(
            "{{\"id\":3,\"method\":\"tools/call\",\"params\":{{\"name\":\"read\",\"arguments\":{deep}}}}}\n"
        )
        .as_bytes(),
    );
    let answer = session.answer(3);
    assert!(answer.get("error").is_some() || answer["result"]["is_error"] == true, "{answer}");
    assert_eq!(session.call(4, "read", json!({"path": "a.dart"}))["is_error"], false);
}

#[test]
fn calls_run_side_by_side_and_an_id_is_used_once_at_a_time() {
    let fixture = project();
    let mut session = Session::start(&fixture, &["--approve", "auto"]);
    session.tool("slow", "shell", json!({"command": "while [ ! -e go ]; do sleep 0.05; done; echo went"}));
    session.tool("slow", "read", json!({"path": "a.dart"}));
    assert_eq!(session.answer("slow")["error"]["code"], -32600, "the id is taken");
    assert_eq!(session.call("quick", "read", json!({"path": "a.dart"}))["is_error"], false);
    assert!(!session.saw(|message| message["id"] == "slow"));
    fixture.write("go", "");
    assert!(session.answer("slow")["result"]["content"][0]["text"].as_str().unwrap().contains("went"));
    assert_eq!(session.call("slow", "read", json!({"path": "a.dart"}))["is_error"], false, "and free again");
}

#[test]
fn a_cancelled_call_answers_cancelled() {
    let fixture = project();
    let mut session = Session::start(&fixture, &["--approve", "auto"]);
    session.tool(1, "shell", json!({"command": "touch started; sleep 60"}));
    while !fixture.path("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    session.send(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}}));
    let answer = session.answer(1);
    assert_eq!(answer["result"]["error"]["kind"], "cancelled", "{answer}");
    session.send(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 99}}));
    session.send(&json!({"jsonrpc": "2.0", "method": "$/cancel"}));
    assert_eq!(session.call(2, "read", json!({"path": "a.dart"}))["is_error"], false);
}

#[test]
fn a_detached_resource_takes_its_tools_and_its_calls_along() {
    let fixture = project();
    let mut session = Session::start(&fixture, &["--approve", "auto"]);
    session.tool(1, "shell", json!({"command": "touch started; sleep 60"}));
    while !fixture.path("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    session.request(2, "run/detach", json!({"resource": "host"}));
    assert_eq!(session.answer(2)["result"]["was_attached"], true);
    assert_eq!(session.answer(1)["result"]["error"]["kind"], "unavailable");
    session.until("tools/changed", |message| message["method"] == "tools/changed");
    session.request(3, "tools/list", json!({}));
    assert_eq!(
        names(&session.answer(3)),
        ["ast_edit", "ast_grep", "debug", "lsp", "lsp_rename", "lsp_rename_file", "resolve"]
    );
    assert_eq!(session.call(4, "read", json!({"path": "a.dart"}))["error"]["kind"], "unknown_tool");
    session.request(5, "run/attach", json!({"resource": "host"}));
    session.answer(5);
    assert_eq!(session.call(6, "read", json!({"path": "a.dart"}))["is_error"], false);
    session.request(7, "run/attach", json!({"resource": "lsq"}));
    assert_eq!(session.answer(7)["error"]["code"], -32602);
}
