//! Plans over real files: operations in order, each rule that refuses the whole, and what is planned of the rest.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use lsp_types::{Position, Range};
use test_support::Fixture;
use tool::Registry;

use super::*;
use crate::rename::names::Names;

struct Bench {
    fixture: Fixture,
    workspace: Workspace,
    open: BTreeMap<PathBuf, Synced>,
}

impl Bench {
    fn new(text: &str) -> Self {
        let fixture = Fixture::new(text);
        let workspace = Workspace::open(fixture.root()).unwrap();
        Self { fixture, workspace, open: BTreeMap::new() }
    }

    /// As if the server had been sent the file.
    fn open(&mut self, path: &str, version: i32) {
        let absolute = self.fixture.path(path);
        let uri = crate::uri::of(&absolute).into();
        let text = self.fixture.read(path).into();
        self.open.insert(absolute.clone(), Synced { path: absolute, uri, text, version });
    }

    fn plan(&self, operations: Vec<Operation>) -> Result<Planned, String> {
        let names = Names::new("foo", "bar", "rust");
        let judge = Judge::Rename(&names);
        let ground = Ground { workspace: &self.workspace, encoding: Encoding::Utf8, open: &self.open, judge };
        plan(ground, operations).map_err(|refusal| refusal.to_string())
    }

    /// What the files would be, in the words of `edits`.
    fn effects(&self, operations: Vec<Operation>) -> Vec<String> {
        let planned = self.plan(operations).unwrap();
        let registry = Registry::builder().build();
        let state = edits::State::memory(self.fixture.outside().join("state"));
        let edits = edits::Edits::open(self.workspace.clone(), registry.authority(), state).unwrap();
        let change = edits.snapshot(&planned.plan).unwrap();
        let said = |effect: &edits::Effect| effect.to_string();
        let mut all: Vec<String> = change.effects().iter().map(said).collect();
        for file in edits.proposed(&change).unwrap() {
            all.extend(file.after.map(|after| String::from_utf8(after).unwrap()));
        }
        all
    }

    fn refused(&self, operations: Vec<Operation>) -> String {
        self.plan(operations).map(drop).expect_err("a refusal")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.fixture.path(path)
    }

    fn edit(&self, path: &str, version: Option<i64>, starts: &[(u32, u32)]) -> Operation {
        let edit = |(line, start): &(u32, u32)| TextEdit {
            range: Range::new(Position::new(*line, *start), Position::new(*line, start + 3)),
            text: "bar".to_owned(),
        };
        Operation::Edit { path: self.at(path), version, edits: starts.iter().map(edit).collect() }
    }

    fn rename(&self, from: &str, to: &str, clash: Clash) -> Operation {
        Operation::Rename { from: self.at(from), to: self.at(to), clash }
    }
}

#[test]
fn edits_and_a_move_become_one_change() {
    let bench = Bench::new("//- /src/lib.rs\nmod foo;\nuse foo::x;\n//- /src/foo.rs\npub fn x() {}\n");
    let operations = || {
        vec![
            bench.edit("src/lib.rs", None, &[(0, 4), (1, 4)]),
            bench.rename("src/foo.rs", "src/bar.rs", Clash::Refuse),
        ]
    };
    assert_eq!(
        bench.effects(operations()),
        [
            "`src/bar.rs`: renamed from `src/foo.rs`",
            "`src/lib.rs`: edited, 2 replacements",
            "pub fn x() {}\n",
            "mod bar;\nuse bar::x;\n"
        ]
    );
    let planned = bench.plan(operations()).unwrap();
    assert_eq!(planned.moved, [("src/foo.rs".to_owned(), "src/bar.rs".to_owned())]);
    assert_eq!(planned.files["src/lib.rs"], Rewritten { count: 2, bytes: vec![4..7, 13..16] });
}

