//! What the two tasks and the handles of a conversation share: the queue to the writer, the requests that wait for an
//! answer, and whether it is over. It must never wait while it holds its lock.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use crate::content_length;
use crate::rpc::{Closed, Fault, RpcLimits};

/// The result of a request of ours, or the peer's error.
type Answer = Result<Value, Fault>;

pub(super) struct Connection {
    pub(super) limits: RpcLimits,
    state: Mutex<State>,
    phase: watch::Sender<Phase>,
    /// There is something to write, or nothing will follow.
    wake: Notify,
}

#[derive(Debug)]
struct State {
    queue: VecDeque<BytesMut>,
    queued_bytes: usize,
    waiting: HashMap<i64, oneshot::Sender<Answer>>,
    /// Requests given up, the oldest first.
    tombstones: VecDeque<i64>,
    last_id: i64,
    last_exchange: Instant,
}

#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    closed: Option<Closed>,
    input_ended: bool,
}

/// What an answer met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    Waiting,
    GivenUp,
    Nothing,
}

impl Connection {
    pub(super) fn new(limits: RpcLimits) -> Self {
        let state = State {
            queue: VecDeque::new(),
            queued_bytes: 0,
            waiting: HashMap::new(),
            tombstones: VecDeque::new(),
            last_id: 0,
            last_exchange: Instant::now(),
        };
        let phase = watch::Sender::new(Phase::default());
        Self { limits, state: Mutex::new(state), phase, wake: Notify::new() }
    }

    /// Queues a request; the answer comes through the channel, whose end is that of the conversation.
    pub(super) fn ask(
        &self,
        method: &str,
        params: Value,
    ) -> Result<(i64, oneshot::Receiver<Answer>), Closed> {
        let (sender, answer) = oneshot::channel();
        let mut state = self.lock();
        state.last_id += 1;
        let id = state.last_id;
        self.queue(&mut state, call(Some(id), method, params))?;
        state.waiting.insert(id, sender);
        state.last_exchange = Instant::now();
        Ok((id, answer))
    }

    pub(super) fn tell(&self, method: &str, params: Value) -> Result<(), Closed> {
        let mut state = self.lock();
        self.queue(&mut state, call(None, method, params))?;
        state.last_exchange = Instant::now();
        Ok(())
    }

    /// Answers a request of the peer under its own id.
    pub(super) fn reply(&self, id: Value, answer: Answer) {
        let mut message = envelope();
        message.insert("id".to_owned(), id);
        match answer {
            Ok(result) => message.insert("result".to_owned(), result),
            Err(Fault { code, message: text, data }) => {
                let mut error = Map::from_iter([
                    ("code".to_owned(), json!(code)),
                    ("message".to_owned(), Value::String(text)),
                ]);
                error.extend(data.map(|data| ("data".to_owned(), data)));
                message.insert("error".to_owned(), Value::Object(error))
            }
        };
        let _ = self.queue(&mut self.lock(), message);
    }

    /// Hands an answer to whoever waits for it.
    pub(super) fn answered(&self, id: i64, answer: Answer) -> Met {
        let mut state = self.lock();
        if let Some(waiting) = state.waiting.remove(&id) {
            state.last_exchange = Instant::now();
            // A receiver that is just being dropped needs no answer.
            let _ = waiting.send(answer);
            return Met::Waiting;
        }
        match state.tombstones.iter().position(|given_up| *given_up == id) {
            Some(at) => {
                state.tombstones.remove(at);
                Met::GivenUp
            }
            None => Met::Nothing,
        }
    }

    /// Nobody waits for this answer any longer: unless it has come, the peer is told so.
    pub(super) fn give_up(&self, id: i64) {
        let mut state = self.lock();
        if state.waiting.remove(&id).is_none() {
            return;
        }
        state.last_exchange = Instant::now();
        state.tombstones.push_back(id);
        if state.tombstones.len() > self.limits.tombstones {
            state.tombstones.pop_front();
        }
        let _ = self.queue(&mut state, call(None, "$/cancelRequest", json!({ "id": id })));
    }

    /// The first reason counts.
    pub(super) fn close(&self, why: Closed) {
        self.close_locked(&mut self.lock(), why);
    }

    fn close_locked(&self, state: &mut State, why: Closed) {
        if self.why().is_some() {
            return;
        }
        if why != Closed::ClosedByUs {
            state.queue.clear();
            state.queued_bytes = 0;
        }
        self.phase.send_modify(|phase| phase.closed = Some(why));
        state.waiting.clear();
        self.wake.notify_one();
    }

    pub(super) fn why(&self) -> Option<Closed> {
        self.phase.borrow().closed
    }

    /// Waits until the conversation is over, whatever is still to be written.
    pub(super) async fn over(&self) -> Closed {
        self.until(|_| true).await
    }

    /// Waits until the conversation is over and the peer's input is closed.
    pub(super) async fn ended(&self) -> Closed {
        self.until(|phase| phase.input_ended).await
    }

    async fn until(&self, reached: impl Fn(&Phase) -> bool) -> Closed {
        let mut phase = self.phase.subscribe();
        let end = phase.wait_for(|phase| phase.closed.is_some() && reached(phase)).await;
        // The sender is part of `self`, and what is waited for has a reason.
        end.ok().and_then(|phase| phase.closed).unwrap_or(Closed::ClosedByUs)
    }

    pub(super) fn input_ended(&self) {
        self.phase.send_modify(|phase| phase.input_ended = true);
    }

    /// The next frame to write; none once the conversation is over and all is written.
    pub(super) async fn next_frame(&self) -> Option<BytesMut> {
        loop {
            {
                let mut state = self.lock();
                if let Some(frame) = state.queue.pop_front() {
                    state.queued_bytes -= frame.len();
                    return Some(frame);
                }
                if self.why().is_some() {
                    return None;
                }
            }
            self.wake.notified().await;
        }
    }

    pub(super) fn pending(&self) -> usize {
        self.lock().waiting.len()
    }

    pub(super) fn last_exchange(&self) -> Instant {
        self.lock().last_exchange
    }

    fn queue(&self, state: &mut State, message: Map<String, Value>) -> Result<(), Closed> {
        if let Some(why) = self.why() {
            return Err(why);
        }
        let frame = content_length::frame(Value::Object(message).to_string().as_bytes());
        let bytes = state.queued_bytes.saturating_add(frame.len());
        let too_many = state.queue.len() >= self.limits.queued_messages;
        if too_many || (bytes > self.limits.queued_bytes && !state.queue.is_empty()) {
            self.close_locked(state, Closed::Flood);
            return Err(Closed::Flood);
        }
        state.queued_bytes = bytes;
        state.queue.push_back(frame);
        self.wake.notify_one();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn envelope() -> Map<String, Value> {
    Map::from_iter([("jsonrpc".to_owned(), Value::from("2.0"))])
}

fn call(id: Option<i64>, method: &str, params: Value) -> Map<String, Value> {
    let mut message = envelope();
    message.extend(id.map(|id| ("id".to_owned(), Value::from(id))));
    message.insert("method".to_owned(), Value::from(method));
    if !params.is_null() {
        message.insert("params".to_owned(), params);
    }
    message
}
