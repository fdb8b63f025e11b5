//! A language server for tests that misbehaves to order.
//!
//! ```
//! use serde_json::json;
//! use test_support::Fixture;
//! use test_support::lsp::{Script, Step};
//! # extern crate outrigger_test_support as test_support;
//!
//! let fixture = Fixture::new("//- /a.txt\nhello\n");
//! let server = Script::new(json!({ "textDocumentSync": 1, "hoverProvider": true }))
//!     .start([Step::raw("a stray line\n")])
//!     // Two reactions: the first call, and every later one.
//!     .on("textDocument/hover", [Step::Wait(50), Step::reply(json!({ "contents": "first" }))])
//!     .on("textDocument/hover", [Step::Die])
//!     // Empty, then real, under one version.
//!     .on("textDocument/didOpen", [Step::publish(json!([])), Step::Wait(10), Step::publish(json!([{ /* … */ }]))])
//!     .install(fixture.outside());
//! let command: &[String] = server.command(); // start it as any server
//! assert!(server.received().is_empty()); // later: every message it got
//! # assert!(command[0].ends_with("python3"));
//! ```
//!
//! It must never answer what its script does not say, but for the bare handshake: `initialize` with the capabilities,
//! `shutdown`, `exit`, and "not in the script" for every other request.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

const PROGRAM: &str = include_str!("lsp/scripted.py");

/// What a scripted server does, as data.
#[derive(Clone, Debug, Serialize)]
#[must_use = "a script is played once it is installed"]
pub struct Script {
    capabilities: Value,
    start: Vec<Step>,
    reactions: BTreeMap<String, Vec<Vec<Step>>>,
}

/// One thing a server does. In values the texts `$id`, `$uri` and `$version` stand for those of the message that is
/// reacted to; `$version` is the newest one of the document when the step is taken.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Answers the request with this result. No step that answers: the request is dropped.
    Reply(Value),
    Error {
        code: i64,
        message: String,
    },
    /// Milliseconds; meanwhile other messages are reacted to.
    Wait(u64),
    /// Asks the client and waits for its reply, which is in the log as every message is. `$id` as the id is the client's.
    Ask {
        method: String,
        params: Value,
        id: Value,
    },
    Tell {
        method: String,
        params: Value,
    },
    /// Bytes of any kind: a stray line, half a frame, an absurd header.
    Raw(String),
    Repeat(u32, Box<Step>),
    /// Starts a child that ignores SIGTERM, in the server's session or in one of its own.
    Fork {
        new_session: bool,
    },
    /// Closes stdout and lives on.
    CloseOutput,
    /// Reads nothing more, and lives on.
    StopReading,
    IgnoreTerminate,
    /// Lives on after `exit` and the end of its input.
    OutliveInput,
    /// Ends with this exit code.
    Exit(i32),
    /// Ends by SIGKILL.
    Die,
}

impl Step {
    pub fn reply(result: Value) -> Self {
        Self::Reply(result)
    }

    pub fn error(code: i64, message: &str) -> Self {
        Self::Error { code, message: message.to_owned() }
    }

    pub fn ask(method: &str, params: Value) -> Self {
        Self::Ask { method: method.to_owned(), params, id: Value::Null }
    }

    pub fn tell(method: &str, params: Value) -> Self {
        Self::Tell { method: method.to_owned(), params }
    }

    pub fn raw(text: &str) -> Self {
        Self::Raw(text.to_owned())
    }

    /// Diagnostics for the document of the message, under its newest version.
    pub fn publish(diagnostics: Value) -> Self {
        let params = json!({ "uri": "$uri", "version": "$version", "diagnostics": diagnostics });
        Self::tell("textDocument/publishDiagnostics", params)
    }

    /// Diagnostics for the document of the message, without a version.
    pub fn publish_unversioned(diagnostics: Value) -> Self {
        let params = json!({ "uri": "$uri", "diagnostics": diagnostics });
        Self::tell("textDocument/publishDiagnostics", params)
    }
}

impl Script {
    /// A server that answers `initialize` with these capabilities (`positionEncoding` among them).
    pub fn new(capabilities: Value) -> Self {
        Self { capabilities, start: Vec::new(), reactions: BTreeMap::new() }
    }

    /// What it does before it reads anything.
    pub fn start(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.start.extend(steps);
        self
    }

    /// What it does when `method` comes. Said again for one method, it is the reaction to the next call; the last one
    /// stays for all that follow. No steps at all drop the message.
    pub fn on(mut self, method: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.reactions.entry(method.to_owned()).or_default().push(steps.into_iter().collect());
        self
    }

    /// Writes program and script into `folder`, which should lie outside the workspace. Several may share it.
    ///
    /// # Panics
    /// When they cannot be written, or there is no `python3` on `PATH`.
    pub fn install(&self, folder: &Path) -> Scripted {
        let number = (0..1_000).find(|number| !folder.join(format!("script-{number}.json")).exists());
        let number = number.expect("fewer than a thousand scripts in a folder");
        let name = |kind: &str| folder.join(format!("script-{number}.{kind}"));
        fs::write(name("json"), serde_json::to_vec(self).expect("a script is JSON"))
            .expect("write the script");
        fs::write(name("py"), PROGRAM).expect("write the program");
        let path = std::env::var_os("PATH").expect("a PATH");
        let python =
            std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|path| path.is_file());
        let words = [python.expect("python3 on PATH"), name("py"), name("json"), name("log")];
        let command =
            words.iter().map(|word| word.to_str().expect("a path that is text").to_owned()).collect();
        Scripted { command, log: name("log") }
    }
}

/// A scripted server that is ready to be started, as often as one likes.
#[derive(Clone, Debug)]
pub struct Scripted {
    command: Vec<String>,
    log: PathBuf,
}

impl Scripted {
    /// Program (absolute) and arguments.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// Every message it has received, in order, of all its runs.
    ///
    /// # Panics
    /// When its log is broken.
    pub fn received(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        // The last line may be half written.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| serde_json::from_str(line).expect("a message a line")).collect()
    }

    /// The params of every message of this method.
    ///
    /// # Panics
    /// When its log is broken.
    pub fn params_of(&self, method: &str) -> Vec<Value> {
        let of_method = |message: &Value| message["method"] == method;
        self.received().into_iter().filter(of_method).map(|mut message| message["params"].take()).collect()
    }
}

#[cfg(test)]
mod tests;
