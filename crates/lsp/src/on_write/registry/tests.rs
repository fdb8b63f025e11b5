//! What is new, rule by rule, and against a model that only counts.

use proptest::prelude::*;

use super::*;
use crate::diagnostic::Stream;

fn diagnostic(line: u32, message: &str) -> Diagnostic {
    Diagnostic {
        start: (line, 0),
        end: (line, 1),
        severity: Severity::Error,
        code: Some("E1".to_owned()),
        source: Some("rustc".to_owned()),
        message: message.to_owned(),
        server: "ra".to_owned(),
        stream: Stream::Push,
        version: None,
    }
}

/// `file: message@line, …`.
fn snapshot(files: &[(&str, &[(&str, u32)])]) -> Snapshot {
    let read = |(path, list): &(&str, &[(&str, u32)])| {
        let list = list.iter().map(|(message, line)| diagnostic(*line, message)).collect();
        (PathBuf::from(path), list)
    };
    Snapshot::of(&"ra".into(), files.iter().map(read).collect())
}

fn told(new: &[New]) -> Vec<String> {
    new.iter()
        .map(|new| format!("{}: {} +{} ({})", new.path.display(), new.diagnostic.message, new.added, new.now))
        .collect()
}

fn nothing() -> Snapshot {
    Snapshot::default()
}

#[test]
fn what_was_there_before_is_not_new_and_what_moved_is_not_new() {
    let before = snapshot(&[("a", &[("x", 1)])]);
    let moved = snapshot(&[("a", &[("x", 90)])]);
    assert!(Registry::default().introduced(&moved, &before).is_empty());
}

#[test]
fn a_second_equal_error_is_one_more() {
    let before = snapshot(&[("a", &[("x", 1)])]);
    let now = snapshot(&[("a", &[("x", 1), ("x", 7)])]);
    let new = Registry::default().introduced(&now, &before);
    assert_eq!(told(&new), ["a: x +1 (2)"]);
    assert_eq!(new[0].diagnostic.start.0, 7);
}

#[test]
fn the_same_message_in_another_file_or_of_another_source_is_new() {
    let before = snapshot(&[("a", &[("x", 1)])]);
    let now = snapshot(&[("a", &[("x", 1)]), ("b", &[("x", 1)])]);
    assert_eq!(told(&Registry::default().introduced(&now, &before)), ["b: x +1 (1)"]);
    let other = Diagnostic { source: Some("clippy".to_owned()), ..diagnostic(1, "x") };
    let now = Snapshot::of(&"ra".into(), vec![(PathBuf::from("a"), vec![diagnostic(1, "x"), other])]);
    assert_eq!(Registry::default().introduced(&now, &before).len(), 1);
}

#[test]
fn what_was_reported_is_not_told_again_and_what_comes_back_is() {
    let mut registry = Registry::default();
    let broken = snapshot(&[("a", &[("x", 1)])]);
    assert_eq!(registry.introduced(&broken, &nothing()).len(), 1);
    registry.settled("ra", &broken);
    assert!(registry.introduced(&broken, &nothing()).is_empty());
    registry.settled("ra", &snapshot(&[("a", &[])]));
    assert_eq!(registry.introduced(&broken, &nothing()).len(), 1, "it was fixed in between");
}

#[test]
fn an_unsettled_empty_list_makes_nothing_new() {
    let mut registry = Registry::default();
    let broken = snapshot(&[("a", &[("x", 1)])]);
    registry.settled("ra", &broken);
    assert!(registry.introduced(&nothing(), &broken).is_empty());
    assert!(registry.introduced(&broken, &nothing()).is_empty(), "only `settled` changes what was reported");
}

#[test]
fn a_server_replaces_only_its_own() {
    let mut registry = Registry::default();
    let broken = snapshot(&[("a", &[("x", 1)])]);
    registry.settled("ra", &broken);
    registry.settled("other", &nothing());
    assert!(registry.introduced(&broken, &nothing()).is_empty());
}

#[test]
fn positions_in_a_message_are_no_difference_and_other_numbers_are() {
    let before = snapshot(&[("a", &[("first borrow on line 3", 1), ("expected 2", 4)])]);
    let now = snapshot(&[("a", &[("first borrow on line 9", 1), ("expected 3", 4)])]);
    assert_eq!(told(&Registry::default().introduced(&now, &before)), ["a: expected 3 +1 (1)"]);
}

