//! Diffs as git, GNU diff and models write them.

use super::*;

/// One line a file: `old -> new: start[lines] …`; a hunk's lines with their signs, `$` behind an unended one.
fn read(patch: &str) -> String {
    let files =
        parse(patch).unwrap_or_else(|malformed| panic!("line {}: {}", malformed.line, malformed.what));
    let name = |name: &Option<String>| name.clone().unwrap_or("-".to_owned());
    let file = |file: &FilePatch| {
        let hunks: Vec<String> = file.hunks.iter().map(shown).collect();
        format!("{} -> {}:{}", name(&file.old), name(&file.new), hunks.concat())
    };
    files.iter().map(file).collect::<Vec<_>>().join("\n")
}

fn shown(hunk: &Hunk) -> String {
    let line = |line: &Line| {
        let sign = match line.role {
            Role::Context => ' ',
            Role::Removed => '-',
            Role::Added => '+',
        };
        format!("{sign}{}{}", line.text, if line.unended { "$" } else { "" })
    };
    format!(" {}[{}]", hunk.old_start, hunk.lines.iter().map(line).collect::<Vec<_>>().join("|"))
}

fn refused(patch: &str) -> String {
    let Malformed { line, what } = parse(patch).expect_err("it is malformed");
    format!("{line}: {what}")
}

#[test]
fn a_plain_diff_of_several_files() {
    let patch = "Some words.\n\n--- lib/a.dart\t2026-01-01\n+++ lib/a.dart\t2026-01-02\n@@ -1,2 +1,2 @@ class A\n a\n-b\n+c\n\
                 @@ -9 +9 @@\n-x\n\\ No newline at end of file\n+y\n--- b\n+++ b\n@@ -0,0 +1 @@\n+new\n";
    assert_eq!(read(patch), "lib/a.dart -> lib/a.dart: 1[ a|-b|+c] 9[-x$|+y]\nb -> b: 0[+new]");
}

#[test]
fn gits_headers() {
    let patch = "\
diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..3e75765
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/from.txt b/to.txt
similarity index 100%
rename from from.txt
rename to to.txt
diff --git a/empty.txt b/empty.txt
new file mode 100644
index 0000000..e69de29
diff --git a/x y.txt b/x y.txt
deleted file mode 100644
index e69de29..0000000
";
    let expected =
        "- -> new.txt: 0[+new]\ngone.txt -> -: 1[-gone]\nfrom.txt -> to.txt:\n- -> empty.txt:\nx y.txt -> -:";
    assert_eq!(read(patch), expected);
}

#[test]
fn names_without_prefixes() {
    let patch = "\
diff --git a/x.txt b/x.txt
similarity index 90%
rename from a/x.txt
rename to b/x.txt
index 1..2 100644
--- a/x.txt
+++ b/x.txt
@@ -1 +1 @@
-x
+y
diff --git sub/empty sub/empty
new file mode 100755
index 0000000..e69de29
";
    assert_eq!(read(patch), "a/x.txt -> b/x.txt: 1[-x|+y]\n- -> sub/empty:");
    let executable: Vec<bool> = parse(patch).unwrap().iter().map(|file| file.executable).collect();
    assert_eq!(executable, [false, true]);
}

#[test]
fn a_series_of_mails() {
    let mail = "From 1234\nSubject: x\n\n- a list\n+ in the message\n---\n a | 2 +-\n\ndiff --git a/a b/a\nindex 1..2 100644\n\
                --- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.39.0\n\n";
    assert_eq!(read(&mail.repeat(2)), "a -> a: 1[-x|+y]\na -> a: 1[-x|+y]");
}

#[test]
fn signs_of_headers_inside_a_hunk_are_lines() {
    let patch = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n--- old comment\n+++ new comment\n @@ -1 +1 @@\n context\n";
    assert_eq!(read(patch), "a -> a: 1[--- old comment|+++ new comment| @@ -1 +1 @@| context]");
}

#[test]
fn wrong_counts_give_way_to_the_body() {
    let body = " a\n-b\n+c\n+d\n e\n";
    let expected = "f -> f: 1[ a|-b|+c|+d| e] 9[-x|+y]";
    for counts in ["1,3 +1,4", "1,2 +1,2", "1,9 +1,9", "1,3 +1,3", "1 +1"] {
        let patch = format!("--- f\n+++ f\n@@ -{counts} @@\n{body}@@ -9 +9 @@\n-x\n+y\n");
        assert_eq!(read(&patch), expected, "{counts}");
    }
    let signs = "--- f\n+++ f\n@@ -1 +1,0 @@\n--- a comment\n+b\n";
    assert_eq!(read(signs), "f -> f: 1[--- a comment|+b]", "a removed line is no header by itself");
    let last = "--- f\n+++ f\n@@ -1,7 +1,7 @@\n a\n-b\n+c\n\n```\nwords";
    assert_eq!(read(last), "f -> f: 1[ a|-b|+c]", "an empty line and a fence at the end are no context");
}

