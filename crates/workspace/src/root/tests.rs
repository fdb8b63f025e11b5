//! Confinement, on real files and links.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use test_support::Fixture;

use super::*;

const TREE: &str = "//- /lib/main.dart\nmain\n//- /lib/src/widget.dart\nw\n//- /README.md\nr\n";

fn opened() -> (Fixture, Workspace) {
    let fixture = Fixture::new(TREE);
    let workspace = Workspace::open(fixture.root()).unwrap();
    (fixture, workspace)
}

fn refused(workspace: &Workspace, path: &str) -> String {
    let message = workspace.resolve(path).unwrap_err().to_string();
    if !matches!(workspace.resolve(path), Err(Error::NotFound { .. })) {
        assert_eq!(workspace.resolve_new(path).unwrap_err().to_string(), message, "`resolve_new` agrees");
    }
    message
}

#[test]
fn relative_and_absolute_paths_inside() {
    let (fixture, workspace) = opened();
    let absolute = fixture.path("lib/main.dart");
    let spelled = ["lib/main.dart", "./lib//main.dart", "lib/src/../main.dart", "../workspace/lib/main.dart"];
    for path in spelled.into_iter().chain([absolute.to_str().unwrap()]) {
        let located = workspace.resolve(path).unwrap();
        let expected = Located {
            absolute: absolute.clone(),
            relative: "lib/main.dart".to_owned(),
            kind: Kind::File,
            through_link: false,
        };
        assert_eq!(located, expected, "{path}");
    }
    let root = workspace.resolve(".").unwrap();
    assert_eq!((root.relative.as_str(), root.kind), (".", Kind::Folder));
    assert_eq!(workspace.resolve("lib/").unwrap().relative, "lib");
    assert_eq!(workspace.resolve(fixture.root().to_str().unwrap()).unwrap().relative, ".");
}

#[test]
fn what_leaves_is_refused_whether_it_exists_or_not() {
    let (fixture, workspace) = opened();
    fs::write(fixture.outside().join("secret"), "s").unwrap();
    let outside = fixture.outside().join("secret").display().to_string();
    for path in [
        "../outside/secret",
        "../outside/none",
        "../outside/secret/x",
        "lib/../../outside",
        "/",
        "..",
        &outside,
    ] {
        assert_eq!(refused(&workspace, path), format!("`{path}` leaves the workspace"));
    }
    let sibling = format!("{}-beside", fixture.root().display());
    fs::create_dir(&sibling).unwrap();
    assert_eq!(
        refused(&workspace, &sibling),
        format!("`{sibling}` leaves the workspace"),
        "a prefix is no folder"
    );
}

#[test]
fn malformed_paths() {
    let (_fixture, workspace) = opened();
    assert_eq!(refused(&workspace, ""), "the path is empty; `.` names the workspace's root");
    assert_eq!(refused(&workspace, "a\0b"), r"the path `a\0b` holds a NUL byte");
    assert_eq!(
        refused(&workspace, "README.md/x"),
        "`README.md/x` goes on below `README.md`, which is not a folder"
    );
    assert_eq!(
        refused(&workspace, "README.md/.."),
        "`README.md/..` goes on below `README.md`, which is not a folder"
    );
    assert_eq!(
        refused(&workspace, "README.md/"),
        "`README.md/` goes on below `README.md`, which is not a folder"
    );
    let long = "x".repeat(300);
    assert!(refused(&workspace, &long).starts_with(&format!("cannot look at `{long}`: ")));
}

#[test]
fn a_missing_path_suggests_the_nearest_name() {
    let (_fixture, workspace) = opened();
    let cases = [
        ("lib/mian.dart", "; the nearest name is `lib/main.dart`"),
        ("readme.md", "; the nearest name is `README.md`"),
        ("lbi/main.dart", "; the nearest name is `lib/main.dart`"),
        ("lbi/other.dart", "; the nearest name is `lib`"),
        ("lib/main.dart.orig.old", ""),
        ("zzz", ""),
        ("none/../README.md", ""),
    ];
    for (path, suggestion) in cases {
        assert_eq!(refused(&workspace, path), format!("`{path}` does not exist{suggestion}"));
    }
}

