//! Patches over several files, all or nothing.

use serde_json::json;

use super::super::testing::Host;

const TREE: &str = "//- /a.txt\n1\n2\n3\n//- /b.txt\nold\n//- /c.txt\nc\n";

#[test]
fn edits_creations_deletions_and_renames_in_one() {
    let host = Host::new(TREE);
    let patch = "\
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 1
-2
+two
 3
--- /dev/null
+++ b/new/d.txt
@@ -0,0 +1,2 @@
+d
+e
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-old
diff --git a/c.txt b/moved/c.txt
similarity index 50%
rename from c.txt
rename to moved/c.txt
--- a/c.txt
+++ b/moved/c.txt
@@ -1 +1,2 @@
 c
+more
";
    let output = host.call("apply_patch", json!({"patch": patch})).unwrap();
    assert_eq!(
        output.to_text(),
        "patched `a.txt`\ndeleted `b.txt`\nrenamed `c.txt` to `moved/c.txt`\ncreated `new/d.txt`"
    );
    assert_eq!(output.data.unwrap()["files"].as_array().unwrap().len(), 4);
    let tree: Vec<(String, String)> = host
        .fixture
        .tree()
        .into_iter()
        .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
        .collect();
    let expected = [("a.txt", "1\ntwo\n3\n"), ("moved/c.txt", "c\nmore\n"), ("new/d.txt", "d\ne\n")];
    assert_eq!(tree, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

#[test]
fn one_misfit_leaves_every_file_as_it_was() {
    let host = Host::new(TREE);
    let before = host.fixture.tree();
    let good = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+one\n";
    let bad = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-odl\n+new\n";
    let hint = "\nhint: read the file and make the patch anew";
    assert_eq!(
        host.fails("apply_patch", json!({"patch": format!("{good}{bad}")})),
        format!("conflict: `b.txt`: hunk 1 does not fit: line 1 is `old`, the patch has `odl`{hint}")
    );
    let missing = "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(
        host.fails("apply_patch", json!({"patch": format!("{bad}{good}{missing}")})),
        format!(
            "conflict: 2 files do not fit; nothing was written\n- `b.txt`: hunk 1 does not fit: line 1 is `old`, the \
             patch has `odl`\n- `none.txt` does not exist{hint}"
        )
    );
    assert_eq!(host.fixture.tree(), before);
}

#[test]
fn files_with_crlf_keep_it() {
    let host = Host::new("");
    host.fixture.write("a.txt", "\u{feff}1\r\n2\r\n");
    host.says("apply_patch", json!({"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2,2 @@\n-2\n+two\n+three\n"}));
    assert_eq!(host.fixture.read("a.txt"), "\u{feff}1\r\ntwo\r\nthree\r\n");
}

#[test]
fn a_hunk_that_was_moved_is_told() {
    let host = Host::new(TREE);
    let patch = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-3\n+three\n";
    assert_eq!(
        host.says("apply_patch", json!({"patch": patch})),
        "patched `a.txt`\nnote: `a.txt`: hunk 1 was applied at line 3"
    );
}

#[test]
fn a_lost_executable_bit_is_told() {
    let host = Host::new(TREE);
    let patch = "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(
        host.says("apply_patch", json!({"patch": patch})),
        "created `run`\nnote: `run` is created without the executable bit the patch gives it"
    );
}

#[test]
fn what_must_not_be_done_is_refused() {
    let host = Host::new("//- /a.txt\n1\n2\n//- /b.txt\nb\n//- /.git/config\nx\n");
    std::os::unix::fs::symlink(host.fixture.outside(), host.fixture.path("out")).unwrap();
    let before = host.fixture.tree();
    let cases = [
        ("--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n", "refused: `../x` leaves the workspace"),
        ("--- /dev/null\n+++ b/out/x\n@@ -0,0 +1 @@\n+x\n", "refused: `out/x` leaves the workspace through"),
        (
            "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-x\n+y\n",
            "refused: `.git/config` belongs to git",
        ),
        (
            "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n",
            "conflict: `a.txt` exists already; the patch creates it",
        ),
        ("--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-1\n+x\n", "conflict: `b.txt` exists already"),
        (
            "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
            "conflict: `a.txt` has lines that the patch, which deletes it, does not have",
        ),
        (
            "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-1\n+x\n--- ./a.txt\n+++ ./a.txt\n@@ -2 +2 @@\n-2\n+y\n",
            "bad_arguments: `./a.txt` occurs twice in the patch",
        ),
        (
            "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n\
             diff --git a/b.txt b/a.txt\nrename from b.txt\nrename to a.txt\n",
            "bad_arguments: `b.txt` is renamed in the patch and named once more: one patch does one thing with a name",
        ),
        (
            "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-1\n+x\n",
            "bad_arguments: line 5 of `patch`: the patch ends inside the hunk `@@ -1,2 +1,2 @@`",
        ),
        (
            "--- a.txt\n+++ a.txt\n@@ nonsense\n",
            "bad_arguments: line 3 of `patch`: `@@ nonsense` is no hunk header",
        ),
        ("", "bad_arguments: line 1 of `patch`: no file header"),
    ];
    for (patch, message) in cases {
        let fails = host.fails("apply_patch", json!({"patch": patch}));
        assert!(fails.starts_with(message), "{fails}");
    }
    assert_eq!(host.fixture.tree(), before);
}

