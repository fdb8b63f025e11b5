//! The ends of a session, in paused time, beside an adapter that is this file: it takes what it is sent and answers
//! what a test lets it answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use peer::{ContentLength, Incoming};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::time::Instant;
use tokio_util::codec::FramedRead;

use super::*;
use crate::adapters::Table;
use crate::breakpoints::Breakpoints;
use crate::state::Standing;

struct Adapter {
    requests: FramedRead<ReadHalf<DuplexStream>, ContentLength>,
    writer: WriteHalf<DuplexStream>,
}

impl Adapter {
    /// The next request's command.
    async fn hears(&mut self) -> Option<(String, Value)> {
        let Some(Ok(Incoming::Message(body))) = self.requests.next().await else { return None };
        let message: Value = serde_json::from_slice(&body).unwrap();
        Some((message["command"].as_str().unwrap().to_owned(), message))
    }

    async fn says(&mut self, message: Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.writer.write_all(frame.as_bytes()).await.unwrap();
    }

    async fn event(&mut self, name: &str, body: Value) {
        self.says(json!({"seq": 0, "type": "event", "event": name, "body": body})).await;
    }
}

/// A session without a process.
fn session(ownership: Ownership, life: Duration) -> (Arc<Shared>, Adapter, Connection) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let row = Table::new(&[]).unwrap().0.named("delve").unwrap();
    let shared = Arc::new(Shared::new(row, Standing::new(Arc::default()), Arc::new(Breakpoints::default())));
    let (reader, writer) = split(ours);
    let connection = Connection::start(reader, writer, Arc::<Shared>::clone(&shared));
    let keeper = Keeper {
        child: None,
        connection: connection.clone(),
        shared: Arc::clone(&shared),
        ownership,
        life_ends: Instant::now() + life,
        scratch: None,
    };
    tokio::spawn(keeper.run());
    let (reader, writer) = split(theirs);
    (shared, Adapter { requests: FramedRead::new(reader, ContentLength::new(1 << 20)), writer }, connection)
}

#[tokio::test(start_paused = true)]
async fn a_life_is_counted_from_the_start_and_not_from_the_last_word() {
    let (shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    let begun = Instant::now();
    for _ in 0..29 {
        tokio::time::sleep(Duration::from_mins(1)).await;
        adapter.event("output", json!({"category": "stdout", "output": "."})).await;
    }
    assert!(!shared.gone.is_cancelled());
    let (command, message) = adapter.hears().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), limits::LIFE.as_secs());
    assert_eq!((command.as_str(), &message["arguments"]["terminateDebuggee"]), ("disconnect", &true.into()));
    shared.gone.cancelled().await;
    let told = told(&shared.standing.now().phase, "x").unwrap();
    assert_eq!(told, "`x` was ended: the life of its session was over");
    assert!(
        begun.elapsed() < limits::LIFE + limits::FAREWELL * 2,
        "an adapter that says nothing is not waited for"
    );
    assert_eq!(shared.output.unseen(), 29);
}

#[tokio::test(start_paused = true)]
async fn a_program_that_was_there_before_is_let_go() {
    let (shared, mut adapter, _connection) = session(Ownership::Attached, Duration::from_secs(2));
    let (command, message) = adapter.hears().await.unwrap();
    assert_eq!((command.as_str(), &message["arguments"]["terminateDebuggee"]), ("disconnect", &false.into()));
    shared.gone.cancelled().await;
    assert_eq!(
        told(&shared.standing.now().phase, "x").unwrap(),
        "`x` was let go, and runs on: the life of its session was over"
    );
    let mut rest = Vec::new();
    adapter.requests.get_mut().read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty(), "its input is closed");
}

#[tokio::test(start_paused = true)]
async fn an_end_waits_for_its_other_half_and_for_late_output() {
    for (first, second) in [("exited", "terminated"), ("terminated", "exited")] {
        let (shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
        adapter.event(first, json!({"exitCode": 3})).await;
        tokio::time::sleep(limits::EXIT_CODE / 2).await;
        adapter.event(second, json!({"exitCode": 3})).await;
        let (command, message) = adapter.hears().await.unwrap();
        assert_eq!(command, "disconnect");
        adapter.event("output", json!({"category": "stderr", "output": "late"})).await;
        let answer = json!({"seq": 0, "type": "response", "request_seq": message["seq"], "success": true, "command": ""});
        adapter.says(answer).await;
        shared.gone.cancelled().await;
        assert_eq!(shared.standing.now().phase, Phase::Ended(Arc::new(Ended::Exited(Some(3)))), "{first}");
        assert_eq!(shared.output.unseen(), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_closes_is_lost_and_one_that_says_only_terminated_has_no_code() {
    let (shared, adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    drop(adapter);
    shared.gone.cancelled().await;
    let lost = told(&shared.standing.now().phase, "x").unwrap();
    assert_eq!(lost, "the debug adapter of `x` ended before the program did: it closed the connection");

    let (shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    let words = json!({"category": "console", "output": "Process 7 has exited with status 5\n"});
    adapter.event("output", words).await;
    adapter.event("terminated", json!(null)).await;
    shared.gone.cancelled().await;
    assert_eq!(shared.standing.now().phase, Phase::Ended(Arc::new(Ended::Exited(Some(5)))));

    let (shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    adapter.event("terminated", json!(null)).await;
    shared.gone.cancelled().await;
    assert_eq!(told(&shared.standing.now().phase, "x").unwrap(), "`x` has ended; its exit code is not known");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_holds_ends_without_a_word() {
    let (shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    shared.abandoned.cancel();
    shared.gone.cancelled().await;
    assert!(adapter.hears().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_an_adapter_asks_for_is_refused_and_not_left_unanswered() {
    let (_shared, mut adapter, _connection) = session(Ownership::Launched, limits::LIFE);
    adapter.says(json!({"seq": 7, "type": "request", "command": "startDebugging", "arguments": {}})).await;
    let (command, message) = adapter.hears().await.unwrap();
    assert_eq!(command, "startDebugging");
    assert_eq!((&message["success"], &message["request_seq"]), (&false.into(), &7.into()));
}
