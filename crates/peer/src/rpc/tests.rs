//! A far end that is played by hand over an in-memory pipe; time stands still unless all wait.

use std::sync::mpsc;

use futures_util::StreamExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::codec::FramedRead;

use super::*;
use crate::content_length::{self, ContentLength, Incoming};

const LONG: Duration = Duration::from_hours(1);

/// Sends all it hears to the test, and answers a request with its own params.
struct Ear(mpsc::Sender<String>);

impl RpcHandler for Ear {
    fn request(&self, method: &str, params: Value) -> Result<Value, Fault> {
        let _ = self.0.send(format!("request {method} {params}"));
        if method == "unknown" { Err(Fault::method_not_found(method)) } else { Ok(params) }
    }

    fn notification(&self, method: &str, params: Value) {
        let _ = self.0.send(format!("notification {method} {params}"));
    }

    fn noise(&self, text: &str) {
        let _ = self.0.send(format!("noise {text}"));
    }
}

struct Far {
    input: FramedRead<ReadHalf<DuplexStream>, ContentLength>,
    output: WriteHalf<DuplexStream>,
    heard: mpsc::Receiver<String>,
}

fn conversation(limits: RpcLimits) -> (Rpc, Far) {
    conversation_over(64 * 1024, limits)
}

fn conversation_over(pipe: usize, limits: RpcLimits) -> (Rpc, Far) {
    let (near, far) = tokio::io::duplex(pipe);
    let (reader, writer) = tokio::io::split(near);
    let (ear, heard) = mpsc::channel();
    let rpc = Rpc::start(reader, writer, limits, Arc::new(Ear(ear)));
    let (input, output) = tokio::io::split(far);
    (rpc, Far { input: FramedRead::new(input, ContentLength::new(usize::MAX)), output, heard })
}

impl Far {
    async fn next(&mut self) -> Option<Value> {
        let incoming = self.input.next().await?.unwrap();
        let Incoming::Message(body) = incoming else { panic!("{incoming:?}") };
        Some(serde_json::from_slice(&body).unwrap())
    }

    async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.output.write_all(bytes.as_ref()).await.unwrap();
    }

    async fn body(&mut self, body: impl AsRef<[u8]>) {
        self.raw(content_length::frame(body.as_ref())).await;
    }

    async fn say(&mut self, message: Value) {
        self.body(message.to_string()).await;
    }

    /// What the handler has heard so far.
    fn heard(&self) -> Vec<String> {
        self.heard.try_iter().collect()
    }
}

#[tokio::test]
async fn a_request_is_written_at_the_call_and_answered() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    let first = rpc.request("first", Value::Null, LONG);
    rpc.notify("between", json!({"x": 1})).unwrap();
    let second = rpc.request("second", json!([]), LONG);
    assert_eq!(rpc.pending(), 2);
    assert_eq!(far.next().await.unwrap(), json!({"jsonrpc": "2.0", "id": 1, "method": "first"}));
    assert_eq!(far.next().await.unwrap(), json!({"jsonrpc": "2.0", "method": "between", "params": {"x": 1}}));
    assert_eq!(
        far.next().await.unwrap(),
        json!({"jsonrpc": "2.0", "id": 2, "method": "second", "params": []})
    );
    far.say(json!({"id": 2, "result": "two"})).await;
    far.say(json!({"id": 1, "error": null, "result": "one"})).await;
    assert_eq!((first.await, second.await), (Ok(json!("one")), Ok(json!("two"))));
    assert_eq!((rpc.pending(), far.heard()), (0, vec![]));
}

