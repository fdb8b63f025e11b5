//! When a call may end early and what it answers then. The rule that everything here circles: never `Cancelled` with
//! a file written.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outrigger_tool::{
    Authority, Cancellation, Error, ErrorKind, ExecContext, Gate, ReadContext, Registry, Request, Tier, Tool,
    WriteContext, WritePermit,
};
use proptest::prelude::*;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::scripted::{Answer, Hold, Log, done, gated, kind, poll_once, registry, scripted, text};

fn cancellable(tool: &str) -> (Request, Cancellation) {
    let cancellation = Cancellation::new();
    (Request::new(tool, json!({})).cancellation(cancellation.clone()), cancellation)
}

#[tokio::test]
async fn a_call_cancelled_before_it_starts_does_nothing() {
    let log = Log::default();
    let ran = log.clone();
    let registry = registry(vec![scripted("work", move |_: ReadContext| {
        ran.add("ran");
        std::future::ready(done("worked"))
    })]);
    let (request, cancellation) = cancellable("work");
    cancellation.cancel();
    let error = registry.surface(Tier::Read).request(request).await.unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Cancelled, "`work` was cancelled"));
    assert!(log.take().is_empty());
}

/// Says when it is dropped.
struct Dropped(Log);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

#[tokio::test]
async fn a_call_cancelled_while_it_runs_is_dropped_with_the_calls_it_made() {
    let (hold, log) = (Hold::new(), Log::default());
    let (holds, drops) = (hold.clone(), log.clone());
    let outer =
        scripted("outer", |cx: ReadContext| async move { cx.dispatch().call("inner", json!({})).await });
    let inner = scripted("inner", move |_: ReadContext| {
        let (holds, dropped) = (holds.clone(), Dropped(drops.clone()));
        async move {
            holds.wait().await;
            drop(dropped);
            done("never")
        }
    });
    let registry = registry(vec![outer, inner]);
    let surface = registry.surface(Tier::Read);
    for name in ["inner", "outer"] {
        let (request, cancellation) = cancellable(name);
        let (answer, ()) = tokio::join!(surface.request(request), async {
            hold.reached(1).await;
            cancellation.cancel();
        });
        assert_eq!(kind(&answer), ErrorKind::Cancelled);
        assert_eq!(log.take(), ["dropped"]);
    }
    // Dropping the future is cancelling.
    tokio::select! {
        _ = surface.call("outer", json!({})) => unreachable!("it is held"),
        () = hold.reached(1) => {}
    }
    assert_eq!(log.take(), ["dropped"]);
}

#[tokio::test]
async fn dropping_a_call_reaches_what_it_left_running() {
    let kept: Arc<Mutex<Option<Cancellation>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    let registry = registry(vec![scripted("start", move |cx: ReadContext| {
        *keeper.lock().unwrap() = Some(cx.cancellation().clone());
        std::future::pending()
    })]);
    let mut call = Box::pin(async { registry.surface(Tier::Read).call("start", json!({})).await });
    assert!(poll_once(&mut call).is_none());
    let cancellation = kept.lock().unwrap().clone().unwrap();
    assert!(!cancellation.is_cancelled());
    drop(call);
    assert!(cancellation.is_cancelled());
}

#[tokio::test]
async fn a_call_cancelled_while_it_waits_for_its_turn_leaves_at_once() {
    let hold = Hold::new();
    let holds = hold.clone();
    let registry = registry(vec![gated("work", Gate::Exclusive("k".into()), move |_: ReadContext| {
        let holds = holds.clone();
        async move {
            holds.wait().await;
            done("worked")
        }
    })]);
    let surface = registry.surface(Tier::Read);
    let (request, cancellation) = cancellable("work");
    let mut first = Box::pin(surface.call("work", json!({})));
    assert!(poll_once(&mut first).is_none());
    let mut second = Box::pin(surface.request(request));
    assert!(poll_once(&mut second).is_none());
    cancellation.cancel();
    let second = poll_once(&mut second).expect("it does not wait for its turn to say so");
    assert_eq!(kind(&second), ErrorKind::Cancelled);
    hold.release(1);
    assert_eq!(text(&first.await), "worked");
}