#[test]
fn after_a_move_the_new_name_is_edited() {
    let bench = Bench::new("//- /a.rs\nfoo a\n//- /b.rs\nfoo b\n");
    // The swap that writes one file's text over the other's where order is not kept.
    let swap = vec![
        bench.rename("a.rs", "t.rs", Clash::Refuse),
        bench.rename("b.rs", "a.rs", Clash::Refuse),
        bench.rename("t.rs", "b.rs", Clash::Refuse),
        bench.edit("a.rs", None, &[(0, 0)]),
    ];
    let effects = bench.effects(swap);
    assert_eq!(effects[effects.len() - 2..], ["bar b\n", "foo a\n"]);
    let gone = vec![bench.rename("a.rs", "c.rs", Clash::Refuse), bench.edit("a.rs", None, &[(0, 0)])];
    assert_eq!(bench.refused(gone), "`a.rs`, which the edit changes, does not exist");
}

#[test]
fn edits_of_one_document_refer_to_its_text_as_it_was() {
    let bench = Bench::new("//- /a.rs\nfoo foo foo\n");
    let twice =
        vec![bench.edit("a.rs", None, &[(0, 0), (0, 8)]), bench.edit("a.rs", None, &[(0, 4), (0, 8)])];
    assert_eq!(bench.effects(twice), ["`a.rs`: edited, 3 replacements", "bar bar bar\n"]);
}

#[test]
fn two_names_of_one_file_are_one_file() {
    let bench = Bench::new("//- /real/a.rs\nfoo foo\n");
    std::os::unix::fs::symlink("real", bench.at("link")).unwrap();
    std::fs::hard_link(bench.at("real/a.rs"), bench.at("real/z.rs")).unwrap();
    let all = vec![
        bench.edit("link/a.rs", None, &[(0, 0)]),
        bench.edit("real/a.rs", None, &[(0, 4)]),
        bench.edit("real/z.rs", None, &[(0, 0), (0, 4)]),
    ];
    assert_eq!(bench.effects(all), ["`real/a.rs`: edited, 2 replacements", "bar bar\n"]);
}

#[test]
fn a_version_is_the_one_that_was_sent_or_the_disks() {
    let mut bench = Bench::new("//- /a.rs\nfoo\n//- /b.rs\nfoo\n");
    bench.open("a.rs", 3);
    let with = |path: &str, version| vec![bench.edit(path, version, &[(0, 0)])];
    for (path, version) in [("a.rs", Some(3)), ("a.rs", None), ("b.rs", None), ("b.rs", Some(0))] {
        assert!(bench.plan(with(path, version)).is_ok(), "{path} {version:?}");
    }
    assert_eq!(
        bench.refused(with("a.rs", Some(2))),
        "the edit is about version 2 of `a.rs`, and the server was last sent version 3"
    );
    assert_eq!(
        bench.refused(with("b.rs", Some(1))),
        "the edit is about version 1 of `b.rs`, and the server has not been sent that file"
    );
    bench.fixture.write("a.rs", "x foo\n");
    assert_eq!(bench.refused(with("a.rs", Some(3))), "`a.rs` has changed since it was sent to the server");
}

#[test]
fn files_out_of_reach_are_refused() {
    let bench = Bench::new(
        "//- /.gitignore\ngen/\n//- /a.rs\nfoo\n//- /gen/x.rs\nfoo\n//- /.git/config\nfoo\n//- /.hidden/h.rs\nfoo\n",
    );
    let outside = bench.fixture.outside().join("o.rs");
    std::fs::write(&outside, "foo").unwrap();
    std::os::unix::fs::symlink(&outside, bench.at("out.rs")).unwrap();
    let alone = |path: &str| {
        bench.refused(vec![bench.edit("a.rs", None, &[(0, 0)]), bench.edit(path, None, &[(0, 0)])])
    };
    for path in [outside.to_str().unwrap(), "out.rs"] {
        let said = alone(path);
        assert!(said.ends_with("lies outside the workspace and would have to change too"), "{said}");
    }
    assert_eq!(alone(".git/config"), "`.git/config` is git's own and would have to change too");
    assert_eq!(alone("gen/x.rs"), "the edit changes what an ignore file names: `gen/x.rs`");
    assert!(bench.plan(vec![bench.edit(".hidden/h.rs", None, &[(0, 0)])]).is_ok());
    let moved = bench.refused(vec![Operation::Rename {
        from: bench.at("a.rs"),
        to: outside,
        clash: Clash::Overwrite,
    }]);
    assert!(moved.contains("lies outside the workspace"), "{moved}");
    assert!(bench.refused(vec![bench.rename("a.rs", ".git/a", Clash::Refuse)]).contains("is git's own"));
}

