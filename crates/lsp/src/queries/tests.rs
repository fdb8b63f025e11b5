//! Every action of `lsp` on one small project per server. The files have emoji and tabs before the names that are asked
//! about, and lines that end with `\r\n`. A server that is not installed is skipped and said.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures and read the environment")]

mod cold;
mod projects;

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use expect_test::{ExpectFile, expect, expect_file};
use serde_json::{Value, json};
use test_support::{Fixture, real};
use tool::{Registry, Surface, Tier};
use workspace::Workspace;

use crate::LanguageServers;
use crate::servers::Table;
use crate::supervisor::Supervisor;
use crate::symbol::Syntax;
use crate::tool::Lsp;

use projects::Project;

/// What stands between quotes is no code, nor what follows `//`: enough for these projects.
struct Quotes;

impl Syntax for Quotes {
    fn is_code(&self, _: &Path, text: &str, range: Range<usize>) -> Option<bool> {
        let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line..range.start];
        Some(before.matches(['"', '\'']).count().is_multiple_of(2) && !before.contains("//"))
    }
}

/// A supervisor whose table has only the servers named.
fn only(workspace: Workspace, servers: &[&str]) -> Supervisor {
    let mut environment = test_support::real_environment();
    environment.extend(std::env::var_os("HOME").map(|home| ("HOME".into(), home)));
    let table = Table::built_in().servers(true);
    let others = table.iter().filter(|server| !servers.contains(&server.id.as_str()));
    let disabled: Vec<String> = others.map(|server| format!("[{}]\ndisabled = true\n", server.id)).collect();
    let servers = LanguageServers::default().environment(environment).overrides(&disabled.concat()).unwrap();
    Supervisor::new(workspace, servers)
}

/// A run whose language servers are those named.
struct Run {
    fixture: Fixture,
    servers: Supervisor,
    _registry: Registry,
    surface: Surface,
}

impl Run {
    fn new(project: &Project, servers: &[&str]) -> Self {
        let fixture = project.fixture();
        let workspace = Workspace::open(fixture.root()).unwrap();
        let servers = only(workspace, servers);
        let registry = Registry::builder().build();
        let lsp = Lsp::new(servers.clone()).with_syntax(Arc::new(Quotes));
        registry.attach("lsp", vec![tool::tool(lsp)]).unwrap();
        let surface = registry.surface(Tier::Read);
        Self { fixture, servers, _registry: registry, surface }
    }

    async fn ask(&self, arguments: Value) -> String {
        match self.surface.call("lsp", arguments).await {
            Ok(output) => output.to_text(),
            Err(error) => {
                let hint = error.hint.map(|hint| format!("\n= {hint}")).unwrap_or_default();
                format!("{:?}: {}{hint}", error.kind, error.message)
            }
        }
    }

    /// Asks at the first line of `file` that holds `line`.
    async fn at(&self, action: &str, file: &str, line: &str, symbol: &str) -> String {
        let text = self.fixture.read(file);
        let found =
            text.lines().position(|it| it.contains(line)).unwrap_or_else(|| panic!("no {line} in {file}"));
        self.ask(json!({ "action": action, "file": file, "line": found + 1, "symbol": symbol })).await
    }
}

/// Places outside the workspace by the names of their files alone: where those are is the machine's business, and what
/// they say that of their version.
fn portable(said: &str) -> String {
    let line = |line: &str| match line.split_once(" (outside the workspace)") {
        Some((place, rest)) => {
            let file = place.rsplit('/').next().unwrap_or(place).split(':').next().unwrap_or_default();
            let rest = rest.split(": ").next().unwrap_or_default();
            format!("  …/{file} (outside the workspace){rest}\n")
        }
        None => format!("{line}\n"),
    };
    // Some begin to analyse again after an answer, and say so: that is true, and a matter of the moment.
    said.lines().filter(|line| !line.contains(" is still loading (")).map(line).collect()
}