#[test]
fn a_new_path_hangs_below_an_existing_folder() {
    let (fixture, workspace) = opened();
    let located = workspace.resolve_new("lib/new/deep/a.dart").unwrap();
    assert_eq!(located.absolute, fixture.path("lib/new/deep/a.dart"));
    assert_eq!((located.relative.as_str(), located.kind), ("lib/new/deep/a.dart", Kind::Absent));
    assert_eq!(workspace.resolve_new("lib/main.dart").unwrap().kind, Kind::File);
    for (path, why) in [
        ("none/../x", "does not exist"),
        ("none/../../workspace/x", "does not exist"),
        ("none/../../outside/x", "leaves the workspace"),
        ("none/../../x", "leaves the workspace"),
        ("lib/none/a/../../../../x", "leaves the workspace"),
        ("new/", "ends in `/`, which names a folder, and there is none"),
        ("lib/new/.", "ends in `/`, which names a folder, and there is none"),
    ] {
        let message = workspace.resolve_new(path).unwrap_err().to_string();
        assert_eq!(message, format!("`{path}` {why}"));
    }
    assert_eq!(refused(&workspace, "lbi/"), "`lbi/` does not exist; the nearest name is `lib`");
    assert_eq!(refused(&workspace, "none/../../x"), "`none/../../x` leaves the workspace");
}

#[test]
fn a_message_says_its_cause_once_and_its_path_on_one_line() {
    let (fixture, workspace) = opened();
    let error = Workspace::open(fixture.path("none")).unwrap_err();
    assert!(error.to_string().ends_with(": No such file or directory (os error 2)"), "{error}");
    assert!(std::error::Error::source(&error).is_none(), "whoever prints the chain would say it twice");
    assert_eq!(refused(&workspace, "a\nnote: b"), r"`a\nnote: b` does not exist");
    fixture.write("two\nlines.rs", b"");
    let located = workspace.resolve("two\nlines.rs").unwrap();
    assert_eq!(located.relative, "two\nlines.rs", "the name itself is exact");
    assert_eq!(
        refused(&workspace, "tow\nlines.rs"),
        r"`tow\nlines.rs` does not exist; the nearest name is `two\nlines.rs`"
    );
}

#[test]
fn a_link_inside_is_followed() {
    let (fixture, workspace) = opened();
    symlink("lib/main.dart", fixture.path("entry")).unwrap();
    symlink(fixture.path("lib/src"), fixture.path("parts")).unwrap();
    symlink("parts", fixture.path("again")).unwrap();
    for (path, relative) in [("entry", "lib/main.dart"), ("again/widget.dart", "lib/src/widget.dart")] {
        let located = workspace.resolve(path).unwrap();
        assert_eq!((located.relative.as_str(), located.through_link), (relative, true));
        assert_eq!(located.absolute, fixture.path(relative));
    }
    let new = workspace.resolve_new("again/new.dart").unwrap();
    assert_eq!((new.relative.as_str(), new.through_link, new.kind), ("lib/src/new.dart", true, Kind::Absent));
    assert_eq!(
        workspace.resolve("parts/../main.dart").unwrap().relative,
        "lib/main.dart",
        "`..` of the target"
    );
}

#[test]
fn a_link_to_outside_is_refused() {
    let (fixture, workspace) = opened();
    fs::write(fixture.outside().join("secret"), "s").unwrap();
    symlink(fixture.outside(), fixture.path("lib/out")).unwrap();
    symlink("../outside/secret", fixture.path("leak")).unwrap();
    symlink("../outside/none", fixture.path("leak_to_nothing")).unwrap();
    for path in ["lib/out", "lib/out/secret", "lib/out/none"] {
        let message = format!("`{path}` leaves the workspace through the link `lib/out`");
        assert_eq!(refused(&workspace, path), message);
    }
    for path in ["leak", "leak_to_nothing"] {
        let message = format!("`{path}` leaves the workspace through the link `{path}`");
        assert_eq!(refused(&workspace, path), message);
    }
    symlink("../workspace/lib/main.dart", fixture.path("round")).unwrap();
    assert_eq!(workspace.resolve("round").unwrap().relative, "lib/main.dart", "it comes back in");
}

#[test]
fn a_link_to_nothing_and_a_circle_are_named() {
    let (fixture, workspace) = opened();
    symlink("lib/gone.dart", fixture.path("dangling")).unwrap();
    symlink("b", fixture.path("a")).unwrap();
    symlink("a", fixture.path("b")).unwrap();
    assert_eq!(
        refused(&workspace, "dangling"),
        "`dangling` does not exist: the link `dangling` leads to `lib/gone.dart`, which is missing"
    );
    assert_eq!(refused(&workspace, "a/x"), "`a/x` follows more than 40 links; they lead in a circle");
    symlink("lib", fixture.path("l")).unwrap();
    assert_eq!(refused(&workspace, "l/none"), "`l/none` does not exist", "the link itself is fine");
}

