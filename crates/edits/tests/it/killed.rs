//! Commits that are killed, by a real SIGKILL of a real process, before every one of their steps: whoever comes next
//! finds all files old or all new, and nothing beside them.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use edits::Limits;
use test_support::Fixture;
use tool::Registry;

use crate::bench::{assert_clean, everything, open};
use crate::scenario;

type Tree = BTreeMap<String, String>;

const HELPER: &str = env!("CARGO_BIN_EXE_edits-faulty");

/// A workspace in which a scenario can be cut off.
struct Stage {
    fixture: Fixture,
}

impl Stage {
    fn new(scenario: &str) -> Self {
        let fixture = Fixture::empty();
        scenario::furnish(scenario, fixture.root());
        Self { fixture }
    }

    fn run(&self, action: &str, faults: &[String]) -> Output {
        Command::new(HELPER)
            .arg(self.fixture.root())
            .arg(self.fixture.outside().join("state"))
            .arg(action)
            .args(faults)
            .output()
            .unwrap()
    }

    /// Runs to the end and says how many steps that took.
    fn steps(&self, action: &str, faults: &[String]) -> u64 {
        let output = self.run(action, faults);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap().trim().parse().unwrap()
    }

    /// Runs and is killed; says whether it was, since a plan may take fewer steps the second time.
    fn killed(&self, action: &str, faults: &[String]) -> bool {
        let output = self.run(action, faults);
        let killed = output.status.signal() == Some(9);
        assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        killed
    }

    fn tree(&self) -> Tree {
        everything(self.fixture.root())
    }
}

/// What a scenario starts from, ends in, and how many steps it takes.
struct Known {
    old: Tree,
    new: Tree,
    steps: u64,
}

fn known(scenario: &str, faults: &[String]) -> Known {
    let stage = Stage::new(scenario);
    let old = stage.tree();
    let steps = stage.steps(scenario, faults);
    let new = stage.tree();
    assert_ne!(old, new);
    Known { old, new, steps }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Cuts `scenario` off, then each of the recoveries, and lets the last recovery finish. Says whether the tree is new.
fn cut_off(scenario: &str, known: &Known, fault: &str, recoveries: &[String]) -> bool {
    let stage = Stage::new(scenario);
    let killed = stage.killed(scenario, &words(fault));
    assert!(killed || fault.contains("half"), "{scenario}: {fault} killed nobody");
    for recovery in recoveries {
        stage.killed("recover", &words(recovery));
    }
    stage.steps("recover", &[]);
    let tree = stage.tree();
    let what = || format!("{scenario}: {fault}, recovery {recoveries:?}");
    assert!(tree == known.old || tree == known.new, "{}: neither old nor new: {tree:#?}", what());
    let state = stage.fixture.outside().join("state");
    assert_clean(stage.fixture.root(), &state);
    assert!(!state.join("kept").exists(), "{}: nobody else wrote, but something was kept", what());
    tree == known.new
}

/// Runs jobs on as many threads as keep a disk busy.
fn in_parallel(jobs: &[(String, Vec<String>)], run: impl Fn(&str, &[String]) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((fault, recoveries)) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    run(fault, recoveries);
                }
            });
        }
    });
}

/// One kill before every step of a scenario.
fn every_step(scenario: &str, known: &Known, how: &str) -> usize {
    let jobs: Vec<_> = (1..=known.steps).map(|step| (format!("{how} {step}"), Vec::new())).collect();
    let (old, new) = (AtomicUsize::new(0), AtomicUsize::new(0));
    in_parallel(&jobs, |fault, recoveries| {
        let count = if cut_off(scenario, known, fault, recoveries) { &new } else { &old };
        count.fetch_add(1, Ordering::SeqCst);
    });
    assert!(
        old.into_inner() > 0 && new.into_inner() > 0,
        "{scenario}: kills fall on both sides of the commit"
    );
    jobs.len()
}

#[test]
fn a_mixed_plan_killed_before_every_step_is_all_old_or_all_new() {
    let known = known("mixed", &[]);
    assert!(known.steps > 50, "{} steps", known.steps);
    every_step("mixed", &known, "kill");
    every_step("mixed", &known, "half");
}

