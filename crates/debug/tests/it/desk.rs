//! A conversation at its desk: a workspace, the tool, and the processes that came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use outrigger_debug::{DebugSessions, Debugger};
use serde_json::{Value, json};
use test_support::{Fixture, real, real_environment};
use tool::{Error, ErrorKind, Output, Registry, Surface, Tier, tool};
use workspace::Workspace;

/// The variable by which every process of a desk is known.
const MARK: &str = "OUTRIGGER_DEBUG_TEST";

pub(crate) struct Desk {
    pub(crate) fixture: Fixture,
    registry: Registry,
    surface: Surface,
    mark: String,
}

impl Desk {
    pub(crate) fn new(text: &str) -> Self {
        Self::with(text, |sessions| sessions)
    }

    pub(crate) fn with(text: &str, change: impl FnOnce(DebugSessions) -> DebugSessions) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let fixture = Fixture::new(text);
        let mark = format!("{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed));
        let mut environment = real_environment();
        let home = std::env::var_os("HOME").unwrap_or_default();
        environment.extend([("HOME".into(), home), (MARK.into(), mark.clone().into())]);
        let sessions = change(DebugSessions::default().environment(environment));
        let workspace = Workspace::open(fixture.root()).unwrap();
        let registry = Registry::builder().build();
        registry.attach("debugger", vec![tool(Debugger::new(workspace, sessions, "c"))]).unwrap();
        let surface = registry.surface(Tier::Exec);
        Self { fixture, registry, surface, mark }
    }

    pub(crate) async fn try_call(&self, arguments: Value) -> Result<Output, Error> {
        self.surface.call("debug", arguments).await
    }

    /// What the tool answers; `arguments` are those beside `action`.
    pub(crate) async fn call(&self, action: &str, arguments: Value) -> Answer {
        let mut all = json!({"action": action});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        match self.try_call(all).await {
            Ok(output) => Answer { text: output.to_text(), data: output.data.unwrap_or_default() },
            Err(error) => panic!("`{action}` failed: {error}"),
        }
    }

    pub(crate) async fn refused(&self, action: &str, arguments: Value) -> (ErrorKind, String) {
        let mut all = json!({"action": action});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let error = self.try_call(all).await.expect_err(action);
        (error.kind, error.to_string())
    }

    /// A surface that outlives a borrow of the desk.
    pub(crate) fn surface(&self) -> Surface {
        self.surface.clone()
    }

    /// Sets breakpoints and launches.
    pub(crate) async fn launch_at(&self, program: &str, file: &str, lines: &[u64]) -> Answer {
        self.call("breakpoints", json!({"file": file, "lines": lines})).await;
        self.call("launch", json!({"program": program})).await
    }

