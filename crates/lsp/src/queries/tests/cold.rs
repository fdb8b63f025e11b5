//! The very first question to a server that has just been started: its answer is whole, or it says that it is not.

use std::fmt::Write as _;

use serde_json::json;
use test_support::{Fixture, real};
use workspace::Workspace;

use super::only;
use crate::tool::Lsp;

/// Files of a project, a third of which use the symbol.
const FILES: usize = 30;

/// A project in which one file declares `total` and others use it.
struct Cold {
    server: &'static str,
    real: &'static str,
    /// What makes it a project, and the file that declares.
    head: &'static str,
    at: (&'static str, usize),
    /// A file that uses it, and one that does not; `#` is its number.
    user: (&'static str, &'static str),
    other: &'static str,
    /// References: the declaration's own, and those of each user.
    own: usize,
    each: usize,
}

const PYTHON: (&str, &str) = ("m#.py", "from a import total\nprint(total(#))\n");

const PROJECTS: &[Cold] = &[
    Cold {
        server: "rust-analyzer",
        real: "rust-analyzer",
        head: "//- /Cargo.toml\n[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- /src/a.rs\n\
               pub fn total(x: u32) -> u32 { x }\n//- /src/lib.rs\npub mod a;\n",
        at: ("src/a.rs", 1),
        user: ("src/m#.rs", "use crate::a::total;\npub fn f() -> u32 { total(#) }\n"),
        other: "pub fn g() -> u32 { # }\n",
        own: 1,
        each: 2,
    },
    Cold {
        server: "pyright",
        real: "pyright",
        head: "//- /pyproject.toml\n[project]\nname = \"p\"\n//- /a.py\ndef total(x: int) -> int:\n    return x\n",
        at: ("a.py", 1),
        user: PYTHON,
        other: "x = #\n",
        own: 1,
        each: 2,
    },
    Cold {
        server: "ty",
        real: "ty",
        head: "//- /pyproject.toml\n[project]\nname = \"p\"\nversion = \"1\"\n//- /a.py\ndef total(x: int) -> int:\n    return x\n",
        at: ("a.py", 1),
        user: PYTHON,
        other: "x = #\n",
        own: 1,
        each: 2,
    },
    Cold {
        server: "typescript-language-server",
        real: "typescript-language-server",
        head: "//- /package.json\n{\"name\": \"p\"}\n//- /tsconfig.json\n\
               {\"compilerOptions\": {\"strict\": true, \"module\": \"commonjs\", \"types\": []}, \"include\": [\"*.ts\"]}\n\
               //- /a.ts\nexport function total(x: number): number { return x; }\n",
        at: ("a.ts", 1),
        user: ("m#.ts", "import { total } from './a';\nexport const y# = total(#);\n"),
        other: "export const z# = #;\n",
        own: 1,
        each: 2,
    },
    Cold {
        server: "clangd",
        real: "clangd",
        head: "//- /compile_flags.txt\n-xc++\n//- /a.h\n#pragma once\nint total(int x);\n//- /a.cpp\n#include \"a.h\"\n\
               int total(int x) { return x; }\n",
        at: ("a.h", 2),
        user: ("m#.cpp", "#include \"a.h\"\nint y# = total(#);\n"),
        other: "int z# = #;\n",
        own: 2,
        each: 1,
    },
    Cold {
        server: "gopls",
        real: "gopls",
        head: "//- /go.mod\nmodule p\n\ngo 1.21\n//- /a.go\npackage p\n\nfunc total(x int) int { return x }\n",
        at: ("a.go", 3),
        user: ("m#.go", "package p\n\nvar Y# = total(#)\n"),
        other: "package p\n\nvar Z# = #\n",
        own: 1,
        each: 1,
    },
    Cold {
        server: "dart",
        real: "dart",
        head: "//- /pubspec.yaml\nname: p\nenvironment:\n  sdk: ^3.0.0\n//- /lib/a.dart\nint total(int x) => x;\n",
        at: ("lib/a.dart", 1),
        user: ("lib/m#.dart", "import 'a.dart';\nfinal y# = total(#);\n"),
        other: "final z# = #;\n",
        own: 1,
        each: 1,
    },
];

impl Cold {
    fn fixture(&self) -> Fixture {
        let mut text = self.head.to_owned();
        let mut modules = String::new();
        for number in 0..FILES {
            let content = if number % 3 == 0 { self.user.1 } else { self.other };
            let (path, content) = (self.user.0, content);
            let numbered = format!("//- /{path}\n{content}").replace('#', &number.to_string());
            // `#include`, and the like, have no number.
            text.push_str(&numbered.replace(&format!("{number}include"), "#include"));
            let _ = writeln!(modules, "pub mod m{number};");
        }
        if self.server == "rust-analyzer" {
            text = text.replace("pub mod a;\n", &format!("pub mod a;\n{modules}"));
        }
        Fixture::new(&text)
    }

