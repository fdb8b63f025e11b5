//! A host at the other end of `outrigger serve`: writes lines, reads messages, and remembers those it was not yet
//! asked for. A message that does not come within the limit is a failure, not a hang.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_support::Fixture;

use crate::command::command;

/// How long a message may take on a loaded machine.
const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    unread: Vec<Value>,
}

impl Session {
    pub(crate) fn start(fixture: &Fixture, args: &[&str]) -> Self {
        Self::start_in(fixture, args, &[])
    }

    /// The same with variables laid over those of the test.
    pub(crate) fn start_in(fixture: &Fixture, args: &[&str], variables: &[(OsString, OsString)]) -> Self {
        let mut child = command(fixture)
            .arg("serve")
            .args(args)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("start the binary");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, messages, unread: Vec::new() }
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open input");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("write to the session");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}));
    }

    pub(crate) fn tool(&mut self, id: impl Into<Value>, name: &str, arguments: Value) {
        self.request(id, "tools/call", json!({"name": name, "arguments": arguments}));
    }

    /// The first message that `wanted` accepts; others are kept for later.
    pub(crate) fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.unread.iter().position(&wanted) {
            return self.unread.remove(index);
        }
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left);
            let message =
                message.unwrap_or_else(|_| panic!("{what} did not come; unread: {:?}", self.unread));
            if wanted(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// The answer to `id`.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.until(&format!("the answer to {id}"), |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// The result of a tool call.
    pub(crate) fn call(&mut self, id: impl Into<Value> + Clone, name: &str, arguments: Value) -> Value {
        self.tool(id.clone(), name, arguments);
        self.answer(id)["result"].clone()
    }

    /// Whether a message came that `wanted` accepts, among those read so far.
    pub(crate) fn saw(&self, wanted: impl Fn(&Value) -> bool) -> bool {
        self.unread.iter().any(wanted)
    }

    /// Ends the input and waits for the end of the process.
    pub(crate) fn end(mut self) -> (ExitStatus, Duration) {
        let start = Instant::now();
        drop(self.stdin.take());
        loop {
            if let Some(status) = self.child.try_wait().expect("wait for the session") {
                return (status, start.elapsed());
            }
            assert!(start.elapsed() < LIMIT, "the session outlives its input");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process as the kernel does.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("kill the session");
        self.child.wait().expect("reap the session");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failed test must leave nothing behind; a session that has ended is no error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
