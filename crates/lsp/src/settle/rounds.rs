//! Rounds of a write and a wait, on each real server: an error in the written file, its removal, an error that the
//! write causes in another file, its removal. What is true is known by construction; what is counted is how often
//! "settled" was said of something else.
#![expect(clippy::disallowed_methods, reason = "tests write their own fixtures")]

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use test_support::Fixture;
use tokio::time::Instant;
use workspace::Workspace;

use super::{Occasion, Patience, Settlement};
use crate::client::{Client, Host};
use crate::diagnostic::{Diagnostic, Severity};
use crate::documents::{ChangeKind, FileChange};
use crate::outside::Tracked;
use crate::servers::Table;

/// A project of two files, the second of which uses the first.
struct Project {
    id: &'static str,
    name: &'static str,
    text: &'static str,
    /// The written file, and the one that depends on it.
    own: &'static str,
    other: &'static str,
    /// The written file with (parameter type, body) in it.
    write: fn(round: usize, kind: Kind) -> String,
    /// Whether errors in the other file are this server's matter.
    across: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Own,
    Clean,
    Across,
}

const PATIENCE: Patience = Patience { quick: Duration::from_secs(5), check: Duration::from_secs(20) };

fn kind(round: usize) -> Kind {
    match round % 4 {
        1 => Kind::Own,
        3 => Kind::Across,
        _ => Kind::Clean,
    }
}

fn typed(kind: Kind, right: &'static str, wrong: &'static str) -> &'static str {
    if kind == Kind::Across { wrong } else { right }
}

fn body(round: usize, kind: Kind) -> String {
    if kind == Kind::Own { format!("missing_{round}") } else { "0".to_owned() }
}

fn python(round: usize, kind: Kind) -> String {
    let (parameter, body) = (typed(kind, "int", "str"), body(round, kind));
    format!("# round {round}\ndef total(x: {parameter}) -> int:\n    return {body}\n")
}

fn typescript(round: usize, kind: Kind) -> String {
    let (parameter, body) = (typed(kind, "number", "string"), body(round, kind));
    format!("// round {round}\nexport function total(x: {parameter}): number {{\n  return {body};\n}}\n")
}

const PYTHON: &str = "//- /pyproject.toml\n[project]\nname = 'x'\nversion = '0'\n//- /a.py\n\n//- /b.py\nfrom a import total\n\nprint(total(1))\n";
const TYPESCRIPT: &str = "//- /tsconfig.json\n{ \"compilerOptions\": { \"strict\": true, \"module\": \"esnext\", \"moduleResolution\": \"bundler\" }, \"include\": [\"src\"] }\n//- /package.json\n{}\n//- /src/a.ts\nexport {};\n//- /src/b.ts\nimport { total } from \"./a\";\n\nconsole.log(total(1));\n";

