//! What the contract promises, tested through its public surface alone. One binary; a module per promise.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod arguments;
mod attachment;
mod cancellation;
mod cards;
mod contexts;
mod exports;
mod fixed;
mod gates;
mod layers;
mod panics;
mod permits;
mod scripted;
mod visibility;
mod waiting;
