//! What runs side by side, what waits in which order, and that a wait which could never end is refused while every
//! other wait is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use outrigger_tool::{Cancellation, ErrorKind, Gate, ReadContext, Request, Tier, Tool};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::time::{sleep, timeout};

use crate::scripted::{Answer, Hold, Log, done, gated, kind, poll_once, registry, scripted, text};

fn exclusive(key: &str) -> Gate {
    Gate::Exclusive(key.to_owned())
}

/// A tool that waits at `hold` inside its gate.
fn holding(name: &'static str, gate: Gate, hold: &Hold) -> Arc<dyn Tool> {
    let hold = hold.clone();
    gated(name, gate, move |_: ReadContext| {
        let hold = hold.clone();
        async move {
            hold.wait().await;
            done(name)
        }
    })
}

fn quick(name: &'static str, gate: Gate) -> Arc<dyn Tool> {
    gated(name, gate, move |_: ReadContext| std::future::ready(done(name)))
}

/// A tool that calls `next` from inside its gate, once `together` calls have got that far.
fn calling(name: &'static str, key: &str, next: &'static str, together: &Arc<Barrier>) -> Arc<dyn Tool> {
    let together = Arc::clone(together);
    gated(name, exclusive(key), move |cx: ReadContext| {
        let together = Arc::clone(&together);
        async move {
            together.wait().await;
            cx.dispatch().call(next, json!({})).await
        }
    })
}

