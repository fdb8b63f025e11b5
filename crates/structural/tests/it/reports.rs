//! What users have reported of other tools, as it must be here.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use grammars::Grammar;
use serde_json::json;
use tool::ErrorKind;

use crate::bench::Bench;

#[tokio::test]
async fn what_was_reported_elsewhere_is_right_here() {
    crate::tables::check("reports").await;
}

#[tokio::test]
async fn what_is_skipped_is_counted_with_its_reason() {
    let bench = Bench::new("//- /a.py\nf(1)\n");
    // One long line, and more than a hundred kibibytes, are no reason.
    bench.fixture.write("long.py", format!("x = [{}]\nf(2)\n", "1, ".repeat(100_000)));
    bench.fixture.write("binary.py", b"f(3)\0");
    bench.fixture.write("huge.py", "f(4)\n".repeat(2 << 20));
    let output = bench.output("ast_grep", json!({"pattern": "f($X)"})).await.unwrap();
    let text = output.to_text();
    assert!(text.starts_with("2 matches in 2 files\n"), "{text}");
    assert!(text.contains("1 binary") && text.contains("1 too large"), "{text}");
}

/// Stages `f($X)` to `g($X)` in the workspace.
async fn staged(bench: &Bench) {
    let data = bench.data("ast_edit", json!({"pattern": "f($X)", "rewrite": "g($X)"})).await;
    assert_eq!(data["edit_id"], "edit_1", "{data}");
}

async fn accepted(bench: &Bench) -> Result<tool::Output, tool::Error> {
    bench.output("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await
}

#[tokio::test]
async fn a_stale_proposal_is_noticed_before_a_file_changes() {
    let bench = Bench::new("//- /a.py\nf(1)\n//- /b.py\nf(2)\n//- /c.py\nf(3)\n");
    staged(&bench).await;
    bench.fixture.write("c.py", "f(3)\nnew()\n");
    let error = accepted(&bench).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
    assert!(error.to_string().contains("c.py"), "{error}");
    let read = |path| bench.fixture.read(path);
    assert_eq!((read("a.py"), read("b.py")), ("f(1)\n".to_owned(), "f(2)\n".to_owned()));
    assert_eq!(read("c.py"), "f(3)\nnew()\n");
}

#[tokio::test]
async fn several_files_change_together_or_not_at_all() {
    let bench = Bench::new("//- /a.py\nf(1)\n//- /b.py\nf(2)\n//- /c.py\nf(3)\n");
    staged(&bench).await;
    std::fs::remove_file(bench.fixture.path("b.py")).unwrap();
    let error = accepted(&bench).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
    assert_eq!((bench.fixture.read("a.py"), bench.fixture.read("c.py")), ("f(1)\n".into(), "f(3)\n".into()));
    bench.fixture.write("b.py", "f(2)\n");
    accepted(&bench).await.unwrap();
    for (path, content) in [("a.py", "g(1)\n"), ("b.py", "g(2)\n"), ("c.py", "g(3)\n")] {
        assert_eq!(bench.fixture.read(path), content);
    }
}

#[tokio::test]
async fn the_target_of_a_link_is_edited_and_modes_are_kept() {
    let bench = Bench::new("//- /real/a.py\nf(1)\n//- /run.py\nf(2)\n");
    let (link, run) = (bench.fixture.path("link.py"), bench.fixture.path("run.py"));
    std::os::unix::fs::symlink("real/a.py", &link).unwrap();
    std::fs::set_permissions(&run, Permissions::from_mode(0o750)).unwrap();
    let arguments = json!({"pattern": "f($X)", "rewrite": "g($X)", "path": "link.py"});
    assert_eq!(bench.data("ast_edit", arguments).await["edit_id"], "edit_1");
    accepted(&bench).await.unwrap();
    assert!(link.is_symlink() && bench.fixture.read("real/a.py") == "g(1)\n");
    bench.call("ast_edit", json!({"pattern": "f($X)", "rewrite": "g($X)", "path": "run.py"})).await;
    bench.output("resolve", json!({"edit_id": "edit_2", "action": "accept"})).await.unwrap();
    assert_eq!(bench.fixture.read("run.py"), "g(2)\n");
    assert_eq!(std::fs::metadata(&run).unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_not_replaced() {
    let bench = Bench::new("//- /a.py\nf(1)\n//- /b.py\nf(2)\n");
    staged(&bench).await;
    let locked = bench.fixture.path("b.py");
    std::fs::set_permissions(&locked, Permissions::from_mode(0o444)).unwrap();
    let error = accepted(&bench).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Conflict | ErrorKind::Refused), "{error}");
    assert!(error.to_string().contains("b.py"), "{error}");
    assert_eq!((bench.fixture.read("a.py"), bench.fixture.read("b.py")), ("f(1)\n".into(), "f(2)\n".into()));
}

#[tokio::test]
async fn one_place_that_two_rules_want_is_said() {
    let bench = Bench::new("//- /a.py\nf(1)\n");
    let rules = json!([{"pattern": "f($X)", "rewrite": "g($X)"}, {"pattern": "f(1)", "rewrite": "h()"}]);
    let text = bench.call("ast_edit", json!({"rules": rules})).await;
    assert!(text.contains("(proposed) 1 replacement in 1 file"), "{text}");
    assert!(text.contains("left as they are, since they overlap a replacement: 1 match: a.py:1"), "{text}");
    accepted(&bench).await.unwrap();
    assert_eq!(bench.fixture.read("a.py"), "g(1)\n", "the first rule wins");
}

/// What a language that is compiled out is told apart by.
#[tokio::test]
async fn a_language_that_was_left_out_is_named_with_those_that_were_not() {
    let left_out = ["zig", "scala", "ocaml", "sql"].into_iter().find(|id| Grammar::by_id(id).is_none());
    let Some(id) = left_out else {
        println!("skipped: every language is compiled in");
        return;
    };
    let bench = Bench::new("//- /a.py\nf(1)\n");
    let error = bench.output("ast_grep", json!({"pattern": "f($X)", "language": id})).await.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind, ErrorKind::Unavailable, "{text}");
    assert!(text.contains(&format!("`{id}`")) && text.contains("python, rust"), "{text}");
}
