//! Commits in which a step fails, or somebody else writes in between: all old or all new, nothing beside the files,
//! and what somebody else wrote stands.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use edits::fault::{Fault, Faults, Step};
use edits::{Cause, Committed, Edits, Error, Limits, State};
use rustix::io::Errno;
use test_support::Fixture;
use tool::Registry;
use workspace::Workspace;

use crate::bench::{assert_clean, commit, everything};
use crate::scenario;

type Tree = BTreeMap<String, String>;
type Hook = Box<dyn FnMut(u64, &str, &Path) -> Fault + Send>;

/// Counts the steps since it was armed and asks the hook about each.
struct Script {
    armed: AtomicBool,
    steps: AtomicU64,
    hook: Mutex<Hook>,
}

impl Faults for Script {
    fn before(&self, step: Step<'_>) -> Fault {
        if !self.armed.load(Ordering::SeqCst) {
            return Fault::None;
        }
        let number = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        (self.hook.lock().unwrap())(number, step.name, step.path)
    }
}

struct Trial {
    fixture: Fixture,
    result: Result<Committed, Error>,
    steps: u64,
}

fn state(fixture: &Fixture) -> PathBuf {
    fixture.outside().join("state")
}

/// Makes the change of a scenario while `hook` decides about every step of the commit.
fn attempt(scenario: &str, hook: impl FnMut(u64, &str, &Path) -> Fault + Send + 'static) -> Trial {
    let fixture = Fixture::empty();
    scenario::furnish(scenario, fixture.root());
    let registry = Registry::builder().build();
    let hook: Mutex<Hook> = Mutex::new(Box::new(hook));
    let script = Arc::new(Script { armed: AtomicBool::new(false), steps: AtomicU64::new(0), hook });
    let edits = Edits::open_faulty(
        Workspace::open(fixture.root()).unwrap(),
        registry.authority(),
        State::memory(state(&fixture)),
        Limits::default(),
        Arc::clone(&script) as Arc<dyn Faults>,
    )
    .unwrap();
    let change = edits.snapshot(&scenario::plan(scenario, fixture.root())).unwrap();
    script.armed.store(true, Ordering::SeqCst);
    let result = commit(&edits, &registry, &change);
    Trial { fixture, result, steps: script.steps.load(Ordering::SeqCst) }
}

fn fail(error: Errno) -> Fault {
    Fault::Fail(io::Error::from_raw_os_error(error.raw_os_error()))
}

/// Opens the workspace as the next process would.
fn recover(fixture: &Fixture) -> Edits {
    let registry = Registry::builder().build();
    let workspace = Workspace::open(fixture.root()).unwrap();
    Edits::open(workspace, registry.authority(), State::memory(state(fixture))).unwrap()
}

#[test]
fn a_step_that_fails_once_leaves_all_old_or_all_new() {
    for scenario in ["mixed", "links"] {
        let (old, new) = ends(scenario);
        let steps = attempt(scenario, |_, _, _| Fault::None).steps;
        for error in [Errno::NOSPC, Errno::ACCESS] {
            let mut made = 0;
            for k in 1..=steps {
                let trial =
                    attempt(scenario, move |step, _, _| if step == k { fail(error) } else { Fault::None });
                let tree = everything(trial.fixture.root());
                let what = || format!("{scenario}: step {k} of {steps} failed: {:?}", trial.result);
                match &trial.result {
                    Ok(_) => made += 1,
                    Err(Error::NotRestored { .. }) => panic!("{}", what()),
                    Err(error) => {
                        assert!(!error.to_string().is_empty() && tree == old, "{}: {tree:#?}", what());
                    }
                }
                drop(recover(&trial.fixture));
                assert_clean(trial.fixture.root(), &state(&trial.fixture));
                let tree = everything(trial.fixture.root());
                assert!(
                    tree == if trial.result.is_ok() { new.clone() } else { old.clone() },
                    "{}: {tree:#?}",
                    what()
                );
            }
            assert!(made > 0 && made < steps, "{made} of {steps} commits were made");
        }
    }
}

fn ends(scenario: &str) -> (Tree, Tree) {
    let fixture = Fixture::empty();
    scenario::furnish(scenario, fixture.root());
    let trial = attempt(scenario, |_, _, _| Fault::None);
    trial.result.unwrap();
    (everything(fixture.root()), everything(trial.fixture.root()))
}

