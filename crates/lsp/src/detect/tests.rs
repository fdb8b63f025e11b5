//! Both halves on real files, the two programs called `tsc`, families, and programs of the project.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::os::unix::fs::{PermissionsExt, symlink};

use test_support::Fixture;

use super::*;
use crate::servers::Table;

fn program(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn search(fixture: &Fixture, project_code: bool) -> Search {
    let path = SearchPath::of([fixture.outside().join("bin")]);
    Search { workspace: Workspace::open(fixture.root()).unwrap(), path, project_code }
}

fn candidates(fixture: &Fixture, file: &str) -> Vec<Candidate> {
    search(fixture, true).candidates(&Table::built_in().servers(true), &fixture.path(file))
}

fn serving(fixture: &Fixture, file: &str) -> String {
    let candidates = search(fixture, true).serving(candidates(fixture, file));
    candidates.iter().map(|candidate| candidate.server.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn one_half_starts_nothing_and_is_told_apart_from_the_other() {
    let fixture = Fixture::new("//- /a.go\n");
    let reason = || candidates(&fixture, "a.go")[0].why_not();
    assert!(
        reason().contains("no `go.work` or `go.mod`") && reason().contains("no executable `gopls`"),
        "{}",
        reason()
    );
    program(&fixture.outside().join("bin/gopls"));
    assert_eq!(reason(), "no `go.work` or `go.mod` from here up to the workspace's root");
    assert_eq!(serving(&fixture, "a.go"), "");
    fixture.write("go.mod", "module a\n");
    assert_eq!(serving(&fixture, "a.go"), "gopls");
    fs::remove_file(fixture.outside().join("bin/gopls")).unwrap();
    assert_eq!(reason(), "no executable `gopls` in `PATH`");
    assert_eq!(serving(&fixture, "a.go"), "");
}

/// As npm installs it: the program a link into the package.
fn typescript(folder: &Path, version: &str) {
    let package = folder.join("node_modules/typescript");
    program(&package.join("bin/tsc"));
    fs::write(package.join("package.json"), format!(r#"{{"name":"typescript","version":"{version}"}}"#))
        .unwrap();
    fs::create_dir_all(folder.join("node_modules/.bin")).unwrap();
    symlink("../typescript/bin/tsc", folder.join("node_modules/.bin/tsc")).unwrap();
}

#[test]
fn tsc_is_a_server_from_typescript_7_on() {
    for (version, expected) in
        [("6.0.3", "typescript-language-server"), ("7.0.2", "tsc"), ("10.1.0-beta", "tsc")]
    {
        let fixture = Fixture::new("//- /tsconfig.json\n{}\n//- /src/a.ts\n");
        program(&fixture.outside().join("bin/typescript-language-server"));
        typescript(fixture.root(), version);
        assert_eq!(serving(&fixture, "src/a.ts"), expected, "TypeScript {version}");
        let all = candidates(&fixture, "src/a.ts");
        let why = |id: &str| all.iter().find(|candidate| candidate.server.id == id).unwrap().why_not();
        if version.starts_with('6') {
            assert!(why("tsc").contains("node_modules/.bin/tsc` is another program"), "{}", why("tsc"));
        } else {
            assert!(
                why("typescript-language-server").contains(version),
                "{}",
                why("typescript-language-server")
            );
        }
    }
}

#[test]
fn typescript_in_a_child_package_is_found_from_the_file() {
    let fixture = Fixture::new(
        "//- /package-lock.json\n{}\n//- /package.json\n{}\n//- /web/package.json\n{}\n//- /web/a.ts\n",
    );
    program(&fixture.path("web/node_modules/.bin/typescript-language-server"));
    assert_eq!(serving(&fixture, "web/a.ts"), "typescript-language-server");
}

#[test]
fn of_a_family_one_serves_and_the_projects_own_comes_first() {
    let fixture = Fixture::new("//- /pyproject.toml\n//- /svc/pyproject.toml\n//- /svc/a.py\n");
    for name in ["pyright-langserver", "ty", "ruff"] {
        program(&fixture.outside().join("bin").join(name));
    }
    assert_eq!(serving(&fixture, "svc/a.py"), "pyright ruff");
    program(&fixture.path(".venv/bin/ty"));
    assert_eq!(serving(&fixture, "svc/a.py"), "ty ruff");
}

#[test]
fn without_project_code_no_program_of_the_workspace_is_taken() {
    let fixture = Fixture::new("//- /pyproject.toml\n//- /a.py\n");
    program(&fixture.path(".venv/bin/ty"));
    let servers = Table::built_in().servers(false);
    let search = search(&fixture, false);
    let usable = || search.serving(search.candidates(&servers, &fixture.path("a.py"))).len();
    assert_eq!(usable(), 0);
    program(&fixture.outside().join("bin/ty"));
    assert_eq!(usable(), 1);
}
