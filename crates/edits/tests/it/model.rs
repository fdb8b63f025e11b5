//! Plans of random steps against a model that holds files in a map: what the model allows is made exactly so, what it
//! refuses is refused with nothing changed.

use std::collections::BTreeMap;
use std::fs;

use edits::{Digest, Plan, Replacement};
use proptest::prelude::*;

use crate::bench::Bench;

type Files = BTreeMap<&'static str, String>;

const NAMES: [&str; 5] = ["a", "b", "c", "d/e", "d/f/g"];

#[derive(Clone, Copy, Debug)]
enum Step {
    Create(&'static str, u8),
    Replace(&'static str, u8),
    Insert(&'static str, u8),
    Rename(&'static str, &'static str),
    Delete(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::sample::select(NAMES.to_vec());
    prop_oneof![
        (name(), 0u8..4).prop_map(|(name, n)| Step::Create(name, n)),
        (name(), 0u8..4).prop_map(|(name, n)| Step::Replace(name, n)),
        (name(), 0u8..4).prop_map(|(name, n)| Step::Insert(name, n)),
        (name(), name()).prop_map(|(from, to)| Step::Rename(from, to)),
        name().prop_map(Step::Delete),
    ]
}

/// What a step makes of the files; `None` where it does not fit them.
fn modelled(mut files: Files, plan: Plan, step: Step) -> Option<(Files, Plan)> {
    let plan = match step {
        Step::Create(name, n) => {
            files.insert(name, n.to_string()).is_none().then_some(())?;
            plan.create(name, n.to_string())
        }
        Step::Replace(name, n) => {
            files.insert(name, n.to_string())?;
            plan.replace(name, None, n.to_string())
        }
        Step::Insert(name, n) => {
            let content = files.get_mut(name)?;
            let base = Digest::of(content.as_bytes());
            content.insert_str(0, &n.to_string());
            plan.edit(name, base, vec![Replacement::new(0..0, n.to_string())])
        }
        Step::Rename(from, to) => {
            let content = files.remove(from)?;
            files.insert(to, content).is_none().then_some(())?;
            plan.rename(from, to)
        }
        Step::Delete(name) => {
            files.remove(name)?;
            plan.delete(name)
        }
    };
    Some((files, plan))
}

/// The step as it stands, for a plan that must be refused.
fn unchecked(plan: Plan, step: Step) -> Plan {
    match step {
        Step::Create(name, n) => plan.create(name, n.to_string()),
        Step::Replace(name, n) => plan.replace(name, None, n.to_string()),
        Step::Insert(name, n) => {
            plan.edit(name, Digest::of(b""), vec![Replacement::new(0..0, n.to_string())])
        }
        Step::Rename(from, to) => plan.rename(from, to),
        Step::Delete(name) => plan.delete(name),
    }
}

fn on_disk(bench: &Bench) -> Files {
    let read = |name: &&'static str| Some((*name, fs::read_to_string(bench.fixture.path(name)).ok()?));
    NAMES.iter().filter_map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_does_what_its_steps_do_one_by_one(steps in prop::collection::vec(step(), 1..9)) {
        let bench = Bench::new("//- /a\n1\n//- /b\n2\n//- /d/e\n3\n");
        let old = on_disk(&bench);
        let (mut files, mut plan) = (old.clone(), Plan::new());
        for step in steps {
            let Some((next, longer)) = modelled(files.clone(), plan.clone(), step) else {
                let refused = unchecked(plan.clone(), step);
                prop_assert!(bench.edits.snapshot(&refused).is_err(), "{refused:?}");
                continue;
            };
            (files, plan) = (next, longer);
        }
        prop_assert_eq!(&on_disk(&bench), &old);
        let change = bench.edits.snapshot(&plan).unwrap();
        bench.commit(&change).unwrap();
        prop_assert_eq!(on_disk(&bench), files, "{:?}", plan);
    }
}
