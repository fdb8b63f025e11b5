//! Language servers in a run: attached or absent, what a write is told with, and nothing left behind.
#![expect(clippy::disallowed_methods, reason = "a tool of the tests changes files behind the library's back")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;

use outrigger::tool::{About, ExecContext, TypedTool};
use outrigger::{AllowAll, Error, LanguageServers, Output, Run, Tier};
use serde_json::{Value, json};
use test_support::{Fixture, real, real_environment};

use crate::embedded::builder;

const PROJECT: &str = "//- /pyproject.toml\n[project]\nname = \"p\"\nversion = \"1\"\n//- /a.py\n\
    def total(x: int) -> int:\n    return x\n//- /b.py\nfrom a import total\n\nprint(total(1))\n";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Outside {
    path: String,
    content: String,
}

/// What a shell command would do: a file is written past the library.
struct Shell(std::path::PathBuf);

impl TypedTool for Shell {
    type Args = Outside;
    type Context = ExecContext;

    fn about(&self) -> About {
        About::new("shell", "Writes a file past the library.")
    }

    async fn call(&self, args: Outside, _: ExecContext) -> Result<Output, Error> {
        std::fs::write(self.0.join(args.path), args.content)
            .map_err(|error| Error::failed(error.to_string()))?;
        Ok(Output::text("done"))
    }
}

/// A run with every server that is installed, and a tool that changes files behind their backs.
fn run_with_all(fixture: &Fixture, rows: &str) -> Run {
    let mut environment = real_environment();
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        environment.extend(std::env::var_os(name).map(|value| (OsString::from(name), value)));
    }
    let servers = LanguageServers::default().environment(environment).overrides(rows).expect("rows");
    let run = builder(fixture).language_servers(servers).tool(Shell(fixture.root().to_owned()));
    run.approver(AllowAll).build().expect("a run")
}

async fn said(run: &Run, tool: &str, arguments: Value) -> String {
    run.surface(Tier::Exec).call(tool, arguments).await.expect("an answer").to_text()
}

/// A run with ty alone.
fn run(fixture: &Fixture) -> Run {
    let mut environment = real_environment();
    environment.push((OsString::from("OUTRIGGER_TEST"), fixture.root().as_os_str().to_owned()));
    let only_ty = "[pyright]\ndisabled = true\n[basedpyright]\ndisabled = true\n[pyrefly]\ndisabled = true\n[ruff]\ndisabled = true\n";
    let servers = LanguageServers::default().environment(environment).overrides(only_ty).expect("rows");
    builder(fixture).language_servers(servers).approver(AllowAll).build().expect("a run")
}

/// The processes that carry the run's mark in their environment, whosever child they are.
fn processes(fixture: &Fixture) -> BTreeSet<u32> {
    let mark = format!("OUTRIGGER_TEST={}", fixture.root().display());
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let marked = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    pids.filter(marked).collect()
}

