//! Each rule on nested packages of real files.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use test_support::Fixture;

use super::*;
use crate::servers::Table;

/// The root for the file's folder, relative to the workspace (`.` for itself).
fn of(fixture: &Fixture, id: &str, file: &str) -> String {
    let servers = Table::built_in().servers(true);
    let server = servers.iter().find(|server| server.id == id).unwrap();
    let file = fixture.path(file);
    let root = root(server, file.parent().unwrap(), fixture.root());
    match root.strip_prefix(fixture.root()).unwrap().to_str().unwrap() {
        "" => ".".to_owned(),
        relative => relative.to_owned(),
    }
}

fn check(fixture: &str, id: &str, expected: &[(&str, &str)]) {
    let fixture = Fixture::new(fixture);
    for (file, root) in expected {
        assert_eq!(of(&fixture, id, file), *root, "{id}, {file}");
    }
}

#[test]
fn a_cargo_member_belongs_to_its_workspace_and_an_independent_package_to_itself() {
    check(
        "//- /rust/Cargo.toml\n[workspace]\nmembers = ['crates/*']\nexclude = ['fuzz', 'crates/out']\n\
         //- /rust/crates/a/Cargo.toml\n[package]\nname = 'a'\n//- /rust/crates/a/src/deep/x.rs\n\
         //- /rust/crates/b/Cargo.toml\n[package]\nname = 'b'\n//- /rust/crates/b/src/x.rs\n\
         //- /rust/fuzz/Cargo.toml\n[package]\nname = 'f'\n//- /rust/fuzz/src/x.rs\n\
         //- /rust/crates/out/Cargo.toml\n[package]\nname = 'o'\n//- /rust/crates/out/src/x.rs\n\
         //- /rust/own/Cargo.toml\n[package]\nname = 'own'\n[workspace]\n//- /rust/own/src/x.rs\n\
         //- /alone/Cargo.toml\n[package]\nname = 'alone'\n//- /alone/src/x.rs\n\
         //- /pointing/p/Cargo.toml\n[package]\nname = 'p'\nworkspace = '../../rust'\n//- /pointing/p/x.rs\n\
         //- /broken/Cargo.toml\n[package\n//- /broken/x.rs\n\
         //- /json/rust-project.json\n{}\n//- /json/x.rs\n//- /none/x.rs\n",
        "rust-analyzer",
        &[
            ("rust/crates/a/src/deep/x.rs", "rust"),
            ("rust/crates/b/src/x.rs", "rust"),
            ("rust/fuzz/src/x.rs", "rust/fuzz"),
            ("rust/crates/out/src/x.rs", "rust/crates/out"),
            ("rust/own/src/x.rs", "rust/own"),
            ("alone/src/x.rs", "alone"),
            ("pointing/p/x.rs", "rust"),
            ("broken/x.rs", "broken"),
            ("json/x.rs", "json"),
            ("none/x.rs", "."),
        ],
    );
}

#[test]
fn a_member_that_is_named_counts_though_its_folder_is_excluded() {
    check(
        "//- /Cargo.toml\n[workspace]\nmembers = ['tools/in']\nexclude = ['tools']\n\
         //- /tools/in/Cargo.toml\n[package]\n//- /tools/in/x.rs\n//- /tools/out/Cargo.toml\n[package]\n//- /tools/out/x.rs\n",
        "rust-analyzer",
        &[("tools/in/x.rs", "."), ("tools/out/x.rs", "tools/out")],
    );
}

#[test]
fn a_go_module_belongs_to_the_work_file_that_uses_it() {
    check(
        "//- /go.work\ngo 1.22\n\nuse (\n\t./a // the first\n\t./b/\n)\nuse ./c\n\
         //- /a/go.mod\nmodule a\n//- /a/x/y.go\n//- /b/go.mod\nmodule b\n//- /b/y.go\n\
         //- /c/go.mod\nmodule c\n//- /c/y.go\n//- /d/go.mod\nmodule d\n//- /d/y.go\n",
        "gopls",
        &[("a/x/y.go", "."), ("b/y.go", "."), ("c/y.go", "."), ("d/y.go", "d")],
    );
    check("//- /m/go.mod\nmodule m\n//- /m/p/y.go\n", "gopls", &[("m/p/y.go", "m")]);
}

#[test]
fn typescript_goes_by_the_lockfile_and_else_by_the_nearest_configuration() {
    check(
        "//- /shop/pnpm-lock.yaml\n//- /shop/package.json\n{}\n//- /shop/packages/ui/tsconfig.json\n{}\n\
         //- /shop/packages/ui/src/a.ts\n//- /site/package.json\n{}\n//- /site/app/tsconfig.json\n{}\n//- /site/app/a.ts\n\
         //- /site/b.ts\n",
        "typescript-language-server",
        &[("shop/packages/ui/src/a.ts", "shop"), ("site/app/a.ts", "site/app"), ("site/b.ts", "site")],
    );
}

#[test]
fn the_other_rules_by_example() {
    check(
        "//- /pyproject.toml\n//- /svc/setup.cfg\n//- /svc/a/b.py\n//- /x.py\n",
        "pyright",
        &[("svc/a/b.py", "svc"), ("x.py", ".")],
    );
    check(
        "//- /umbrella/mix.exs\n//- /umbrella/apps/a/mix.exs\n//- /umbrella/apps/a/lib/a.ex\n",
        "elixir-ls",
        &[("umbrella/apps/a/lib/a.ex", "umbrella")],
    );
    check(
        "//- /j/settings.gradle\n//- /j/app/build.gradle\n//- /j/app/src/A.java\n//- /m/pom.xml\n//- /m/B.java\n",
        "jdtls",
        &[("j/app/src/A.java", "j"), ("m/B.java", "m")],
    );
    check("//- /n/all.sln\n//- /n/p/p.csproj\n//- /n/p/A.cs\n", "csharp-ls", &[("n/p/A.cs", "n")]);
    check("//- /deep/down/a.json\n", "json", &[("deep/down/a.json", ".")]);
}

#[test]
fn a_nested_project_uses_the_environment_around_it() {
    let fixture = Fixture::new(
        "//- /.venv/pyvenv.cfg\n//- /.venv/bin/python\n//- /svc/pyproject.toml\n//- /venv/bin/python\n",
    );
    let root = fixture.path("svc");
    assert_eq!(interpreter(&root, fixture.root(), None), Some(fixture.path(".venv/bin/python")));
    std::fs::remove_dir_all(fixture.path(".venv")).unwrap();
    assert_eq!(interpreter(&root, fixture.root(), None), None, "a folder is no environment by its name");
    let started_in = fixture.path("venv");
    assert_eq!(interpreter(&root, fixture.root(), Some(&started_in)), Some(fixture.path("venv/bin/python")));
}
