//! The tool `resolve`, through a surface, as a model reads it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use edits::{Edits, Limits, Plan, Preview, Proposal, Proposed, Resolve, State};
use serde_json::{Value, json};
use test_support::Fixture;
use tool::{BoxFuture, Cancellation, Error, ErrorKind, Output, ReadContext, Registry, Request, Tier};
use workspace::Workspace;

use crate::bench::{Bench, chmod, everything};

/// A bench whose registry serves `resolve`.
struct Desk {
    bench: Bench,
    runtime: tokio::runtime::Runtime,
}

impl Desk {
    fn new(text: &str) -> Self {
        Self::with(Bench::new(text), Resolve::new)
    }

    fn with(bench: Bench, resolve: impl FnOnce(Edits) -> Resolve) -> Self {
        bench.registry.attach("edits", vec![tool::tool(resolve(bench.edits.clone()))]).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        Self { bench, runtime }
    }

    fn stage(&self, title: &str, plan: &Plan) -> String {
        let change = self.bench.edits.snapshot(plan).unwrap();
        let again = json!({"pattern": "a", "rewrite": title});
        let proposal = Proposal::new(title, "ast_edit", change).repeat("ast_edit", again);
        self.bench.edits.stage(proposal).unwrap().id
    }

    /// Stages an edit of one file: `old` becomes `new`.
    fn propose(&self, path: &str, old: &str, new: &str) -> String {
        self.stage(&format!("{old} to {new}"), &self.bench.edit(Plan::new(), path, old, new))
    }

    fn call(&self, arguments: Value) -> Result<Output, Error> {
        self.runtime.block_on(self.bench.registry.surface(Tier::Write).call("resolve", arguments))
    }

    fn resolve(&self, id: &str, action: &str) -> Result<Output, Error> {
        self.call(json!({"edit_id": id, "action": action}))
    }

    fn error(&self, id: &str, action: &str) -> String {
        let error = self.resolve(id, action).unwrap_err();
        format!("{error}")
    }
}

#[test]
fn accept_writes_everything_and_says_so() {
    let desk = Desk::new("//- /a.txt\none\n//- /b.txt\nbee\n//- /c.txt\nsea\n");
    let plan = desk.bench.edit(Plan::new(), "a.txt", "one", "two").rename("b.txt", "d/b.txt").delete("c.txt");
    let id = desk.stage("1 replacement and more", &plan.create("e.txt", "e"));
    assert_eq!(id, "edit_1");
    assert_eq!(desk.bench.fixture.read("a.txt"), "one\n", "staging writes nothing");
    let output = desk.resolve("edit_1", "accept").unwrap();
    assert_eq!(
        output.to_text(),
        "accepted `edit_1`: 1 replacement and more\n  `a.txt`: edited, 1 replacement\n  `c.txt`: deleted\n  \
         `d/b.txt`: renamed from `b.txt`\n  `e.txt`: created"
    );
    assert_eq!(
        output.data.unwrap(),
        json!({
            "edit_id": "edit_1",
            "fate": "accepted",
            "title": "1 replacement and more",
            "files": [
                {"path": "a.txt", "effect": "edited", "replacements": 1},
                {"path": "c.txt", "effect": "deleted", "replacements": 0},
                {"path": "d/b.txt", "effect": "renamed", "from": "b.txt", "replacements": 0},
                {"path": "e.txt", "effect": "created", "replacements": 0},
            ],
            "notes": [],
        })
    );
    assert_eq!(desk.bench.fixture.read("a.txt"), "two\n");
    assert_eq!(
        desk.error("edit_1", "accept"),
        "conflict: `edit_1` is no longer staged: it was accepted\nhint: no edit is staged"
    );
    desk.bench.assert_clean();
}