#[test]
fn options_of_operations_are_kept() {
    let bench = Bench::new("//- /a.rs\na\n//- /b.rs\nb\n//- /d/e.rs\ne\n");
    let create = |path: &str, clash| vec![Operation::Create { path: bench.at(path), clash }];
    let delete = |path: &str, recursive, may_miss| {
        vec![Operation::Delete { path: bench.at(path), recursive, may_miss }]
    };
    let exists = "`b.rs` exists already";
    assert_eq!(bench.refused(create("b.rs", Clash::Refuse)), exists);
    assert_eq!(bench.effects(create("b.rs", Clash::Overwrite)), ["`b.rs`: edited", ""]);
    assert!(bench.effects(create("b.rs", Clash::Skip)).is_empty());
    assert_eq!(bench.effects(create("n/c.rs", Clash::Refuse)), ["`n/c.rs`: created", ""]);
    assert_eq!(bench.refused(vec![bench.rename("a.rs", "b.rs", Clash::Refuse)]), exists);
    assert!(bench.effects(vec![bench.rename("a.rs", "b.rs", Clash::Skip)]).is_empty());
    let over = bench.effects(vec![bench.rename("a.rs", "b.rs", Clash::Overwrite)]);
    assert_eq!(over.last().map(String::as_str), Some("a\n"));
    assert_eq!(bench.effects(delete("a.rs", false, false)), ["`a.rs`: deleted"]);
    assert_eq!(bench.refused(delete("n.rs", false, false)), "`n.rs`, which the edit changes, does not exist");
    assert!(bench.effects(delete("n.rs", false, true)).is_empty());
    assert_eq!(bench.refused(delete("d", false, false)), "`d` is a folder");
    assert_eq!(bench.effects(delete("d", true, false)), ["`d/e.rs`: deleted"]);
}

#[test]
fn a_folder_moves_with_all_it_holds() {
    let bench =
        Bench::new("//- /src/foo/mod.rs\nfoo\n//- /src/foo/deep/x.rs\nx\n//- /src/lib.rs\nmod foo;\n");
    std::os::unix::fs::symlink("mod.rs", bench.at("src/foo/link.rs")).unwrap();
    let operations = || {
        vec![
            bench.edit("src/lib.rs", None, &[(0, 4)]),
            bench.rename("src/foo", "src/bar", Clash::Refuse),
            bench.edit("src/bar/mod.rs", None, &[(0, 0)]),
        ]
    };
    let effects = bench.effects(operations());
    for said in [
        "`src/bar/deep/x.rs`: renamed from `src/foo/deep/x.rs`",
        "`src/bar/link.rs`: renamed from `src/foo/link.rs`",
        "`src/bar/mod.rs`: renamed from `src/foo/mod.rs`, 1 replacement",
        "bar\n",
    ] {
        assert!(effects.iter().any(|effect| effect == said), "{said}: {effects:?}");
    }
    let planned = bench.plan(operations()).unwrap();
    assert_eq!(planned.notes, ["the folder `src/foo` stays, empty"]);
    assert_eq!(planned.moved.len(), 3);
    let into_itself = bench.refused(vec![bench.rename("src/foo", "src/foo/x", Clash::Refuse)]);
    assert_eq!(into_itself, "`src/foo` is a folder");
}

#[test]
fn what_is_no_text_is_not_edited() {
    let bench = Bench::new("//- /a.rs\nfoo\n");
    bench.fixture.write("b.rs", b"foo \xe9");
    assert_eq!(bench.refused(vec![bench.edit("b.rs", None, &[(0, 0)])]), "`b.rs` is not UTF-8 text");
    assert_eq!(
        bench.refused(vec![bench.edit("none.rs", None, &[])]),
        "`none.rs`, which the edit changes, does not exist"
    );
}
