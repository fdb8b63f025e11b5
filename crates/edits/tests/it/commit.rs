//! What a commit does when nothing is in its way.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use edits::{Digest, EffectKind, Plan, Replacement};

use crate::bench::{Bench, chmod, everything};

#[test]
fn a_plan_of_every_kind_is_made_at_once() {
    let bench = Bench::new("//- /a.txt\none two\n//- /b.txt\nbee\n//- /c.txt\nsea\n//- /d/e.txt\neel\n");
    let plan = bench.edit(Plan::new(), "a.txt", "two", "TWO");
    let plan = plan.create("new/folder/f.txt", "fresh").delete("b.txt").rename("c.txt", "d/c.txt");
    let plan = bench.edit(plan.rename("d/e.txt", "g.txt"), "a.txt", "one", "one");
    let plan = plan.edit("g.txt", Digest::of(b"eel\n"), vec![Replacement::new(0..1, "E")]);
    // The second edit of `a.txt` refers to the content after the first.
    assert_eq!(bench.edits.snapshot(&plan).unwrap_err().to_string(), "`a.txt` has changed since it was read");
    let plan = bench.edit(Plan::new(), "a.txt", "two", "TWO");
    let plan = plan.edit("a.txt", Digest::of(b"one TWO\n"), vec![Replacement::new(0..3, "1")]);
    let plan = plan.create("new/folder/f.txt", "fresh").delete("b.txt").rename("c.txt", "d/c.txt");
    let plan = plan.rename("d/e.txt", "g.txt").edit(
        "g.txt",
        Digest::of(b"eel\n"),
        vec![Replacement::new(0..1, "E")],
    );
    let inode = fs::metadata(bench.fixture.path("c.txt")).unwrap().ino();
    let committed = bench.apply(&plan).unwrap();
    assert_eq!(committed.notes, Vec::<String>::new());
    let kinds: Vec<(&str, &EffectKind, usize)> = committed
        .effects
        .iter()
        .map(|effect| (effect.path.as_str(), &effect.kind, effect.replacements))
        .collect();
    let renamed = |from: &str| EffectKind::Renamed { from: from.to_owned() };
    assert_eq!(
        kinds,
        [
            ("a.txt", &EffectKind::Edited, 2),
            ("b.txt", &EffectKind::Deleted, 0),
            ("d/c.txt", &renamed("c.txt"), 0),
            ("g.txt", &renamed("d/e.txt"), 1),
            ("new/folder/f.txt", &EffectKind::Created, 0),
        ]
    );
    let tree: Vec<(String, String)> = everything(bench.fixture.root())
        .into_iter()
        .filter(|(_, what)| what != "folder")
        .map(|(path, what)| (path, what.split_off_content()))
        .collect();
    let tree: Vec<(&str, &str)> = tree.iter().map(|(path, what)| (path.as_str(), what.as_str())).collect();
    assert_eq!(
        tree,
        [("a.txt", "1 TWO\\n"), ("d/c.txt", "sea\\n"), ("g.txt", "Eel\\n"), ("new/folder/f.txt", "fresh")]
    );
    assert_eq!(
        fs::metadata(bench.fixture.path("d/c.txt")).unwrap().ino(),
        inode,
        "a file that moves is the same file"
    );
}

trait Content {
    fn split_off_content(self) -> String;
}

impl Content for String {
    /// What `everything` says, without mode and links.
    fn split_off_content(self) -> String {
        self.splitn(3, ' ').nth(2).unwrap_or_default().to_owned()
    }
}

#[test]
fn bytes_outside_the_edit_and_the_mode_are_kept() {
    let bench = Bench::new("");
    let content = b"\xef\xbb\xbfone\r\n\ttwo \xff\xfe\r\nlast";
    bench.fixture.write("run.sh", content);
    chmod(&bench.fixture.path("run.sh"), 0o751);
    let at = content.windows(3).position(|window| window == b"two").unwrap();
    let plan = Plan::new().edit("run.sh", Digest::of(content), vec![Replacement::new(at..at + 3, "2")]);
    bench.apply(&plan).unwrap();
    assert_eq!(bench.fixture.bytes("run.sh"), b"\xef\xbb\xbfone\r\n\t2 \xff\xfe\r\nlast");
    assert_eq!(fs::metadata(bench.fixture.path("run.sh")).unwrap().mode() & 0o7777, 0o751);
}