    /// The value of an expression at the stop.
    pub(crate) async fn value(&self, expression: &str) -> String {
        let answer = self.call("evaluate", json!({"expression": expression})).await;
        answer.data["value"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn output(&self, stream: &str) -> String {
        let answer = self.call("output", json!({})).await;
        let pieces = answer.data["pieces"].as_array().unwrap();
        pieces
            .iter()
            .filter(|piece| piece["stream"] == stream)
            .map(|piece| piece["text"].as_str().unwrap())
            .collect()
    }

    /// Waits until the program has written `words`: its output comes on another way than its stops.
    pub(crate) async fn writes(&self, words: &str) {
        let begun = Instant::now();
        loop {
            let output = self.output("stdout").await;
            if output.contains(words) {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "no `{words}` in {output:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The names of the variables of the top frame's first scope.
    pub(crate) async fn locals(&self) -> Vec<(String, String)> {
        let frame = self.call("stack", json!({})).await.data["frames"][0]["frame_id"].clone();
        let scopes = self.call("scopes", json!({"frame_id": frame})).await;
        let reference = scopes.data["scopes"][0]["reference"].clone();
        let variables = self.call("variables", json!({"reference": reference})).await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = variables.data["variables"].as_array().unwrap();
        list.iter().map(|variable| (text(&variable["name"]), text(&variable["value"]))).collect()
    }

    /// The processes that still live, by what they are called.
    pub(crate) fn survivors(&self) -> Vec<(u32, String)> {
        let needle = format!("{MARK}={}\0", self.mark);
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment).into_owned() + "\0";
            environment.contains(&needle)
        })
        .map(|pid| (pid, command_line(pid)))
        .filter(|(_, line)| !line.is_empty())
        .collect()
    }

    /// Waits until no process is left.
    pub(crate) async fn is_deserted(&self) {
        let begun = Instant::now();
        loop {
            let left = self.survivors();
            if left.is_empty() {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "still there: {left:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a process has `words` in its command line.
    pub(crate) async fn process(&self, words: &str) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some((pid, _)) = self.survivors().into_iter().find(|(_, line)| line.contains(words)) {
                return pid;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "no `{words}` in {:?}", self.survivors());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Takes the debugger away from the run.
    pub(crate) fn detach(&self) {
        assert!(self.registry.detach("debugger"));
    }

    /// Looks after the processes of another desk.
    pub(crate) fn marked(self, mark: String) -> Self {
        Self { mark, ..self }
    }

    pub(crate) fn mark(&self) -> (&'static str, &str) {
        (MARK, &self.mark)
    }

    /// Compiles `source` of the workspace with what `real` knows or the system has.
    pub(crate) fn compile(&self, compiler: &str, arguments: &[&str]) {
        let status = Command::new(compiler)
            .args(arguments)
            .current_dir(self.fixture.root())
            .envs(real_environment())
            .stdin(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{compiler} {arguments:?}");
    }
}

fn command_line(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned()
}

/// What a call has answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) data: Value,
}

impl Answer {
    #[track_caller]
    pub(crate) fn is_stopped(&self, reason: &str, file: &str, line: u64) {
        let place = (&self.data["state"], &self.data["reason"], &self.data["file"], &self.data["line"]);
        assert_eq!(place, (&"stopped".into(), &reason.into(), &file.into(), &line.into()), "{}", self.text);
    }

    #[track_caller]
    pub(crate) fn is_state(&self, state: &str) {
        assert_eq!(self.data["state"], state, "{}", self.text);
    }

    #[track_caller]
    pub(crate) fn has_exited(&self, code: i64) {
        let state = (&self.data["state"], &self.data["exit_code"]);
        assert_eq!(state, (&"exited".into(), &code.into()), "{}", self.text);
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        assert!(self.text.contains(words), "`{words}` is not in:\n{}", self.text);
    }
}

/// The program of that name, found as tests are.
pub(crate) fn found(name: &str) -> Option<PathBuf> {
    real(name)
}

/// Where a program of the system is, if it is there.
pub(crate) fn on_system(name: &str) -> Option<PathBuf> {
    let path = real_environment().into_iter().find(|(key, _)| key == "PATH")?.1;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    first(&folders, name)
}

/// LLDB's server, which lies beside what the name of its adapter leads to.
pub(crate) fn lldb_server() -> Option<PathBuf> {
    let adapter = fs::canonicalize(real("lldb-dap")?).unwrap();
    first(&[adapter.parent()?.to_owned()], "lldb-server")
}

fn first(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: no {name}");
    }
    found
}

pub(crate) fn port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Waits until something listens on `port`, without connecting to it: one connection may be all that is taken.
pub(crate) async fn listens(port: u16) {
    let begun = Instant::now();
    let wanted = format!(":{port:04X} ");
    loop {
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        let listening = |line: &str| {
            let mut columns = line.split_whitespace().skip(1);
            let local = columns.next().unwrap_or_default().to_owned() + " ";
            local.ends_with(&wanted) && columns.nth(1) == Some("0A")
        };
        if table.lines().any(listening) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "nothing listens on {port}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A program of ours that is ended with the test.
pub(crate) struct Running(std::process::Child);

impl Running {
    pub(crate) fn start(desk: &Desk, program: &Path, arguments: &[&str]) -> Self {
        let (name, mark) = desk.mark();
        let child = Command::new(program)
            .args(arguments)
            .current_dir(desk.fixture.root())
            .envs(real_environment())
            .env(name, mark)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    pub(crate) fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
