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
    workspace.detect(&fixture.path(folder), &["package.json", "deno.json"], &["server"], &path)
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