#[test]
fn a_pure_rename_moves_any_file() {
    let host = Host::new("");
    host.fixture.write("a.bin", b"\0\xff");
    let patch = "diff --git a/a.bin b/b.bin\nsimilarity index 100%\nrename from a.bin\nrename to b.bin\n";
    assert_eq!(host.says("apply_patch", json!({"patch": patch})), "renamed `a.bin` to `b.bin`");
    assert_eq!(host.fixture.bytes("b.bin"), b"\0\xff");
}

#[test]
fn an_approval_card_names_each_file() {
    let host = Host::new(TREE);
    let specs = host.registry.surface(outrigger::tool::Tier::Write).specs();
    let spec = specs.iter().find(|spec| spec.name == "apply_patch").unwrap();
    let card = |patch: &str| spec.preview(&json!({"patch": patch})).unwrap();
    let patch = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n\
                 --- a/v\n+++ b/w\n@@ -1 +1 @@\n-1\n+2\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(card(patch), "creates `x`\ndeletes `y`\nrenames `v` to `w`\npatches `z`");
    assert_eq!(card("nonsense"), "applies a patch that cannot be read");
}

#[test]
fn a_hunk_that_is_not_as_long_as_it_says_is_noted() {
    let host = Host::new("//- /a.txt\n1\n2\n3\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n 1\n-2\n+two\n@@ -3 +3 @@\n-3\n+three\n";
    assert_eq!(
        host.says("apply_patch", json!({"patch": patch})),
        "patched `a.txt`\nnote: `a.txt`: hunk 1 counts 9 old and 9 new lines but has 2 and 2; it was applied as it is"
    );
    assert_eq!(host.fixture.read("a.txt"), "1\ntwo\nthree\n");
}

#[test]
fn a_name_with_a_line_break_forges_no_line() {
    let host = Host::new("");
    let name = "a\ndeleted `b`";
    host.fixture.write(name, "1\n");
    let patch = "--- \"a/a\\ndeleted `b`\"\n+++ \"b/a\\ndeleted `b`\"\n@@ -1 +1 @@\n-1\n+2\n";
    let output = host.call("apply_patch", json!({"patch": patch})).unwrap();
    assert_eq!(output.to_text(), r"patched `a\ndeleted `b``");
    assert_eq!(output.data.unwrap()["files"][0]["path"], name);
    for (tool, arguments, said) in [
        (
            "edit",
            json!({"path": name, "old": "2", "new": "3"}),
            r"edited `a\ndeleted `b`` in 1 place: line 1",
        ),
        (
            "write",
            json!({"path": name, "content": "4\n"}),
            r"replaced `a\ndeleted `b`` (1 line, 2 bytes; it had 1 line)",
        ),
        ("read", json!({"path": name}), "`a\\ndeleted `b``: line 1 of 1\n1→4\n"),
        ("read", json!({"path": "."}), "`.`: folder with 1 entry\na\\ndeleted `b` (2 bytes)"),
    ] {
        assert_eq!(host.says(tool, arguments), said);
    }
    let data = host.data("read", json!({"path": "."}));
    assert_eq!(data["entries"][0]["name"], name);
    let fails = host.fails("edit", json!({"path": name, "old": "9", "new": "3"}));
    assert!(fails.starts_with(r"conflict: `a\ndeleted `b`` does not have the text"), "{fails}");
}