/// The most calls of a tool that ran at the same time.
async fn side_by_side(gate: Gate, conversations: [&'static str; 3]) -> usize {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
    let registry = registry(vec![gated("work", gate, move |_: ReadContext| {
        let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
        async move {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(Duration::from_secs(1)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            done("worked")
        }
    })]);
    let calls = conversations.map(|conversation| {
        let surface = registry.surface(Tier::Read).conversation(conversation);
        async move { surface.call("work", json!({})).await.unwrap() }
    });
    let [a, b, c] = calls;
    tokio::join!(a, b, c);
    most.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn parallel_runs_side_by_side_exclusive_does_not_and_a_conversation_waits_for_itself_alone() {
    assert_eq!(side_by_side(Gate::Parallel, ["a", "a", "a"]).await, 3);
    assert_eq!(side_by_side(exclusive("k"), ["a", "b", "c"]).await, 1);
    assert_eq!(side_by_side(Gate::PerConversation("k".to_owned()), ["a", "b", "a"]).await, 2);
    assert_eq!(side_by_side(Gate::PerConversation("k".to_owned()), ["a", "b", "c"]).await, 3);
}

#[tokio::test]
async fn a_key_of_a_conversation_is_never_an_exclusive_one_nor_that_of_another_conversation() {
    let hold = Hold::new();
    let registry = registry(vec![
        holding("mine", Gate::PerConversation("debug".to_owned()), &hold),
        quick("all", exclusive("debug:x")),
        quick("plain", exclusive("debug")),
        quick("spelt", Gate::PerConversation("debug:x".to_owned())),
        quick("same", Gate::PerConversation("debug".to_owned())),
    ]);
    let surface = registry.surface(Tier::Read);
    let in_x = surface.clone().conversation("x");
    let mut mine = Box::pin(in_x.call("mine", json!({})));
    assert!(poll_once(&mut mine).is_none());
    for (surface, name) in [(&in_x, "all"), (&in_x, "plain"), (&surface, "spelt"), (&surface, "same")] {
        assert!(poll_once(&mut Box::pin(surface.call(name, json!({})))).is_some(), "{name} waits for nobody");
    }
    assert!(poll_once(&mut Box::pin(in_x.call("same", json!({})))).is_none(), "it has to wait");
    hold.release(1);
    assert_eq!(text(&mine.await), "mine");
}

#[tokio::test(start_paused = true)]
async fn turns_are_given_in_order_of_arrival_across_tools_with_the_same_key() {
    let log = Log::default();
    let tool = |name: &'static str| {
        let log = log.clone();
        gated(name, exclusive("k"), move |cx: ReadContext| {
            let log = log.clone();
            async move {
                sleep(Duration::from_secs(1)).await;
                log.add(cx.call_id());
                done(name)
            }
        })
    };
    let registry = registry(vec![tool("one"), tool("two")]);
    let surface = registry.surface(Tier::Read);
    let calls = (0..20_u64).map(|turn| {
        let surface = surface.clone();
        async move {
            // Arrives in its order, long before the first has ended.
            sleep(Duration::from_millis(turn)).await;
            let tool = if turn % 3 == 0 { "one" } else { "two" };
            surface.request(Request::new(tool, json!({})).id(turn.to_string())).await.unwrap();
        }
    });
    let mut tasks: tokio::task::JoinSet<()> = calls.collect();
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    assert_eq!(log.take(), (0..20).map(|turn| turn.to_string()).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_would_wait_for_itself_is_refused() {
    let alone = Arc::new(Barrier::new(1));
    let between =
        scripted("between", |cx: ReadContext| async move { cx.dispatch().call("a", json!({})).await });
    let registry = registry(vec![
        calling("a", "ka", "a", &alone),
        between,
        calling("far", "ka", "between", &alone),
        calling("b", "kb", "a2", &alone),
        quick("a2", exclusive("ka")),
    ]);
    let surface = registry.surface(Tier::Read);
    let ask = async |name: &str| {
        let answer = timeout(Duration::from_mins(1), surface.call(name, json!({}))).await;
        answer.expect("a ring of waits was let in")
    };
    let error = ask("a").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    assert_eq!(error.message, "`a` would wait for itself at `ka`: a → a");
    let error = ask("far").await.unwrap_err();
    assert_eq!(error.message, "`a` would wait for itself at `ka`: a → far");
    // Another key is another matter.
    assert_eq!(text(&ask("b").await), "a2");
}

/// Runs the calls at once; says how many were refused. A ring that is not seen makes this time out.
async fn ring_of(tools: Vec<Arc<dyn Tool>>, calls: &[&'static str]) -> (usize, Vec<Answer>) {
    let registry = registry(tools);
    let surface = registry.surface(Tier::Read);
    let all = calls.iter().map(|&name| {
        let surface = surface.clone();
        async move { surface.call(name, json!({})).await }
    });
    let answers = timeout(Duration::from_mins(1), futures_util::future::join_all(all)).await;
    let answers = answers.expect("a ring of waits was let in");
    (answers.iter().filter(|answer| answer.is_err()).count(), answers)
}

#[tokio::test(start_paused = true)]
async fn of_two_calls_that_would_wait_for_each_other_one_is_refused() {
    let both = Arc::new(Barrier::new(2));
    let (refused, answers) = ring_of(
        vec![
            calling("a", "ka", "to_b", &both),
            calling("b", "kb", "to_a", &both),
            quick("to_a", exclusive("ka")),
            quick("to_b", exclusive("kb")),
        ],
        &["a", "b"],
    )
    .await;
    assert_eq!(refused, 1);
    let error = answers.into_iter().find_map(Result::err).unwrap();
    assert_eq!(error.kind, ErrorKind::Refused);
    let ways = [
        "`to_a` would wait for itself at `ka`: to_a → a → b",
        "`to_b` would wait for itself at `kb`: to_b → b → a",
    ];
    assert!(ways.contains(&error.message.as_str()), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_ring_of_three_is_refused_once() {
    let all = Arc::new(Barrier::new(3));
    let (refused, answers) = ring_of(
        vec![
            calling("a", "ka", "to_b", &all),
            calling("b", "kb", "to_c", &all),
            calling("c", "kc", "to_a", &all),
            quick("to_a", exclusive("ka")),
            quick("to_b", exclusive("kb")),
            quick("to_c", exclusive("kc")),
        ],
        &["a", "b", "c"],
    )
    .await;
    assert_eq!(refused, 1, "{answers:?}");
    let error = answers.into_iter().find_map(Result::err).unwrap();
    assert_eq!(error.message.matches('→').count(), 3, "{error}");
}

#[tokio::test]
async fn a_wait_that_is_no_ring_is_allowed() {
    let hold = Hold::new();
    let alone = Arc::new(Barrier::new(1));
    let registry = registry(vec![
        holding("slow", exclusive("kb"), &hold),
        calling("a", "ka", "b", &alone),
        quick("b", exclusive("kb")),
        quick("a_too", exclusive("ka")),
    ]);
    let surface = registry.surface(Tier::Read);
    // `a` holds ka and waits for kb, which is held by one that waits for nobody; a third waits behind `a`.
    let (slow, a, third, ()) = tokio::join!(
        surface.call("slow", json!({})),
        async {
            hold.reached(1).await;
            surface.call("a", json!({})).await
        },
        async {
            tokio::task::yield_now().await;
            surface.call("a_too", json!({})).await
        },
        async {
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            hold.release(1);
        }
    );
    assert_eq!((text(&slow), text(&a), text(&third)), ("slow".into(), "b".into(), "a_too".into()));
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_gives_up_leaves_the_queue_and_no_false_ring_behind() {
    let gave_up = Hold::new();
    let waiter = gave_up.clone();
    let impatient = gated("impatient", exclusive("ka"), move |cx: ReadContext| {
        let waiter = waiter.clone();
        async move {
            let inner = timeout(Duration::from_secs(1), cx.dispatch().call("to_b", json!({}))).await;
            assert!(inner.is_err(), "kb is held");
            waiter.wait().await;
            done("gave up")
        }
    });
    let log = Log::default();
    let end = log.clone();
    let gone = gave_up.clone();
    let crossing = gated("crossing", exclusive("kb"), move |cx: ReadContext| {
        let (gone, end) = (gone.clone(), end.clone());
        async move {
            gone.reached(1).await;
            // `impatient` still holds ka, and its descendant no longer waits for kb: this is an ordinary wait.
            let dispatch = cx.dispatch();
            let (answer, ()) = tokio::join!(dispatch.call("to_a", json!({})), async {
                tokio::task::yield_now().await;
                end.add("waiting");
                gone.release(1);
            });
            answer
        }
    });
    let registry =
        registry(vec![impatient, crossing, quick("to_a", exclusive("ka")), quick("to_b", exclusive("kb"))]);
    let surface = registry.surface(Tier::Read);
    let (crossed, gave_up) =
        tokio::join!(surface.call("crossing", json!({})), surface.call("impatient", json!({})));
    assert_eq!((text(&crossed), text(&gave_up)), ("to_a".into(), "gave up".into()));
    assert_eq!(log.take(), ["waiting"]);
}

#[tokio::test(start_paused = true)]
async fn a_gate_is_released_by_panic_cancellation_and_drop() {
    let hold = Hold::new();
    let registry = registry(vec![
        gated("panics", exclusive("k"), |_: ReadContext| async { panic!("inside") }),
        holding("holds", exclusive("k"), &hold),
        quick("next", exclusive("k")),
    ]);
    let surface = registry.surface(Tier::Read);
    let next = async || timeout(Duration::from_secs(1), surface.call("next", json!({}))).await;
    assert_eq!(kind(&surface.call("panics", json!({})).await), ErrorKind::Bug);
    assert_eq!(text(&next().await.expect("free after a panic")), "next");
    let cancellation = Cancellation::new();
    let request = Request::new("holds", json!({})).cancellation(cancellation.clone());
    let (cancelled, ()) = tokio::join!(surface.request(request), async {
        hold.reached(1).await;
        cancellation.cancel();
    });
    assert_eq!(kind(&cancelled), ErrorKind::Cancelled);
    assert_eq!(text(&next().await.expect("free after cancellation")), "next");
    let dropped = timeout(Duration::from_secs(1), surface.call("holds", json!({}))).await;
    assert!(dropped.is_err());
    assert_eq!(text(&next().await.expect("free after a drop")), "next");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_given_to_a_call_nobody_awaits_any_more_goes_to_the_next() {
    let hold = Hold::new();
    let registry = registry(vec![holding("holds", exclusive("k"), &hold), quick("next", exclusive("k"))]);
    let surface = registry.surface(Tier::Read);
    let first = tokio::spawn({
        let surface = surface.clone();
        async move { surface.call("holds", json!({})).await }
    });
    hold.reached(1).await;
    let mut second = Box::pin(surface.call("next", json!({})));
    assert!(poll_once(&mut second).is_none());
    let third = tokio::spawn({
        let surface = surface.clone();
        async move { surface.call("next", json!({})).await }
    });
    tokio::task::yield_now().await;
    hold.release(1);
    first.await.unwrap().unwrap();
    // The turn now lies in the second call, which is never polled again.
    drop(second);
    let third = timeout(Duration::from_secs(1), third).await.expect("the turn was lost").unwrap();
    assert_eq!(text(&third), "next");
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_nested_calls_always_ends() {
    // Six keys, each held by tools that call one another in every order: without the refusal of rings this hangs.
    const KEYS: usize = 6;
    let names: Vec<&'static str> = (0..KEYS)
        .flat_map(|key| (0..KEYS).map(move |next| &*Box::leak(format!("t{key}{next}").into_boxed_str())))
        .collect();
    let tools = names.iter().enumerate().map(|(place, &name)| {
        let (key, next) = (place / KEYS, place % KEYS);
        gated(name, exclusive(&format!("k{key}")), move |cx: ReadContext| async move {
            sleep(Duration::from_millis((key * 7 + next * 3) as u64 % 11)).await;
            let on = format!("t{next}{}", (key + next + 1) % KEYS);
            match cx.dispatch().call(&on, json!({})).await {
                Err(error) => assert_eq!(error.kind, ErrorKind::Refused),
                Ok(output) => assert!(!output.content.is_empty()),
            }
            done("ended")
        })
    });
    let (refused, answers) =
        ring_of(tools.collect(), &names.iter().copied().cycle().take(150).collect::<Vec<_>>()).await;
    assert_eq!((refused, answers.len()), (0, 150), "an outer call waits; only inner ones can be refused");
}
