//! Workspaces and plans for commits that are cut off: shared by the tests and the helper that is killed. A scenario
//! only builds; it never judges.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use edits::{Digest, Plan, Replacement};

/// Every scenario, by name.
pub(crate) const ALL: [&str; 6] = ["mixed", "edits", "creations", "moves", "deletions", "links"];

/// Writes the files a scenario starts from.
pub(crate) fn furnish(scenario: &str, root: &Path) {
    let write = |path: &str, content: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    for name in ["a", "b", "c", "d", "e"] {
        write(&format!("src/{name}.txt"), &format!("one {name} two {name}\r\nthree\n"));
    }
    write("big.txt", &"0123456789abcdef".repeat(9_000));
    write("run.sh", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let attribute = (root.join("run.sh"), rustix::fs::XattrFlags::empty());
    // Not every file system has them.
    let _ = rustix::fs::setxattr(attribute.0, "user.outrigger", b"kept", attribute.1);
    write("linked.txt", "many names, one file");
    fs::hard_link(root.join("linked.txt"), root.join("src/other-name.txt")).unwrap();
    symlink("src/a.txt", root.join("soft")).unwrap();
    if scenario == "edits" {
        fs::write(root.join("src/e.txt"), b"\xef\xbb\xbfbytes \xff\xfe\n").unwrap();
    }
}

/// The change a scenario makes.
pub(crate) fn plan(scenario: &str, root: &Path) -> Plan {
    let edit = |plan: Plan, path: &str, at: usize, text: &str| {
        let bytes = fs::read(root.join(path)).unwrap();
        plan.edit(path, Digest::of(&bytes), vec![Replacement::new(at..at + 2, text)])
    };
    let plan = Plan::new();
    match scenario {
        "mixed" => {
            let plan = edit(edit(plan, "src/a.txt", 0, "ONE"), "linked.txt", 2, "");
            let plan = plan.create("new/deep/file.txt", "fresh\n").delete("src/b.txt");
            edit(plan.rename("src/c.txt", "new/c.txt"), "run.sh", 0, "#! ")
        }
        "edits" => {
            let plan = ["src/a.txt", "src/b.txt", "src/c.txt", "src/e.txt", "run.sh"]
                .into_iter()
                .fold(plan, |plan, path| edit(plan, path, 3, "changed"));
            edit(plan, "big.txt", 70_000, "in the middle")
        }
        "creations" => plan
            .create("x/1.txt", "1")
            .create("x/y/2.txt", "2")
            .create("src/3.txt", "3".repeat(150_000))
            .create("z/4.txt", ""),
        "moves" => {
            let plan =
                plan.rename("src/a.txt", "t").rename("src/b.txt", "src/a.txt").rename("t", "src/b.txt");
            let plan = plan.rename("run.sh", "bin/run.sh").rename("linked.txt", "src/linked.txt");
            let bytes = fs::read(root.join("src/d.txt")).unwrap();
            plan.rename("src/d.txt", "d.txt").edit(
                "d.txt",
                Digest::of(&bytes),
                vec![Replacement::new(0..0, "moved ")],
            )
        }
        "deletions" => plan
            .delete("src/a.txt")
            .delete("linked.txt")
            .delete("soft")
            .delete("big.txt")
            .create("big.txt", "small"),
        "links" => {
            let plan =
                edit(edit(plan, "soft", 0, "through the link"), "src/other-name.txt", 0, "a longer start: ");
            plan.rename("soft", "src/softer")
        }
        other => panic!("no scenario {other}"),
    }
}
