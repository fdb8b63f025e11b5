//! A process that makes one change and, as its arguments say, is killed on the way. Meant for the tests of this crate
//! alone: `edits-faulty ROOT STATE ACTION FAULT…`, where ACTION is a scenario, `recover`, `stage` or `bump`.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a helper of the tests")]

extern crate outrigger_edits as edits;

#[expect(dead_code, reason = "the tests furnish the workspaces")]
#[path = "../it/scenario.rs"]
mod scenario;
#[path = "../it/within.rs"]
mod within;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use edits::fault::{Fault, Faults, Step};
use edits::{Digest, Edits, Error, Limits, Plan, Proposal, Replacement, State};
use tool::Registry;
use workspace::Workspace;

/// What happens to the steps of this process.
#[derive(Default)]
struct Doom {
    /// Die before this step.
    kill: Option<u64>,
    /// Do half of this step, if it writes, and die before the next.
    half: Option<u64>,
    /// Renames that exchange or do not replace are refused, as some file systems do.
    weak: bool,
    /// Show each step to a tracer.
    mark: bool,
    seen: AtomicU64,
}

impl Faults for Doom {
    fn before(&self, step: Step<'_>) -> Fault {
        self.seen.store(step.number, Ordering::SeqCst);
        if self.kill == Some(step.number) || self.half.is_some_and(|half| half + 1 == step.number) {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
            loop {
                std::thread::park();
            }
        }
        if self.mark {
            let _ =
                std::fs::metadata(Path::new("/outrigger-step").join(step.number.to_string()).join(step.name));
        }
        if self.weak && matches!(step.name, "exchange" | "place") {
            return Fault::Fail(io::Error::from_raw_os_error(rustix::io::Errno::INVAL.raw_os_error()));
        }
        if self.half == Some(step.number) { Fault::Half } else { Fault::None }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().unwrap_or_default();
    let (root, state, action) = (PathBuf::from(next()), PathBuf::from(next()), next());
    let mut doom = Doom::default();
    let mut count = 0;
    loop {
        match next().as_str() {
            "" => break,
            "kill" => doom.kill = next().parse().ok(),
            "half" => doom.half = next().parse().ok(),
            "weak" => doom.weak = true,
            "mark" => doom.mark = true,
            "count" => count = next().parse().unwrap(),
            other => panic!("what is {other}?"),
        }
    }
    let (doom, registry) = (Arc::new(doom), Registry::builder().build());
    let edits = Edits::open_faulty(
        Workspace::open(&root).unwrap(),
        registry.authority(),
        State::folder(state),
        Limits::default(),
        Arc::clone(&doom) as Arc<dyn Faults>,
    )
    .unwrap();
    match action.as_str() {
        "recover" => {}
        "stage" => {
            let change = edits.snapshot(&Plan::new().create("staged.txt", "s".repeat(70_000))).unwrap();
            edits.stage(Proposal::new("t", "o", change)).unwrap();
            edits.discard(&edits.pending().unwrap()[0].0).unwrap();
        }
        "bump" => (0..count).for_each(|_| bump(&edits, &registry, &root)),
        scenario => commit(&edits, &registry, &scenario::plan(scenario, &root)).unwrap(),
    }
    eprintln!("{}", doom.seen.load(Ordering::SeqCst));
}

fn commit(edits: &Edits, registry: &Registry, plan: &Plan) -> Result<(), Error> {
    let change = edits.snapshot(plan)?;
    let edits = edits.clone();
    within::within(registry, move |cx| edits.commit(&change, cx.permit(change.paths()).unwrap()).map(|_| ()))
}

/// Adds one to the number in each of two files, together, however many others do the same.
fn bump(edits: &Edits, registry: &Registry, root: &Path) {
    loop {
        let mut plan = Plan::new();
        for name in ["left", "right"] {
            let Ok(bytes) = std::fs::read(root.join(name)) else { continue };
            let number: u64 = String::from_utf8(bytes.clone()).unwrap().parse().unwrap();
            let whole = Replacement::new(0..bytes.len(), (number + 1).to_string());
            plan = plan.edit(name, Digest::of(&bytes), vec![whole]);
        }
        match commit(edits, registry, &plan) {
            Ok(()) => return,
            Err(Error::Mismatch { .. } | Error::Stale { .. } | Error::RolledBack { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
