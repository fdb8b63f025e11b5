//! Two looks at real files, and what happened in between.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::time::Duration;

use test_support::Fixture;

use super::*;

/// Past the tick in which the fixture was written.
fn let_it_settle() {
    std::thread::sleep(USUAL_TICK + Duration::from_millis(20));
}

fn told(fixture: &Fixture, changes: Vec<FileChange>) -> Vec<String> {
    let mut told: Vec<String> = changes
        .into_iter()
        .map(|change| {
            format!("{:?} {}", change.kind, change.path.strip_prefix(fixture.root()).unwrap().display())
        })
        .collect();
    told.sort();
    told
}

#[tokio::test]
async fn what_happened_is_told_once_by_its_kind() {
    let fixture = Fixture::new(
        "//- /.gitignore\nbuild/\n//- /a.rs\none\n//- /b.rs\ntwo\n//- /c.rs\nthree\n//- /d.rs\nfour\n",
    );
    let_it_settle();
    let tracked = Tracked::new(Workspace::open(fixture.root()).unwrap());
    let mut known = Known::new(tracked.latest().await.unwrap());
    fixture.write("a.rs", "eno\n");
    fixture.write("new/e.rs", "");
    fixture.write("build/x.rs", "");
    std::fs::remove_file(fixture.path("b.rs")).unwrap();
    std::fs::rename(fixture.path("c.rs"), fixture.path("f.rs")).unwrap();
    let_it_settle();
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(
        told(&fixture, changes),
        ["Changed a.rs", "Created f.rs", "Created new/e.rs", "Deleted b.rs", "Deleted c.rs"]
    );
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(told(&fixture, changes), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_server_was_told_is_not_told_again() {
    let fixture = Fixture::new("//- /a.rs\none\n//- /b.rs\ntwo\n//- /c.rs\nthree\n");
    let_it_settle();
    let tracked = Tracked::new(Workspace::open(fixture.root()).unwrap());
    let mut known = Known::new(tracked.latest().await.unwrap());
    fixture.write("a.rs", "longer\n");
    fixture.write("new.rs", "");
    std::fs::remove_file(fixture.path("b.rs")).unwrap();
    for name in ["a.rs", "new.rs", "b.rs"] {
        known.told(&fixture.path(name));
    }
    fixture.write("c.rs", "changed\n");
    let_it_settle();
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(told(&fixture, changes), ["Changed c.rs"]);
    std::fs::remove_file(fixture.path("new.rs")).unwrap();
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(told(&fixture, changes), ["Deleted new.rs"]);
}

#[tokio::test]
async fn a_file_written_right_before_it_was_listed_counts_as_changed() {
    let fixture = Fixture::new("//- /a.rs\none\n");
    let tracked = Tracked::new(Workspace::open(fixture.root()).unwrap());
    let mut known = Known::new(tracked.latest().await.unwrap());
    let_it_settle();
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(told(&fixture, changes), ["Changed a.rs"]);
    let changes = known.catch_up(&tracked.look().await.unwrap());
    assert_eq!(told(&fixture, changes), Vec::<String>::new());
}