#[tokio::test]
async fn errors_are_told_however_they_are_put() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    for (error, fault) in [
        (
            json!({"code": -32602, "message": "no", "data": [1]}),
            Fault { data: Some(json!([1])), ..Fault::new(-32602, "no") },
        ),
        (json!({"message": "no"}), Fault::new(-32603, "no")),
        (json!("no"), Fault::new(-32603, "no")),
        (json!({"code": 7.5}), Fault::new(-32603, r#"{"code":7.5}"#)),
    ] {
        let answer = rpc.request("ask", Value::Null, LONG);
        let id = far.next().await.unwrap()["id"].clone();
        far.say(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
        assert_eq!(answer.await, Err(RpcError::Answered(fault)));
    }
}

#[tokio::test]
async fn what_came_before_an_answer_has_been_handled_before_it() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    for round in 1..=50 {
        let answer = rpc.request("ask", Value::Null, LONG);
        far.say(json!({"method": "published", "params": round})).await;
        far.say(json!({"id": round, "result": null})).await;
        answer.await.unwrap();
        assert_eq!(far.heard(), [format!("notification published {round}")]);
    }
}

#[tokio::test]
async fn the_method_is_looked_at_before_the_id() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    let answer = rpc.request("ask", Value::Null, LONG);
    far.next().await.unwrap();
    for id in [json!(1), json!("1"), json!("a-b"), json!(0), json!(-3)] {
        far.say(json!({"id": id, "method": "workspace/configuration", "params": {"items": []}})).await;
        let reply = json!({"jsonrpc": "2.0", "id": id, "result": {"items": []}});
        assert_eq!(far.next().await.unwrap(), reply);
    }
    far.say(json!({"id": 7, "method": "unknown"})).await;
    let error = json!({"code": -32601, "message": "method `unknown` is not known"});
    assert_eq!(far.next().await.unwrap(), json!({"jsonrpc": "2.0", "id": 7, "error": error}));
    far.say(json!({"id": null, "method": "told"})).await;
    far.say(json!({"id": 1, "result": true})).await;
    assert_eq!(answer.await, Ok(json!(true)));
    assert_eq!(far.heard().last().unwrap(), "notification told null");
}

