//! Changes of real files through real permits: what a commit does, what it refuses, and what is left when it fails,
//! is killed, or meets somebody else. Nothing here reaches around the public doors of the crate.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own fixtures and start their own processes"
)]

extern crate outrigger_edits as edits;

mod bench;
mod commit;
mod failing;
mod killed;
mod model;
mod refused;
mod resolve;
mod scenario;
mod stateless;
mod traced;
mod within;
