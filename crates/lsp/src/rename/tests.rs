//! Renames by real servers: across files with emoji, tabs, CRLF and a byte order mark; staged, refused, and moved files.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures and read the environment")]

use edits::{Edits, Resolve, State};
use serde_json::{Value, json};
use test_support::{Fixture, real, real_environment};
use tool::{Registry, Surface, Tier};
use workspace::Workspace;

use super::{LspRename, LspRenameFile};
use crate::LanguageServers;
use crate::servers::Table;
use crate::supervisor::Supervisor;

struct Run {
    fixture: Fixture,
    servers: Supervisor,
    _registry: Registry,
    surface: Surface,
}

impl Run {
    /// A run with one server of the table.
    fn new(text: &str, server: &str) -> Self {
        let fixture = Fixture::new(text);
        let workspace = Workspace::open(fixture.root()).unwrap();
        let mut environment = real_environment();
        for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
            environment.extend(std::env::var_os(name).map(|value| (name.into(), value)));
        }
        let table = Table::built_in().servers(true);
        let others = table.iter().filter(|other| other.id != server);
        let disabled: Vec<String> =
            others.map(|other| format!("[{}]\ndisabled = true\n", other.id)).collect();
        let servers =
            LanguageServers::default().environment(environment).overrides(&disabled.concat()).unwrap();
        let servers = Supervisor::new(workspace.clone(), servers);
        let registry = Registry::builder().build();
        let state = State::memory(fixture.outside().join("state"));
        let edits = Edits::open(workspace, registry.authority(), state).unwrap();
        let tools = vec![
            tool::tool(LspRename::new(servers.clone(), edits.clone())),
            tool::tool(LspRenameFile::new(servers.clone(), edits.clone())),
            tool::tool(Resolve::new(edits)),
        ];
        registry.attach("lsp", tools).unwrap();
        let surface = registry.surface(Tier::Write);
        Self { fixture, servers, _registry: registry, surface }
    }

    async fn rename(&self, file: &str, line: usize, symbol: &str, new_name: &str) -> Result<Value, String> {
        self.call("lsp_rename", json!({ "file": file, "line": line, "symbol": symbol, "new_name": new_name }))
            .await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        match self.surface.call(tool, arguments).await {
            Ok(output) => {
                let mut data = output.data.clone().unwrap_or_default();
                data["text"] = output.to_text().into();
                Ok(data)
            }
            Err(error) => Err(format!("{:?}: {error}", error.kind)),
        }
    }
}

/// A project of one server in which `total` is declared on the first line of a file that has it, and used elsewhere.
struct Project {
    server: &'static str,
    real: &'static str,
    text: &'static str,
    /// Where the rename is asked for.
    at: (&'static str, usize),
    /// Every file that has the name, and how often.
    files: &'static [(&'static str, usize)],
}

const PYTHON: &str = "//- /pyproject.toml\n[project]\nname = \"p\"\nversion = \"1\"\n//- /a.py\n\
    def total(x: int) -> int:\n\treturn x  # total\n//- /b.py\nfrom a import total\n\r\n\
    print(\"😀é\", total(1), \"total\")\r\n//- /notes.md\nthe total\n";
const TYPESCRIPT: &str = "//- /package.json\n{\"name\": \"p\"}\n//- /package-lock.json\n{}\n//- /tsconfig.json\n\
    {\"compilerOptions\": {\"strict\": true, \"module\": \"commonjs\", \"types\": []}, \"include\": [\"*.ts\"]}\n\
    //- /a.ts\nexport function total(x: number): number {\n\treturn x; // total\n}\n//- /b.ts\n\
    import { total } from './a';\r\nconst s = '😀é'; export const y = [s, total(1), { total }];\r\n\
    //- /notes.md\nthe total\n";