#[tokio::test]
async fn what_is_no_message_is_noise_and_the_conversation_goes_on() {
    let (rpc, mut far) = conversation(RpcLimits { message: 100_000, ..RpcLimits::default() });
    let answer = rpc.request("ask", Value::Null, LONG);
    far.raw("Content-Length: 99999999999999\r\n\r\n").await;
    far.raw("starting up\nINFO ").await;
    far.body("{bad").await;
    far.body([b'"', 0xff, b'"']).await;
    far.body("[".repeat(50_000)).await;
    far.body("[{}]").await;
    far.body("").await;
    far.body("x".repeat(5_000)).await;
    far.say(json!({"id": null, "error": {"code": -32700, "message": "what?"}})).await;
    far.say(json!({"id": 99, "result": 1})).await;
    far.say(json!({"id": "1", "result": 1})).await;
    far.say(json!({"id": 1.5, "result": 1})).await;
    far.say(json!({"id": 1, "method": 5})).await;
    far.raw("Content-Length:23\n\n{\"id\": 1, \"result\": 42}").await;
    assert_eq!(answer.await, Ok(json!(42)));
    let heard = far.heard();
    let expected = [
        "a message of 99999999999999 bytes was announced and passed over",
        "starting up",
        "INFO",
        "a message that is not JSON (key must be a string at line 1 column 2): {bad",
        "a message that is not JSON (",
        "a message that is not JSON (recursion limit exceeded",
        "a message that is no object: [{}]",
        "a message that is not JSON (EOF",
        "a message that is not JSON (",
        r#"an answer to no request: {"error":{"code":-32700,"message":"what?"}}"#,
        "an answer to no request of ours: id 99",
        r#"an answer to no request of ours: id "1""#,
        "an answer to no request of ours: id 1.5",
        "a method that is no text: 5",
    ];
    assert_eq!(heard.len(), expected.len(), "{heard:#?}");
    for (heard, expected) in heard.iter().zip(expected) {
        assert!(heard.starts_with(&format!("noise {expected}")) && heard.len() < 600, "{heard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_cancelled_once_and_its_late_answer_passed_over() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    let after = Duration::from_secs(20);
    let error = rpc.request("ask", Value::Null, after).await.unwrap_err();
    assert_eq!(error, RpcError::TimedOut { after });
    assert_eq!(error.to_string(), "no answer within 20s");
    assert_eq!(rpc.pending(), 0);
    let next = rpc.request("next", Value::Null, LONG);
    far.say(json!({"id": 1, "result": "late"})).await;
    far.say(json!({"id": 2, "result": "in time"})).await;
    assert_eq!(next.await, Ok(json!("in time")));
    assert_eq!(far.heard(), Vec::<String>::new());
    far.say(json!({"id": 1, "result": "again"})).await;
    rpc.close();
    assert_eq!(far.next().await.unwrap()["method"], "ask");
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}});
    assert_eq!(far.next().await.unwrap(), cancel);
    assert_eq!(far.next().await.unwrap()["method"], "next");
    assert_eq!(far.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn the_limit_runs_from_the_call() {
    let (rpc, _far) = conversation(RpcLimits::default());
    let asked = rpc.request("ask", Value::Null, Duration::from_secs(20));
    tokio::time::sleep(Duration::from_secs(15)).await;
    let begun = Instant::now();
    asked.await.unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_request_that_is_dropped_is_cancelled_once_polled_or_not() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    drop(rpc.request("unpolled", Value::Null, LONG));
    tokio::select! {
        biased;
        _ = rpc.request("polled", Value::Null, LONG) => panic!("answered"),
        () = std::future::ready(()) => {}
    }
    let third = rpc.request("third", Value::Null, LONG);
    let mut written = Vec::new();
    for _ in 0..5 {
        let message = far.next().await.unwrap();
        written.push((message["method"].clone(), message["id"].clone(), message["params"]["id"].clone()));
    }
    let cancel = "$/cancelRequest";
    assert_eq!(
        written,
        [
            (json!("unpolled"), json!(1), json!(null)),
            (json!(cancel), json!(null), json!(1)),
            (json!("polled"), json!(2), json!(null)),
            (json!(cancel), json!(null), json!(2)),
            (json!("third"), json!(3), json!(null)),
        ]
    );
    far.say(json!({"id": 3, "result": 3})).await;
    assert_eq!(third.await, Ok(json!(3)));
    rpc.close();
    assert_eq!(far.next().await, None);
}

#[tokio::test]
async fn only_so_many_requests_are_remembered_after_they_were_given_up() {
    let (rpc, mut far) = conversation(RpcLimits { tombstones: 2, ..RpcLimits::default() });
    for _ in 0..3 {
        drop(rpc.request("ask", Value::Null, LONG));
    }
    let last = rpc.request("last", Value::Null, LONG);
    for id in [1, 2, 3, 3, 4] {
        far.say(json!({"id": id, "result": null})).await;
    }
    last.await.unwrap();
    let expected = [1, 3].map(|id| format!("noise an answer to no request of ours: id {id}"));
    assert_eq!(far.heard(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_nothing_delays_no_caller_and_is_closed() {
    let (rpc, far) = conversation_over(64, RpcLimits::default());
    let begun = Instant::now();
    let pending = rpc.request("ask", json!("x".repeat(1_000_000)), LONG);
    rpc.notify("tell", Value::Null).unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(pending.await, Err(RpcError::Closed(Closed::WriteStalled)));
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert_eq!(rpc.closed().await, Closed::WriteStalled);
    let error = rpc.notify("tell", Value::Null).unwrap_err();
    assert_eq!(error.to_string(), "the connection is closed: the peer does not read its input");
    drop(far);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_slowly_is_not_closed() {
    let (rpc, far) = conversation_over(64, RpcLimits::default());
    rpc.notify("tell", json!("x".repeat(1_000))).unwrap();
    rpc.notify("last", Value::Null).unwrap();
    let mut input = far.input.into_inner();
    let (begun, mut text, mut piece) = (Instant::now(), Vec::new(), [0; 64]);
    while !text.ends_with(br#""method":"last"}"#) {
        tokio::time::sleep(Duration::from_secs(9)).await;
        let read = input.read(&mut piece).await.unwrap();
        text.extend_from_slice(&piece[..read]);
    }
    assert!(begun.elapsed() > Duration::from_secs(100));
    assert_eq!(rpc.pending(), 0);
    rpc.notify("tell", Value::Null).unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_waits_to_be_written_is_bounded_in_number_and_bytes() {
    let limits = RpcLimits { queued_messages: 3, queued_bytes: 1_000, ..RpcLimits::default() };
    for (size, accepted) in [(1, 3), (300, 2), (5_000, 1)] {
        let (rpc, far) = conversation_over(64, limits);
        let text = json!("x".repeat(size));
        let pending = rpc.request("ask", text.clone(), LONG);
        let told = (1..9).take_while(|_| rpc.notify("tell", text.clone()).is_ok()).count();
        assert_eq!(told + 1, accepted, "{size}");
        assert_eq!(pending.await, Err(RpcError::Closed(Closed::Flood)));
        assert_eq!(rpc.closed().await, Closed::Flood);
        drop(far);
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_asks_without_end_and_reads_no_answer_is_closed() {
    let limits = RpcLimits { queued_messages: 100, ..RpcLimits::default() };
    let (rpc, mut far) = conversation_over(4_096, limits);
    for id in 0..1_000 {
        far.say(json!({"id": id, "method": "ask", "params": "x".repeat(100)})).await;
    }
    assert_eq!(rpc.closed().await, Closed::Flood);
}

#[tokio::test]
async fn ten_thousand_questions_are_answered_to_a_peer_that_reads() {
    let limits = RpcLimits { queued_messages: 500, ..RpcLimits::default() };
    let (rpc, far) = conversation(limits);
    let (mut output, mut input) = (far.output, far.input);
    let asking = tokio::spawn(async move {
        for id in 0..10_000 {
            let message = json!({"id": id, "method": "a"}).to_string();
            output.write_all(&content_length::frame(message.as_bytes())).await.unwrap();
        }
        output
    });
    for _ in 0..10_000 {
        assert!(matches!(input.next().await, Some(Ok(Incoming::Message(_)))));
    }
    drop((asking.await.unwrap(), rpc));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_output_fails_what_is_pending_at_once() {
    let (rpc, far) = conversation(RpcLimits::default());
    let (first, second) = (rpc.request("a", Value::Null, LONG), rpc.request("b", Value::Null, LONG));
    let begun = Instant::now();
    drop(far);
    assert_eq!(first.await, Err(RpcError::Closed(Closed::EndOfOutput)));
    assert_eq!(second.await, Err(RpcError::Closed(Closed::EndOfOutput)));
    assert_eq!(rpc.request("c", Value::Null, LONG).await, Err(RpcError::Closed(Closed::EndOfOutput)));
    assert_eq!((rpc.closed().await, rpc.pending()), (Closed::EndOfOutput, 0));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn close_writes_what_is_queued_and_ends_the_input() {
    let (rpc, mut far) = conversation_over(64, RpcLimits::default());
    let pending = rpc.request("ask", json!("x".repeat(1_000)), LONG);
    rpc.notify("exit", Value::Null).unwrap();
    rpc.close();
    assert_eq!(pending.await, Err(RpcError::Closed(Closed::ClosedByUs)));
    assert_eq!(rpc.notify("more", Value::Null), Err(RpcError::Closed(Closed::ClosedByUs)));
    let closed = tokio::spawn(rpc.closed());
    tokio::task::yield_now().await;
    assert!(!closed.is_finished());
    assert_eq!(far.next().await.unwrap()["method"], "ask");
    assert_eq!(far.next().await.unwrap()["method"], "exit");
    assert_eq!(far.next().await, None);
    assert_eq!(closed.await.unwrap(), Closed::ClosedByUs);
    // What it still says is read, so that it need not wait for us to end.
    far.raw("x".repeat(100_000)).await;
}

#[tokio::test(start_paused = true)]
async fn close_waits_only_so_long_for_a_peer_that_reads_nothing() {
    let (rpc, _far) = conversation_over(64, RpcLimits::default());
    rpc.notify("tell", json!("x".repeat(1_000))).unwrap();
    rpc.close();
    let begun = Instant::now();
    assert_eq!(rpc.closed().await, Closed::ClosedByUs);
    assert_eq!(begun.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn the_last_handle_closes_and_a_pending_request_is_one() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    let answer = rpc.request("ask", Value::Null, LONG);
    drop(rpc);
    far.next().await.unwrap();
    far.say(json!({"id": 1, "result": 5})).await;
    assert_eq!(answer.await, Ok(json!(5)));
    assert_eq!(far.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn idleness_is_measured_from_our_own_exchanges() {
    let (rpc, mut far) = conversation(RpcLimits::default());
    let mut last = rpc.last_exchange();
    let mut moved = || {
        let before = std::mem::replace(&mut last, rpc.last_exchange());
        last > before
    };
    let minute = || tokio::time::sleep(Duration::from_mins(1));
    minute().await;
    let answer = rpc.request("ask", Value::Null, LONG);
    assert!(moved());
    minute().await;
    far.say(json!({"method": "$/progress"})).await;
    far.say(json!({"id": 8, "method": "ask"})).await;
    minute().await;
    assert!(!moved());
    far.say(json!({"id": 1, "result": null})).await;
    answer.await.unwrap();
    assert!(moved());
    minute().await;
    rpc.notify("tell", Value::Null).unwrap();
    assert!(moved());
    minute().await;
    let given_up = rpc.request("ask", Value::Null, LONG);
    assert!(moved());
    minute().await;
    drop(given_up);
    assert!(moved());
}
