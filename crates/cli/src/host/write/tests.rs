//! Whole files, written.

use serde_json::json;

use super::super::testing::Host;

#[test]
fn a_file_is_created_with_its_folders_and_replaced() {
    let host = Host::new("//- /a.txt\none\ntwo\n");
    let created = host.says("write", json!({"path": "new/deep/b.txt", "content": "x\ny\n"}));
    assert_eq!(created, "created `new/deep/b.txt` (2 lines, 4 bytes)");
    assert_eq!(host.fixture.read("new/deep/b.txt"), "x\ny\n");
    let replaced = host.says("write", json!({"path": "./a.txt", "content": "z"}));
    assert_eq!(replaced, "replaced `a.txt` (1 line, 1 byte; it had 2 lines)");
    assert_eq!(host.fixture.read("a.txt"), "z");
    let again = host.call("write", json!({"path": "a.txt", "content": "z"})).unwrap();
    assert_eq!(again.to_text(), "`a.txt` has this content already; nothing was written");
    assert_eq!(again.data.unwrap()["effect"], "unchanged");
}

#[test]
fn a_loss_of_form_is_said() {
    let host = Host::new("");
    host.fixture.write("a.txt", "\u{feff}a\r\n");
    assert_eq!(
        host.says("write", json!({"path": "a.txt", "content": "b\n"})),
        "replaced `a.txt` (1 line, 2 bytes; it had 1 line)\nnote: it had CRLF line ends and a byte order mark, which \
         the new content has not"
    );
    assert_eq!(host.fixture.read("a.txt"), "b\n", "byte for byte as given");
}

#[test]
fn a_binary_file_can_be_replaced() {
    let host = Host::new("");
    host.fixture.write("a.bin", b"\0\0\xff");
    host.says("write", json!({"path": "a.bin", "content": "text\n"}));
    assert_eq!(host.fixture.read("a.bin"), "text\n");
}

#[test]
fn what_must_not_be_written_is_refused() {
    let host = Host::new("//- /lib/a.txt\n//- /.git/config\n");
    std::os::unix::fs::symlink(host.fixture.outside(), host.fixture.path("out")).unwrap();
    let before = host.fixture.tree();
    let write = |path: &str| host.fails("write", json!({"path": path, "content": "x"}));
    for path in ["../x", "out/x", "/tmp/x"] {
        assert!(write(path).starts_with(&format!("refused: `{path}` leaves the workspace")), "{path}");
    }
    assert!(write(".git/config").starts_with("refused: `.git/config` belongs to git"));
    assert!(write("lib").starts_with("bad_arguments: `lib` is a folder"));
    assert!(write("lib/a.txt/b").starts_with("bad_arguments: `lib/a.txt/b` goes on below `lib/a.txt`"));
    assert_eq!(host.fixture.tree(), before);
}

#[test]
fn a_link_is_followed_and_stays() {
    let host = Host::new("//- /real.txt\nold\n");
    std::os::unix::fs::symlink("real.txt", host.fixture.path("link.txt")).unwrap();
    host.says("write", json!({"path": "link.txt", "content": "new\n"}));
    assert_eq!(host.fixture.read("real.txt"), "new\n");
    assert!(host.fixture.path("link.txt").is_symlink());
}

#[test]
fn a_path_that_is_none_says_why() {
    let host = Host::new("");
    let fails = |path: &str| host.fails("write", json!({"path": path, "content": "x"}));
    assert_eq!(
        fails("trail/"),
        "bad_arguments: `trail/` ends in `/`, which names a folder, and there is none"
    );
    assert!(
        fails("a/../../x").starts_with("refused: `a/../../x` leaves the workspace"),
        "{}",
        fails("a/../../x")
    );
}