#[test]
fn a_recovery_killed_before_every_step_is_taken_up_again() {
    let known = known("mixed", &[]);
    // The last steps before the commit is complete: every file has been swapped.
    let late =
        (1..=known.steps).rev().find(|step| !cut_off("mixed", &known, &format!("kill {step}"), &[])).unwrap();
    let stage = Stage::new("mixed");
    assert!(stage.killed("mixed", &words(&format!("kill {late}"))));
    let steps = stage.steps("recover", &[]);
    let jobs: Vec<_> =
        (1..=steps).map(|step| (format!("kill {late}"), vec![format!("kill {step}")])).collect();
    in_parallel(&jobs, |fault, recoveries| {
        assert!(!cut_off("mixed", &known, fault, recoveries));
    });
}

#[test]
#[ignore = "long: kills more than a thousand commits and recoveries"]
fn long_every_scenario_killed_everywhere() {
    let mut runs = 0;
    for scenario in scenario::ALL {
        for weak in ["", "weak "] {
            let known = known(scenario, &words(weak));
            runs += every_step(scenario, &known, &format!("{weak}kill"));
            runs += every_step(scenario, &known, &format!("{weak}half"));
            // Recoveries cut off once and twice, from a spread of places.
            let jobs: Vec<_> = (1..=known.steps)
                .flat_map(|step| {
                    [3, 5, 8, 13, 21].map(|at| {
                        let first = format!("{weak}kill {}", at + step % 7);
                        let second = format!("{weak}half {}", 3 + (step + at) % 11);
                        (format!("{weak}kill {step}"), vec![first, second])
                    })
                })
                .collect();
            runs += jobs.len();
            in_parallel(&jobs, |fault, recoveries| {
                cut_off(scenario, &known, fault, recoveries);
            });
        }
    }
    assert!(runs >= 1_000, "{runs} runs");
    println!("{runs} commits killed");
}

#[test]
fn several_processes_at_once_take_turns() {
    let fixture = Fixture::new("//- /left\n0\n//- /right\n0\n");
    fixture.write("left", "0");
    fixture.write("right", "0");
    let (processes, each) = (4, 6);
    let running: Vec<_> = (0..processes)
        .map(|_| {
            Command::new(HELPER)
                .arg(fixture.root())
                .arg(fixture.outside().join("state"))
                .args(["bump", "count", &each.to_string()])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut process in running {
        assert!(process.wait().unwrap().success());
    }
    let total = (processes * each).to_string();
    assert_eq!((fixture.read("left"), fixture.read("right")), (total.clone(), total));
    assert_clean(fixture.root(), &fixture.outside().join("state"));
}

#[test]
fn staging_killed_before_every_step_loses_no_id_and_leaves_no_file() {
    let steps = Stage::new("edits").steps("stage", &[]);
    assert!(steps > 20, "{steps} steps");
    let jobs: Vec<_> = (1..=steps).map(|step| (format!("kill {step}"), Vec::new())).collect();
    in_parallel(&jobs, |fault, _| {
        let stage = Stage::new("edits");
        assert!(stage.killed("stage", &words(fault)));
        let registry = Registry::builder().build();
        let edits = open(&stage.fixture, &registry, &Limits::default()).unwrap();
        let pending: Vec<String> = edits.pending().unwrap().into_iter().map(|(id, _)| id).collect();
        let known = edits.staged("edit_1").map_err(|error| error.to_string());
        let expected = match &known {
            Ok(staged) => {
                assert_eq!(edits.diff(&staged.change, 1).unwrap().added, 1, "{fault}");
                (vec!["edit_1".to_owned()], "edit_2")
            }
            Err(error) if error.contains("discarded") => (vec![], "edit_2"),
            Err(_) => (vec![], "edit_1"),
        };
        let change = edits.snapshot(&edits::Plan::new().create("n", "n")).unwrap();
        let next = edits.stage(edits::Proposal::new("t", "o", change)).unwrap().id;
        assert_eq!((pending, next.as_str()), expected, "{fault}: {known:?}");
        let files =
            std::fs::read_dir(edits.state().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
        let edits = files.filter(|name| name.to_str().unwrap().starts_with("edit_")).count();
        assert_eq!(edits, expected.0.len() + 1, "{fault}");
        assert_clean(stage.fixture.root(), &stage.fixture.outside().join("state"));
    });
}