/// Asks what the project lists and compares all answers with what is expected.
async fn check(project: &Project, server: &str, real_name: &str, expected: ExpectFile) {
    let Some(program) = real(real_name) else { return };
    let run = Run::new(project, &[server]);
    if server == "tsc" {
        // The project's own: the one of the search path is an earlier version, and no server.
        let folder = run.fixture.path("node_modules/.bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(program.canonicalize().unwrap(), folder.join("tsc")).unwrap();
    }
    let mut said = String::new();
    for (action, file, line, symbol) in project.questions {
        let answer = run.at(action, file, line, symbol).await;
        let _ = writeln!(said, "# {action} {symbol}\n{answer}\n");
    }
    for file in project.outlines {
        let answer = run.ask(json!({ "action": "symbols", "file": file })).await;
        let _ = writeln!(said, "# symbols of {file}\n{answer}\n");
    }
    let named = run.ask(json!({ "action": "symbols", "query": project.named })).await;
    let _ = writeln!(said, "# symbols {}\n{named}", project.named);
    expected.assert_eq(&portable(&said));
    for (action, file, line, symbol, words) in project.words {
        let answer = run.at(action, file, line, symbol).await;
        for word in *words {
            assert!(answer.contains(word), "{action} {symbol}: no `{word}` in\n{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rust_analyzer() {
    check(&projects::RUST, "rust-analyzer", "rust-analyzer", expect_file!["tests/rust-analyzer.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pyright() {
    check(&projects::PYTHON, "pyright", "pyright", expect_file!["tests/pyright.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ty() {
    check(&projects::PYTHON, "ty", "ty", expect_file!["tests/ty.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typescript_language_server() {
    check(
        &projects::TYPESCRIPT,
        "typescript-language-server",
        "typescript-language-server",
        expect_file!["tests/typescript-language-server.txt"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tsc7() {
    check(&projects::TYPESCRIPT, "tsc", "tsc7", expect_file!["tests/tsc7.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clangd() {
    check(&projects::CPP, "clangd", "clangd", expect_file!["tests/clangd.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gopls() {
    check(&projects::GO, "gopls", "gopls", expect_file!["tests/gopls.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dart() {
    check(&projects::DART, "dart", "dart", expect_file!["tests/dart.txt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linter_says_that_it_does_not_navigate() {
    if real("ruff").is_none() {
        return;
    }
    let run = Run::new(&projects::PYTHON, &["ruff"]);
    let said = run.at("definition", "shop/cart.py", "total(", "total").await;
    expect![[r"
        Unavailable: no language server here offers `textDocument/definition`
        - `ruff`, for such files: it gives diagnostics only
        = `lsp` with the action `status` says what there is and what is missing"]]
    .assert_eq(&said);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_is_asked_for_and_what_is_not_used_is_told() {
    let run = Run::new(&projects::PYTHON, &[]);
    let mut said = String::new();
    for arguments in [
        json!({ "action": "definition" }),
        json!({ "action": "hover", "file": "shop/cart.py", "line": 1 }),
        json!({ "action": "hover", "file": "shop", "line": 1, "symbol": "a" }),
        json!({ "action": "hover", "file": "../a.py", "line": 1, "symbol": "a" }),
        json!({ "action": "symbols" }),
        json!({ "action": "diagnostics", "file": "" }),
        json!({ "action": "reload", "line": 3, "query": "x", "symbol": null }),
        json!({ "action": "hover", "file": "shop/cart.py", "line": 1, "symbol": "total" }),
    ] {
        let _ = writeln!(said, "{}\n", run.ask(arguments).await);
    }
    expect_file!["tests/arguments.txt"].assert_eq(&said);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_on_a_line_are_listed_with_where_each_leads() {
    if real("pyright").is_none() {
        return;
    }
    let run = Run::new(&projects::PYTHON, &["pyright"]);
    run.fixture.write("shop/two.py", "def f(x):\n\treturn (lambda x: x)(x)\n\ng = f if f else f\n");
    let ask = |line: usize, symbol: &str| {
        run.ask(json!({ "action": "definition", "file": "shop/two.py", "line": line, "symbol": symbol }))
    };
    expect![[r"
        BadArguments: line 2 of `shop/two.py` has `x` 3 times and they are not the same:
          `x#1`: column 17, defined at shop/two.py:2:17
          `x#2`: column 20, defined at shop/two.py:2:17
          `x#3`: column 23, defined at shop/two.py:1:7
        = choose one by its number, such as `x#1`"]]
    .assert_eq(&ask(2, "x").await);
    expect![[r"
        1 definition of `x` at shop/two.py:2
        shop/two.py:1:7: def f(x):"]]
    .assert_eq(&ask(2, "x#3").await);
    expect![[r"
        1 definition of `f` at shop/two.py:4
        shop/two.py:1:5: def f(x):"]]
    .assert_eq(&ask(4, "f").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_of_a_linter_are_listed_and_its_fixes_offered() {
    if real("ruff").is_none() {
        return;
    }
    let run = Run::new(&projects::PYTHON, &["ruff"]);
    run.fixture.write("shop/bad.py", "s = '\u{1f600}'\nimport os, sys; sys.exit(f)\n");
    let said = run.ask(json!({ "action": "diagnostics", "file": "shop/bad.py" })).await;
    expect![[r"
        1 error, 2 warnings in `shop/bad.py` (settled: ruff)
        shop/bad.py:2:26: error[F821]: Undefined name `f` (Ruff)
        shop/bad.py:2:1: warning[I001]: Import block is un-sorted or un-formatted help: Organize imports (Ruff)
        shop/bad.py:2:8: warning[F401]: `os` imported but unused help: Remove unused import: `os` (Ruff)"]].assert_eq(&said);
    let said = run.at("code_actions", "shop/bad.py", "import", "os").await;
    expect![[r"
        5 code actions for `os` at shop/bad.py:2; they are listed only, not applied
        1. Ruff (F401): Remove unused import: `os` [quickfix] (preferred)
        2. Ruff (F401): Disable for this line [quickfix]
        3. Ruff (I001): Disable for this line [quickfix]
        4. Ruff: Fix all auto-fixable problems [source.fixAll.ruff]
        5. Ruff: Organize imports [source.organizeImports.ruff]"]]
    .assert_eq(&said);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_of_one_file_are_heard_together_and_asked_in_order() {
    if real("pyright").is_none() || real("ruff").is_none() {
        return;
    }
    let run = Run::new(&projects::PYTHON, &["pyright", "ruff"]);
    run.fixture.write("shop/bad.py", "import os\nx: int = 'a'\n");
    let said = run.ask(json!({ "action": "diagnostics", "file": "shop/bad.py" })).await;
    expect![[r#"
        1 error, 2 warnings in `shop/bad.py` (settled: pyright, ruff)
        shop/bad.py:2:10: error[reportAssignmentType]: Type "Literal['a']" is not assignable to declared type "int" "Literal['a']" is not assignable to "int" (Pyright)
        shop/bad.py:1:1: warning[I001]: Import block is un-sorted or un-formatted help: Organize imports (Ruff)
        shop/bad.py:1:8: warning[F401]: `os` imported but unused help: Remove unused import: `os` (Ruff)"#]].assert_eq(&said);
    let said = run.at("definition", "shop/bad.py", "import os", "os").await;
    assert!(said.starts_with("1 definition of `os` at shop/bad.py:1\n/"), "{said}");
    let said = run.at("code_actions", "shop/bad.py", "import os", "os").await;
    assert!(said.contains("Remove unused import: `os` [quickfix] (preferred) — ruff"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long"]
async fn long_what_the_tool_adds_to_a_warm_definition() {
    const ROUNDS: usize = 300;
    for (project, server, file, line, symbol) in [
        (&projects::PYTHON, "pyright", "shop/cart.py", 5, "total#2"),
        (&projects::PYTHON, "ty", "shop/cart.py", 5, "total#2"),
        (&projects::RUST, "rust-analyzer", "src/cart.rs", 4, "total#2"),
        (&projects::CPP, "clangd", "src/cart.cpp", 4, "total#2"),
        (&projects::GO, "gopls", "cart.go", 4, "Total#2"),
    ] {
        if real(server).is_none() {
            continue;
        }
        let run = Run::new(project, &[server]);
        let arguments = json!({ "action": "definition", "file": file, "line": line, "symbol": symbol });
        let said = run.ask(arguments.clone()).await;
        assert!(said.starts_with("1 definition"), "{said}");
        let client = run.servers.running().remove(0);
        let text = run.fixture.read(file);
        let lines = crate::position::Lines::new(&text);
        let at = text.rfind(symbol.split('#').next().unwrap()).unwrap();
        let params = json!({
            "textDocument": { "uri": crate::uri::of(&run.fixture.path(file)) },
            "position": lines.position(at, client.encoding()),
        });
        let (mut raw, mut through) = (Vec::new(), Vec::new());
        // Turn by turn, so that both meet the same load.
        for _ in 0..ROUNDS {
            let began = Instant::now();
            client.request("textDocument/definition", params.clone()).await.unwrap();
            raw.push(began.elapsed());
            let began = Instant::now();
            run.ask(arguments.clone()).await;
            through.push(began.elapsed());
        }
        raw.sort_unstable();
        through.sort_unstable();
        let median = |times: &[Duration]| times[times.len() / 2];
        let added = median(&through).saturating_sub(median(&raw));
        println!(
            "{server}: raw {:?}, through the tool {:?}, added {added:?}",
            median(&raw),
            median(&through)
        );
        assert!(added <= Duration::from_millis(1), "{server}: {added:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn status_tells_what_runs_and_what_is_missing_and_reload_ends_it() {
    if real("ty").is_none() {
        return;
    }
    let run = Run::new(&projects::PYTHON, &["ty", "zls"]);
    let status = || run.ask(json!({ "action": "status" }));
    let before = status().await;
    assert!(before.starts_with("0 servers running, 1 more could be started"), "{before}");
    assert!(before.contains("no files here for 1 other: zls"), "{before}");
    let _ = run.at("definition", "shop/cart.py", "sum_ = ", "total").await;
    let after = status().await;
    assert!(after.starts_with("1 server running"), "{after}");
    assert!(after.contains("ty: ready; root `.`, pid ") && after.contains("MiB, 1 open document"), "{after}");
    let said = run.ask(json!({ "action": "reload", "file": "shop/cart.py" })).await;
    assert!(said.starts_with("stopped `ty`;"), "{said}");
    assert!(run.servers.running().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn checkers_are_refused_where_project_code_may_not_run() {
    let fixture = projects::PYTHON.fixture();
    let servers = LanguageServers::default().without_project_code();
    let lsp = Lsp::new(Supervisor::new(Workspace::open(fixture.root()).unwrap(), servers));
    let registry = Registry::builder().build();
    registry.attach("lsp", vec![tool::tool(lsp)]).unwrap();
    let asked = json!({ "action": "diagnostics", "file": "*" });
    let error = registry.surface(Tier::Read).call("lsp", asked).await.unwrap_err();
    assert_eq!(error.kind, tool::ErrorKind::Refused, "{error:?}");
}

/// A file with one mistake, asked about twice: the second time it is mended.
async fn mended(project: &Project, server: &str, file: &str, wrong: &str, right: &str, words: &[&str]) {
    if real(server).is_none() {
        return;
    }
    let run = Run::new(project, &[server]);
    let text = run.fixture.read(file);
    assert!(text.contains(right), "{text}");
    run.fixture.write(file, text.replace(right, wrong));
    let ask = || run.ask(json!({ "action": "diagnostics", "file": file }));
    let said = ask().await;
    for word in words {
        assert!(said.contains(word), "{server}: no `{word}` in\n{said}");
    }
    run.fixture.write(file, &text);
    let clean = format!("no errors or warnings in `{file}` (settled: {server})");
    for time in 1..=2 {
        let said = ask().await;
        assert_eq!(said, clean, "{server}, {time}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_are_those_of_the_file_as_it_is() {
    const WRONG: &[&str] = &["1 error", "(settled: "];
    let python =
        |server| mended(&projects::PYTHON, server, "shop/cart.py", "total(5)", "total([tea])", WRONG);
    python("pyright").await;
    python("ty").await;
    mended(&projects::CPP, "clangd", "src/cart.cpp", "total(5)", "total(&tea, 2)", WRONG).await;
    mended(&projects::DART, "dart", "lib/cart.dart", "total(5)", "total([tea])", WRONG).await;
    mended(&projects::GO, "gopls", "cart.go", "Total(5)", "Total([]Priced{tea})", WRONG).await;
    let typescript = "typescript-language-server";
    mended(&projects::TYPESCRIPT, typescript, "src/cart.ts", "total(5)", "total([tea])", WRONG).await;
    mended(&projects::RUST, "rust-analyzer", "src/cart.rs", "total(5)", "total(&[tea])", WRONG).await;
}