const PROJECTS: &[Project] = &[
    Project {
        id: "rust-analyzer",
        name: "rust-analyzer",
        text: "//- /Cargo.toml\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/lib.rs\n\n//- /src/main.rs\nuse demo::total;\nfn main() {\n    println!(\"{}\", total(1));\n}\n",
        own: "src/lib.rs",
        other: "src/main.rs",
        write: |round, kind| {
            let (parameter, body) = (typed(kind, "i32", "&str"), body(round, kind));
            format!(
                "// round {round}\npub fn total(x: {parameter}) -> i32 {{\n    let _ = x;\n    {body}\n}}\n"
            )
        },
        across: true,
    },
    Project {
        id: "pyright",
        name: "pyright",
        text: PYTHON,
        own: "a.py",
        other: "b.py",
        write: python,
        across: true,
    },
    Project { id: "ty", name: "ty", text: PYTHON, own: "a.py", other: "b.py", write: python, across: true },
    Project {
        id: "ruff",
        name: "ruff",
        text: PYTHON,
        own: "a.py",
        other: "b.py",
        write: python,
        across: false,
    },
    Project {
        id: "typescript-language-server",
        name: "typescript-language-server",
        text: TYPESCRIPT,
        own: "src/a.ts",
        other: "src/b.ts",
        write: typescript,
        across: true,
    },
    Project {
        id: "tsc",
        name: "tsc7",
        text: TYPESCRIPT,
        own: "src/a.ts",
        other: "src/b.ts",
        write: typescript,
        across: true,
    },
    Project {
        id: "clangd",
        name: "clangd",
        text: "//- /compile_flags.txt\n-std=c++17\n//- /a.hpp\n\n//- /b.cpp\n#include \"a.hpp\"\nint main() { return total(1); }\n",
        own: "a.hpp",
        other: "b.cpp",
        write: |round, kind| {
            let (parameter, body) = (typed(kind, "int", "const char *"), body(round, kind));
            format!(
                "#pragma once\n// {round}\ninline int total({parameter} x) {{ (void)x; return {body}; }}\n"
            )
        },
        across: true,
    },
    Project {
        id: "gopls",
        name: "gopls",
        text: "//- /go.mod\nmodule demo\n\ngo 1.21\n//- /lib/a.go\npackage lib\n//- /main.go\npackage main\n\nimport \"demo/lib\"\n\nfunc main() {\n\tprintln(lib.Total(1))\n}\n",
        own: "lib/a.go",
        other: "main.go",
        write: |round, kind| {
            let (parameter, body) = (typed(kind, "int", "string"), body(round, kind));
            format!(
                "package lib\n\n// round {round}\nfunc Total(x {parameter}) int {{\n\treturn {body}\n}}\n"
            )
        },
        across: true,
    },
    Project {
        id: "dart",
        name: "dart",
        text: "//- /pubspec.yaml\nname: demo\nenvironment:\n  sdk: '>=3.0.0 <4.0.0'\n//- /lib/a.dart\n\n//- /lib/b.dart\nimport 'a.dart';\n\nvoid main() {\n  print(total(1));\n}\n",
        own: "lib/a.dart",
        other: "lib/b.dart",
        write: |round, kind| {
            let (parameter, body) = (typed(kind, "int", "String"), body(round, kind));
            format!("// round {round}\nint total({parameter} x) {{\n  return {body};\n}}\n")
        },
        across: true,
    },
];

/// What the rounds came to.
#[derive(Debug, Default)]
struct Tally {
    settled: usize,
    /// Settled, and an error that is there was not.
    false_clean: Vec<String>,
    /// Settled, and an error that is gone was still there.
    false_error: Vec<String>,
    /// Not settled, and why.
    open: Vec<String>,
    /// From the write to the answer; to the server's last publish by then, where it publishes.
    times: Vec<Duration>,
    publishes: Vec<Duration>,
}

async fn start(project: &Project, fixture: &Fixture) -> Option<Arc<Client>> {
    let program = test_support::real(project.name)?;
    let server = Table::built_in().servers(true).into_iter().find(|server| server.id == project.id).unwrap();
    // The table's own name of it, but where another release of the same name is beside it.
    let executable = if project.id == "tsc" { program } else { program.with_file_name(&server.command[0]) };
    let mut environment = test_support::real_environment();
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        environment.extend(std::env::var_os(name).map(|value| (OsString::from(name), value)));
    }
    let tracked = Arc::new(Tracked::new(Workspace::open(fixture.root()).unwrap()));
    let host = Host {
        spawn: Arc::new(peer::Host),
        environment,
        tracked,
        open_documents: 8,
        cancelled: tokio_util::sync::CancellationToken::new(),
    };
    Some(Client::start(server, fixture.root().to_owned(), executable, host).await.unwrap())
}

fn errors(client: &Client, path: &Path) -> Vec<Diagnostic> {
    let mut errors = client.diagnostics(path);
    errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
    errors
}