#[test]
fn any_difference_refuses_the_whole_edit_and_it_stays_staged() {
    let desk = Desk::new("//- /a.txt\none\n//- /b.txt\none\n//- /c.txt\none\n");
    let plan = ["a.txt", "b.txt", "c.txt"]
        .into_iter()
        .fold(Plan::new(), |plan, path| desk.bench.edit(plan, path, "one", "two"));
    let id = desk.stage("three", &plan);
    desk.bench.fixture.write("a.txt", "one and more\n");
    fs::remove_file(desk.bench.fixture.path("b.txt")).unwrap();
    chmod(&desk.bench.fixture.path("c.txt"), 0o444);
    let before = everything(desk.bench.fixture.root());
    let said = "conflict: `edit_1` does not fit any more (3 of 3 paths); nothing was written\n  `a.txt`: changed\n  \
                `b.txt`: deleted\n  `c.txt`: read-only\nhint: `edit_1` stays staged; to propose it anew call ast_edit \
                {\"pattern\":\"a\",\"rewrite\":\"three\"}, and discard this one";
    assert_eq!(desk.error(&id, "accept"), said);
    assert_eq!(desk.error(&id, "show"), said);
    assert_eq!(everything(desk.bench.fixture.root()), before);
    // With the files as they were it fits again.
    desk.bench.fixture.write("b.txt", "one\n");
    chmod(&desk.bench.fixture.path("c.txt"), 0o644);
    assert!(desk.error(&id, "accept").contains("(1 of 3 paths)"));
    desk.bench.fixture.write("a.txt", "one\n");
    desk.resolve(&id, "accept").unwrap();
    assert_eq!(desk.bench.fixture.read("c.txt"), "two\n");
}

#[test]
fn a_read_only_file_alone_is_a_conflict_too_but_can_be_shown() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    chmod(&desk.bench.fixture.path("a.txt"), 0o444);
    assert_eq!(desk.resolve(&id, "accept").unwrap_err().kind, ErrorKind::Conflict);
    assert!(desk.resolve(&id, "show").unwrap().to_text().contains("+two"));
    assert_eq!(desk.bench.fixture.read("a.txt"), "one\n");
}

#[test]
fn the_edit_that_made_another_one_mismatch_is_named() {
    let desk = Desk::new("//- /a.txt\none two\n//- /b.txt\nbee\n");
    let first = desk.propose("a.txt", "one", "1");
    let second = desk.propose("a.txt", "two", "2");
    desk.resolve(&first, "accept").unwrap();
    let said = desk.error(&second, "accept");
    assert!(said.contains("\n  `a.txt`: changed (by accepting `edit_1`)\n"), "{said}");
    // Somebody else's change is not blamed on an edit.
    desk.bench.fixture.write("a.txt", "something else");
    let said = desk.error(&second, "accept");
    assert!(said.contains("\n  `a.txt`: changed\n"), "{said}");
    // The same change made by hand is recognised.
    desk.bench.fixture.write("a.txt", "one 2\n");
    let said = desk.error(&second, "accept");
    assert!(said.contains("\n  `a.txt`: already holds the proposed content\n"), "{said}");
}

#[test]
fn fates_are_named_and_ids_never_come_back() {
    let desk = Desk::new("//- /a.txt\none\n");
    let ids: Vec<String> = (0..4).map(|_| desk.propose("a.txt", "one", "two")).collect();
    assert_eq!(ids, ["edit_1", "edit_2", "edit_3", "edit_4"]);
    let discarded = desk.resolve("edit_1", "discard").unwrap();
    assert_eq!(discarded.to_text(), "discarded `edit_1` (one to two); nothing was written");
    desk.bench.edits.reject("edit_2", "the person said no").unwrap();
    desk.resolve("edit_3", "accept").unwrap();
    for (id, said) in [
        ("edit_1", "conflict: `edit_1` is no longer staged: it was discarded"),
        ("edit_2", "conflict: `edit_2` is no longer staged: it was rejected (the person said no)"),
        ("edit_3", "conflict: `edit_3` is no longer staged: it was accepted"),
        ("edit_9", "bad_arguments: there is no staged edit `edit_9`"),
        ("edit_0", "bad_arguments: there is no staged edit `edit_0`"),
        ("edit_01", "bad_arguments: there is no staged edit `edit_01`"),
        ("nonsense", "bad_arguments: there is no staged edit `nonsense`"),
    ] {
        for action in ["accept", "discard", "show"] {
            assert_eq!(desk.error(id, action), format!("{said}\nhint: staged now: edit_4"));
        }
    }
    desk.resolve("edit_4", "discard").unwrap();
    // Another process with the same state folder goes on counting.
    let again = crate::bench::open(&desk.bench.fixture, &desk.bench.registry, &Limits::default()).unwrap();
    let change = again.snapshot(&Plan::new().replace("a.txt", None, "three")).unwrap();
    assert_eq!(again.stage(Proposal::new("t", "o", change)).unwrap().id, "edit_5");
    let error = again.staged("edit_3").unwrap_err().to_string();
    assert_eq!(error, "`edit_3` is no longer staged: it was accepted");
}

