//! The end of a server at our word: `shutdown`, `exit`, the end of its input, then the ladder of signals.
//! It must never wait for a server that does not answer longer than its limit.

use std::time::Duration;

use peer::{Ladder, Stopped};
use serde_json::Value;

use super::Client;
use crate::limits;

impl Client {
    /// Ends the server and everything below it. What is asked from here on is refused.
    pub(crate) async fn stop(&self) -> Stopped {
        self.live.close();
        let ended = self.end().is_some();
        if !ended {
            let limit = limits::SHUTDOWN;
            let _ = self.rpc.request("shutdown", Value::Null, limit).await;
            let _ = self.rpc.notify("exit", Value::Null);
        }
        self.rpc.close();
        // What is queued is written first, so that `exit` arrives; a server that does not read is not waited for.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.rpc.closed()).await;
        self.process.stop(Ladder::default()).await.unwrap_or(Stopped::Itself)
    }
}
