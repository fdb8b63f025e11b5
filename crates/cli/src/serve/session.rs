//! One session: reads the host's messages, runs calls side by side, answers each by its id. It ends with the input,
//! or when the host no longer reads, and leaves nothing behind.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use outrigger::peer::{JsonLines, Line};
use outrigger::tool::{Arguments, Cancellation, Request};
use outrigger::{Run, Surface};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::codec::FramedRead;

use super::host::{Capabilities, Host};
use super::message::{self, Fault, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message};
use super::outbox::Outbox;
use crate::answer::Answer;

/// How long calls in flight may still end by themselves after the input has ended; then they are cancelled. As long
/// again for a host that reads its last answers slowly.
pub(super) const END_GRACE: Duration = Duration::from_secs(2);

/// Calls that run or have an answer to send at the same time; more wait for their turn, in order.
const MAX_RUNNING: usize = 128;

/// Calls that may wait; further ones are refused.
const MAX_WAITING: usize = 10_000;

/// The longest line a host may send, in bytes (16 MiB).
const MAX_LINE: usize = 16 << 20;

/// The methods a host may call.
const METHODS: [&str; 5] = ["initialize", "tools/list", "tools/call", "run/attach", "run/detach"];

/// A run, a surface of it, and the host it serves.
pub(crate) struct Session {
    run: Run,
    surface: Surface,
    host: Host,
    outbox: Outbox,
    calls: JoinSet<()>,
    turns: Arc<Semaphore>,
    in_flight: InFlight,
}

/// Calls in flight by their id's text. A call leaves before its answer is sent, so that its id can be used again.
#[derive(Clone, Default)]
struct InFlight(Arc<Mutex<HashMap<String, Cancellation>>>);

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Cancellation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ResourceParams {
    resource: String,
}

#[derive(Deserialize)]
struct InitializeParams {
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Deserialize)]
struct CancelParams {
    id: Value,
}

impl Session {
    pub(crate) fn new(run: Run, surface: Surface, host: Host, outbox: Outbox) -> Self {
        Self {
            run,
            surface,
            host,
            outbox,
            calls: JoinSet::new(),
            turns: Arc::new(Semaphore::new(MAX_RUNNING)),
            in_flight: InFlight::default(),
        }
    }

    /// Serves until the input ends or the host no longer reads.
    pub(crate) async fn serve(mut self, input: impl AsyncRead + Unpin) {
        let mut lines = FramedRead::new(input, JsonLines::new(MAX_LINE));
        let mut changes = self.run.registry().changes();
        loop {
            tokio::select! {
                line = lines.next() => match line {
                    Some(Ok(line)) => self.receive(line),
                    Some(Err(error)) => {
                        tracing::warn!(%error, "the input cannot be read; the session ends");
                        break;
                    }
                    None => break,
                },
                Some(ended) = self.calls.join_next(), if !self.calls.is_empty() => report(ended),
                () = changes.changed() => self.post(message::notification("tools/changed", &json!({}))),
                () = self.outbox.closed() => break,
            }
            if self.calls.len() > MAX_RUNNING + MAX_WAITING {
                tracing::warn!("the host sends and does not read; the session ends");
                break;
            }
        }
        self.end().await;
    }

    /// Lets calls end, cancels the rest, closes the run.
    async fn end(mut self) {
        self.host.gone();
        if !self.drained().await {
            self.in_flight.lock().values().for_each(Cancellation::cancel);
            // What is left has its answer and cannot send it: the host does not read.
            self.drained().await;
            self.calls.abort_all();
        }
        self.run.close().await;
    }

    /// Waits for the calls in flight, for as long as an end may take; says whether all have ended.
    async fn drained(&mut self) -> bool {
        let calls = &mut self.calls;
        let all = async { while calls.join_next().await.is_some() {} };
        tokio::time::timeout(END_GRACE, all).await.is_ok()
    }

    /// Sends a message without waiting for the host: a session that waited would see neither a cancellation nor the end.
    fn post(&mut self, message: String) {
        if let Err(message) = self.outbox.try_send(message) {
            let outbox = self.outbox.clone();
            self.calls.spawn(async move { outbox.send(message).await });
        }
    }

