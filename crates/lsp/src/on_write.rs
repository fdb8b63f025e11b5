//! Diagnostics on write: what a change of files made worse, told with the result of the tool that changed them.
//!
//! The way through the files: `layer.rs` wraps the tools; `watch.rs` hears which files will change and keeps what was
//! known; `after.rs` tells the servers, waits, compares by `registry.rs` and finishes later what took too long;
//! `findings.rs` is what came of it and `render.rs` how it is told; `preview.rs` asks the same before anything is written.
//!
//! It must never delay or fail a write because of a server, and never say "no new diagnostics" of what is not settled.

mod after;
mod findings;
mod layer;
mod message;
mod preview;
mod registry;
mod render;
#[cfg(test)]
mod tests;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::client::Client;
use crate::error::Error;

pub(crate) use after::OnWrite;
pub(crate) use preview::Judge;

/// The servers of a run, as far as a write concerns them.
pub(crate) trait Servers: Send + Sync + 'static {
    /// Those that have come up and not ended.
    fn running(&self) -> Vec<Arc<Client>>;

    /// Those whose diagnostics of `path` count, started where they are not yet.
    fn diagnosing(&self, path: PathBuf) -> BoxFuture<'_, Result<Vec<Arc<Client>>, Error>>;

    /// Tells all that run what others than the library's own tools have changed.
    fn outside_changes(&self) -> BoxFuture<'_, ()>;
}

/// Tells one running server of the run from another, over restarts.
fn owner(client: &Client) -> Arc<str> {
    format!("{} in {}", client.server().id, client.root().display()).into()
}
