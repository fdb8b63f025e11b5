//! What is sent for which change of a file.

use std::time::{Duration, SystemTime};

use test_support::Fixture;

use super::*;

struct Bench {
    fixture: Fixture,
    documents: Documents,
    sent: Vec<Message>,
}

impl Bench {
    fn new(capacity: usize) -> Self {
        Self { fixture: Fixture::empty(), documents: Documents::new(capacity), sent: Vec::new() }
    }

    fn put(&mut self, name: &str) -> Synced {
        let path = self.fixture.path(name);
        let disk = Disk::read(&path).unwrap();
        self.documents.put(&path, &disk, "rust", &mut self.sent)
    }

    /// What was sent since the last time, by method, name and version.
    fn sent(&mut self) -> Vec<String> {
        let sent = std::mem::take(&mut self.sent);
        sent.iter()
            .map(|message| {
                let document = &message.params["textDocument"];
                let name = document["uri"].as_str().unwrap().rsplit('/').next().unwrap();
                format!("{} {name} {}", message.method.rsplit('/').next().unwrap(), document["version"])
            })
            .collect()
    }
}

#[test]
fn a_text_is_sent_once_and_whole() {
    let mut bench = Bench::new(4);
    bench.fixture.write("a.rs", "one\n");
    bench.put("a.rs");
    bench.put("a.rs");
    bench.fixture.write("a.rs", "two\n");
    let synced = bench.put("a.rs");
    assert_eq!((&*synced.text, synced.version), ("two\n", 2));
    assert_eq!(bench.sent[1].params["contentChanges"], json!([{ "text": "two\n" }]));
    assert_eq!(bench.sent(), ["didOpen a.rs 1", "didChange a.rs 2"]);
}

#[test]
fn a_version_is_never_used_again() {
    let mut bench = Bench::new(4);
    bench.fixture.write("a.rs", "one\n");
    bench.put("a.rs");
    let path = bench.fixture.path("a.rs");
    assert!(bench.documents.close(&path, &mut bench.sent));
    assert!(!bench.documents.close(&path, &mut bench.sent));
    bench.put("a.rs");
    assert_eq!(bench.sent(), ["didOpen a.rs 1", "didClose a.rs null", "didOpen a.rs 2"]);
}

#[test]
fn the_document_used_the_longest_ago_makes_room() {
    let mut bench = Bench::new(2);
    for name in ["a.rs", "b.rs", "c.rs"] {
        bench.fixture.write(name, "");
    }
    bench.put("a.rs");
    bench.put("b.rs");
    let first = bench.fixture.path("a.rs");
    assert!(bench.documents.get(&first).is_some());
    bench.put("c.rs");
    assert_eq!(bench.documents.len(), 2);
    assert_eq!(bench.sent(), ["didOpen a.rs 1", "didOpen b.rs 2", "didClose b.rs null", "didOpen c.rs 3"]);
}

#[test]
fn a_document_is_current_by_its_stamp_and_its_age() {
    let mut bench = Bench::new(2);
    bench.fixture.write("a.rs", "one\n");
    bench.put("a.rs");
    let path = bench.fixture.path("a.rs");
    assert!(bench.documents.is_current(&path, Trust::Equal));
    assert!(!bench.documents.is_current(&path, Trust::Settled), "it was written a moment ago");
    assert_eq!(bench.documents.stale(Trust::Settled), std::slice::from_ref(&path));
    let old = SystemTime::now() - Duration::from_mins(1);
    // Its inode changes now, whatever time it is given.
    std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
    assert!(!bench.documents.is_current(&path, Trust::Equal));
}

#[test]
fn an_overlay_is_current_until_it_ends() {
    let mut bench = Bench::new(1);
    bench.fixture.write("a.rs", "one\n");
    bench.put("a.rs");
    let path = bench.fixture.path("a.rs");
    let text: Arc<str> = Arc::from("laid over\n");
    bench.documents.lay_over(&path, &text, "rust", &mut bench.sent);
    bench.fixture.write("a.rs", "three\n");
    assert!(bench.documents.is_current(&path, Trust::Settled));
    bench.fixture.write("b.rs", "");
    bench.put("b.rs");
    assert!(bench.documents.contains(&path), "an overlay makes no room");
    assert_eq!(bench.documents.end_overlays(), std::slice::from_ref(&path));
    assert!(!bench.documents.is_current(&path, Trust::Equal));
    assert_eq!(&*bench.put("a.rs").text, "three\n");
    assert_eq!(bench.sent(), ["didOpen a.rs 1", "didChange a.rs 2", "didOpen b.rs 3", "didChange a.rs 4"]);
}
