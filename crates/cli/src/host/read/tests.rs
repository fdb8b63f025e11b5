//! What a model reads of files and folders.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use serde_json::json;

use super::super::testing::Host;

#[test]
fn lines_come_with_their_numbers() {
    let host = Host::new("//- /lib/a.txt\none\n\tgrün\n\nfour\n");
    assert_eq!(
        host.says("read", json!({"path": "lib/a.txt"})),
        "`lib/a.txt`: lines 1-4 of 4\n1→one\n2→\tgrün\n3→\n4→four\n"
    );
    assert_eq!(
        host.says("read", json!({"path": "lib/a.txt", "start": 2, "lines": 2})),
        "`lib/a.txt`: lines 2-3 of 4\n2→\tgrün\n3→\n(1 more line; go on with `start` 4)"
    );
    let data = host.data("read", json!({"path": "lib/a.txt", "start": 2, "lines": 1}));
    assert_eq!(
        data,
        json!({"path": "lib/a.txt", "first": 2, "last": 2, "total_lines": 4, "bytes": 17, "content": "\tgrün\n",
            "line_ends": "lf", "byte_order_mark": false, "final_newline": true})
    );
}

#[test]
fn the_form_is_said() {
    let host = Host::new("//- /empty.txt\n");
    host.fixture.write("a.txt", "\u{feff}a\r\nb");
    assert_eq!(
        host.says("read", json!({"path": "a.txt"})),
        "`a.txt`: lines 1-2 of 2, CRLF line ends, byte order mark, no newline at its end\n1→a\n2→b\n"
    );
    assert_eq!(host.says("read", json!({"path": "empty.txt"})), "`empty.txt`: empty file");
}

#[test]
fn a_long_file_comes_in_parts_that_fit_together() {
    let host = Host::new("");
    let lines: Vec<String> = (0..20_000).map(|line| format!("this is line {line}\n")).collect();
    let text = lines.concat();
    host.fixture.write("long.txt", &text);
    let (mut read, mut start, mut parts) = (String::new(), 1, 0);
    while start <= 20_000 {
        let output = host.call("read", json!({"path": "long.txt", "start": start})).unwrap();
        let (shown, data) = (output.to_text(), output.data.unwrap());
        read.push_str(data["content"].as_str().unwrap());
        start = data["last"].as_u64().unwrap() + 1;
        parts += 1;
        let goes_on = format!("({} more lines; go on with `start` {start})", 20_001 - start);
        assert!(shown.ends_with(&goes_on) || start > 20_000, "the registry has nothing to cut");
    }
    assert!(parts > 3, "{parts} parts");
    assert_eq!(read, text);
}

#[test]
fn a_long_line_is_cut_and_counted() {
    let host = Host::new("");
    host.fixture.write("min.js", "é".repeat(2_005));
    let text = host.says("read", json!({"path": "min.js"}));
    assert!(text.ends_with(&format!("1→{}… (+5 characters)\n", "é".repeat(2_000))), "{text}");
}

#[test]
fn what_cannot_be_read_says_why() {
    let host = Host::new("//- /lib/a.txt\none\n");
    host.fixture.write("a.bin", b"\x7fELF\0");
    host.fixture.write("wide.txt", b"\xff\xfea\0");
    host.fixture.write("latin.txt", b"caf\xe9\n");
    std::fs::File::create(host.fixture.path("huge")).unwrap().set_len(65 << 20).unwrap();
    std::os::unix::fs::symlink(host.fixture.outside(), host.fixture.path("out")).unwrap();
    let hint = "\nhint: convert it to UTF-8 first";
    let inside = "\nhint: paths are relative to the workspace's root, or absolute and inside it";
    let cases = [
        ("a.bin", "failed: `a.bin` is binary (a NUL in its first 8 KiB)".to_owned()),
        ("wide.txt", format!("failed: `wide.txt` is UTF-16, not UTF-8{hint}")),
        ("latin.txt", format!("failed: `latin.txt` is not UTF-8 at byte 3{hint}")),
        (
            "lib/b.txt",
            "bad_arguments: `lib/b.txt` does not exist; the nearest name is `lib/a.txt`".to_owned(),
        ),
        ("../outside", format!("refused: `../outside` leaves the workspace{inside}")),
        ("/etc/passwd", format!("refused: `/etc/passwd` leaves the workspace{inside}")),
        ("out/x", format!("refused: `out/x` leaves the workspace through the link `out`{inside}")),
    ];
    for (path, message) in cases {
        assert_eq!(host.fails("read", json!({"path": path})), message);
    }
    assert_eq!(
        host.fails("read", json!({"path": "huge"})),
        "failed: `huge` is 68157440 bytes, over the limit of 67108864"
    );
    assert_eq!(
        host.fails("read", json!({"path": "lib/a.txt", "start": 3})),
        "bad_arguments: `lib/a.txt` has 1 line; `start` 3 is behind its end"
    );
    assert!(host.fails("read", json!({"path": "lib/a.txt", "start": 0})).starts_with("bad_arguments: "));
}

#[test]
fn a_folder_lists_its_entries() {
    let host = Host::new("//- /lib/b.txt\none\n//- /lib/sub/x\n//- /lib/.hidden\n");
    std::os::unix::fs::symlink("b.txt", host.fixture.path("lib/a")).unwrap();
    assert_eq!(
        host.says("read", json!({"path": "lib"})),
        "`lib`: folder with 4 entries\n.hidden (0 bytes)\na -> b.txt\nb.txt (4 bytes)\nsub/"
    );
    assert_eq!(host.says("read", json!({"path": "lib/sub"})), "`lib/sub`: folder with 1 entry\nx (0 bytes)");
    let message = host.fails("read", json!({"path": "lib", "start": 1}));
    assert_eq!(message, "bad_arguments: `lib` is a folder: `start` and `lines` are for files");
}

#[test]
fn a_large_folder_is_cut_and_counted() {
    let host = Host::new("");
    for file in 0..502 {
        host.fixture.write(&format!("many/{file:03}"), "");
    }
    let text = host.says("read", json!({"path": "many"}));
    assert!(text.ends_with("\n499 (0 bytes)\n(2 more entries)"), "{text}");
    assert_eq!(host.data("read", json!({"path": "many"}))["entries"].as_array().unwrap().len(), 502);
}