    fn expected(&self) -> usize {
        self.own + self.each * FILES.div_ceil(3)
    }
}

async fn check(project: &Cold, rounds: usize) {
    if real(project.real).is_none() {
        return;
    }
    let mut not_known = 0;
    for _ in 0..rounds {
        let fixture = project.fixture();
        if project.server == "clangd" {
            compile_commands(&fixture);
        }
        let servers = only(Workspace::open(fixture.root()).unwrap(), &[project.server]);
        let registry = tool::Registry::builder().build();
        registry.attach("lsp", vec![tool::tool(Lsp::new(servers.clone()))]).unwrap();
        let (file, line) = project.at;
        let ask = json!({ "action": "references", "file": file, "line": line, "symbol": "total" });
        let output = registry.surface(tool::Tier::Read).call("lsp", ask).await.unwrap();
        let text = output.to_text();
        if text.contains("still loading") || text.contains("unknown") {
            not_known += 1;
        } else {
            let expected = format!("{} references", project.expected());
            assert!(text.starts_with(&expected), "{}: not {expected}:\n{text}", project.server);
        }
        let _ = servers.close().await;
    }
    println!("{}: {rounds} first questions, {not_known} answered that it is not known yet", project.server);
    assert!(not_known * 2 <= rounds, "{}", project.server);
}

/// What clangd indexes a project by.
fn compile_commands(fixture: &Fixture) {
    let root = fixture.root();
    let files = (0..FILES).map(|number| format!("m{number}.cpp")).chain(["a.cpp".to_owned()]);
    let command = |file| json!({ "directory": root, "file": file, "arguments": ["c++", "-c", file] });
    let commands: Vec<serde_json::Value> = files.map(command).collect();
    fixture.write("compile_commands.json", serde_json::to_vec(&commands).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_index_it_is_said_what_an_answer_covers() {
    if real("clangd").is_none() {
        return;
    }
    let fixture = PROJECTS[4].fixture();
    let servers = only(Workspace::open(fixture.root()).unwrap(), &["clangd"]);
    let registry = tool::Registry::builder().build();
    registry.attach("lsp", vec![tool::tool(Lsp::new(servers.clone()))]).unwrap();
    let ask = json!({ "action": "references", "file": "a.h", "line": 2, "symbol": "total" });
    let output = registry.surface(tool::Tier::Read).call("lsp", ask).await.unwrap();
    assert!(output.to_text().contains("it knows those that are open"), "{}", output.to_text());
    let _ = servers.close().await;
}

macro_rules! projects {
    ($($name:ident, $long:ident: $at:expr,)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            check(&PROJECTS[$at], 2).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        #[ignore = "long"]
        async fn $long() {
            check(&PROJECTS[$at], 20).await;
        })*
    };
}

projects! {
    rust_analyzer_is_whole_at_once, long_rust_analyzer: 0,
    pyright_is_whole_at_once, long_pyright: 1,
    ty_is_whole_at_once, long_ty: 2,
    typescript_is_whole_at_once, long_typescript: 3,
    clangd_is_whole_at_once, long_clangd: 4,
    gopls_is_whole_at_once, long_gopls: 5,
    dart_is_whole_at_once, long_dart: 6,
}