const PROJECTS: &[Project] = &[
    Project {
        server: "rust-analyzer",
        real: "rust-analyzer",
        text: "//- /Cargo.toml\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/lib.rs\n\
               pub fn total(x: u32) -> u32 {\n\tx // total\n}\npub mod b;\n//- /src/b.rs\nuse crate::total;\r\n\
               pub fn f() -> u32 { let _ = \"😀é\"; total(1) }\r\n//- /notes.md\nthe total\n",
        at: ("src/lib.rs", 1),
        files: &[("src/lib.rs", 1), ("src/b.rs", 2)],
    },
    Project {
        server: "pyright",
        real: "pyright",
        text: PYTHON,
        at: ("a.py", 1),
        files: &[("a.py", 1), ("b.py", 2)],
    },
    Project { server: "ty", real: "ty", text: PYTHON, at: ("a.py", 1), files: &[("a.py", 1), ("b.py", 2)] },
    Project {
        server: "typescript-language-server",
        real: "typescript-language-server",
        text: TYPESCRIPT,
        at: ("a.ts", 1),
        files: &[("a.ts", 1), ("b.ts", 3)],
    },
    Project {
        server: "clangd",
        real: "clangd",
        text: "//- /compile_flags.txt\n-xc++\n//- /a.h\n#pragma once\nint total(int x);\n//- /a.cpp\n#include \"a.h\"\n\
               int total(int x) {\n\treturn x; // total\n}\n//- /b.cpp\n#include \"a.h\"\r\n\
               const char* s = \"😀é\"; int y = total(1);\r\n//- /notes.md\nthe total\n",
        at: ("a.h", 2),
        files: &[("a.h", 1), ("a.cpp", 1), ("b.cpp", 1)],
    },
    Project {
        server: "gopls",
        real: "gopls",
        text: "//- /go.mod\nmodule p\n\ngo 1.21\n//- /a.go\npackage p\n\nfunc total(x int) int {\n\treturn x // total\n}\n\
               //- /b.go\npackage p\r\n\r\nvar S, Y = \"😀é\", total(1)\r\n//- /notes.md\nthe total\n",
        at: ("a.go", 3),
        files: &[("a.go", 1), ("b.go", 1)],
    },
    Project {
        server: "dart",
        real: "dart",
        text: "//- /pubspec.yaml\nname: p\nenvironment:\n  sdk: ^3.0.0\n//- /lib/a.dart\nint total(int x) {\n\treturn x; // total\n}\n\
               //- /lib/b.dart\nimport 'a.dart';\r\nfinal y = ['😀é', total(1)];\r\n//- /notes.md\nthe total\n",
        at: ("lib/a.dart", 1),
        files: &[("lib/a.dart", 1), ("lib/b.dart", 1)],
    },
    Project {
        server: "tsc",
        real: "tsc7",
        text: TYPESCRIPT,
        at: ("a.ts", 1),
        files: &[("a.ts", 1), ("b.ts", 3)],
    },
];

/// How often a name stands in a text, by itself.
fn count(text: &str, name: &str) -> usize {
    let part = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    let alone =
        |at: &usize| !part(text[..*at].chars().next_back()) && !part(text[at + name.len()..].chars().next());
    text.match_indices(name).map(|(at, _)| at).filter(alone).count()
}

async fn check(project: &Project) {
    let Some(program) = real(project.real) else { return };
    let run = Run::new(project.text, project.server);
    if project.server == "tsc" {
        // The project's own: the one of the search path is an earlier version, and no server.
        let folder = run.fixture.path("node_modules/.bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(program.canonicalize().unwrap(), folder.join("tsc")).unwrap();
    }
    let (first, line) = project.at;
    let before: Vec<String> = project.files.iter().map(|(path, _)| run.fixture.read(path)).collect();
    let total: usize = project.files.iter().map(|(_, count)| count).sum();
    let staged = run
        .call(
            "lsp_rename",
            json!({
                "file": first, "line": line, "symbol": "total", "new_name": "sum_of", "dry_run": true,
            }),
        )
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", project.server));
    for ((path, _), before) in project.files.iter().zip(&before) {
        assert_eq!(&run.fixture.read(path), before, "{}: a dry run wrote {path}", project.server);
    }
    let id = staged["edit_id"].as_str().unwrap();
    run.call("resolve", json!({ "edit_id": id, "action": "discard" })).await.unwrap();

    let renamed = run.rename(first, line, "total", "sum_of").await;
    let renamed = renamed.unwrap_or_else(|error| panic!("{}: {error}", project.server));
    assert_eq!(renamed["count"], total, "{}: {}", project.server, renamed["text"]);
    for ((path, expected), before) in project.files.iter().zip(&before) {
        let after = run.fixture.read(path);
        assert_eq!(count(&after, "sum_of"), *expected, "{}: {path}\n{after}", project.server);
        assert_eq!(
            // A shorthand property keeps its name where the server writes it out.
            count(&after, "total") - after.matches("{ total: sum_of }").count(),
            count(before, "total") - expected,
            "{}: {path}\n{after}",
            project.server
        );
        assert_eq!(
            after.matches("\r\n").count(),
            before.matches("\r\n").count(),
            "{}: {path}",
            project.server
        );
    }
    let text = renamed["text"].as_str().unwrap();
    assert!(text.contains("left alone") && text.contains("notes.md:1:5"), "{}: {text}", project.server);
    let _ = run.servers.close().await;
}

macro_rules! projects {
    ($($name:ident: $at:expr,)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            check(&PROJECTS[$at]).await;
        })*
    };
}

