//! Real processes: started, listened to, stopped, and counted afterwards by a mark in their environment.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests start hosts of their own and read what the harness set"
)]

extern crate outrigger_peer as peer;

mod descriptors;
mod framing;
mod hosts;
mod life;
mod mark;
mod prefixed;
mod rpc;
mod stopping;
mod survivors;
mod unguarded;