#[test]
fn arguments_that_do_not_belong_together() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    for (arguments, said) in [
        (
            json!({"edit_id": id, "action": "discard", "force": true}),
            "`force` goes with action \"accept\" only, not with \"discard\"",
        ),
        (json!({"edit_id": id, "action": "accept", "force": true}), "`edit_1` does not need `force`"),
        (
            json!({"edit_id": id, "action": "accept", "page": 1}),
            "`page` goes with action \"show\" only, not with \"accept\"",
        ),
        (json!({"edit_id": id, "action": "show", "page": 0}), "`page` counts from 1"),
        (
            json!({"edit_id": id, "action": "show", "page": 2}),
            "the diff of `edit_1` has 1 page; there is no page 2",
        ),
        (
            json!({"edit_id": id, "action": "acept"}),
            "`resolve`: `action` must be one of accept, discard, show, check, found \"acept\"; did you mean `accept`?",
        ),
    ] {
        let error = desk.call(arguments).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadArguments, said));
    }
    assert_eq!(desk.bench.fixture.read("a.txt"), "one\n");
    let error = desk.runtime.block_on(desk.bench.registry.surface(Tier::Read).call("resolve", json!({})));
    assert_eq!(error.unwrap_err().kind, ErrorKind::UnknownTool);
}

#[test]
fn an_edit_that_would_not_parse_needs_force() {
    let desk = Desk::new("//- /a.txt\none\n");
    let change = desk.bench.edits.snapshot(&Plan::new().replace("a.txt", None, "(")).unwrap();
    let proposal = Proposal::new("t", "ast_edit", change)
        .warnings(vec!["drops 1 comment: a.txt:1".to_owned()])
        .needs_force(vec!["a.txt:1:1 would not parse".to_owned()]);
    let id = desk.bench.edits.stage(proposal).unwrap().id;
    let shown = desk.resolve(&id, "show").unwrap().to_text();
    assert!(
        shown.contains("\nwarning: drops 1 comment: a.txt:1\nneeds force: a.txt:1:1 would not parse\n"),
        "{shown}"
    );
    assert_eq!(
        desk.error(&id, "accept"),
        "refused: `edit_1` is not accepted without force\nbecause: a.txt:1:1 would not parse\nhint: call resolve with \
         action \"accept\" and force true if that is meant; else discard it"
    );
    assert_eq!(desk.bench.fixture.read("a.txt"), "one\n");
    desk.call(json!({"edit_id": id, "action": "accept", "force": true})).unwrap();
    assert_eq!(desk.bench.fixture.read("a.txt"), "(");
}

#[test]
fn a_long_diff_is_shown_page_by_page() {
    let desk = Desk::new("");
    let lines: Vec<String> = (0..300).map(|line| format!("line {line}\n")).collect();
    let old = lines.concat();
    desk.bench.fixture.write("a.txt", &old);
    let id = desk.stage("t", &Plan::new().replace("a.txt", None, old.replace("line", "row")));
    let first = desk.resolve(&id, "show").unwrap();
    let text = first.to_text();
    assert!(
        text.ends_with("… 200 of 603 diff lines shown (page 1 of 4); call resolve with page 2 for more"),
        "{text}"
    );
    assert_eq!(first.data.as_ref().unwrap()["diff"]["added"], 300);
    let last = desk.call(json!({"edit_id": id, "action": "show", "page": 4})).unwrap().to_text();
    assert!(last.ends_with("+row 299\n… 3 of 603 diff lines shown (page 4 of 4)"), "{last}");
}

/// Answers what it was asked about.
struct Echo;

impl Preview for Echo {
    fn preview(&self, files: Vec<Proposed>, _cx: ReadContext) -> BoxFuture<'_, Result<Output, Error>> {
        Box::pin(std::future::ready(Ok(Output::text(format!("{files:?}")))))
    }
}

#[test]
fn check_asks_the_preview_and_is_unavailable_without_one() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    assert_eq!(desk.resolve(&id, "check").unwrap_err().kind, ErrorKind::Unavailable);
    let desk =
        Desk::with(Bench::new("//- /a.txt\none\n"), |edits| Resolve::new(edits).with_preview(Arc::new(Echo)));
    let id = desk.propose("a.txt", "one", "two");
    let said = desk.resolve(&id, "check").unwrap().to_text();
    let (before, after) = (format!("{:?}", b"one\n"), format!("{:?}", b"two\n"));
    assert!(said.contains(&before) && said.contains(&after), "{said}");
    assert_eq!(desk.bench.fixture.read("a.txt"), "one\n");
    desk.bench.fixture.write("a.txt", "else");
    assert_eq!(desk.resolve(&id, "check").unwrap_err().kind, ErrorKind::Conflict);
}

