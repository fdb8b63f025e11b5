//! The built-in table holds together, and an override changes what it names and nothing else.

use std::collections::{BTreeSet, HashSet};

use serde_json::json;

use super::*;

fn built_in() -> Vec<std::sync::Arc<Server>> {
    Table::built_in().servers(true)
}

fn server(id: &str) -> std::sync::Arc<Server> {
    built_in().into_iter().find(|server| server.id == id).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn the_built_in_table_is_whole() {
    assert_eq!(Table::built_in().errors(), Vec::<String>::new());
    let servers = built_in();
    assert!(servers.len() >= 35, "{}", servers.len());
    let ids: HashSet<&str> = servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!(ids.len(), servers.len(), "an id is used twice");
    for server in &servers {
        let id = &server.id;
        assert!(
            server.not_installed_when_stderr_says.len() >= 4,
            "{id}: the version managers' words are missing"
        );
        for name in server.executables() {
            assert!(!name.contains('/') && !name.is_empty(), "{id}: `{name}`");
        }
        let patterns = server.languages.values().flatten();
        for pattern in patterns.chain(&server.markers) {
            assert!(
                pattern.matches('*').count() <= 1 && pattern != "*" && !pattern.is_empty(),
                "{id}: `{pattern}`"
            );
        }
        if let RootRule::FirstOf(groups) = &server.root {
            let last = groups.last().unwrap();
            assert!(
                server.markers.iter().any(|marker| last.contains(marker)),
                "{id}: its root can be nowhere"
            );
        }
        assert!(server.without_project_code.is_empty() || server.runs_project_code.is_some(), "{id}");
        if let Settle::Quiet { ms } = server.settle {
            assert!((100..=2000).contains(&ms), "{id}: quiet after {ms} ms");
        }
        assert!(server.pull || server.settle != Settle::Pull, "{id} settles by what it is not asked");
    }
}

#[test]
fn the_languages_that_are_promised_are_served() {
    let servers = built_in();
    for (name, id) in [
        ("a.rs", "rust-analyzer"),
        ("a.py", "basedpyright pyright ty pyrefly jedi-language-server pylsp ruff"),
        ("a.ts", "deno typescript-language-server vtsls tsc biome eslint"),
        ("a.hpp", "clangd"),
        ("a.go", "gopls"),
        ("a.dart", "dart"),
        ("a.lua", "lua-language-server"),
        ("a.sh", "bash-language-server"),
        ("a.yaml", "yaml"),
        ("a.json", "biome json"),
        ("a.html", "html tailwindcss"),
        ("a.css", "biome css tailwindcss"),
        ("A.java", "jdtls"),
        ("a.kt", "kotlin-lsp kotlin-language-server"),
        ("a.zig", "zls"),
        ("a.rb", "ruby-lsp solargraph"),
        ("a.php", "intelephense phpactor"),
        ("a.ex", "elixir-ls expert"),
        ("a.hs", "haskell-language-server"),
        ("a.tf", "terraform-ls"),
        ("Cargo.toml", "tombi taplo"),
        ("a.scala", "metals"),
        ("a.swift", "sourcekit-lsp"),
        ("a.ml", "ocamllsp"),
        ("a.nix", "nixd nil"),
        ("a.vue", "vue eslint tailwindcss"),
        ("a.svelte", "svelte eslint tailwindcss"),
        ("Dockerfile", "docker-langserver"),
        ("a.md", "marksman"),
        ("CMakeLists.txt", "neocmakelsp cmake-language-server"),
        ("A.cs", "csharp-ls omnisharp"),
        ("a.erl", "elp erlang-ls"),
        ("a.jl", "julia"),
        ("a.R", "r"),
    ] {
        let serving: Vec<&str> = servers
            .iter()
            .filter(|server| server.language(Path::new(name)).is_some())
            .map(|server| server.id.as_str())
            .collect();
        assert_eq!(serving.join(" "), id, "{name}");
    }
}

#[test]
fn a_file_has_the_language_of_its_longest_pattern() {
    let json = server("json");
    assert_eq!(json.language(Path::new("/w/package.json")), Some("json"));
    assert_eq!(json.language(Path::new("/w/tsconfig.build.json")), Some("jsonc"));
    assert_eq!(server("tsc").language(Path::new("/w/a.d.ts")), Some("typescript"));
    assert_eq!(server("tsc").language(Path::new("/w/a.tsx")), Some("typescriptreact"));
    assert_eq!(server("tsc").language(Path::new("/w/a.rs")), None);
}

#[test]
fn rust_analyzer_is_told_with_initialize_what_it_may_ask_for() {
    let server = server("rust-analyzer");
    assert_eq!(server.options()["cachePriming"]["enable"], json!(false));
    assert_eq!(server.settings["rust-analyzer"], server.options());
}

#[test]
fn an_interpreter_goes_where_the_server_looks_for_it_and_never_over_what_was_set() {
    let python = Path::new("/w/.venv/bin/python");
    let told = server("pyright").with_interpreter(python);
    assert_eq!(told.settings["python"]["pythonPath"], json!("/w/.venv/bin/python"));
    assert_eq!(told.settings["python"]["analysis"]["diagnosticMode"], json!("openFilesOnly"));
    let mut table = Table::built_in();
    let set = Overrides::parse("[pyright.settings.python]\npythonPath = '/usr/bin/python3'").unwrap();
    assert!(table.lay_over(&set, Trust::Full).is_empty());
    let set = table.servers(true).into_iter().find(|server| server.id == "pyright").unwrap();
    assert_eq!(set.with_interpreter(python).settings["python"]["pythonPath"], json!("/usr/bin/python3"));
    let ruff = server("ruff");
    assert_eq!(ruff.with_interpreter(python), *ruff);
}

#[test]
fn an_override_changes_the_fields_it_names() {
    let mut table = Table::built_in();
    let overrides = Overrides::parse(
        "[rust-analyzer]\ncommand = ['ra']\n[rust-analyzer.settings.rust-analyzer.check]\ncommand = 'clippy'\n\
         [eslint]\ndisabled = true\n\
         [mine]\nlanguages.mine = ['*.mine']\ncommand = ['mine']\nmarkers = ['mine.toml']\n\
         readiness = { signal = 'holds' }\nsettle = 'pull'",
    )
    .unwrap();
    assert_eq!(table.lay_over(&overrides, Trust::Full), Vec::<String>::new());
    let servers = table.servers(true);
    let before = built_in();
    assert_eq!(servers[0].id, "mine", "a server of the host's own goes first");
    let ids = |servers: &[std::sync::Arc<Server>]| {
        servers.iter().map(|server| server.id.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!(ids(&before).difference(&ids(&servers)).collect::<Vec<_>>(), ["eslint"]);
    let changed = servers.iter().find(|server| server.id == "rust-analyzer").unwrap();
    assert_eq!(changed.command, ["ra"]);
    assert_eq!(changed.options()["check"]["command"], json!("clippy"));
    assert_eq!(changed.options()["cachePriming"]["enable"], json!(false));
    assert_eq!(changed.markers, before[0].markers);
}

#[test]
fn a_bad_override_is_told_and_changes_nothing() {
    let mut table = Table::built_in();
    let overrides = Overrides::parse(
        "ty = 1\n[ruff]\ncomand = ['x']\n[gopls]\ncommand = []\n[half]\ncommand = ['half']\n",
    )
    .unwrap();
    let said = table.lay_over(&overrides, Trust::Full).join("\n");
    for part in [
        "`ty` is not a table",
        "`ruff`: unknown field `comand`",
        "`gopls`: `command` is empty",
        "`half`: missing",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    assert_eq!(table.servers(true), built_in());
    assert!(Overrides::parse("[ty\n").is_err());
}

#[test]
fn a_file_that_is_not_trusted_cannot_make_a_server_run_anything() {
    let mut table = Table::built_in();
    let overrides = Overrides::parse(
        "[ty]\ncommand = ['./evil']\nalso = ['evil']\nmarkers = ['ty.toml']\n\
         [ruff.settings]\npath = ['./evil']\n[gopls.environment]\nPATH = '.'\n\
         [pyright.initialization-options]\nx = 1\n[rust-analyzer.without-project-code]\ncommand = ['./evil']\n\
         [tsc.package]\nname = 'evil'\nfrom-major = 0\n\
         [mine]\nlanguages.mine = ['*.mine']\ncommand = ['./evil']\nmarkers = ['m']\n\
         readiness = { signal = 'holds' }\nsettle = 'pull'",
    )
    .unwrap();
    let said = table.lay_over(&overrides, Trust::Harmless).join("\n");
    let expected = built_in();
    let servers = table.servers(true);
    assert_eq!(servers.len(), expected.len());
    for (server, before) in servers.iter().zip(&expected) {
        if server.id == "ty" {
            assert_eq!(server.markers, ["ty.toml"]);
            assert_eq!(server.command, before.command);
        } else {
            assert_eq!(server, before);
        }
    }
    for id in ["ty", "ruff", "gopls", "pyright", "rust-analyzer", "tsc", "mine"] {
        assert!(said.contains(&format!("of `{id}`: it could run a program")), "{id} is not in\n{said}");
    }
}

#[test]
fn without_project_code_a_server_runs_none_or_is_left_out() {
    let servers = Table::built_in().servers(false);
    let has = |id: &str| servers.iter().find(|server| server.id == id);
    assert!(has("jdtls").is_none() && has("eslint").is_none() && has("typescript-language-server").is_none());
    assert!(has("pyright").is_some() && has("gopls").is_some() && has("tsc").is_some());
    let limited = has("rust-analyzer").unwrap();
    assert_eq!(limited.options()["procMacro"]["enable"], json!(false));
    assert_eq!(limited.options()["cachePriming"]["enable"], json!(false));
    assert_eq!(limited.settle, Settle::Pull, "no check runs that could be waited for");
}

#[test]
fn the_stand_in_of_rustup_is_no_server() {
    let server = server("rust-analyzer");
    assert!(
        server
            .says_not_installed("error: Unknown binary 'rust-analyzer' in official toolchain '1.95-x86_64'.")
    );
    assert!(server.says_not_installed("pyenv: ty: command not found"));
    assert!(!server.says_not_installed("thread 'main' panicked at crates/rust-analyzer/src/main.rs"));
}
