//! Markers and executables, on real folders.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use test_support::Fixture;

use super::*;

fn executable(path: &Path, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn detect(fixture: &Fixture, folder: &str) -> Detection {
    let workspace = Workspace::open(fixture.root()).unwrap();
    let path = SearchPath::of([fixture.outside().to_owned()]);
    let sought = Sought::new(&["package.json", "deno.json"], &["server"]);
    workspace.detect(&fixture.path(folder), &sought, &path)
}

#[test]
fn the_nearest_marker_and_the_projects_own_executable_win() {
    let fixture = Fixture::new("//- /package.json\n//- /web/deno.json\n//- /web/src/a.ts\n");
    executable(&fixture.path("node_modules/.bin/server"), 0o755);
    executable(&fixture.outside().join("server"), 0o755);
    let found = detect(&fixture, "web/src");
    assert!(found.is_usable());
    assert_eq!(found.marker, Some(fixture.path("web/deno.json")));
    assert_eq!(found.executable, Some(fixture.path("node_modules/.bin/server")));
    assert_eq!(found.to_string(), "usable");
}

#[test]
fn a_file_that_cannot_run_is_no_executable() {
    let fixture = Fixture::new("//- /package.json\n");
    executable(&fixture.path(".venv/bin/server"), 0o644);
    let found = detect(&fixture, "");
    assert_eq!(found.executable, None);
    let place = fixture.path(".venv/bin");
    assert_eq!(found.to_string(), format!("no executable `server` in `{}`, `PATH`", place.display()));
}

#[test]
fn each_half_that_is_missing_is_named() {
    let fixture = Fixture::new("//- /a.ts\n");
    assert_eq!(
        detect(&fixture, "").to_string(),
        "no `package.json` or `deno.json` from here up to the workspace's root, and no executable `server` in `PATH`"
    );
    executable(&fixture.outside().join("server"), 0o755);
    let found = detect(&fixture, "");
    assert_eq!(found.executable, Some(fixture.outside().join("server")));
    assert!(!found.is_usable());
    assert_eq!(found.to_string(), "no `package.json` or `deno.json` from here up to the workspace's root");
}

#[test]
fn a_marker_above_the_root_is_not_the_workspaces() {
    let fixture = Fixture::empty();
    fs::write(fixture.root().parent().unwrap().join("package.json"), "{}").unwrap();
    assert_eq!(detect(&fixture, "").marker, None);
}

#[test]
fn a_marker_may_be_a_pattern_and_a_program_of_the_same_name_is_passed_over() {
    let fixture = Fixture::new("//- /a/b.csproj\n//- /a/src/x.cs\n");
    executable(&fixture.path("venv/bin/server"), 0o755);
    executable(&fixture.outside().join("server"), 0o755);
    let workspace = Workspace::open(fixture.root()).unwrap();
    let path = SearchPath::of([fixture.outside().to_owned()]);
    let local = fixture.path("venv/bin/server");
    let sought = Sought { fits: &|path| path != local, ..Sought::new(&["*.sln", "*.csproj"], &["server"]) };
    let found = workspace.detect(&fixture.path("a/src"), &sought, &path);
    assert_eq!(found.marker, Some(fixture.path("a/b.csproj")));
    assert_eq!(found.executable, Some(fixture.outside().join("server")));
    let none = workspace.detect(&fixture.path("a/src"), &sought, &SearchPath::default());
    let place = fixture.path("venv/bin");
    assert_eq!(
        none.to_string(),
        format!(
            "no executable `server` in `{}`, `PATH` (`{}` is another program)",
            place.display(),
            local.display()
        )
    );
}

#[test]
fn a_virtual_environment_comes_before_the_search_path_and_after_the_project() {
    let fixture = Fixture::new("//- /package.json\n");
    let (env, bin) = (fixture.outside().join("env"), fixture.outside().join("bin"));
    executable(&env.join("bin/server"), 0o755);
    executable(&bin.join("server"), 0o755);
    let path = SearchPath::from_variables([("PATH", bin.as_os_str()), ("VIRTUAL_ENV", env.as_os_str())]);
    let workspace = Workspace::open(fixture.root()).unwrap();
    let sought = Sought::new(&["package.json"], &["server"]);
    let found = || workspace.detect(fixture.root(), &sought, &path).executable;
    assert_eq!(found(), Some(env.join("bin/server")));
    executable(&fixture.path(".venv/bin/server"), 0o755);
    assert_eq!(found(), Some(fixture.path(".venv/bin/server")));
}

#[test]
fn a_star_stands_for_anything_between() {
    assert!(matches_star("*.rs", "main.rs") && matches_star("Dockerfile.*", "Dockerfile.dev"));
    assert!(matches_star("go.mod", "go.mod") && matches_star("a*a", "aa"));
    assert!(!matches_star("*.rs", "main.rs.bak") && !matches_star("a*a", "a"));
}
