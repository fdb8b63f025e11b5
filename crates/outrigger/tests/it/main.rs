//! What a run promises its embedder beyond the contract: who is asked, how a run ends, what it is built from, what it
//! tells a tracing subscriber. One binary; a module per promise.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod approval;
mod asked;
mod built;
mod ending;
mod spans;
