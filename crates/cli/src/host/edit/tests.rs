//! Texts replaced, and what a model reads when they are not.

use serde_json::json;

use super::super::testing::Host;

const FILE: &str = "//- /lib/a.dart\nvoid main() {\n  one();\n  two();\n  one();\n}\n";

#[test]
fn one_place_or_all() {
    let host = Host::new(FILE);
    let says = host.says("edit", json!({"path": "lib/a.dart", "old": "two()", "new": "2()"}));
    assert_eq!(says, "edited `lib/a.dart` in 1 place: line 3");
    let output =
        host.call("edit", json!({"path": "lib/a.dart", "old": "one()", "new": "1()", "all": true})).unwrap();
    assert_eq!(output.to_text(), "edited `lib/a.dart` in 2 places: lines 2, 4");
    assert_eq!(output.data.unwrap(), json!({"path": "lib/a.dart", "replacements": 2, "lines": [2, 4]}));
    assert_eq!(host.fixture.read("lib/a.dart"), "void main() {\n  1();\n  2();\n  1();\n}\n");
}

#[test]
fn what_fails_says_what_would_succeed() {
    let host = Host::new(FILE);
    let before = host.fixture.tree();
    let edit =
        |old: &str, new: &str| host.fails("edit", json!({"path": "lib/a.dart", "old": old, "new": new}));
    let copy = "\nhint: copy the text exactly as `read` shows it, without line numbers";
    let cases = [
        (
            "one()",
            "conflict: `old` occurs 2 times in `lib/a.dart`: lines 2, 4\nhint: add lines around it to `old` until it \
             occurs once, or set `all`"
                .to_owned(),
        ),
        (
            "void main() {\n    one();",
            format!("conflict: `lib/a.dart` does not have the text `old`; lines 1-2 differ only in white space{copy}"),
        ),
        (
            "  one();\n  tow();",
            format!(
                "conflict: `lib/a.dart` does not have the text `old`; it begins like line 2, but line 3 is `  two();` \
                 where `old` has `  tow();`{copy}"
            ),
        ),
        (
            "completely different",
            "conflict: `lib/a.dart` does not have the text `old`\nhint: read the file and copy the text from there, \
             without line numbers"
                .to_owned(),
        ),
        (
            "",
            "bad_arguments: `old` is empty: there is nothing to replace\nhint: `write` creates a file; to insert, put \
             the text beside it into `old` and `new`"
                .to_owned(),
        ),
        ("x", "bad_arguments: `old` and `new` are the same text (line ends apart)".to_owned()),
    ];
    for (old, message) in cases {
        assert_eq!(edit(old, "x"), message);
    }
    assert_eq!(host.fixture.tree(), before);
}

#[test]
fn the_form_of_a_file_is_kept() {
    let host = Host::new("");
    host.fixture.write("a.txt", b"\xef\xbb\xbfa\r\n\xff b\r\nc");
    host.says("edit", json!({"path": "a.txt", "old": "b\nc", "new": "x\ny\nz"}));
    assert_eq!(host.fixture.bytes("a.txt"), b"\xef\xbb\xbfa\r\n\xff x\r\ny\r\nz");
}

#[test]
fn what_is_no_text_is_not_edited() {
    let host = Host::new("");
    host.fixture.write("a.bin", b"a\0b");
    host.fixture.write("wide.txt", b"\xff\xfea\0");
    let edit = |path: &str| host.fails("edit", json!({"path": path, "old": "a", "new": "x"}));
    assert_eq!(edit("a.bin"), "failed: `a.bin` is binary (a NUL in its first 8 KiB)");
    assert!(edit(".").starts_with("bad_arguments: `.` is a folder"));
    assert!(edit("wide.txt").starts_with("failed: `wide.txt` is UTF-16"));
}

#[test]
fn an_approval_card_shows_both_texts() {
    let host = Host::new(FILE);
    let specs = host.registry.surface(outrigger::tool::Tier::Write).specs();
    let edit = specs.iter().find(|spec| spec.name == "edit").unwrap();
    let card = edit
        .preview(&json!({"path": "a", "old": "1\n2\n3\n4\n5\n6\n7\n8", "new": "x", "all": true}))
        .unwrap();
    assert_eq!(card, "edits `a` (every occurrence)\n- 1\n- 2\n- 3\n- 4\n- 5\n- 6\n- … (2 more lines)\n+ x\n");
}
