//! Hunks against files: where they fit, and what is said where they do not.

use similar::TextDiff;

use super::super::parse::parse;
use super::*;

fn applied(text: &str, hunks: &str) -> Result<Patched, Misfit> {
    let files = parse(&format!("--- f\n+++ f\n{hunks}")).expect("a patch");
    apply(text.as_bytes(), &files[0].hunks)
}

fn result(text: &str, hunks: &str) -> String {
    String::from_utf8(applied(text, hunks).expect("it fits").bytes).unwrap()
}

fn misfit(text: &str, hunks: &str) -> String {
    applied(text, hunks).expect_err("it does not fit").to_string()
}

#[test]
fn hunks_apply_in_order_and_shift_each_other() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let hunks = "@@ -1,2 +1,3 @@\n 1\n+1a\n 2\n@@ -8,2 +9,1 @@\n-8\n 9\n";
    assert_eq!(result(text, hunks), "1\n1a\n2\n3\n4\n5\n6\n7\n9\n");
    assert_eq!(result("", "@@ -0,0 +1,2 @@\n+a\n+b\n"), "a\nb\n");
    assert_eq!(
        result("a\n", "@@ -1,0 +2 @@\n+b\n"),
        "a\nb\n",
        "a hunk without old lines comes after its line"
    );
    assert_eq!(result("a\n", "@@ -1 +0,0 @@\n-a\n"), "");
}

