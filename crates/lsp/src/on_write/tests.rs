//! The layer around a tool that writes through `edits`, with real servers: what a model reads after each write.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use edits::{Digest, Edits, Plan, Preview, Proposed, Replacement, State};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_support::Fixture;
use tokio::time::Instant;
use tool::{About, Output, ReadContext, Registry, Surface, Tier, TypedTool, WriteContext};
use workspace::Workspace;

use super::{Judge, OnWrite, Servers};
use crate::client::{Client, Host};
use crate::error::Error;
use crate::outside::Tracked;
use crate::servers::{Server, Table};

/// The servers of these rows, each started once, when it is needed.
struct Started {
    root: PathBuf,
    rows: Vec<Arc<Server>>,
    running: Mutex<Vec<Arc<Client>>>,
    starting: tokio::sync::Mutex<()>,
    tracked: Arc<Tracked>,
}

impl Servers for Started {
    fn running(&self) -> Vec<Arc<Client>> {
        self.running.lock().unwrap().clone()
    }

    fn diagnosing(&self, path: PathBuf) -> BoxFuture<'_, Result<Vec<Arc<Client>>, Error>> {
        async move {
            let _one_at_a_time = self.starting.lock().await;
            let mut clients = Vec::new();
            for row in self.rows.iter().filter(|row| row.language(&path).is_some()) {
                let started = self.running().into_iter().find(|client| client.server().id == row.id);
                if let Some(client) = started {
                    clients.push(client);
                    continue;
                }
                let mut environment = test_support::real_environment();
                for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
                    environment.extend(std::env::var_os(name).map(|value| (OsString::from(name), value)));
                }
                let tracked = Arc::clone(&self.tracked);
                let host = Host {
                    spawn: Arc::new(peer::Host),
                    environment,
                    tracked,
                    open_documents: 8,
                    cancelled: tokio_util::sync::CancellationToken::new(),
                };
                let executable = PathBuf::from(&row.command[0]);
                let client = Client::start(Arc::clone(row), self.root.clone(), executable, host).await?;
                self.running.lock().unwrap().push(Arc::clone(&client));
                clients.push(client);
            }
            Ok(clients)
        }
        .boxed()
    }

    fn outside_changes(&self) -> BoxFuture<'_, ()> {
        async move {
            let Ok(now) = self.tracked.look().await else { return };
            for client in self.running() {
                client.outside_changes(&now).await;
            }
        }
        .boxed()
    }
}

/// Writes whole files.
struct Write {
    edits: Edits,
}

#[derive(Deserialize, JsonSchema)]
struct WriteArgs {
    files: Vec<File>,
    /// Fail once everything is written.
    #[serde(default)]
    fail: bool,
}

#[derive(Deserialize, JsonSchema)]
struct File {
    path: String,
    /// Absent: it is deleted.
    #[serde(default)]
    content: Option<String>,
}

impl TypedTool for Write {
    type Args = WriteArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new("write", "Writes files.")
    }

    async fn call(&self, args: WriteArgs, cx: WriteContext) -> Result<Output, tool::Error> {
        let mut plan = Plan::new();
        for File { path, content } in args.files {
            let now = std::fs::read(self.edits.workspace().root().join(&path)).ok();
            plan = match (now, content) {
                (Some(now), Some(content)) => {
                    plan.edit(path, Digest::of(&now), vec![Replacement::new(0..now.len(), content)])
                }
                (None, Some(content)) => plan.create(path, content),
                (_, None) => plan.delete(path),
            };
        }
        let change = self.edits.snapshot(&plan).unwrap();
        self.edits.commit(&change, cx.permit(change.paths())?).unwrap();
        if args.fail {
            return Err(tool::Error::failed("written, and failed"));
        }
        Ok(Output::text("written").with_data(json!({ "own": 1 })))
    }
}

/// Reads nothing.
struct Look;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl TypedTool for Look {
    type Args = Nothing;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("look", "Looks.")
    }

    async fn call(&self, _: Nothing, _: ReadContext) -> Result<Output, tool::Error> {
        Ok(Output::text("looked"))
    }
}

/// A tool that is used to get at a read context.
struct Check(Arc<Judge>, Vec<Proposed>);

impl TypedTool for Check {
    type Args = Nothing;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("check", "Checks a proposal.")
    }

    async fn call(&self, _: Nothing, cx: ReadContext) -> Result<Output, tool::Error> {
        self.0.preview(self.1.clone(), cx).await
    }
}

