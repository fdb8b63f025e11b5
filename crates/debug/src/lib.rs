//! A program under its debugger: one session of a conversation, held in state and ended whole; the tool `debug`.
//!
//! The way through: [`DebugSessions`] is what a host decides; [`Debugger`] takes a call. A `program` has a kind;
//! `adapters` are rows of a table, found or not, for a reason; `launch` makes a plan of both. `start` opens it through a
//! `transport`: a `connection` speaks the `protocol`, `shared` understands what it hears and folds it into the `state`,
//! and the `keeper` owns the process to its end. A `session` lets the program go on and waits for what comes of it; a
//! `report` says where it stopped, `inspect` what it holds, by `handles` of our own. `breakpoints` outlive sessions,
//! `output` is what the program wrote, `render` writes all of it for a model.
//!
//! # Invariants
//!
//! - The start request is never waited for before the program is configured, and its failure is never lost.
//! - No adapter's number is handed out, and none of ours is good after the stop it was given at.
//! - No wait is without a limit (`limits`); one that has passed is told as `running`, never as a stop.
//! - No process is left of a session that was ended, dropped, lost or too old.
//! - Protocol types never leave the crate, and nothing here reads the environment or writes a file of the workspace.
//!
//! ```
//! # use outrigger_debug as debug;
//! # fn open(folder: &std::path::Path, path: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let workspace = workspace::Workspace::open(folder)?;
//! let sessions = debug::DebugSessions::default().environment([("PATH", path)]);
//! let registry = tool::Registry::builder().build();
//! registry.attach("debugger", vec![tool::tool(debug::Debugger::new(workspace, sessions, "conversation"))])?;
//! # Ok(())
//! # }
//! ```

mod error;
mod limits;

mod adapters;
mod launch;
mod program;

mod connection;
mod protocol;
mod transport;

mod breakpoints;
mod handles;
mod keeper;
mod output;
mod session;
mod shared;
mod start;
mod state;

mod inspect;
mod report;

mod render;
mod sessions;
mod tool;

pub use sessions::DebugSessions;
pub use tool::{Action, DebugArgs, Debugger, DetailedLine, LineArg, Variable};