#[test]
fn a_code_or_a_severity_is_a_difference_and_hints_are_nothing() {
    let before = snapshot(&[("a", &[("x", 1)])]);
    for (severity, code, new) in [
        (Severity::Warning, "E1", 1),
        (Severity::Error, "E2", 1),
        (Severity::Hint, "E1", 0),
        (Severity::Information, "E1", 0),
    ] {
        let changed = Diagnostic { severity, code: Some(code.to_owned()), ..diagnostic(1, "x") };
        let now = Snapshot::of(&"ra".into(), vec![(PathBuf::from("a"), vec![diagnostic(1, "x"), changed])]);
        assert_eq!(Registry::default().introduced(&now, &before).len(), new, "{severity} {code}");
    }
}

#[test]
fn a_moved_file_takes_what_was_reported_with_it_and_a_deleted_one_loses_it() {
    let mut registry = Registry::default();
    registry.settled("ra", &snapshot(&[("a", &[("x", 1)])]));
    registry.moved(Path::new("a"), Path::new("b"));
    let moved = snapshot(&[("b", &[("x", 1)])]);
    assert!(registry.introduced(&moved, &nothing()).is_empty());
    assert_eq!(registry.introduced(&snapshot(&[("a", &[("x", 1)])]), &nothing()).len(), 1);
    registry.deleted(Path::new("b"));
    assert_eq!(registry.introduced(&moved, &nothing()).len(), 1);
    let mut before = snapshot(&[("a", &[("x", 1)])]);
    before.moved(Path::new("a"), Path::new("b"));
    assert!(Registry::default().introduced(&moved, &before).is_empty() && !before.knows(Path::new("a")));
}

/// One step of a run, over two files and three messages.
#[derive(Clone, Debug)]
enum Step {
    /// The server now knows these: (file, message).
    Published(Vec<(usize, usize)>),
    /// A write: what is known now is the baseline of the next report.
    Write,
    /// A report is made, settled or not.
    Report { settled: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let list = prop::collection::vec((0..2_usize, 0..3_usize), 0..6);
    prop_oneof![
        list.prop_map(Step::Published),
        Just(Step::Write),
        any::<bool>().prop_map(|settled| Step::Report { settled }),
    ]
}

proptest! {
    #[test]
    fn it_counts_like_a_model_that_only_counts(steps in prop::collection::vec(step(), 0..40)) {
        const FILES: [&str; 2] = ["a", "b"];
        const MESSAGES: [&str; 3] = ["x", "y", "z"];
        type Counts = [[usize; 3]; 2];
        let mut registry = Registry::default();
        let (mut current, mut baseline) = (Snapshot::default(), Snapshot::default());
        let (mut now, mut before, mut reported) = (Counts::default(), Counts::default(), Counts::default());
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::Published(list) => {
                    now = Counts::default();
                    let mut files: Vec<(PathBuf, Vec<Diagnostic>)> =
                        FILES.iter().map(|file| (PathBuf::from(file), Vec::new())).collect();
                    for (line, (file, message)) in list.into_iter().enumerate() {
                        now[file][message] += 1;
                        // Every step at other lines: positions must not count.
                        let line = u32::try_from(at * 10 + line).unwrap();
                        files[file].1.push(diagnostic(line, MESSAGES[message]));
                    }
                    current = Snapshot::of(&"ra".into(), files);
                }
                Step::Write => (baseline, before) = (current.clone(), now),
                Step::Report { settled } => {
                    let new = registry.introduced(&current, &baseline);
                    for (file, name) in FILES.iter().enumerate() {
                        for (message, text) in MESSAGES.iter().enumerate() {
                            let count = now[file][message];
                            let known = reported[file][message].max(before[file][message]);
                            let found = new.iter().find(|new| {
                                new.path == Path::new(name) && new.diagnostic.message == *text
                            });
                            prop_assert_eq!(found.map_or(0, |new| new.added), count.saturating_sub(known));
                            prop_assert!(found.is_none_or(|new| new.now == count));
                        }
                    }
                    if settled {
                        registry.settled("ra", &current);
                        reported = now;
                    }
                }
            }
        }
    }
}
