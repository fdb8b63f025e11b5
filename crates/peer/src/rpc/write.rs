//! The writing task: frames out of the queue, one after another. It must never keep the peer's input open after the end
//! of the conversation.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use crate::rpc::Closed;
use crate::rpc::connection::Connection;

/// A peer that dies closes its input first: so long the end of its output, and what it said last, is waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) async fn run(connection: Arc<Connection>, mut writer: impl AsyncWrite + Send + Unpin) {
    let end = tokio::select! {
        biased;
        () = cut_off(&connection) => None,
        end = write(&connection, &mut writer) => end,
    };
    // A stream that is one with the reader's does not end by being dropped.
    let _ = timeout(LAST_WORDS, writer.shutdown()).await;
    drop(writer);
    if let Some(why) = end {
        connection.close(why);
    }
    connection.input_ended();
}

/// When nothing more is to be written: at once, or, if it was us who closed, after a while for the rest of the queue.
async fn cut_off(connection: &Connection) {
    if connection.over().await == Closed::ClosedByUs {
        sleep(connection.limits.write_stall).await;
    }
}

/// Writes what is queued; why that ended, unless it is all written and over.
async fn write(connection: &Connection, writer: &mut (impl AsyncWrite + Unpin)) -> Option<Closed> {
    let stall = connection.limits.write_stall;
    while let Some(frame) = connection.next_frame().await {
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match timeout(stall, writer.write(rest)).await {
                Ok(Ok(written @ 1..)) => rest = &rest[written..],
                Ok(_) => return end_of_input().await,
                Err(_) => return Some(Closed::WriteStalled),
            }
        }
        match timeout(stall, writer.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return end_of_input().await,
            Err(_) => return Some(Closed::WriteStalled),
        }
    }
    None
}

async fn end_of_input() -> Option<Closed> {
    sleep(LAST_WORDS).await;
    Some(Closed::EndOfInput)
}
