//! A run with one scripted server for files that end in `.fix`, a tool that writes, and the tools of this crate.

use std::collections::BTreeSet;
use std::time::Duration;

use edits::{Edits, Plan, Resolve, State};
use lsp::{Attachment, LanguageServers, Lsp, LspRename, LspRenameFile, Supervisor};
use serde_json::{Value, json};
use test_support::Fixture;
use test_support::lsp::{Script, Scripted};
use tool::{About, Layer, Output, Registry, Surface, Tier, TypedTool, WriteContext};
use workspace::Workspace;

pub(crate) struct Bench {
    pub(crate) fixture: Fixture,
    pub(crate) server: Scripted,
    supervisor: Option<Supervisor>,
    registry: Registry,
    surface: Surface,
}

const MARK: &str = "OUTRIGGER_SCRIPTED";

impl Bench {
    /// `row` is laid over the server's row of the table, as TOML.
    pub(crate) fn new(text: &str, script: Script, row: &str) -> Self {
        Self::made(text, |_| script, row)
    }

    /// The same with a script that names files of the workspace.
    pub(crate) fn made(text: &str, script: impl FnOnce(&Fixture) -> Script, row: &str) -> Self {
        let fixture = Fixture::new(&format!("//- /fix.toml\n{text}"));
        let server = script(&fixture).install(fixture.outside());
        let command: Vec<String> = server.command().iter().map(|word| format!("{word:?}")).collect();
        let head = format!(
            "[scripted]\ncommand = [{}]\nlanguages.fix = [\"*.fix\"]\nmarkers = [\"fix.toml\"]\n{row}\n",
            command.join(", ")
        );
        let mark = fixture.root().display().to_string();
        let servers = LanguageServers::default()
            .environment([("PATH", "/usr/bin:/bin"), (MARK, mark.as_str())])
            .overrides(&with_defaults(&head))
            .unwrap();
        let workspace = Workspace::open(fixture.root()).unwrap();
        let attachment = Attachment::new(&workspace);
        let layer = attachment.layer();
        let registry = Registry::builder().inner_layer(move |inner| layer.wrap(inner)).build();
        let state = State::memory(fixture.outside().join("state"));
        let edits = Edits::open(workspace.clone(), registry.authority(), state).unwrap();
        let supervisor = Supervisor::new(workspace, servers);
        attachment.attach(&supervisor);
        let tools = vec![
            tool::tool(Lsp::new(supervisor.clone()).attached_to(&attachment)),
            tool::tool(LspRename::new(supervisor.clone(), edits.clone())),
            tool::tool(LspRenameFile::new(supervisor.clone(), edits.clone())),
            tool::tool(Resolve::new(edits.clone()).with_preview(attachment.preview())),
            tool::tool(Write { edits }),
        ];
        registry.attach("tools", tools).unwrap();
        let surface = registry.surface(Tier::Write);
        Self { fixture, server, supervisor: Some(supervisor), registry, surface }
    }

    /// What a model reads.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> String {
        match self.surface.call(tool, arguments).await {
            Ok(output) => output.to_text(),
            Err(error) => format!("{:?}: {error}", error.kind),
        }
    }

    pub(crate) async fn lsp(&self, action: &str, file: &str, line: usize, symbol: &str) -> String {
        self.call("lsp", json!({ "action": action, "file": file, "line": line, "symbol": symbol })).await
    }

    pub(crate) async fn write(&self, path: &str, content: &str) -> String {
        self.call("write", json!({ "path": path, "content": content })).await
    }

    /// Ends all, and counts what is left.
    pub(crate) async fn end(mut self) {
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.close().await;
        }
        self.registry.close();
        self.registry.drained().await;
        let left = self.survivors();
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    fn survivors(&self) -> BTreeSet<u32> {
        let mark = format!("{MARK}={}", self.fixture.root().display());
        let pids = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let marked = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        pids.filter(marked).collect()
    }
}

/// The fields that a row must have, where it does not say them.
fn with_defaults(row: &str) -> String {
    let mut row = row.to_owned();
    for (field, line) in
        [("readiness", "readiness = { signal = \"holds\" }"), ("settle", "settle = { quiet = { ms = 50 } }")]
    {
        if !row.lines().any(|line| line.starts_with(field)) {
            row.push_str(line);
            row.push('\n');
        }
    }
    row
}

/// One diagnostic, on the first line.
pub(crate) fn wrong(message: &str) -> Value {
    json!({
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } },
        "severity": 1, "source": "fix", "message": message,
    })
}

/// How long a call took, and what it said.
pub(crate) async fn timed(call: impl Future<Output = String>) -> (String, Duration) {
    let started = std::time::Instant::now();
    let said = call.await;
    (said, started.elapsed())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct WriteArgs {
    path: String,
    content: String,
}

/// A host's own tool that writes.
struct Write {
    edits: Edits,
}

impl TypedTool for Write {
    type Args = WriteArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new("write", "Writes a file.")
    }

    async fn call(&self, args: WriteArgs, cx: WriteContext) -> Result<Output, tool::Error> {
        let base = std::fs::read(self.edits.workspace().root().join(&args.path)).ok();
        let base = base.map(|bytes| edits::Digest::of(&bytes));
        let plan = Plan::new().replace(args.path, base, args.content);
        self.edits.apply(&plan, |paths| cx.permit(paths))?;
        Ok(Output::text("written"))
    }
}
