//! A server's process: one task owns it, sees its end, and ends it. Its pipes belong to the conversation.
//! It must never let a process go on that can no longer be talked to: an output that has ended is an end.

use std::sync::Arc;
use std::time::Duration;

use peer::{Child, Closed, Exit, Ladder, Rpc, Stopped, Tail};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::limits;
use crate::live::Live;

/// How a server ended without being told to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// `exit code 3`, or what ended though the process still ran.
    pub(crate) how: String,
    /// The end of its error stream.
    pub(crate) stderr: String,
    pub(crate) at: tokio::time::Instant,
}

/// The handle; once it is dropped, the process and everything below it are killed.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    orders: mpsc::Sender<Order>,
    ended: watch::Receiver<Option<Arc<Ended>>>,
    stderr: Tail,
}

#[derive(Debug)]
enum Order {
    Stop(Ladder, oneshot::Sender<Stopped>),
    Memory(oneshot::Sender<Option<u64>>),
}

impl Process {
    /// Takes the child over, with the conversation it is held in.
    pub(crate) fn watch(child: Child, rpc: Rpc, live: Arc<Live>, stderr: Tail) -> Self {
        // Each asker waits for its answer: nobody can fill the queue but by asking at once.
        let (orders, taken) = mpsc::channel(8);
        let (end, ended) = watch::channel(None);
        let pid = child.id();
        tokio::spawn(Owner { child, rpc, live, stderr: stderr.clone(), orders: taken, end }.run());
        Self { pid, orders, ended, stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// How it ended, if it did so by itself.
    pub(crate) fn ended(&self) -> Option<Arc<Ended>> {
        self.ended.borrow().clone()
    }

    /// Waits for its end, and for what is known of it.
    ///
    /// *Cancel safety*: dropping the future loses nothing.
    pub(crate) async fn end(&self) -> Option<Arc<Ended>> {
        let mut ended = self.ended.clone();
        ended.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone())
    }

    /// What it has written on its error stream, as far as it is kept.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.kept().text
    }

    /// Ends it and everything below it. One that has ended already was ended with its tree.
    pub(crate) async fn stop(&self, ladder: Ladder) -> Option<Stopped> {
        let (answer, stopped) = oneshot::channel();
        self.orders.send(Order::Stop(ladder, answer)).await.ok()?;
        stopped.await.ok()
    }

    /// Bytes of memory that it and everything below it hold.
    pub(crate) async fn memory(&self) -> Option<u64> {
        let (answer, memory) = oneshot::channel();
        self.orders.send(Order::Memory(answer)).await.ok()?;
        memory.await.ok().flatten()
    }
}

struct Owner {
    child: Child,
    rpc: Rpc,
    live: Arc<Live>,
    stderr: Tail,
    orders: mpsc::Receiver<Order>,
    end: watch::Sender<Option<Arc<Ended>>>,
}

impl Owner {
    async fn run(mut self) {
        let closed = self.rpc.closed();
        tokio::pin!(closed);
        let mut closed_by_us = false;
        loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(Order::Memory(answer)) => {
                        let _ = answer.send(self.child.memory());
                    }
                    Some(Order::Stop(ladder, answer)) => {
                        let _ = answer.send(self.child.stop(&ladder).await);
                        return;
                    }
                    // Every handle is gone: dropping the child kills its tree.
                    None => return,
                },
                exit = self.child.wait() => return self.has_ended(Some(exit), None).await,
                why = &mut closed, if !closed_by_us => {
                    if why == Closed::ClosedByUs {
                        closed_by_us = true;
                        continue;
                    }
                    // The end of the output and that of the process come together, in any order.
                    let exit = timeout(limits::LAST_WORDS, self.child.wait()).await.ok();
                    return self.has_ended(exit, Some(why)).await;
                }
            }
        }
    }

    async fn has_ended(mut self, exit: Option<Exit>, closed: Option<Closed>) {
        self.rpc.close();
        // What it left behind is ended before its end is told: whoever waits for that finds nothing left.
        let stopped = self.child.stop(&at_once()).await;
        let _ = timeout(limits::LAST_WORDS, self.stderr.ended()).await;
        let how = match (exit, closed) {
            (Some(exit), _) => exit.to_string(),
            (None, Some(Closed::EndOfOutput)) => "it closed its output though it still ran".to_owned(),
            (None, Some(why)) => why.to_string(),
            (None, None) => "it is gone".to_owned(),
        };
        if !self.live.is_closing() {
            let ended = Ended { how, stderr: self.stderr.kept().text, at: tokio::time::Instant::now() };
            self.end.send_replace(Some(Arc::new(ended)));
        }
        // Whoever asks for a stop from here on is told that nothing is left to stop.
        while let Some(order) = self.orders.recv().await {
            match order {
                Order::Memory(answer) => drop(answer),
                Order::Stop(_, answer) => {
                    let _ = answer.send(stopped);
                }
            }
        }
    }
}

/// For what cannot be talked to any more, or not yet.
pub(crate) fn at_once() -> Ladder {
    Ladder { after_end_of_input: Duration::ZERO, after_terminate: limits::AT_ONCE, ..Ladder::default() }
}