#[test]
fn a_root_reached_through_a_link_is_the_same_root() {
    let (fixture, _) = opened();
    let link = fixture.outside().join("link");
    symlink(fixture.root(), &link).unwrap();
    let workspace = Workspace::open(&link).unwrap();
    assert_eq!(workspace.root(), fixture.root());
    let located = workspace.resolve(link.join("README.md").to_str().unwrap()).unwrap();
    assert_eq!((located.relative.as_str(), located.through_link), ("README.md", false));
}

#[test]
fn a_root_must_be_a_folder() {
    let (fixture, _) = opened();
    let file = fixture.path("README.md");
    let message = Workspace::open(&file).unwrap_err().to_string();
    assert_eq!(message, format!("the workspace `{}` is not a folder", file.display()));
    let message = Workspace::open(fixture.path("none")).unwrap_err().to_string();
    assert!(message.starts_with("cannot open the workspace `"), "{message}");
}

#[test]
fn a_name_that_is_not_utf8_is_not_handed_out() {
    let (fixture, workspace) = opened();
    let name = std::ffi::OsString::from_vec(b"caf\xe9".to_vec());
    fs::write(fixture.root().join(&name), "x").unwrap();
    symlink(&name, fixture.path("coffee")).unwrap();
    assert_eq!(refused(&workspace, "coffee"), "`coffee` leads to a name that is not UTF-8");
}

#[test]
fn what_is_neither_file_nor_folder_is_refused() {
    let (fixture, workspace) = opened();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    assert_eq!(refused(&workspace, "socket"), "`socket` is neither a file nor a folder");
}

#[test]
fn git_keeps_its_own() {
    let (fixture, _) = opened();
    fixture.write(".git/config", "");
    let workspace = Workspace::open(fixture.root()).unwrap();
    assert_eq!(workspace.resolve(".git/config").unwrap().kind, Kind::File, "it can be read");
    for (path, internal) in [
        (".git/config", true),
        (".git", true),
        ("sub/.GIT/hooks/x", true),
        (".gitignore", false),
        (".github/x", false),
        ("lib/main.dart", false),
    ] {
        assert_eq!(workspace.is_git_internal(&fixture.path(path)), internal, "{path}");
    }
}

#[test]
fn git_under_another_name_is_known_too() {
    let (fixture, _) = opened();
    fixture.write(".bare/config", "");
    fixture.write(".git", "gitdir: ./.bare\n");
    let workspace = Workspace::open(fixture.root()).unwrap();
    assert!(workspace.is_git_internal(&fixture.path(".bare/hooks/pre-commit")));
    assert!(!workspace.is_git_internal(&fixture.path("lib/main.dart")));

    fs::remove_file(fixture.path(".git")).unwrap();
    symlink(".bare", fixture.path(".git")).unwrap();
    let workspace = Workspace::open(fixture.root()).unwrap();
    assert!(workspace.is_git_internal(&fixture.path(".bare/config")));

    fs::remove_file(fixture.path(".git")).unwrap();
    symlink(".", fixture.path(".git")).unwrap();
    let workspace = Workspace::open(fixture.root()).unwrap();
    assert!(!workspace.is_git_internal(&fixture.path("lib/main.dart")), "the root is never git's own");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is walked, what comes out is where the system says, and inside.
    #[test]
    fn it_agrees_with_the_system(names in proptest::collection::vec(
        prop_oneof!["lib", "src", "main[.]dart", "[.][.]", "[.]", "in", "out", "up", "none", "outside", "workspace"], 1..8,
    )) {
        let (fixture, workspace) = opened();
        symlink("lib", fixture.path("in")).unwrap();
        symlink(fixture.outside(), fixture.path("out")).unwrap();
        symlink("..", fixture.path("lib/up")).unwrap();
        let path = names.join("/");
        let system = fs::canonicalize(fixture.path(&path)).ok().filter(|path| path.starts_with(fixture.root()));
        let ours = workspace.resolve(&path).ok().map(|located| located.absolute);
        prop_assert_eq!(ours, system, "{}", path);
        if let Ok(new) = workspace.resolve_new(&path) {
            prop_assert!(new.absolute.starts_with(fixture.root()));
        }
    }
}