projects! {
    rust_analyzer_renames: 0,
    pyright_renames: 1,
    ty_renames: 2,
    typescript_renames: 3,
    clangd_renames: 4,
    gopls_renames: 5,
    dart_renames: 6,
    tsc7_renames: 7,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_writes_nothing() {
    if real("ty").is_none() {
        return;
    }
    let run = Run::new(PYTHON, "ty");
    let before = (run.fixture.read("a.py"), run.fixture.read("b.py"));
    for (line, symbol, new_name, expected) in [
        (1, "total", "total", "is the name it has"),
        (1, "total", "", "is no name"),
        (1, "total", "a b", "is no name"),
        (1, "tot", "x", "only as a part of `total`"),
        (9, "total", "x", "has no line 9"),
        (1, "missing", "x", "has no `missing`"),
        (1, "def", "x", "ty"),
    ] {
        let error = run.rename("a.py", line, symbol, new_name).await.unwrap_err();
        assert!(error.contains(expected), "{symbol} → {new_name}: {error}");
    }
    let outside = run.rename("../a.py", 1, "total", "x").await.unwrap_err();
    assert!(outside.contains("Refused"), "{outside}");
    assert_eq!((run.fixture.read("a.py"), run.fixture.read("b.py")), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_moves_with_the_imports_that_name_it() {
    if real("typescript-language-server").is_none() {
        return;
    }
    let run = Run::new(TYPESCRIPT, "typescript-language-server");
    let arguments = json!({ "file": "a.ts", "new_path": "lib/sums.ts" });
    let moved = run.call("lsp_rename_file", arguments).await.unwrap();
    assert!(!run.fixture.path("a.ts").exists() && run.fixture.path("lib/sums.ts").exists(), "{moved}");
    assert!(run.fixture.read("b.ts").contains("from './lib/sums'"), "{}", run.fixture.read("b.ts"));
    let taken = json!({ "file": "b.ts", "new_path": "lib/sums.ts" });
    let error = run.call("lsp_rename_file", taken).await.unwrap_err();
    assert!(error.contains("exists already"), "{error}");
    assert!(run.fixture.path("b.ts").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_whose_imports_nobody_follows_is_refused() {
    if real("gopls").is_none() {
        return;
    }
    let run = Run::new(PROJECTS[5].text, "gopls");
    let arguments = json!({ "file": "a.go", "new_path": "c.go" });
    let error = run.call("lsp_rename_file", arguments).await.unwrap_err();
    assert!(error.contains("gopls") && run.fixture.path("a.go").exists(), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_is_renamed_with_its_file() {
    if real("rust-analyzer").is_none() {
        return;
    }
    let run = Run::new(PROJECTS[0].text, "rust-analyzer");
    let renamed = run.rename("src/lib.rs", 4, "b", "parts").await.unwrap();
    assert!(run.fixture.path("src/parts.rs").exists() && !run.fixture.path("src/b.rs").exists(), "{renamed}");
    assert!(run.fixture.read("src/lib.rs").contains("pub mod parts;"));
    assert_eq!(renamed["moved"][0], json!({ "from": "src/b.rs", "to": "src/parts.rs" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_symbol_that_stands_twice_on_its_line_is_renamed_where_both_are_the_same() {
    if real("ty").is_none() {
        return;
    }
    let text = "//- /pyproject.toml\n[project]\nname = \"p\"\nversion = \"1\"\n//- /a.py\n\
        def other(x: int) -> int:\n    return x\n\n\ndef total(x: int) -> int:\n    return x\n\n\nprint(total(total(1)))\n";
    let run = Run::new(text, "ty");
    let renamed = run.rename("a.py", 9, "total", "sum_of").await.unwrap();
    assert_eq!(renamed["count"], 3, "{renamed}");
    let after = run.fixture.read("a.py");
    assert!(after.contains("print(sum_of(sum_of(1)))") && after.contains("def other("), "{after}");
}