/// A write tool that stays at `hold` after its commit has begun.
fn committing(hold: &Hold, log: &Log, registry: &Registry) -> Arc<dyn Tool> {
    let (hold, log, authority) = (hold.clone(), log.clone(), registry.authority());
    scripted("write", move |cx: WriteContext| {
        let (hold, log, authority) = (hold.clone(), log.clone(), authority.clone());
        async move {
            let permit = cx.permit(["/w/a".into()])?;
            permit.begin(&authority)?;
            hold.wait().await;
            log.add("written");
            done(if cx.cancellation().is_cancelled() { "written, and heard" } else { "written" })
        }
    })
}

#[tokio::test]
async fn once_a_commit_has_begun_its_own_answer_is_the_answer() {
    let (hold, log) = (Hold::new(), Log::default());
    let registry = Registry::builder().build();
    registry.attach("edits", vec![committing(&hold, &log, &registry)]).unwrap();
    let surface = registry.surface(Tier::Write);
    let (request, cancellation) = cancellable("write");
    let (answer, ()) = tokio::join!(surface.request(request), async {
        hold.reached(1).await;
        cancellation.cancel();
        tokio::task::yield_now().await;
        assert!(log.take().is_empty());
        hold.release(1);
    });
    assert_eq!((text(&answer), log.take()), ("written, and heard".into(), vec!["written".to_owned()]));
    // The same where the resource goes away: the tool hears of it, and ends by itself.
    let (answer, ()) = tokio::join!(surface.call("write", json!({})), async {
        hold.reached(1).await;
        registry.detach("edits");
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        hold.release(1);
    });
    assert_eq!((text(&answer), log.take()), ("written, and heard".into(), vec!["written".to_owned()]));
}

#[tokio::test]
async fn a_commit_below_is_waited_for_and_then_the_outer_call_tells_of_it() {
    let (hold, log) = (Hold::new(), Log::default());
    let registry = Registry::builder().build();
    let cell = |name: &str, through: &'static str| {
        scripted(name, move |cx: ExecContext| async move {
            cx.dispatch().call(through, json!({})).await?;
            std::future::pending().await
        })
    };
    let tools = vec![committing(&hold, &log, &registry), cell("cell", "write"), cell("far", "cell")];
    registry.attach("bench", tools).unwrap();
    let surface = registry.surface(Tier::Exec);
    for name in ["cell", "far"] {
        // While the commit is on its way.
        let (request, cancellation) = cancellable(name);
        let (answer, ()) = tokio::join!(surface.request(request), async {
            hold.reached(1).await;
            cancellation.cancel();
            tokio::task::yield_now().await;
            assert!(log.take().is_empty());
            hold.release(1);
        });
        let error = answer.unwrap_err();
        assert_eq!(log.take(), ["written"]);
        assert_eq!(error.kind, ErrorKind::Failed, "{error}");
        assert_eq!(error.message, "`cell` was cancelled, after calls it made had changed files");
        // And when it has ended.
        let (request, cancellation) = cancellable(name);
        let (answer, ()) = tokio::join!(surface.request(request), async {
            hold.reached(1).await;
            hold.release(1);
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            cancellation.cancel();
        });
        assert_eq!(kind(&answer), ErrorKind::Failed);
        assert_eq!(log.take(), ["written"]);
    }
}

