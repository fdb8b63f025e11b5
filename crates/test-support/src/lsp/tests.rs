//! The scripted server, spoken to over its pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::*;
use crate::Fixture;

struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(server: &Scripted) -> Self {
        let [program, args @ ..] = server.command() else { panic!("no program") };
        let mut command = Command::new(program);
        let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    fn say(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.child.stdin.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn next(&mut self) -> Value {
        let header = self.line();
        let length = header.trim().strip_prefix("Content-Length: ").expect(&header).parse().unwrap();
        self.line();
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        let mut message: Value = serde_json::from_slice(&body).unwrap();
        message.as_object_mut().unwrap().remove("jsonrpc");
        message
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_script_is_played() {
    let fixture = Fixture::empty();
    let server = Script::new(json!({ "positionEncoding": "utf-8" }))
        .start([Step::raw("stray\n")])
        .on("hover", [Step::Wait(200), Step::reply(json!("slow"))])
        .on("hover", [Step::error(-32801, "modified")])
        .on("dropped", [])
        .on(
            "rename",
            [
                Step::Ask { method: "m".to_owned(), params: json!([]), id: json!("$id") },
                Step::reply(json!("$id")),
            ],
        )
        .on("didOpen", [Step::publish(json!([])), Step::publish_unversioned(json!([1]))])
        .on("flood", [Step::Repeat(3, Box::new(Step::tell("told", Value::Null)))])
        .install(fixture.outside());
    let mut running = Running::start(&server);
    assert_eq!(running.line(), "stray\n");
    running.say(json!({ "id": 1, "method": "initialize" }));
    assert_eq!(running.next()["result"]["capabilities"]["positionEncoding"], "utf-8");
    // The slow answer comes after the fast one; a dropped request gets none.
    running.say(json!({ "id": 2, "method": "hover" }));
    running.say(json!({ "id": 3, "method": "dropped" }));
    running.say(json!({ "id": 4, "method": "hover" }));
    assert_eq!(running.next(), json!({ "id": 4, "error": { "code": -32801, "message": "modified" } }));
    assert_eq!(running.next(), json!({ "id": 2, "result": "slow" }));
    // Our own id, used for a question.
    running.say(json!({ "id": 5, "method": "rename" }));
    assert_eq!(running.next(), json!({ "id": 5, "method": "m", "params": [] }));
    running.say(json!({ "id": 5, "result": "told" }));
    assert_eq!(running.next(), json!({ "id": 5, "result": 5 }));
    running.say(
        json!({ "method": "didOpen", "params": { "textDocument": { "uri": "file:///a", "version": 7 } } }),
    );
    let params = json!({ "uri": "file:///a", "version": 7, "diagnostics": [] });
    assert_eq!(running.next()["params"], params);
    assert_eq!(running.next()["params"], json!({ "uri": "file:///a", "diagnostics": [1] }));
    running.say(json!({ "method": "flood" }));
    for _ in 0..3 {
        assert_eq!(running.next()["method"], "told");
    }
    running.say(json!({ "id": 6, "method": "other" }));
    assert_eq!(running.next()["error"]["code"], -32601);
    running.say(json!({ "method": "exit" }));
    assert!(running.child.wait().unwrap().success());
    let methods: Vec<Value> = server.received().iter().map(|message| message["method"].clone()).collect();
    assert_eq!(methods[..5], ["initialize", "hover", "dropped", "hover", "rename"]);
    assert_eq!(server.received()[5], json!({ "id": 5, "result": "told" }));
    assert_eq!(server.params_of("didOpen")[0]["textDocument"]["version"], 7);
}

#[test]
fn a_server_dies_falls_silent_or_lives_on_as_it_is_told() {
    let fixture = Fixture::empty();
    let script = || Script::new(json!({}));
    let dying = script().on("die", [Step::Exit(3)]).install(fixture.outside());
    let mut running = Running::start(&dying);
    running.say(json!({ "id": 1, "method": "die" }));
    assert_eq!((running.line(), running.child.wait().unwrap().code()), (String::new(), Some(3)));

    let steps = [Step::IgnoreTerminate, Step::OutliveInput, Step::CloseOutput];
    let stubborn = script().on("stay", steps).install(fixture.outside());
    assert_ne!(dying.command(), stubborn.command());
    let mut running = Running::start(&stubborn);
    running.say(json!({ "method": "stay" }));
    assert_eq!(running.line(), "", "its output has ended");
    drop(running.child.stdin.take());
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(running.child.try_wait().unwrap(), None);
}