#[test]
fn the_approval_card_shows_what_will_change() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    let specs = desk.bench.registry.surface(Tier::Write).specs();
    let spec = specs.iter().find(|spec| spec.name == "resolve").unwrap();
    let card = spec.preview(&json!({"edit_id": id, "action": "accept"})).unwrap();
    assert_eq!(
        card,
        "accept `edit_1`: one to two\n  `a.txt`: edited, 1 replacement\n\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
    );
    let card = spec.preview(&json!({"edit_id": "edit_7", "action": "accept"})).unwrap();
    assert_eq!(card, "accept `edit_7`: there is no staged edit `edit_7`");
}

fn limited(pending: usize, life: Duration) -> Limits {
    let mut limits = Limits::default();
    limits.pending = pending;
    limits.life = life;
    limits
}

/// Both kinds of store behave alike, as far as one process can tell.
fn both(check: impl Fn(&Fixture, &Registry, &dyn Fn(Limits) -> Edits)) {
    for state in [State::memory as fn(PathBuf) -> State, State::folder] {
        let fixture = Fixture::new("//- /a.txt\none\n");
        let registry = Registry::builder().build();
        let open = |limits| {
            let state = state(fixture.outside().join("state"));
            Edits::open_with(Workspace::open(fixture.root()).unwrap(), registry.authority(), state, limits)
                .unwrap()
        };
        check(&fixture, &registry, &open);
    }
}

fn proposal(edits: &Edits, content: &str) -> Proposal {
    Proposal::new("t", "o", edits.snapshot(&Plan::new().replace("a.txt", None, content)).unwrap())
}

#[test]
fn the_oldest_edit_expires_to_make_room_and_is_told() {
    both(|_, _, open| {
        let edits = open(limited(2, Duration::from_mins(30)));
        for _ in 0..2 {
            assert_eq!(edits.stage(proposal(&edits, "x")).unwrap().expired, Vec::<String>::new());
        }
        assert_eq!(edits.stage(proposal(&edits, "x")).unwrap().expired, ["edit_1"]);
        let pending: Vec<String> = edits.pending().unwrap().into_iter().map(|(id, _)| id).collect();
        assert_eq!(pending, ["edit_2", "edit_3"]);
        let said = edits.staged("edit_1").unwrap_err().to_string();
        assert_eq!(
            said,
            "`edit_1` is no longer staged: it expired (at most 2 edits are staged and newer ones came)"
        );
        let empty = edits.snapshot(&Plan::new()).unwrap();
        let said = edits.stage(Proposal::new("t", "o", empty)).unwrap_err().to_string();
        assert_eq!(said, "the change leaves every file as it is");
    });
    assert_eq!((Limits::default().pending, Limits::default().life), (32, Duration::from_mins(30)));
}

#[test]
fn an_old_edit_expires() {
    both(|_, _, open| {
        let edits = open(limited(32, Duration::ZERO));
        let id = edits.stage(proposal(&edits, "x")).unwrap().id;
        let said = edits.staged(&id).unwrap_err().to_string();
        assert_eq!(said, "`edit_1` is no longer staged: it expired (an edit stays staged for 0 s)");
        assert_eq!(edits.stage(proposal(&edits, "y")).unwrap().id, "edit_2");
    });
}

#[test]
fn staged_edits_of_the_folder_survive_and_leave_nothing_behind() {
    let fixture = Fixture::new("");
    fixture.write("a.txt", b"caf\xe9 \xff");
    let (registry, limits) = (Registry::builder().build(), Limits::default());
    let first = crate::bench::open(&fixture, &registry, &limits).unwrap();
    let bytes = fixture.bytes("a.txt");
    let edit = vec![edits::Replacement::new(3..4, b"\xfe".to_vec())];
    let plan = Plan::new().edit("a.txt", edits::Digest::of(&bytes), edit);
    let staged = first.stage(Proposal::new("t", "o", first.snapshot(&plan).unwrap())).unwrap();
    drop(first);
    let second = crate::bench::open(&fixture, &registry, &limits).unwrap();
    let again = second.staged(&staged.id).unwrap();
    let (edits, again) = (second.clone(), again);
    crate::within::within(&registry, move |cx| {
        edits.accept(&again, cx.permit(again.change.paths()).unwrap())
    })
    .unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"caf\xfe \xff");
    // What a process left that was killed while it staged goes with the next opening.
    let state = second.state().unwrap().to_owned();
    for name in ["edit_7.json", "edit_7.draft", "staged.draft"] {
        fs::write(state.join(name), "half").unwrap();
    }
    drop(second);
    drop(crate::bench::open(&fixture, &registry, &limits).unwrap());
    let mut left: Vec<String> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["lock", "staged.json", "staged.lock"]);
}

