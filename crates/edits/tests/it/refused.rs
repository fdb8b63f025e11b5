//! What a plan or a commit must refuse, with the words it refuses in. After each refusal nothing has changed.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::time::Duration;

use edits::{Digest, Edits, Error, Limits, Plan, Replacement, State};
use test_support::Fixture;
use tool::{ErrorKind, Registry};
use workspace::Workspace;

use crate::bench::{Bench, chmod, commit, everything, open};
use crate::within::within;

fn refusal(bench: &Bench, plan: &Plan) -> String {
    let before = everything(bench.fixture.root());
    let error = bench.apply(plan).expect_err("refused");
    assert_eq!(everything(bench.fixture.root()), before);
    error.to_string()
}

fn bench() -> Bench {
    Bench::new("//- /a.txt\nold\n//- /d/b.txt\nb\n//- /.git/config\nc\n")
}

#[test]
fn paths_outside_and_gits_own() {
    let bench = bench();
    fs::write(bench.fixture.outside().join("secret"), "s").unwrap();
    symlink(bench.fixture.outside(), bench.fixture.path("out")).unwrap();
    symlink(bench.fixture.outside().join("secret"), bench.fixture.path("leak")).unwrap();
    symlink("nowhere", bench.fixture.path("dangling")).unwrap();
    let absolute = bench.fixture.outside().join("x").display().to_string();
    for path in ["../outside/x", "d/../../outside/x", absolute.as_str(), "out/x", "leak"] {
        for plan in [
            Plan::new().create(path, "x"),
            Plan::new().replace(path, None, "x"),
            Plan::new().delete(path),
            Plan::new().rename("a.txt", path),
            Plan::new().rename(path, "z.txt"),
        ] {
            let said = refusal(&bench, &plan);
            assert!(said.contains("leaves the workspace"), "{path}: {said}");
            let kind = tool::Error::from(bench.edits.snapshot(&plan).unwrap_err()).kind;
            assert_eq!(kind, ErrorKind::Refused);
        }
    }
    for path in [".git/config", ".git/hooks/x", "d/.git/x", "d/../.git/config"] {
        let said = refusal(&bench, &Plan::new().delete("a.txt").create(path, "x"));
        assert!(said.ends_with("belongs to git and is never written"), "{path}: {said}");
    }
    let said = refusal(&bench, &Plan::new().rename("a.txt", ".git/a"));
    assert_eq!(said, "`.git/a` belongs to git and is never written");
    assert_eq!(refusal(&bench, &Plan::new().create("dangling", "x")), "`dangling` exists already");
    assert_eq!(fs::read_to_string(bench.fixture.outside().join("secret")).unwrap(), "s");
}

#[test]
fn steps_that_do_not_fit_the_files_or_each_other() {
    let bench = bench();
    let base = Digest::of(b"old\n");
    let edit = |range| vec![Replacement::new(range, "x")];
    for (plan, said) in [
        (Plan::new().create("a.txt", ""), "`a.txt` exists already"),
        (Plan::new().rename("a.txt", "d/b.txt"), "`d/b.txt` exists already"),
        (Plan::new().delete("d"), "`d` is a folder; files are changed one by one"),
        (Plan::new().create("d", ""), "`d` is a folder; files are changed one by one"),
        (Plan::new().rename("d", "e"), "`d` is a folder; files are changed one by one"),
        (Plan::new().create("a.txt/x", ""), "`a.txt/x` goes on below `a.txt`, which is not a folder"),
        (
            Plan::new().create("n", "").create("n/x", ""),
            "`n/x` goes on below `n`, which is a file in this change",
        ),
        (Plan::new().create("n/x", "").create("n", ""), "`n` is a folder; files are changed one by one"),
        (Plan::new().delete("nope.txt"), "`nope.txt` does not exist"),
        (
            Plan::new().edit("a.txt", Digest::of(b"other"), edit(0..1)),
            "`a.txt` has changed since it was read",
        ),
        (
            Plan::new().edit("a.txt", base, edit(2..9)),
            "`a.txt`: the replacement of bytes 2..9 does not fit a file of 4 bytes",
        ),
        (
            Plan::new().delete("a.txt").edit("a.txt", base, edit(0..1)),
            "`a.txt` is gone: an earlier step of the same change renamed or deleted it",
        ),
        (
            Plan::new().rename("a.txt", "z").delete("a.txt"),
            "`a.txt` is gone: an earlier step of the same change renamed or deleted it",
        ),
    ] {
        assert_eq!(refusal(&bench, &plan), said);
    }
}