    fn receive(&mut self, line: Line) {
        let parsed = match &line {
            Line::Message(bytes) => message::parse(bytes),
            Line::TooLong { length } => {
                let why = format!("a line of {length} bytes was passed over: the most is {MAX_LINE}");
                Err((Value::Null, Fault::new(INVALID_REQUEST, why)))
            }
        };
        match parsed {
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params),
            Ok(Message::Notification { method, params }) => self.notified(&method, params.as_deref()),
            Ok(Message::Response { id, answer }) => {
                if !self.host.answered(&id, answer) {
                    tracing::warn!(%id, "an answer to nothing we asked");
                }
            }
            Err((id, fault)) => self.post(fault.answer(&id)),
        }
    }

    fn request(&mut self, id: Value, method: &str, params: Option<Box<RawValue>>) {
        let params = params.as_deref();
        let answer = match method {
            "tools/call" => match self.call(&id, params) {
                Ok(()) => return,
                Err(fault) => Err(fault),
            },
            "initialize" => self.initialize(params),
            "tools/list" => Ok(self.list()),
            "run/attach" => read(params).and_then(|params: ResourceParams| self.attach(&params.resource)),
            "run/detach" => read(params).and_then(|params: ResourceParams| self.detach(&params.resource)),
            _ => Err(Fault::new(
                METHOD_NOT_FOUND,
                format!("there is no method `{method}`; the methods are {}", METHODS.join(", ")),
            )),
        };
        match answer {
            Ok(result) => self.post(message::answer(&id, &result)),
            Err(fault) => self.post(fault.answer(&id)),
        }
    }

    fn notified(&self, method: &str, params: Option<&RawValue>) {
        if method != "$/cancel" {
            tracing::warn!(method, "a notification that is not served");
            return;
        }
        match read(params) {
            Ok(CancelParams { id }) => {
                if let Some(cancellation) = self.in_flight.lock().get(&id.to_string()) {
                    cancellation.cancel();
                }
            }
            Err(fault) => tracing::warn!(fault.message, "a cancellation that names no call"),
        }
    }

    fn initialize(&self, params: Option<&RawValue>) -> Result<Value, Fault> {
        let params: InitializeParams = read(params)?;
        self.host.declare(params.capabilities);
        Ok(json!({
            "name": "outrigger",
            "version": env!("CARGO_PKG_VERSION"),
            "workspace": self.run.parts().workspace().root(),
            "tier": self.surface.ceiling(),
            "capabilities": self.host.capabilities(),
            "resources": self.run.registry().resources(),
        }))
    }

    fn list(&self) -> Value {
        let tool = |spec: outrigger::tool::Spec| json!({"name": spec.name, "tier": spec.tier, "description": spec.description, "input_schema": spec.input_schema});
        json!({"tools": self.surface.specs().into_iter().map(tool).collect::<Vec<_>>()})
    }

    fn attach(&self, resource: &str) -> Result<Value, Fault> {
        self.run
            .attach(resource)
            .map(|()| json!({}))
            .map_err(|error| Fault::new(INVALID_PARAMS, error.to_string()))
    }

    fn detach(&self, resource: &str) -> Result<Value, Fault> {
        match self.run.detach(resource) {
            Ok(was_attached) => Ok(json!({"was_attached": was_attached})),
            Err(error) => Err(Fault::new(INVALID_PARAMS, error.to_string())),
        }
    }

    /// Starts a call; its answer is sent when it ends.
    fn call(&mut self, id: &Value, params: Option<&RawValue>) -> Result<(), Fault> {
        let CallParams { name, arguments } = read(params)?;
        if self.calls.len() >= MAX_RUNNING + MAX_WAITING {
            return Err(Fault::new(
                INVALID_REQUEST,
                format!("{MAX_WAITING} calls wait already; read their answers first"),
            ));
        }
        let cancellation = Cancellation::new();
        match self.in_flight.lock().entry(id.to_string()) {
            Entry::Vacant(free) => free.insert(cancellation.clone()),
            Entry::Occupied(_) => {
                return Err(Fault::new(
                    INVALID_REQUEST,
                    format!("the id {id} belongs to a call that still runs"),
                ));
            }
        };
        let (surface, outbox, in_flight) =
            (self.surface.clone(), self.outbox.clone(), self.in_flight.clone());
        let (id, turns) = (id.clone(), Arc::clone(&self.turns));
        self.calls.spawn(async move {
            // Held until the answer is on its way, so that a host that does not read holds up calls, not memory.
            let _turn = tokio::select! {
                turn = turns.acquire() => turn.ok(),
                () = cancellation.cancelled() => None,
            };
            let result = match Arguments::parse(arguments.as_deref().map_or("{}", RawValue::get)) {
                Ok(arguments) => {
                    let request = progressing(&name, arguments, &id, &outbox).cancellation(cancellation);
                    surface.request(request).await
                }
                Err(error) => Err(error),
            };
            in_flight.lock().remove(&id.to_string());
            outbox.send(message::answer(&id, &json!(Answer::from(result)))).await;
        });
        Ok(())
    }
}

/// A call's task never panics by design: tools and layers are caught below.
fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a call's task ended without an answer");
    }
}

/// A request whose progress reaches the host as `tool/progress`.
fn progressing(name: &str, arguments: Arguments, id: &Value, outbox: &Outbox) -> Request {
    let (outbox, progress_id) = (outbox.clone(), id.clone());
    let call_id: Arc<str> = id.as_str().map_or_else(|| id.to_string(), str::to_owned).into();
    Request::new(name, arguments).id(call_id).progress(move |text| {
        // Lost when the host reads slowly: the next one says more.
        let _ = outbox
            .try_send(message::notification("tool/progress", &json!({"id": progress_id, "text": text})));
    })
}

/// Parameters of type `T`; absent ones are an empty object.
fn read<T: for<'de> Deserialize<'de>>(params: Option<&RawValue>) -> Result<T, Fault> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| Fault::new(INVALID_PARAMS, error.to_string()))
}
