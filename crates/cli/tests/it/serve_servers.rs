//! Real language servers behind a session: nothing of them is left at the end of input, when their resource is
//! detached, when a call is cancelled in the middle, nor when the session is killed.

use serde_json::{Value, json};
use test_support::{Fixture, real, real_environment};

use crate::serve_end::{survivors, wait_for_none};
use crate::session::Session;

/// A server, a project of it, and where a symbol of it is used.
type Project = (&'static str, &'static str, (&'static str, usize, &'static str));

const PYTHON: &str = "//- /pyproject.toml\n[project]\nname = \"p\"\n//- /a.py\nx = 1\nprint(x)\n";
const TYPESCRIPT: &str = "//- /package.json\n{\"name\": \"p\"}\n//- /tsconfig.json\n{\"compilerOptions\": {\"types\": []}}\n\
    //- /a.ts\nexport const x = 1;\nexport const y = x;\n";

const PROJECTS: &[Project] = &[
    (
        "rust-analyzer",
        "//- /Cargo.toml\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/lib.rs\n\
         pub const X: u32 = 1;\npub const Y: u32 = X;\n",
        ("src/lib.rs", 2, "X"),
    ),
    ("pyright", PYTHON, ("a.py", 2, "x")),
    ("ty", PYTHON, ("a.py", 2, "x")),
    ("typescript-language-server", TYPESCRIPT, ("a.ts", 2, "x")),
    ("clangd", "//- /compile_flags.txt\n-xc++\n//- /a.cpp\nint x = 1;\nint y = x;\n", ("a.cpp", 2, "x")),
    (
        "gopls",
        "//- /go.mod\nmodule p\n\ngo 1.21\n//- /a.go\npackage p\n\nvar X = 1\nvar Y = X\n",
        ("a.go", 4, "X"),
    ),
    (
        "dart",
        "//- /pubspec.yaml\nname: p\nenvironment:\n  sdk: ^3.0.0\n//- /lib/a.dart\nfinal x = 1;\nfinal y = x;\n",
        ("lib/a.dart", 2, "x"),
    ),
];

/// How a session comes to its end.
#[derive(Clone, Copy, Debug)]
enum End {
    Input,
    Detach,
    Cancel,
    Kill,
}

fn start(project: &Project) -> (Fixture, Session) {
    let (server, text, _) = project;
    let fixture = Fixture::new(text);
    // One of a family serves: the others are left out, so that this one is meant.
    let others = ["pyright", "basedpyright", "ty", "pyrefly", "ruff"];
    let rows: Vec<String> = others
        .iter()
        .filter(|other| *other != server)
        .map(|other| format!("[{other}]\ndisabled = true\n"))
        .collect();
    fixture.write(".outrigger/servers.toml", rows.concat());
    let session = Session::start_in(&fixture, &["--tier", "read"], &real_environment());
    (fixture, session)
}

fn check(project: &Project, end: End) {
    let (server, _, (file, line, symbol)) = project;
    let (fixture, mut session) = start(project);
    let ask = json!({"action": "definition", "file": file, "line": line, "symbol": symbol});
    session.tool(1, "lsp", ask.clone());
    if let End::Cancel = end {
        session.send(&json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}}));
    }
    let answer = session.answer(1);
    if !matches!(end, End::Cancel) {
        assert_eq!(answer["result"]["is_error"], Value::Bool(false), "{server}: {answer}");
        assert!(survivors(&fixture).len() >= 2, "{server}: {:?}", survivors(&fixture));
    }
    match end {
        End::Input | End::Cancel => {
            let (status, took) = session.end();
            assert!(status.success(), "{server}: {status} after {took:?}");
        }
        End::Detach => {
            session.request(2, "run/detach", json!({"resource": "language_servers"}));
            let _ = session.answer(2);
            let left = || survivors(&fixture).into_iter().filter(|it| !it.contains(" serve")).count();
            let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
            while left() > 0 {
                assert!(std::time::Instant::now() < end, "{server}: {:?}", survivors(&fixture));
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            let _ = session.end();
        }
        End::Kill => session.kill(),
    }
    wait_for_none(&fixture);
}

fn each_end(server: &str, rounds: usize) {
    if real(server).is_none() {
        return;
    }
    let project = PROJECTS.iter().find(|project| project.0 == server).expect("a project");
    for end in [End::Input, End::Detach, End::Cancel, End::Kill] {
        for _ in 0..rounds {
            check(project, end);
        }
        println!("{server}: {rounds} times {end:?}, nothing left");
    }
}

macro_rules! servers {
    ($($name:ident, $long:ident: $server:literal,)*) => {
        $(#[test]
        fn $name() {
            each_end($server, 2);
        }

        #[test]
        #[ignore = "long"]
        fn $long() {
            each_end($server, 20);
        })*
    };
}

servers! {
    rust_analyzer_leaves_nothing, long_rust_analyzer: "rust-analyzer",
    pyright_leaves_nothing, long_pyright: "pyright",
    ty_leaves_nothing, long_ty: "ty",
    typescript_leaves_nothing, long_typescript: "typescript-language-server",
    clangd_leaves_nothing, long_clangd: "clangd",
    gopls_leaves_nothing, long_gopls: "gopls",
    dart_leaves_nothing, long_dart: "dart",
}