#[test]
fn a_miscount_is_told_and_a_patch_that_was_cut_off_is_refused() {
    let miscounts = |patch: &str| -> Vec<Option<(Counts, Counts)>> {
        let files = parse(patch).unwrap();
        let hunks = files.iter().flat_map(|file| &file.hunks);
        hunks.map(|hunk| hunk.miscount.map(|it| (it.said, it.found))).collect()
    };
    let (three, two) = (Counts { old: 3, new: 3 }, Counts { old: 2, new: 2 });
    let patch = "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n@@ -9,2 +9,2 @@\n x\n-y\n+z\n";
    assert_eq!(miscounts(patch), [Some((three, two)), None]);
    let fenced = "```\n--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n```\n";
    assert_eq!(miscounts(fenced), [Some((three, two))], "the fence closes it: nothing was cut off");
    let long = "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n d\n";
    assert_eq!(miscounts(long), [Some((two, three))], "longer than counted is not cut off");
    // Every prefix of a patch that ends at a line is refused, or is the patch of whole hunks.
    let whole = "--- f\n+++ f\n@@ -1,4 +1,4 @@\n a\n-b\n+c\n d\n e\n--- g\n+++ g\n@@ -1,3 +1,4 @@\n a\n+b\n+c\n d\n e\n";
    for (end, _) in whole.match_indices('\n').filter(|(end, _)| end + 1 < whole.len()) {
        // A header cut in two reads as a removed line, which no file has.
        if whole[..end].ends_with("--- g") {
            continue;
        }
        match parse(&whole[..=end]) {
            Ok(files) => {
                assert_eq!((files.len(), files[0].hunks[0].lines.len()), (1, 5), "{}", &whole[..end]);
            }
            Err(Malformed { what, .. }) => assert!(!what.is_empty()),
        }
    }
    assert_eq!(
        refused("--- f\n+++ f\n@@ -1,3 +1,4 @@\n a\n+b\n"),
        "5: the patch ends inside the hunk `@@ -1,3 +1,4 @@`: it counts 3 old and 4 new lines and has 1 and 2, so it \
         was probably cut off; send it whole, or with the right counts"
    );
}

#[test]
fn an_empty_line_is_empty_context() {
    assert_eq!(read("--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"), "f -> f: 1[ a| |-b|+c]");
    assert_eq!(
        read("--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n+b\n\n+c\n"),
        "f -> f: 1[-a|+b| |+c]",
        "counts that end too early"
    );
}

#[test]
fn a_patch_with_crlf_reads_the_same() {
    let patch = "--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n";
    assert_eq!(read(patch), "f -> f: 1[ a\r|-b\r|+c\r]");
}

#[test]
fn what_cannot_be_understood_is_named_by_line() {
    let header = "--- f\n+++ f\n";
    let cases = [
        ("", "1: no file header: a unified diff has `--- a/path` and `+++ b/path` before its hunks"),
        (
            "*** Begin Patch\n",
            "1: no file header: a unified diff has `--- a/path` and `+++ b/path` before its hunks",
        ),
        ("@@ -1 +1 @@\n-a\n+b\n", "1: a hunk before any file header (`--- a/path`, `+++ b/path`)"),
        ("--- f\n+++ f\nwords\n", "3: no hunk (`@@ -1,3 +1,4 @@`) follows the file header"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "6: both names are `/dev/null`"),
        ("--- \n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "1: no path follows `---`"),
        (
            &format!("{header}@@ here @@\n-a\n"),
            "3: `@@ here @@` is no hunk header, such as `@@ -1,3 +1,4 @@`",
        ),
        (&format!("{header}@@ -1 +1 @@\n a\n"), "5: the hunk `@@ -1 +1 @@` changes nothing"),
        (
            &format!("{header}@@ -1,3 +1,3 @@\n a\n-b\n+c\nd\n+e\n"),
            "7: `d` starts with neither a blank, `+`, `-` nor `@@`",
        ),
        (
            &format!("{header}@@ -5,3 +5,4 @@\n+b\n"),
            "5: the hunk `@@ -5,3 +5,4 @@` has no context: where its lines belong cannot be told",
        ),
        ("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "2: a change of mode is not supported"),
        (
            "diff --git a/f b/g\ncopy from f\ncopy to g\n",
            "2: a copy is not supported: create the file instead",
        ),
        (
            "diff --git a/f b/f\nnew file mode 120000\n",
            "2: mode 120000 is a link's or submodule's, and only files are patched",
        ),
        (
            "diff --git a/f b/f\nindex 1..2 160000\n",
            "2: mode 160000 is a link's or submodule's, and only files are patched",
        ),
        ("diff --git a/f b/f\nGIT binary patch\n", "2: a binary patch is not supported"),
        ("diff --git a/f b/f\nindex 1..2\n", "1: this file has neither hunks nor two names"),
    ];
    for (patch, message) in cases {
        assert_eq!(refused(patch), message, "{patch:?}");
    }
}