struct Bench {
    fixture: Fixture,
    servers: Arc<Started>,
    registry: Registry,
    surface: Surface,
}

impl Bench {
    /// The rows `ids` in the fixture of `text`; nothing where a program is missing.
    fn new(text: &str, ids: &[&str]) -> Option<Self> {
        for id in ids {
            test_support::real(id)?;
        }
        let fixture = Fixture::new(text);
        let workspace = Workspace::open(fixture.root()).unwrap();
        let rows = Table::built_in().servers(true);
        let servers = Arc::new(Started {
            root: fixture.root().to_owned(),
            rows: rows.into_iter().filter(|row| ids.contains(&row.id.as_str())).collect(),
            running: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            tracked: Arc::new(Tracked::new(workspace.clone())),
        });
        let on_write = OnWrite::new(Arc::clone(&servers) as _, fixture.root().to_owned());
        let registry = Registry::builder().inner_layer(on_write).build();
        let state = State::memory(fixture.outside().join("state"));
        let edits = Edits::open(workspace, registry.authority(), state).unwrap();
        registry.attach("files", vec![tool::tool(Write { edits }), tool::tool(Look)]).unwrap();
        let surface = registry.surface(Tier::Write);
        Some(Self { fixture, servers, registry, surface })
    }

    /// Starts the servers, with these files open.
    async fn warm(&self, files: &[&str]) {
        for file in files {
            for client in self.servers.diagnosing(self.fixture.path(file)).await.unwrap() {
                client.sync(&self.fixture.path(file)).await.unwrap();
                assert_eq!(client.ready(Duration::from_mins(1)).await, crate::readiness::Readiness::Ready);
            }
        }
    }

    async fn write(&self, files: &[(&str, Option<&str>)]) -> Output {
        let files: Vec<Value> =
            files.iter().map(|(path, content)| json!({ "path": path, "content": content })).collect();
        self.surface.call("write", json!({ "files": files })).await.unwrap()
    }

    /// What a model reads behind the tool's own text.
    async fn told(&self, path: &str, content: &str) -> String {
        let output = self.write(&[(path, Some(content))]).await;
        assert_eq!(output.data.as_ref().unwrap()["own"], 1, "the tool's own data stays");
        let text = output.to_text();
        text.strip_prefix("written\n").unwrap_or_else(|| panic!("its own text first: {text}")).to_owned()
    }

    async fn stop(self) {
        for client in self.servers.running() {
            let _ = client.stop().await;
        }
    }
}

const PYTHON: &str = "
//- /pyproject.toml
[project]
name = 'x'
version = '0'
//- /a.py
def total(x: int) -> int:
    return old_error
//- /b.py
from a import total

print(total(1))
";