#[test]
fn a_disk_that_stays_broken_is_named_and_restored_later() {
    let (old, new) = ends("mixed");
    let steps = attempt("mixed", |_, _, _| Fault::None).steps;
    let mut named = 0;
    for k in 1..=steps {
        let trial = attempt("mixed", move |step, _, _| if step >= k { fail(Errno::IO) } else { Fault::None });
        if let Err(error @ Error::NotRestored { stuck, .. }) = &trial.result {
            named += 1;
            let message = error.to_string();
            for stuck in stuck {
                assert!(message.contains(&stuck.path.display().to_string()), "{message}");
                if let Some(backup) = &stuck.backup {
                    assert!(message.contains(&backup.display().to_string()) && backup.exists(), "{message}");
                }
            }
        }
        let opened = recover(&trial.fixture);
        assert_clean(trial.fixture.root(), opened.state().unwrap());
        let tree = everything(trial.fixture.root());
        assert!(tree == if trial.result.is_ok() { new.clone() } else { old.clone() }, "step {k}: {tree:#?}");
    }
    assert!(named > 0);
}

#[test]
fn a_write_between_verify_and_swap_rolls_everything_back_and_stands() {
    let places = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&places);
    let steps = attempt("mixed", move |step, name, path| {
        if matches!(name, "exchange" | "place" | "overwrite") {
            seen.lock().unwrap().push((step, path.to_owned()));
        }
        Fault::None
    })
    .steps;
    let places = places.lock().unwrap().clone();
    assert!(places.len() >= 7 && places.len() < usize::try_from(steps).unwrap());
    // The path of a deletion's step is where the file goes; the file itself is found by its absence of a new name.
    for (k, _) in &places {
        for in_place in [true, false] {
            let (k, hit) = (*k, Arc::new(Mutex::new(None)));
            let written = Arc::clone(&hit);
            let trial = attempt("mixed", move |step, name, path| {
                if step == k && name != "overwrite" {
                    let target = foreign_target(path);
                    let content = format!("somebody else's {step}");
                    if in_place {
                        fs::write(&target, &content).unwrap();
                    } else {
                        let draft = target.with_extension("editor");
                        fs::write(&draft, &content).unwrap();
                        fs::rename(&draft, &target).unwrap();
                    }
                    *written.lock().unwrap() = Some((target, content));
                }
                Fault::None
            });
            let Some((path, content)) = hit.lock().unwrap().clone() else { continue };
            let what = format!("step {k}, in place {in_place}: {} {:?}", path.display(), trial.result);
            assert!(
                matches!(trial.result, Err(Error::RolledBack { cause: Cause::Foreign { .. }, .. })),
                "{what}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), content, "{what}");
            assert_clean(trial.fixture.root(), &state(&trial.fixture));
            let name = path.strip_prefix(trial.fixture.root()).unwrap().to_str().unwrap().to_owned();
            let untouched = Fixture::empty();
            scenario::furnish("mixed", untouched.root());
            let (mut old, mut tree) = (everything(untouched.root()), everything(trial.fixture.root()));
            old.remove(&name);
            tree.remove(&name);
            // A folder made for a file that somebody else then created stays with it.
            tree.retain(|path, what| what != "folder" || old.contains_key(path));
            assert_eq!(tree, old, "{what}");
        }
    }
}

/// The file of the workspace that a step with this path is about to swap, place or take away.
fn foreign_target(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap().to_str().unwrap();
    // Only the deletions of the mixed scenario have a temporary name at this point.
    if name.starts_with(".outrigger-") {
        let b = path.with_file_name("b.txt");
        return if b.exists() { b } else { path.with_file_name("c.txt") };
    }
    path.to_owned()
}

#[test]
fn a_file_system_without_exchange_says_that_the_guarantee_is_weaker() {
    let (_, new) = ends("mixed");
    let trial =
        attempt(
            "mixed",
            |_, name, _| {
                if matches!(name, "exchange" | "place") { fail(Errno::INVAL) } else { Fault::None }
            },
        );
    let notes = trial.result.unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("` and 1 more cannot swap files")), "{notes:?}");
    assert!(everything(trial.fixture.root()) == new);
    assert_clean(trial.fixture.root(), &state(&trial.fixture));
    // A write before the comparison is still seen.
    let trial = attempt("mixed", |_, name, path| {
        if name == "exchange" {
            fs::write(path, "somebody else's").unwrap();
        }
        if matches!(name, "exchange" | "place") { fail(Errno::INVAL) } else { Fault::None }
    });
    assert!(matches!(trial.result, Err(Error::RolledBack { cause: Cause::Foreign { .. }, .. })));
}