async fn until_gone(fixture: &Fixture) {
    let gone = async {
        while !processes(fixture).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("nothing is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tier_decides_which_of_the_tools_are_seen() {
    let fixture = Fixture::new(PROJECT);
    let run = run(&fixture);
    let names =
        |tier| -> Vec<String> { run.surface(tier).specs().into_iter().map(|spec| spec.name).collect() };
    assert!(names(Tier::Read).contains(&"lsp".to_owned()));
    assert!(!names(Tier::Read).iter().any(|name| name.starts_with("lsp_")));
    assert!(names(Tier::Write).contains(&"lsp_rename".to_owned()));
    assert_eq!(run.detach("language_servers").ok(), Some(true));
    assert!(!names(Tier::Exec).iter().any(|name| name.starts_with("lsp")));
    run.attach("language_servers").expect("attached anew");
    assert!(names(Tier::Read).contains(&"lsp".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staged_edit_is_checked_and_told_what_it_broke_once_it_is_made() {
    if real("ty").is_none() {
        return;
    }
    let fixture = Fixture::new(PROJECT);
    let run = run(&fixture);
    let surface = run.surface(Tier::Write);
    let rewrite = json!({"pattern": "total(1)", "rewrite": "total(missing)", "language": "python"});
    let staged = surface.call("ast_edit", rewrite).await.expect("staged");
    let id = staged.data.expect("data")["edit_id"].clone();
    let check = surface.call("resolve", json!({"edit_id": id, "action": "check"})).await.expect("checked");
    assert!(
        check.to_text().contains("missing") && check.to_text().contains("ould introduce"),
        "{}",
        check.to_text()
    );
    assert!(fixture.read("b.py").contains("total(1)"), "a check writes nothing");
    let accepted =
        surface.call("resolve", json!({"edit_id": id, "action": "accept"})).await.expect("accepted");
    let text = accepted.to_text();
    assert!(text.contains("New diagnostics: 1") && text.contains("b.py:3:13"), "{text}");
    let back = json!({"pattern": "total(missing)", "rewrite": "total(1)", "language": "python"});
    let staged = surface.call("ast_edit", back).await.expect("staged");
    let id = staged.data.expect("data")["edit_id"].clone();
    let mended = surface.call("resolve", json!({"edit_id": id, "action": "accept"})).await.expect("accepted");
    assert!(mended.to_text().contains("No new diagnostics"), "{}", mended.to_text());
    let _ = run.close().await;
    assert!(processes(&fixture).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_detaching_and_dropping_leave_no_server() {
    if real("ty").is_none() {
        return;
    }
    let ask = json!({"action": "definition", "file": "b.py", "line": 3, "symbol": "total"});
    for end in ["close", "detach", "drop"] {
        let fixture = Fixture::new(PROJECT);
        let run = run(&fixture);
        let answer = run.surface(Tier::Read).call("lsp", ask.clone()).await.expect("an answer");
        assert!(answer.to_text().contains("a.py:1:5"), "{}", answer.to_text());
        assert!(!processes(&fixture).is_empty(), "a server runs");
        match end {
            "close" => {
                let ended = run.close().await;
                assert_eq!((ended.processes, ended.forced.as_slice()), (1, &[][..]));
                assert!(processes(&fixture).is_empty());
            }
            "detach" => {
                assert_eq!(run.detach("language_servers").ok(), Some(true));
                until_gone(&fixture).await;
            }
            _ => {
                drop(run);
                until_gone(&fixture).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_is_made_later_ends_the_error_of_its_import() {
    for (server, rows) in [
        ("pyright", "[ty]\ndisabled = true\n[ruff]\ndisabled = true\n"),
        ("ty", "[pyright]\ndisabled = true\n[ruff]\ndisabled = true\n"),
    ] {
        if real(server).is_none() {
            continue;
        }
        let fixture = Fixture::new(
            "//- /pyproject.toml\n[project]\nname = \"p\"\nversion = \"1\"\n//- /b.py\nfrom late import total\n\nprint(total)\n",
        );
        let run = run_with_all(&fixture, rows);
        let ask = json!({"action": "diagnostics", "file": "b.py"});
        let before = said(&run, "lsp", ask.clone()).await;
        assert!(before.contains("late") && before.contains("b.py:1:"), "{server}: {before}");
        said(&run, "shell", json!({"path": "late.py", "content": "total = 1\n"})).await;
        let after = said(&run, "lsp", ask).await;
        assert!(after.starts_with("no errors or warnings in `b.py` (settled"), "{server}: {after}");
        let _ = run.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_put_back_behind_the_compilers_back_is_clean_again() {
    if real("rust-analyzer").is_none() {
        return;
    }
    let good = "pub fn f() -> u32 { 1 }\n";
    let fixture = Fixture::new(&format!(
        "//- /Cargo.toml\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/lib.rs\npub mod b;\n//- /src/b.rs\n{good}"
    ));
    let run = run_with_all(&fixture, "");
    let ask = |file: &str| json!({"action": "diagnostics", "file": file});
    assert!(said(&run, "lsp", ask("src/lib.rs")).await.starts_with("no errors"));
    said(&run, "shell", json!({"path": "src/b.rs", "content": "pub fn f() -> u32 { \"s\" }\n"})).await;
    let broken = said(&run, "lsp", ask("src/b.rs")).await;
    assert!(broken.contains("E0308"), "{broken}");
    said(&run, "shell", json!({"path": "src/b.rs", "content": good})).await;
    let restored = said(&run, "lsp", ask("src/b.rs")).await;
    assert!(restored.starts_with("no errors or warnings in `src/b.rs` (settled"), "{restored}");
    let _ = run.close().await;
}