#[test]
fn many_handles_staging_at_once_get_different_ids() {
    both(|_, _, open| {
        let edits = open(limited(64, Duration::from_mins(30)));
        let mut ids: Vec<String> = std::thread::scope(|scope| {
            let staging: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| -> Vec<String> {
                        (0..5).map(|_| edits.stage(proposal(&edits, "x")).unwrap().id).collect()
                    })
                })
                .collect();
            staging.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 20);
    });
}

#[test]
fn of_many_who_accept_one_edit_one_does() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    let surface = desk.bench.registry.surface(Tier::Write);
    let answers: Vec<Result<Output, Error>> = desk.runtime.block_on(async {
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let (surface, arguments) = (surface.clone(), json!({"edit_id": id, "action": "accept"}));
                tokio::spawn(async move { surface.call("resolve", arguments).await })
            })
            .collect();
        let mut answers = Vec::new();
        for call in calls {
            answers.push(call.await.unwrap());
        }
        answers
    });
    let refusals: Vec<&Error> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!(refusals.len(), 7);
    for refusal in refusals {
        assert_eq!(refusal.message, "`edit_1` is no longer staged: it was accepted");
    }
    assert_eq!(desk.bench.fixture.read("a.txt"), "two\n");
}

#[test]
fn a_call_cancelled_while_it_waits_for_the_lock_writes_nothing() {
    let desk = Desk::new("//- /a.txt\none\n");
    let id = desk.propose("a.txt", "one", "two");
    let lock = fs::File::open(desk.bench.edits.state().unwrap().join("lock")).unwrap();
    lock.lock().unwrap();
    let surface = desk.bench.registry.surface(Tier::Write);
    let cancellation = Cancellation::new();
    let request = Request::new("resolve", json!({"edit_id": id, "action": "accept"}))
        .cancellation(cancellation.clone());
    let answer = desk.runtime.block_on(async {
        let call = tokio::spawn(async move { surface.request(request).await });
        tokio::task::yield_now().await;
        cancellation.cancel();
        call.await.unwrap()
    });
    assert_eq!(answer.unwrap_err().kind, ErrorKind::Cancelled);
    lock.unlock().unwrap();
    // Dropping the runtime waits for its blocking threads, so the commit has had its chance.
    let Desk { bench, runtime } = desk;
    drop(runtime);
    assert_eq!(bench.fixture.read("a.txt"), "one\n");
    assert_eq!(bench.edits.pending().unwrap().len(), 1);
}

#[test]
fn long_results_are_cut_and_counted() {
    let desk = Desk::new("");
    let plan = (0..60).fold(Plan::new(), |plan, n| plan.create(format!("n{n:02}"), "x"));
    let change = desk.bench.edits.snapshot(&plan).unwrap();
    let warnings = (0..60).map(|n| format!("w{n}")).collect();
    let id = desk.bench.edits.stage(Proposal::new("t", "o", change).warnings(warnings)).unwrap().id;
    let text = desk.resolve(&id, "show").unwrap().to_text();
    assert!(text.contains("\n  `n49`: created\n  … and 10 more files\nwarning: w0\n"), "{text}");
    assert!(text.contains("\nwarning: w49\nwarning: … and 10 more\n"), "{text}");
    let data = desk.resolve(&id, "accept").unwrap().data.unwrap();
    assert_eq!(data["files"].as_array().unwrap().len(), 60);
}

#[test]
fn fates_are_forgotten_in_the_end_and_ids_still_not_reused() {
    let fixture = Fixture::new("//- /a.txt\none\n");
    let registry = Registry::builder().build();
    let state = State::memory(fixture.outside().join("state"));
    let edits = Edits::open(Workspace::open(fixture.root()).unwrap(), registry.authority(), state).unwrap();
    for n in 1..=edits::limits::MAX_FATES + 1 {
        let id = edits.stage(proposal(&edits, "x")).unwrap().id;
        assert_eq!(id, format!("edit_{n}"));
        edits.discard(&id).unwrap();
    }
    let said = |id| edits.staged(id).unwrap_err().to_string();
    assert_eq!(said("edit_1"), "`edit_1` is no longer staged: it was finished long ago");
    assert_eq!(said("edit_2"), "`edit_2` is no longer staged: it was discarded");
}