#[test]
fn links_whose_files_would_be_torn_apart() {
    let bench = bench();
    fs::hard_link(bench.fixture.path("a.txt"), bench.fixture.path("twin.txt")).unwrap();
    symlink("a.txt", bench.fixture.path("soft")).unwrap();
    let edit = vec![Replacement::new(0..1, "x")];
    let plan = Plan::new().rename("a.txt", "z.txt").edit("z.txt", Digest::of(b"old\n"), edit.clone());
    assert_eq!(refusal(&bench, &plan), "`a.txt` has 2 hard links; rename it and edit it in two changes");
    let plan = Plan::new().rename("soft", "softer").edit("softer", Digest::of(b"old\n"), edit);
    assert_eq!(
        refusal(&bench, &plan),
        "`softer` is a link that this change moves; edit the file it leads to"
    );
}

#[test]
fn read_only_files_though_a_rename_could_bypass_it() {
    let bench = bench();
    chmod(&bench.fixture.path("a.txt"), 0o444);
    for plan in [
        Plan::new().replace("a.txt", None, "new"),
        Plan::new().delete("a.txt"),
        Plan::new().rename("a.txt", "z.txt"),
    ] {
        assert_eq!(refusal(&bench, &plan), "`a.txt`: read-only");
        let error = bench.apply(&plan).unwrap_err();
        assert_eq!(tool::Error::from(error).kind, ErrorKind::Refused);
    }
}

#[test]
fn every_file_that_differs_is_named_with_what_happened() {
    let names = ["changed", "deleted", "folder", "gone", "linked", "mode", "same", "locked", "done"];
    let bench = Bench::new("");
    for name in names {
        bench.fixture.write(name, "old\n");
    }
    let plan = names.iter().fold(Plan::new(), |plan, name| plan.replace(*name, None, "new\n"));
    let change =
        bench.edits.snapshot(&plan.create("made/created", "x").create("elsewhere/file", "y")).unwrap();
    let path = |name: &str| bench.fixture.path(name);
    bench.fixture.write("changed", "other");
    bench.fixture.write("done", "new\n");
    for name in ["deleted", "folder", "linked"] {
        fs::remove_file(path(name)).unwrap();
    }
    fs::create_dir(path("folder")).unwrap();
    symlink("same", path("linked")).unwrap();
    fs::rename(path("gone"), path("moved")).unwrap();
    chmod(&path("mode"), 0o755);
    chmod(&path("locked"), 0o444);
    bench.fixture.write("made/created", "mine");
    symlink(".", path("elsewhere")).unwrap();
    let before = everything(bench.fixture.root());
    let error = bench.commit(&change).unwrap_err();
    assert_eq!(everything(bench.fixture.root()), before);
    let Error::Mismatch { mismatches } = &error else { panic!("{error}") };
    let said: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "`changed`: changed",
            "`deleted`: deleted",
            "`done`: already holds the proposed content",
            "`elsewhere/file`: its folder was moved or replaced",
            "`folder`: became a folder",
            "`gone`: deleted",
            "`linked`: became a link",
            "`locked`: read-only",
            "`made/created`: created",
            "`mode`: mode changed from 644 to 755",
        ]
    );
    assert_eq!(tool::Error::from(error).kind, ErrorKind::Conflict);
}

#[test]
fn forged_permits() {
    let bench = bench();
    let change =
        bench.edits.snapshot(&Plan::new().replace("a.txt", None, "new").create("n.txt", "n")).unwrap();
    let before = everything(bench.fixture.root());
    // Another registry's permit.
    let other = Registry::builder().build();
    let (edits, made) = (bench.edits.clone(), change.clone());
    let error = within(&other, move |cx| edits.commit(&made, cx.permit(made.paths()).unwrap())).unwrap_err();
    assert_eq!(tool::Error::from(error).kind, ErrorKind::Refused);
    // A permit that misses a path, or names it by another spelling.
    let (edits, made) = (bench.edits.clone(), change.clone());
    let missing = vec![bench.fixture.path("a.txt"), bench.fixture.path("d/../n.txt")];
    let error =
        within(&bench.registry, move |cx| edits.commit(&made, cx.permit(missing).unwrap())).unwrap_err();
    assert_eq!(error.to_string(), "the write permit does not name `n.txt`");
    // A permit that outlived its call.
    let paths = change.paths();
    let stale = within(&bench.registry, move |cx| cx.permit(paths).unwrap());
    let error = bench.edits.commit(&change, stale).unwrap_err();
    assert_eq!(tool::Error::from(error).kind, ErrorKind::Cancelled);
    assert_eq!(everything(bench.fixture.root()), before);
    bench.assert_clean();
}