#[test]
fn a_hunk_at_the_wrong_line_goes_to_the_only_place_that_fits() {
    let text = "1\n2\n3\n4\n5\n6\n";
    let patched = applied(text, "@@ -1,2 +1,2 @@\n 4\n-5\n+five\n@@ -3 +3 @@\n-6\n+six\n").unwrap();
    assert_eq!(patched.bytes, b"1\n2\n3\n4\nfive\nsix\n");
    assert_eq!(patched.moved, [(1, 4), (2, 6)]);
    let shifted = applied("x\n1\na\n2\na\n", "@@ -1 +1 @@\n-1\n+one\n@@ -2 +2 @@\n-a\n+b\n").unwrap();
    assert_eq!(shifted.bytes, b"x\none\nb\n2\na\n", "the hunks behind it move along");
    assert_eq!(
        misfit("x\na\nb\na\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
        "hunk 1 does not fit where it says, but at lines 2, 4"
    );
    assert_eq!(
        result("x\na\nb\na\nb\n", "@@ -4,2 +4,2 @@\n a\n-b\n+c\n"),
        "x\na\nb\na\nc\n",
        "where it says comes first"
    );
}

#[test]
fn what_does_not_fit_is_shown_at_the_nearest_place() {
    let text = "fn a() {\n    one();\n    two();\n}\n";
    assert_eq!(
        misfit(text, "@@ -1,3 +1,3 @@\n fn a() {\n     one();\n-    tow();\n+    three();\n"),
        "hunk 1 does not fit: line 3 is `    two();`, the patch has `    tow();`"
    );
    assert_eq!(
        misfit(text, "@@ -40,2 +40,2 @@\n     one();\n-    tow();\n+    three();\n"),
        "hunk 1 does not fit: line 3 is `    two();`, the patch has `    tow();`"
    );
    assert_eq!(
        misfit(text, "@@ -4,2 +4,1 @@\n }\n-more\n"),
        "hunk 1 does not fit: the file ends before line 5, the patch has `more`"
    );
    assert_eq!(
        misfit(text, "@@ -3 +3 @@\n-    two();\n+    2\n@@ -1 +1 @@\n-fn a() {\n+fn b() {\n"),
        "hunk 2 fits at line 1 only, which an earlier hunk has passed"
    );
    assert_eq!(
        misfit(text, "@@ -2 +2 @@\n-three();\n+four();\n"),
        "hunk 1 does not fit: line 2 is `    one();`, the patch has `three();`",
        "where it says, if nothing is nearer"
    );
    assert_eq!(
        misfit(text, "@@ -2 +2 @@\n-    one();\n+    1();\n@@ -1 +1 @@\n-three();\n+four();\n"),
        "hunk 2 does not fit: line 3 is `    two();`, the patch has `three();`",
        "but behind the hunk above"
    );
    assert_eq!(misfit("a\n", "@@ -7,0 +8 @@\n+b\n"), "hunk 1 adds lines behind line 7, but the file has 1");
}

#[test]
fn line_ends_are_the_files() {
    let hunks = "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n";
    assert_eq!(result("a\r\nb\r\n", hunks), "a\r\nc\r\nd\r\n");
    assert_eq!(result("a\nb\n", &hunks.replace('\n', "\r\n")), "a\nc\nd\n");
    assert_eq!(
        result("a\r\nb\ne\r\n", hunks),
        "a\r\nc\r\nd\r\ne\r\n",
        "the majority's, where they are mixed"
    );
    assert_eq!(result("", "@@ -0,0 +1 @@\r\n+a\r\n"), "a\r\n", "a new file's are the patch's");
}

#[test]
fn the_end_of_the_last_line() {
    let marked = "\\ No newline at end of file\n";
    assert_eq!(result("a\nb", "@@ -2 +2 @@\n-b\n+c\n"), "a\nc", "a patch that does not know keeps it");
    assert_eq!(result("a\nb", &format!("@@ -2 +2 @@\n-b\n{marked}+c\n")), "a\nc\n");
    assert_eq!(result("a\nb\n", &format!("@@ -2 +2 @@\n-b\n+c\n{marked}")), "a\nc");
    assert_eq!(result("a", "@@ -1 +1,2 @@\n a\n+b\n"), "a\nb");
    assert_eq!(result("a\nb\r\nc", &format!("@@ -3 +3,2 @@\n c\n{marked}+d\n")), "a\nb\r\nc\nd\n");
}

#[test]
fn bytes_that_are_not_utf8_stay() {
    let files = parse("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n").unwrap();
    let patched = apply(b"a\nb\n\xff\xfe\n", &files[0].hunks).unwrap();
    assert_eq!(patched.bytes, b"a\nc\n\xff\xfe\n");
}

/// A small generator, so that the cases are many and the same each time.
fn texts() -> impl Iterator<Item = (String, String)> {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    (0..3_000).map(move |_| {
        let lines: Vec<u64> = (0..next(30)).map(|_| next(12)).collect();
        let mut other = lines.clone();
        for _ in 0..next(6) {
            let at = usize::try_from(next(other.len() as u64 + 1)).unwrap();
            match next(3) {
                0 => other.insert(at, next(12)),
                1 if at < other.len() => drop(other.remove(at)),
                _ if at < other.len() => other[at] = next(12),
                _ => {}
            }
        }
        let ending = if next(4) == 0 { "\r\n" } else { "\n" };
        let mut text = |lines: Vec<u64>| {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| if *line == 0 { String::new() } else { format!("line {line}") })
                .collect();
            let end = if next(3) == 0 || lines.is_empty() { "" } else { ending };
            lines.join(ending) + end
        };
        (text(lines), text(other))
    })
}

#[test]
fn a_diff_made_by_another_hand_gives_the_new_text() {
    let mut patched = 0;
    for (old, new) in texts().filter(|(old, new)| old != new) {
        for context in [0, 1, 3] {
            let diff = TextDiff::from_lines(&old, &new);
            let patch = diff.unified_diff().context_radius(context).header("f", "f").to_string();
            // Endings are no part of a hunk: a diff that changes nothing else is refused as one that changes nothing.
            let files = parse(&patch).unwrap_or_else(|malformed| panic!("{malformed:?}\n{patch}"));
            let result =
                apply(old.as_bytes(), &files[0].hunks).unwrap_or_else(|misfit| panic!("{misfit}\n{patch}"));
            assert_eq!(String::from_utf8(result.bytes).unwrap(), new, "{old:?}\n{patch}");
            assert_eq!(result.moved, [], "{patch}");
            patched += 1;
        }
    }
    assert!(patched > 6_000, "{patched} diffs");
}