#[test]
fn owner_and_attributes_are_kept_where_possible() {
    let bench = Bench::new("//- /a.txt\nold\n");
    let path = bench.fixture.path("a.txt");
    let (name, none) = ("user.outrigger", rustix::fs::XattrFlags::empty());
    let attributes = rustix::fs::setxattr(&path, name, b"value", none).is_ok();
    let owned = std::os::unix::fs::chown(&path, Some(12_345), Some(54_321)).is_ok();
    let committed = bench.apply(&bench.edit(Plan::new(), "a.txt", "old", "new")).unwrap();
    assert_eq!((bench.fixture.read("a.txt").as_str(), committed.notes), ("new\n", vec![]));
    if attributes {
        let mut value = [0; 16];
        let len = rustix::fs::getxattr(&path, name, &mut value[..]).unwrap();
        assert_eq!(&value[..len], b"value");
    } else {
        println!("skipped: no extended attributes here");
    }
    if owned {
        let meta = fs::metadata(&path).unwrap();
        assert_eq!((meta.uid(), meta.gid()), (12_345, 54_321));
    } else {
        println!("skipped: only root gives files away");
    }
}

#[test]
fn a_link_is_followed_inside_and_stays_a_link() {
    let bench = Bench::new("//- /real/a.txt\nold\n");
    symlink("real/a.txt", bench.fixture.path("link")).unwrap();
    symlink("real", bench.fixture.path("folder")).unwrap();
    let plan = bench.edit(Plan::new(), "link", "old", "new").create("folder/b.txt", "b");
    let change = bench.edits.snapshot(&plan).unwrap();
    assert_eq!(change.paths(), [bench.fixture.path("real/a.txt"), bench.fixture.path("real/b.txt")]);
    bench.commit(&change).unwrap();
    assert_eq!(bench.fixture.read("real/a.txt"), "new\n");
    assert!(fs::symlink_metadata(bench.fixture.path("link")).unwrap().is_symlink());
    // Renaming or deleting a link is about the link itself.
    bench.apply(&Plan::new().rename("link", "moved").delete("folder")).unwrap();
    assert_eq!(fs::read_link(bench.fixture.path("moved")).unwrap().to_str(), Some("real/a.txt"));
    assert!(bench.fixture.path("real/a.txt").exists() && !bench.fixture.path("folder").exists());
}

#[test]
fn hard_links_stay_together() {
    let bench = Bench::new("//- /a.txt\nlong old content\n//- /c.txt\nc\n");
    fs::hard_link(bench.fixture.path("a.txt"), bench.fixture.path("b.txt")).unwrap();
    let inode = fs::metadata(bench.fixture.path("a.txt")).unwrap().ino();
    let committed = bench.apply(&bench.edit(Plan::new(), "a.txt", "long old", "new")).unwrap();
    assert_eq!(committed.notes.len(), 1);
    let note = "`a.txt` has other hard links and was written in place: its other names, which may lie outside the \
                workspace, hold the new content too";
    assert!(committed.notes[0].starts_with(note), "{:?}", committed.notes);
    assert_eq!(bench.fixture.read("b.txt"), "new content\n");
    assert_eq!(fs::metadata(bench.fixture.path("a.txt")).unwrap().ino(), inode);
    let both = bench.edit(Plan::new(), "a.txt", "new", "x");
    let both = bench.edit(both, "b.txt", "content", "y");
    let error = bench.edits.snapshot(&both).unwrap_err().to_string();
    assert_eq!(error, "`a.txt` and `b.txt` are one file (hard links); change one of them");
    bench.apply(&Plan::new().rename("a.txt", "z.txt")).unwrap();
    assert_eq!(fs::metadata(bench.fixture.path("z.txt")).unwrap().nlink(), 2);
}

#[test]
fn names_may_be_swapped_and_freed_names_reused() {
    let bench = Bench::new("//- /a.txt\naaa\n//- /b.txt\nbbb\n//- /c.txt\nccc\n");
    let _ =
        bench.apply(&Plan::new().rename("a.txt", "t").rename("b.txt", "a.txt").rename("t", "b.txt")).unwrap();
    assert_eq!(
        (bench.fixture.read("a.txt").as_str(), bench.fixture.read("b.txt").as_str()),
        ("bbb\n", "aaa\n")
    );
    bench.apply(&Plan::new().delete("c.txt").create("c.txt", "again")).unwrap();
    assert_eq!(bench.fixture.read("c.txt"), "again");
    let same =
        Plan::new().rename("a.txt", "a.txt").create("new", "x").delete("new").replace("c.txt", None, "again");
    assert!(bench.edits.snapshot(&same).unwrap().is_empty());
    bench.apply(&Plan::new().rename("a.txt", "d.txt").create("a.txt", "bbb\n")).unwrap();
    assert_eq!(
        (bench.fixture.read("a.txt").as_str(), bench.fixture.read("d.txt").as_str()),
        ("bbb\n", "bbb\n")
    );
}