fn a(parameter: &str, body: &str) -> String {
    format!("def total(x: {parameter}) -> int:\n{body}")
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_a_write_introduced_is_told() {
    let Some(bench) = Bench::new(PYTHON, &["ty"]) else { return };
    bench.warm(&["b.py"]).await;
    let clean = "No new diagnostics in open files (ty settled)";
    let line = |line: usize, column: usize, name: &str, count: &str| {
        format!(
            "a.py:{line}:{column}: error unresolved-reference: Name `{name}` used when not defined [ty]{count}"
        )
    };

    // The file was never opened: what it held before is asked about all the same.
    assert_eq!(
        bench.told("a.py", &a("int", "    x\n    return old_error\n")).await,
        clean,
        "old, and it moved"
    );
    let new = bench.told("a.py", &a("int", "    new_error\n    return old_error\n")).await;
    assert_eq!(new, format!("New diagnostics: 1 (ty settled):\n{}", line(2, 5, "new_error", "")));
    let again = bench.told("a.py", &a("int", "    new_error\n    new_error\n    return old_error\n")).await;
    assert_eq!(
        again,
        format!("New diagnostics: 1 (ty settled):\n{}", line(3, 5, "new_error", " (+1, now 2)"))
    );
    assert_eq!(bench.told("a.py", &a("int", "    return old_error\n")).await, clean, "fixed");
    let back = bench.told("a.py", &a("int", "    new_error\n    return old_error\n")).await;
    assert_eq!(back, format!("New diagnostics: 1 (ty settled):\n{}", line(2, 5, "new_error", "")));

    let across = bench.told("a.py", &a("str", "    new_error\n    return old_error\n")).await;
    assert!(
        across.starts_with("New diagnostics: 1 (ty settled):\nin other files:\nb.py:3:13: error"),
        "{across}"
    );
    assert_eq!(bench.told("a.py", &a("int", "    return 0\n")).await, clean);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_write_of_all_is_compared_with_what_was_there() {
    let Some(bench) = Bench::new(PYTHON, &["ty"]) else { return };
    bench.warm(&["b.py"]).await;
    let told = bench.told("a.py", &a("str", "    return old_error\n")).await;
    assert!(
        told.starts_with("New diagnostics: 1 (ty settled):\nin other files:\nb.py:3:13: error"),
        "{told}"
    );
    bench.stop().await;
}

const CPP: &str = "
//- /compile_flags.txt
-std=c++17
//- /a.hpp
#pragma once
inline int total(int x) { return x; }
//- /b.cpp
#include \"a.hpp\"
int main() { return total(1) + old_error; }
";

#[tokio::test(flavor = "multi_thread")]
async fn a_header_breaks_the_file_that_includes_it() {
    let Some(bench) = Bench::new(CPP, &["clangd"]) else { return };
    bench.warm(&["b.cpp"]).await;
    let header =
        |parameter: &str| format!("#pragma once\ninline int total({parameter} x) {{ (void)x; return 0; }}\n");
    let told = bench.told("a.hpp", &header("const char *")).await;
    assert!(told.contains("in other files:\nb.cpp:2:21: error"), "{told}");
    assert!(!told.contains("old_error"), "{told}");
    assert_eq!(
        bench.told("a.hpp", &header("int")).await,
        "No new diagnostics in open files (clangd settled)"
    );
    let own =
        bench.told("b.cpp", "#include \"a.hpp\"\nint main() { return total(1) + old_error + more; }\n").await;
    assert!(own.contains("1 (clangd settled):\nb.cpp:2:44: error") && !own.contains("old_error'"), "{own}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_files_are_settled_once_and_moves_and_deletions_are_followed() {
    let Some(bench) = Bench::new(PYTHON, &["ty"]) else { return };
    bench.warm(&["a.py", "b.py"]).await;
    let both = bench
        .write(&[
            ("a.py", Some("def total(x: int, y: int) -> int:\n    return x\n")),
            ("b.py", Some("from a import total\n\nprint(total(1, 2))\n")),
        ])
        .await;
    assert_eq!(
        both.to_text(),
        "written\nNo new diagnostics in open files (ty settled)",
        "between the two there was an error"
    );

    let broken = "print(nothing)\n";
    assert!(bench.told("c.py", broken).await.contains("c.py:1:7: error"));
    let moved = bench.write(&[("c.py", None), ("sub/c.py", Some(broken))]).await.to_text();
    assert_eq!(
        moved, "written\nNo new diagnostics in open files (ty settled)",
        "it was told under its old name"
    );
    bench.write(&[("sub/c.py", None)]).await;
    assert!(bench.told("sub/c.py", broken).await.contains("sub/c.py:1:7: error"), "gone and back is new");

    let gone = bench.write(&[("a.py", None)]).await.to_text();
    assert!(gone.contains("in other files:\nb.py:1:"), "{gone}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_of_one_file_are_a_union_and_data_says_the_same() {
    let Some(bench) = Bench::new(PYTHON, &["ty", "ruff"]) else { return };
    bench.warm(&["a.py", "b.py"]).await;
    let output =
        bench.write(&[("a.py", Some("import os\ndef total(x: int) -> int:\n    return nothing\n"))]).await;
    let text = output.to_text();
    assert!(text.contains("ty settled") && text.contains("ruff settled"), "{text}");
    assert!(text.contains("[Ruff]") && text.contains("[ty]"), "{text}");
    let data = output.data.unwrap();
    let reports = data["diagnostics"].as_array().unwrap();
    assert_eq!(reports.len(), 2);
    for report in reports {
        assert_eq!(report["state"], "settled");
        assert!(!report["new"].as_array().unwrap().is_empty(), "{report}");
        assert_eq!(report["new"][0]["path"], "a.py");
    }
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_call_adds_nothing_and_what_it_wrote_is_told_later() {
    let Some(bench) = Bench::new(PYTHON, &["ty"]) else { return };
    bench.warm(&["a.py", "b.py"]).await;
    let files = json!([{ "path": "a.py", "content": "broken_by_a_failure\n" }]);
    let failed = bench.surface.call("write", json!({ "files": files, "fail": true })).await.unwrap_err();
    assert_eq!(failed.message, "written, and failed");
    let end = Instant::now() + Duration::from_secs(10);
    let late = loop {
        let text = bench.surface.call("look", json!({})).await.unwrap().to_text();
        if text != "looked" || Instant::now() > end {
            break text;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(late.starts_with("looked\nOf an earlier write: New diagnostics:"), "{late}");
    assert!(late.contains("broken_by_a_failure"), "{late}");
    assert_eq!(bench.surface.call("look", json!({})).await.unwrap().to_text(), "looked", "once");
    bench.stop().await;
}

const RUST: &str = "
//- /Cargo.toml
[package]
name = 'demo'
version = '0.1.0'
edition = '2021'
//- /src/lib.rs
pub fn total(x: i32) -> i32 {
    x
}
//- /src/main.rs
fn main() {
    println!(\"{}\", demo::total(1));
}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_compiler_is_waited_for_and_a_server_that_loads_is_not() {
    let Some(bench) = Bench::new(RUST, &["rust-analyzer"]) else { return };
    let began = Instant::now();
    let cold = bench.told("src/lib.rs", "pub fn total(x: i32) -> i32 {\n    missing\n}\n").await;
    assert!(began.elapsed() < Duration::from_secs(11));
    assert!(!cold.contains("No new diagnostics"), "{cold}");
    bench.warm(&["src/lib.rs"]).await;
    // What is there now may have been there before, as far as is known; from here on it is known.
    let client = bench.servers.running()[0].clone();
    let end = Instant::now() + Duration::from_secs(30);
    while client.all_diagnostics().is_empty() && Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut fixed = String::new();
    for round in 0..5 {
        fixed = bench
            .told("src/lib.rs", &format!("// {round}\npub fn total(x: i32) -> i32 {{\n    x\n}}\n"))
            .await;
        if fixed.ends_with("No new diagnostics (rust-analyzer settled)") {
            break;
        }
    }
    assert!(fixed.ends_with("No new diagnostics (rust-analyzer settled)"), "{fixed}");
    let across = bench.told("src/lib.rs", "pub fn total(x: &str) -> i32 {\n    x.len() as i32\n}\n").await;
    assert!(across.contains("rust-analyzer settled"), "{across}");
    assert!(across.contains("in other files:\nsrc/main.rs:2:32: error E0308"), "{across}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_judged_and_leaves_nothing_behind() {
    let Some(bench) = Bench::new(PYTHON, &["ty"]) else { return };
    bench.warm(&["b.py"]).await;
    let checked = Arc::new(Judge::new(Arc::clone(&bench.servers) as _, bench.fixture.root().to_owned()));
    let before = bench.fixture.tree();
    let proposed = |after: &str| {
        let path = bench.fixture.path("a.py");
        edits_proposal(&bench, path, after)
    };
    let check = |after: &str| {
        let files = proposed(after);
        let check = Check(Arc::clone(&checked), files);
        let registry = bench.registry.clone();
        let surface = bench.surface.clone();
        async move {
            registry.attach("check", vec![tool::tool(check)]).unwrap();
            let output = surface.call("check", json!({})).await.unwrap();
            registry.detach("check");
            output.to_text()
        }
    };
    let would = check("def total(x: str) -> int:\n    return old_error + worse\n").await;
    assert!(would.starts_with("Would introduce 2 (ty settled):\na.py:2:24: error"), "{would}");
    assert!(would.contains("in other files:\nb.py:3:13: error") && !would.contains("`old_error`"), "{would}");
    let fine = check("def total(x: int) -> int:\n    return 0\n").await;
    assert_eq!(fine, "Would introduce no new diagnostics in open files (ty settled)");
    assert_eq!(bench.fixture.tree(), before, "nothing is written");
    let clean = bench.told("a.py", "def total(x: int) -> int:\n    return 1\n").await;
    assert_eq!(
        clean, "No new diagnostics in open files (ty settled)",
        "the server has the disk's texts again"
    );
    bench.stop().await;
}

fn edits_proposal(bench: &Bench, path: PathBuf, after: &str) -> Vec<Proposed> {
    let workspace = Workspace::open(bench.fixture.root()).unwrap();
    let state = State::memory(bench.fixture.outside().join("preview"));
    let edits = Edits::open(workspace, bench.registry.authority(), state).unwrap();
    let now = std::fs::read(&path).unwrap();
    let plan = Plan::new().edit("a.py", Digest::of(&now), vec![Replacement::new(0..now.len(), after)]);
    edits.proposed(&edits.snapshot(&plan).unwrap()).unwrap()
}