async fn run(project: &Project, rounds: usize) {
    let fixture = Fixture::new(project.text);
    let Some(client) = start(project, &fixture).await else { return };
    let (own, other) = (fixture.path(project.own), fixture.path(project.other));
    std::fs::write(&own, (project.write)(0, Kind::Clean)).unwrap();
    client.sync(&own).await.unwrap();
    client.sync(&other).await.unwrap();
    assert!(client.ready(Duration::from_mins(1)).await.is_ready(), "{}", project.id);
    let mut tally = Tally::default();
    for round in 1..=rounds {
        let kind = kind(round);
        let mark = client.mark();
        std::fs::write(&own, (project.write)(round, kind)).unwrap();
        let began = Instant::now();
        client.written(&[FileChange { path: own.clone(), kind: ChangeKind::Changed }], true).await;
        let settlement = client.settle(&mark, std::slice::from_ref(&own), PATIENCE, Occasion::Saved).await;
        tally.times.push(began.elapsed());
        if let Some(last) = client.live().told().heard.last_publish().filter(|last| *last > began) {
            tally.publishes.push(last - began);
        }
        if settlement != Settlement::Settled {
            tally.open.push(format!("{round} {kind:?}: {settlement:?}"));
            continue;
        }
        tally.settled += 1;
        let found = [errors(&client, &own), errors(&client, &other)];
        judge(project, round, kind, &found, &mut tally);
    }
    let _ = client.stop().await;
    report(project, rounds, tally);
}

fn judge(project: &Project, round: usize, kind: Kind, found: &[Vec<Diagnostic>; 2], tally: &mut Tally) {
    let [own, other] = found;
    let named = format!("missing_{round}");
    let there = match kind {
        Kind::Own => own.iter().any(|error| error.message.contains(&named)),
        Kind::Across => !project.across || !other.is_empty(),
        Kind::Clean => true,
    };
    let told = || {
        let messages: Vec<&str> = own.iter().chain(other).map(|error| error.message.as_str()).collect();
        format!("{round} {kind:?}: {messages:?}")
    };
    if !there {
        tally.false_clean.push(told());
    }
    let stale = |error: &Diagnostic| error.message.contains("missing_") && !error.message.contains(&named);
    if (kind == Kind::Clean && !(own.is_empty() && other.is_empty())) || own.iter().chain(other).any(stale) {
        tally.false_error.push(told());
    }
}

fn report(project: &Project, rounds: usize, mut tally: Tally) {
    let spread = |times: &mut Vec<Duration>| {
        times.sort();
        let at = |part: usize| times.get(times.len() * part / 100).map_or(0, Duration::as_millis);
        format!("{}/{}/{} ms", at(50), at(90), at(99))
    };
    println!(
        "{}: {} of {rounds} settled, false clean {}, false error {}, write to answer {}, to its last publish {} ({} rounds)",
        project.id,
        tally.settled,
        tally.false_clean.len(),
        tally.false_error.len(),
        spread(&mut tally.times),
        spread(&mut tally.publishes),
        tally.publishes.len(),
    );
    assert!(tally.false_clean.is_empty(), "{}: {:?}", project.id, tally.false_clean);
    assert!(tally.false_error.is_empty(), "{}: {:?}", project.id, tally.false_error);
    assert!(tally.settled * 100 >= rounds * 95, "{}: {:?}", project.id, tally.open);
}

fn project(id: &str) -> &'static Project {
    PROJECTS.iter().find(|project| project.id == id).unwrap()
}

macro_rules! rounds {
    ($($short:ident $long:ident $id:literal)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $short() {
            run(project($id), 10).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        #[ignore = "long"]
        async fn $long() {
            run(project($id), 200).await;
        }
    )*};
}

rounds! {
    rust_analyzer long_rust_analyzer "rust-analyzer"
    pyright long_pyright "pyright"
    ty long_ty "ty"
    ruff long_ruff "ruff"
    tsserver long_tsserver "typescript-language-server"
    tsc long_tsc "tsc"
    clangd long_clangd "clangd"
    gopls long_gopls "gopls"
    dart long_dart "dart"
}