#[test]
fn a_lock_that_is_held_is_waited_for_with_a_limit() {
    let bench = bench();
    let holder = fs::File::open(bench.edits.state().unwrap().join("lock")).unwrap();
    holder.lock().unwrap();
    let mut limits = Limits::default();
    limits.lock_wait = Duration::from_millis(30);
    // Opening does not depend on it: whoever holds the lock is alive.
    let edits = open(&bench.fixture, &bench.registry, &limits).unwrap();
    let change = edits.snapshot(&Plan::new().replace("a.txt", None, "new")).unwrap();
    let error = commit(&edits, &bench.registry, &change).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("another change of this workspace has held `"), "{said}");
    assert!(said.ends_with("/lock` for 0.03 s"), "{said}");
    assert_eq!(tool::Error::from(error).kind, ErrorKind::TimedOut);
    assert_eq!(bench.fixture.read("a.txt"), "old\n");
    holder.unlock().unwrap();
    commit(&edits, &bench.registry, &change).unwrap();
}

#[test]
fn the_state_folder_is_closed_to_others_and_belongs_to_one_workspace() {
    let fixture = Fixture::new("//- /a.txt\na\n");
    let state = fixture.outside().join("deep/state");
    fs::create_dir_all(&state).unwrap();
    chmod(&state, 0o755);
    let registry = Registry::builder().build();
    let door = |root| {
        Edits::open(Workspace::open(root).unwrap(), registry.authority(), State::memory(&state))?.ready()
    };
    door(fixture.root()).unwrap();
    assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
    let journal = r#"{"phase":"prepared","id":"x","root":"/elsewhere","folders":[],"entries":[]}"#;
    fs::write(state.join("journal.json"), journal).unwrap();
    let said = door(fixture.root()).unwrap_err().to_string();
    assert!(said.ends_with("it belongs to another workspace, `/elsewhere`"), "{said}");
}

#[test]
fn a_change_that_was_tampered_with_stays_inside() {
    let bench = bench();
    let change = bench.edits.snapshot(&Plan::new().create("n.txt", "n")).unwrap();
    let json = serde_json::to_string(&change).unwrap();
    for (path, said) in [
        ("../outside/n.txt", "`../outside/n.txt` leaves the workspace"),
        ("d/../n.txt", "`d/../n.txt` leaves the workspace"),
        ("/n.txt", "`/n.txt` leaves the workspace"),
        (".git/n.txt", "`.git/n.txt` belongs to git and is never written"),
    ] {
        let forged: edits::Change = serde_json::from_str(&json.replace("n.txt", path)).unwrap();
        assert_eq!(bench.commit(&forged).unwrap_err().to_string(), said);
    }
    let other = Bench::new("//- /a.txt\na\n");
    let said = other.commit(&change).unwrap_err().to_string();
    assert!(said.ends_with("another workspace") && !bench.fixture.path("n.txt").exists(), "{said}");
}

/// A small file system of its own, unmounted on drop.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(at: std::path::PathBuf) -> Option<Self> {
        fs::create_dir_all(&at).unwrap();
        let mount = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"])
            .arg(&at)
            .output();
        mount.is_ok_and(|output| output.status.success()).then_some(Self(at))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        std::process::Command::new("umount").arg(&self.0).status().unwrap();
    }
}

#[test]
fn a_disk_without_room_is_refused_before_anything_is_written() {
    let bench = bench();
    let Some(small) = Small::mount(bench.fixture.path("small")) else {
        println!("skipped: only root mounts a small file system");
        return;
    };
    let fits = Plan::new().create("small/fits.bin", vec![1; 1024 * 1024]);
    bench.apply(&fits).unwrap();
    let plan = Plan::new().replace("a.txt", None, "new").create("small/big.bin", vec![2; 2 * 1024 * 1024]);
    let said = refusal(&bench, &plan);
    assert!(said.starts_with(&format!("`{}` has ", small.0.display())), "{said}");
    let ends = "bytes of disk space left and the change needs 2101248: 2097152 bytes of content beside the old files, \
                in whole blocks";
    assert!(said.ends_with(ends), "{said}");
    // All but three blocks are taken: what fits is written.
    fs::write(small.0.join("ballast"), vec![3; 2 * 1024 * 1024 - 3 * 4096]).unwrap();
    bench.apply(&Plan::new().create("small/byte.bin", "1")).unwrap();
    assert_eq!(bench.fixture.read("small/byte.bin"), "1");
}