#[tokio::test]
async fn a_commit_below_a_call_that_was_cancelled_does_not_begin() {
    let hold = Hold::new();
    let outcome: Arc<Mutex<Option<Result<(), Error>>>> = Arc::default();
    let registry = Registry::builder().build();
    let (holds, told, authority) = (hold.clone(), Arc::clone(&outcome), registry.authority());
    // The inner call hands its permit to a thread that the cancellation does not stop, as a commit does.
    let write = scripted("write", move |cx: WriteContext| {
        let (holds, told, authority) = (holds.clone(), Arc::clone(&told), authority.clone());
        async move {
            let permit: WritePermit = cx.permit(["/w/a".into()])?;
            tokio::spawn(async move {
                holds.wait().await;
                *told.lock().unwrap() = Some(permit.begin(&authority));
            });
            std::future::pending().await
        }
    });
    let cell =
        scripted("cell", |cx: ExecContext| async move { cx.dispatch().call("write", json!({})).await });
    registry.attach("bench", vec![write, cell]).unwrap();
    let (request, cancellation) = cancellable("cell");
    let surface = registry.surface(Tier::Exec);
    let (answer, ()) = tokio::join!(surface.request(request), async {
        hold.reached(1).await;
        cancellation.cancel();
    });
    assert_eq!(kind(&answer), ErrorKind::Cancelled);
    hold.release(1);
    while outcome.lock().unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(outcome.lock().unwrap().take().unwrap().unwrap_err().kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn a_call_that_outlives_its_cancelled_caller_commits_nothing_more() {
    let hold = Hold::new();
    let kept: Arc<Mutex<Option<WritePermit>>> = Arc::default();
    let (holds, keeper) = (hold.clone(), Arc::clone(&kept));
    let write = scripted("write", move |cx: WriteContext| {
        let (holds, permit) = (holds.clone(), cx.permit(["/w/a".into()]));
        *keeper.lock().unwrap() = permit.ok();
        async move {
            holds.wait().await;
            done("never")
        }
    });
    // The inner call runs in a task of its own, which has not yet heard that the outer one has ended.
    let cell = scripted("cell", |cx: ExecContext| async move {
        let dispatch = cx.dispatch();
        tokio::spawn(async move { dispatch.call("write", json!({})).await }).await.unwrap()
    });
    let registry = registry(vec![write, cell]);
    let (request, cancellation) = cancellable("cell");
    let surface = registry.surface(Tier::Exec);
    let mut call = Box::pin(surface.request(request));
    assert!(poll_once(&mut call).is_none());
    hold.reached(1).await;
    cancellation.cancel();
    assert_eq!(kind(&poll_once(&mut call).expect("it ends at once")), ErrorKind::Cancelled);
    let permit = kept.lock().unwrap().take().unwrap();
    assert_eq!(permit.begin(&registry.authority()).unwrap_err().kind, ErrorKind::Cancelled);
}

/// What one run of the race below plays.
#[derive(Clone, Debug)]
struct Script {
    /// Milliseconds until each thing happens.
    before_permit: u64,
    before_begin: u64,
    while_writing: u64,
    after: u64,
    cancel: u64,
    how: How,
    nested: bool,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Cancel,
    Drop,
    Detach,
}

fn scripts() -> impl Strategy<Value = Script> {
    let how = prop_oneof![Just(How::Cancel), Just(How::Drop), Just(How::Detach)];
    // Few distinct times, so that many things fall on the same instant.
    (0..4_u64, 0..4_u64, 0..4_u64, 0..4_u64, 0..14_u64, how, any::<bool>()).prop_map(
        |(before_permit, before_begin, while_writing, after, cancel, how, nested)| Script {
            before_permit,
            before_begin,
            while_writing,
            after,
            cancel,
            how,
            nested,
        },
    )
}

#[derive(Default)]
struct Disk {
    begun: AtomicBool,
    finished: AtomicBool,
}

fn racing(script: &Script, disk: &Arc<Disk>, authority: Authority) -> Arc<dyn Tool> {
    let (script, disk) = (script.clone(), Arc::clone(disk));
    let pause = |millis| sleep(Duration::from_millis(millis));
    scripted("write", move |cx: WriteContext| {
        let (script, disk, authority) = (script.clone(), Arc::clone(&disk), authority.clone());
        async move {
            pause(script.before_permit).await;
            let permit = cx.permit(["/w/a".into()])?;
            let commit = tokio::spawn(async move {
                pause(script.before_begin).await;
                permit.begin(&authority)?;
                disk.begun.store(true, Ordering::SeqCst);
                pause(script.while_writing).await;
                disk.finished.store(true, Ordering::SeqCst);
                Ok::<_, Error>(())
            });
            commit.await.unwrap()?;
            pause(script.after).await;
            done("written")
        }
    })
}

async fn race(script: Script) -> Result<(), TestCaseError> {
    let disk = Arc::new(Disk::default());
    let registry = Registry::builder().build();
    let cell =
        scripted("cell", |cx: ExecContext| async move { cx.dispatch().call("write", json!({})).await });
    registry.attach("bench", vec![racing(&script, &disk, registry.authority()), cell]).unwrap();
    let surface = registry.surface(Tier::Exec);
    let name = if script.nested { "cell" } else { "write" };
    let (request, cancellation) = cancellable(name);
    let stop = async {
        sleep(Duration::from_millis(script.cancel)).await;
        match script.how {
            How::Cancel => cancellation.cancel(),
            How::Detach => drop(registry.detach("bench")),
            How::Drop => return,
        }
        std::future::pending::<()>().await;
    };
    let answer: Option<Answer> = tokio::select! {
        answer = surface.request(request) => Some(answer),
        () = stop => None,
    };
    let (begun, finished) = (disk.begun.load(Ordering::SeqCst), disk.finished.load(Ordering::SeqCst));
    match answer {
        Some(Ok(_)) => prop_assert!(finished),
        Some(Err(ref error)) => match error.kind {
            ErrorKind::Cancelled | ErrorKind::Unavailable => {
                prop_assert!(!begun, "{error} with a file written");
            }
            // The resource had gone before the call came.
            ErrorKind::UnknownTool => prop_assert!(!begun && matches!(script.how, How::Detach), "{error}"),
            ErrorKind::Failed => prop_assert!(finished && script.nested, "{error}"),
            _ => prop_assert!(false, "{error}"),
        },
        None => {}
    }
    // Whatever began is finished, also without a caller; whatever had not begun never does.
    sleep(Duration::from_secs(1)).await;
    prop_assert_eq!(disk.begun.load(Ordering::SeqCst), disk.finished.load(Ordering::SeqCst));
    if matches!(answer, Some(Err(_))) {
        prop_assert_eq!(begun, disk.begun.load(Ordering::SeqCst), "it began after the answer");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn no_interleaving_answers_cancelled_with_a_file_written(script in scripts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(race(script))?;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_races_between_threads_never_answer_cancelled_with_a_file_written() {
    let (written, cancelled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for round in 0..1000_u32 {
        let disk = Arc::new(AtomicBool::new(false));
        let registry = Registry::builder().build();
        let (authority, writes) = (registry.authority(), Arc::clone(&disk));
        let write = scripted("write", move |cx: WriteContext| {
            let (authority, writes) = (authority.clone(), Arc::clone(&writes));
            async move {
                let permit = cx.permit(["/w/a".into()])?;
                cx.blocking(move || {
                    permit.begin(&authority)?;
                    writes.store(true, Ordering::SeqCst);
                    Ok::<_, Error>(())
                })
                .await??;
                done("written")
            }
        });
        registry.attach("bench", vec![write]).unwrap();
        let (request, cancellation) = cancellable("write");
        let canceller = tokio::task::spawn_blocking(move || {
            for _ in 0..(round % 50) * 40 {
                std::hint::spin_loop();
            }
            cancellation.cancel();
        });
        let surface = registry.surface(Tier::Write);
        let answer = timeout(Duration::from_secs(30), surface.request(request)).await.expect("it ends");
        match answer {
            Ok(_) => written.fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Cancelled);
                assert!(!disk.load(Ordering::SeqCst), "round {round}: cancelled with a file written");
                cancelled.fetch_add(1, Ordering::Relaxed)
            }
        };
        canceller.await.unwrap();
    }
    let (written, cancelled) = (written.into_inner(), cancelled.into_inner());
    assert_eq!(written + cancelled, 1000);
}