#[test]
fn content_of_somebody_else_after_a_crash_is_left_and_the_old_one_kept() {
    // The disk dies after the first files were swapped, and before the process can restore them.
    let mut swaps = 0;
    let trial = attempt("mixed", move |_, name, _| {
        swaps += u32::from(name == "exchange" || name == "place");
        if swaps > 4 { fail(Errno::IO) } else { Fault::None }
    });
    assert!(matches!(trial.result, Err(Error::NotRestored { .. })), "{:?}", trial.result);
    let old = Fixture::empty();
    scenario::furnish("mixed", old.root());
    let changed: Vec<String> = ["src/a.txt", "run.sh"]
        .into_iter()
        .filter(|path| trial.fixture.bytes(path) != old.bytes(path))
        .map(str::to_owned)
        .collect();
    let path = changed.first().expect("a file was swapped");
    trial.fixture.write(path, "somebody else's");
    let kept = state(&trial.fixture).join("kept");
    fs::create_dir(&kept).unwrap();
    for number in 0..edits::limits::MAX_KEPT + 5 {
        let old = fs::File::create(kept.join(format!("old-{number}"))).unwrap();
        let age = std::time::Duration::from_secs(number as u64);
        old.set_modified(std::time::SystemTime::UNIX_EPOCH + age).unwrap();
    }
    let opened = recover(&trial.fixture);
    assert_eq!(fs::read_dir(&kept).unwrap().count(), edits::limits::MAX_KEPT, "the newest are kept");
    assert!(!kept.join("old-5").exists() && kept.join("old-6").exists());
    assert_eq!(trial.fixture.read(path), "somebody else's");
    let foreign = &opened.recovery().foreign;
    assert_eq!(foreign.len(), 1, "{foreign:?}");
    assert_eq!(foreign[0].path, trial.fixture.path(path));
    assert_eq!(fs::read(foreign[0].kept.as_ref().unwrap()).unwrap(), old.bytes(path));
    let said = opened.recovered().join("\n");
    assert!(
        said.contains("was changed by somebody else and left; what it held before the change is in"),
        "{said}"
    );
    assert_clean(trial.fixture.root(), opened.state().unwrap());
    let (mut tree, mut before) = (everything(trial.fixture.root()), everything(old.root()));
    assert!(tree.remove(path) != before.remove(path));
    assert_eq!(tree, before);
}

#[test]
fn a_backup_that_somebody_removed_is_not_passed_over() {
    let mut swaps = 0;
    let trial = attempt("edits", move |_, name, path| {
        swaps += u32::from(name == "exchange");
        if swaps < 2 {
            return Fault::None;
        }
        // As `git clean` would: after its swap, the old content of `big.txt` has a name that nobody knows.
        for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
            let beside = entry.unwrap().path();
            let big = fs::metadata(&beside).unwrap().len() == 144_000;
            if big && beside.file_name().unwrap().to_str().unwrap().starts_with(".outrigger-") {
                fs::remove_file(beside).unwrap();
            }
        }
        if name == "exchange" { fail(Errno::IO) } else { Fault::None }
    });
    let Err(error @ Error::RolledBack { .. }) = trial.result else { panic!("{:?}", trial.result) };
    let said = tool::Error::from(error).message;
    let big = trial.fixture.path("big.txt");
    let end = format!("; but `{}` was changed by somebody else and left", big.display());
    assert!(said.ends_with(&end), "{said}");
    assert_clean(trial.fixture.root(), &state(&trial.fixture));
}

#[test]
fn a_full_state_disk_keeps_no_half_written_file() {
    for (draft, full) in [("edit_1.draft", "write"), ("edit_1.draft", "sync"), ("staged.draft", "write")] {
        let fixture = Fixture::new("//- /a.txt\na\n");
        let registry = Registry::builder().build();
        let hook: Mutex<Hook> = Mutex::new(Box::new(move |_, name, path: &Path| {
            if name == full && path.ends_with(draft) { fail(Errno::NOSPC) } else { Fault::None }
        }));
        let script = Script { armed: AtomicBool::new(true), steps: AtomicU64::new(0), hook };
        let edits = Edits::open_faulty(
            Workspace::open(fixture.root()).unwrap(),
            registry.authority(),
            State::folder(state(&fixture)).advice("elsewhere"),
            Limits::default(),
            Arc::new(script),
        )
        .unwrap();
        let change = edits.snapshot(&edits::Plan::new().replace("a.txt", None, "b")).unwrap();
        let error = edits.stage(edits::Proposal::new("t", "o", change)).unwrap_err();
        let error = tool::Error::from(error);
        assert_eq!((error.kind, error.hint.as_deref()), (tool::ErrorKind::Unavailable, Some("elsewhere")));
        assert!(error.message.contains("No space left"), "{error}");
        assert_clean(fixture.root(), &state(&fixture));
    }
}
