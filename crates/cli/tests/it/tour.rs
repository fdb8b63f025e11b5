//! `outrigger tour`: every step checked, the last line counted, the exit code true.

use test_support::Fixture;

use crate::command::outrigger;

#[test]
fn the_tour_shows_every_tool_and_fails_none() {
    let fixture = Fixture::empty();
    let ran = outrigger(&fixture, &["tour"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    // Two tools are skipped where no language server of Python is installed.
    let (whole, without) = (
        "tour: 12 ran, 0 skipped, 0 failed",
        "tour: 10 ran, 2 skipped (lsp_rename, lsp_rename_file), 0 failed",
    );
    let some = "tour: 11 ran, 1 skipped (lsp_rename_file), 0 failed";
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!([whole, some, without].contains(&last), "{}", ran.stdout);
    assert!(fixture.tree().is_empty(), "the tour leaves the current folder alone");
}

#[test]
fn a_folder_of_ones_own_is_only_read() {
    let fixture = Fixture::new("//- /a.rs\nfn main() { x.y(); }\n");
    let before = fixture.tree();
    let ran = outrigger(&fixture, &["tour", "--workspace", "."]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout.lines().last(), Some("tour: 3 ran, 0 skipped, 0 failed"), "{}", ran.stdout);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_skip_is_named_and_fails_when_required() {
    let fixture = Fixture::new("//- /a.txt\nplain\n");
    let ran = outrigger(&fixture, &["tour", "--workspace", "."]);
    assert_eq!(
        ran.stdout.lines().last(),
        Some("tour: 2 ran, 1 skipped (ast_grep), 0 failed"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
    let required = outrigger(&fixture, &["tour", "--workspace", ".", "--require", "ast_grep"]);
    assert_eq!(
        required.stdout.lines().last(),
        Some("tour: 2 ran, 0 skipped, 1 failed"),
        "{}",
        required.stdout
    );
    assert_eq!(required.code, 1);
}
