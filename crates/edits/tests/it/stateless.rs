//! A state folder that cannot be used, or holds what nobody can read: who only reads is served, who would write is
//! told what is wrong and what to do, and nothing is passed over.

use std::fs;

use edits::{Edits, Error, Limits, Plan, Proposal, State};
use test_support::Fixture;
use tool::{ErrorKind, Registry};
use workspace::Workspace;

use crate::bench::{everything, open};
use crate::within::within;

const ADVICE: &str = "name another one with `STATE`";

fn door(fixture: &Fixture, registry: &Registry, state: State) -> Edits {
    let workspace = Workspace::open(fixture.root()).unwrap();
    Edits::open(workspace, registry.authority(), state.advice(ADVICE)).unwrap()
}

fn plan() -> Plan {
    Plan::new().replace("a.txt", None, "new\n")
}

/// What a tool's caller reads of a commit and of staging; the pictures themselves need no state.
fn refusals(edits: &Edits, registry: &Registry) -> [tool::Error; 2] {
    let change = edits.snapshot(&plan()).unwrap();
    assert!(edits.diff(&change, 1).unwrap().text.contains("+new"));
    let staged = edits.stage(Proposal::new("t", "o", change.clone())).map(|_| ());
    let inner = edits.clone();
    let committed =
        within(registry, move |cx| inner.commit(&change, cx.permit(change.paths()).unwrap()).map(|_| ()));
    [staged, committed].map(|result| tool::Error::from(result.unwrap_err()))
}

#[test]
fn a_folder_that_cannot_be_made_is_told_to_writers_alone() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    let registry = Registry::builder().build();
    fs::write(fixture.outside().join("file"), "").unwrap();
    for (state, why) in [
        (
            State::memory("/proc/none"),
            "the state folder cannot be used: cannot make `/proc/none`: No such file",
        ),
        (State::folder(fixture.outside().join("file")), "the state folder cannot be used: cannot use `"),
        (State::missing("nobody has a home"), "there is no state folder: nobody has a home"),
    ] {
        let said = state.clone().advice(ADVICE).check(fixture.root()).unwrap_err().to_string();
        let edits = door(&fixture, &registry, state);
        for error in refusals(&edits, &registry) {
            assert_eq!(
                (error.kind, error.hint.as_deref()),
                (ErrorKind::Unavailable, Some(ADVICE)),
                "{error}"
            );
            assert!(error.message.starts_with(why) && error.message == said, "{error}");
            assert!(error.message.matches("os error").count() <= 1, "the cause is said once: {error}");
        }
        assert_eq!(fixture.read("a.txt"), "old\n");
    }
    let relative =
        Edits::open(Workspace::open(fixture.root()).unwrap(), registry.authority(), State::memory("state"));
    assert!(matches!(relative.unwrap_err(), Error::StateNotAbsolute { .. }));
}

#[test]
fn a_folder_that_works_again_is_taken_up() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    let registry = Registry::builder().build();
    let place = fixture.outside().join("state");
    fs::write(&place, "in the way").unwrap();
    let edits = door(&fixture, &registry, State::folder(&place));
    refusals(&edits, &registry);
    fs::remove_file(&place).unwrap();
    within(&registry, move |cx| edits.apply(&plan(), |paths| cx.permit(paths))).unwrap();
    assert_eq!(fixture.read("a.txt"), "new\n");
}

#[test]
fn a_damaged_journal_stops_every_change_and_says_where_to_look() {
    for damaged in ["", "{", "garbage", r#"{"phase":"prepared"}"#] {
        let fixture = Fixture::new("//- /a.txt\nold\n");
        let registry = Registry::builder().build();
        let place = fixture.outside().join("state");
        let opened = door(&fixture, &registry, State::folder(&place));
        fs::write(place.join("journal.json"), damaged).unwrap();
        let before = everything(fixture.root());
        // Who was there before it was damaged, and who comes after.
        for edits in [opened, door(&fixture, &registry, State::folder(&place))] {
            let change = edits.snapshot(&plan()).unwrap();
            let error =
                within(&registry, move |cx| edits.commit(&change, cx.permit(change.paths()).unwrap()));
            let error = tool::Error::from(error.unwrap_err());
            assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
            assert!(error.message.starts_with("the journal of an earlier change, `"), "{error}");
            let hint = error.hint.unwrap();
            let kept = place.join("kept");
            for part in [".outrigger-*.old", kept.to_str().unwrap(), "move the journal away"] {
                assert!(hint.contains(part), "{hint}");
            }
        }
        assert_eq!(everything(fixture.root()), before);
        assert_eq!(fs::read_to_string(place.join("journal.json")).unwrap(), damaged);
        assert!(matches!(State::folder(&place).check(fixture.root()), Err(Error::DamagedJournal { .. })));
    }
}

#[test]
fn damaged_staged_edits_are_said_and_commits_go_on() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    let registry = Registry::builder().build();
    let place = fixture.outside().join("state");
    fs::create_dir(&place).unwrap();
    for damaged in ["", "{\"last\":", "garbage"] {
        fs::write(place.join("staged.json"), damaged).unwrap();
        fs::write(place.join("edit_1.json"), "content").unwrap();
        let edits = open(&fixture, &registry, &Limits::default()).unwrap();
        let change = edits.snapshot(&plan()).unwrap();
        for error in [
            edits.stage(Proposal::new("t", "o", change)).unwrap_err(),
            edits.staged("edit_1").unwrap_err(),
            edits.pending().unwrap_err(),
        ] {
            let error = tool::Error::from(error);
            assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
            assert!(error.message.starts_with("the staged edits in `"), "{error}");
            assert!(error.hint.unwrap().starts_with("move it away: staged edits are lost"));
        }
        within(&registry, move |cx| edits.apply(&plan(), |paths| cx.permit(paths))).unwrap();
        assert_eq!(fixture.read("a.txt"), "new\n");
        fixture.write("a.txt", b"old\n");
        assert_eq!(fs::read_to_string(place.join("staged.json")).unwrap(), damaged);
        assert!(place.join("edit_1.json").exists(), "what the list may name stays");
    }
    fs::remove_file(place.join("staged.json")).unwrap();
    let edits = open(&fixture, &registry, &Limits::default()).unwrap();
    let change = edits.snapshot(&plan()).unwrap();
    assert_eq!(edits.stage(Proposal::new("t", "o", change)).unwrap().id, "edit_1");
}

#[test]
fn a_check_leaves_nothing_behind() {
    let fixture = Fixture::new("//- /a.txt\nold\n");
    let before = everything(fixture.outside());
    State::folder(fixture.outside().join("deep/state")).check(fixture.root()).unwrap();
    assert_eq!(everything(fixture.outside()), before);
    fs::create_dir(fixture.outside().join("state")).unwrap();
    State::folder(fixture.outside().join("state")).check(fixture.root()).unwrap();
    assert_eq!(fs::read_dir(fixture.outside().join("state")).unwrap().count(), 0);
}
