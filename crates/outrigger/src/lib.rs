//! The embedded tool library of an agent runtime: the run builder and its layers.
//!
//! A harness links this crate, attaches live resources to a [`Run`], and hands the run's [`Surface`]s to its agents.
//! A tool is registered exactly while its resource is attached, and a surface shows and serves only the tools up to
//! its ceiling: `run.surface(Tier::Read)` is plan mode. Way through the files: `run.rs` (builder, resources, end of
//! a run) → `syntax.rs`, `language.rs`, `debugging.rs` (what is attached) → `approval.rs` (who is asked) → `telemetry.rs` (spans) → `state.rs` (where journals live).
//!
//! The rooms behind it are re-exported: [`tool`] (the contract), [`workspace`] (files and paths), [`edits`] (the one
//! door for changes), and, each with its feature, `peer` (child processes: `process`), `lsp`, `debug`
//! and `structural`.
//!
//! # Invariants
//! - A call never waits for an approval that nobody can give: it is refused.
//! - Nothing survives a run that is closed or dropped.
//! - This crate reads the environment only to find the state folder, and for language servers, and only where the host
//!   has said nothing.
//!
//! # Example
#![cfg_attr(feature = "structural", doc = "```no_run")]
#![cfg_attr(not(feature = "structural"), doc = "```ignore")]
//! use outrigger::{About, AllowAll, Error, Grammars, Output, ReadContext, Run, Tier, TypedTool, workspace::Workspace};
//! use serde_json::json;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! struct MyTool;
//!
//! impl TypedTool for MyTool {
//!     type Args = Greet;
//!     type Context = ReadContext;               // a read tool; it cannot change files
//!     fn about(&self) -> About {
//!         About::new("greet", "Greets somebody.")
//!     }
//!     async fn call(&self, args: Greet, _cx: ReadContext) -> Result<Output, Error> {
//!         Ok(Output::text(format!("hello, {}", args.name)))
//!     }
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let run = Run::builder(Workspace::open(".")?)
//!     .syntax(Grammars::bundled())              // ast_grep, ast_edit, resolve
//!     .tool(MyTool)                             // your own tools live in the same registry
//!     .approver(AllowAll)                       // or yours: write and exec calls are asked about
//!     .build()?;
//! let plan_mode = run.surface(Tier::Read);      // lists and serves read tools only
//! let schemas = outrigger::tool::export::openai(&plan_mode.specs());
//! let found = plan_mode.call("ast_grep", json!({"pattern": "$X.unwrap()", "language": "rust"})).await?;
//! println!("{}", found.to_text());              // found.data holds the same as objects
//! run.close().await;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod approval;
#[cfg(all(feature = "structural", feature = "lsp"))]
mod code;
#[cfg(feature = "debug")]
mod debugging;
#[cfg(feature = "lsp")]
mod language;
mod run;
mod state;
#[cfg(feature = "structural")]
mod syntax;
mod telemetry;

pub use approval::{AllowAll, ByTier};
#[cfg(feature = "debug")]
pub use debugging::DebugSessions;
#[cfg(feature = "lsp")]
pub use language::LanguageServers;
pub use run::{BuildError, Ended, Parts, ResourceError, Run, RunBuilder};
pub use state::{check_state_folder, state_folder};
#[cfg(feature = "structural")]
pub use syntax::Grammars;
pub use tool::{
    About, Approver, Call, Card, Context, Decision, Error, ErrorKind, ExecContext, Gate, Layer, Output,
    Policy, ReadContext, Surface, Tier, Tool, TypedTool, Verdict, WriteContext,
};

#[cfg(feature = "debug")]
pub use debug;
pub use edits;
#[cfg(feature = "lsp")]
pub use lsp;
#[cfg(feature = "process")]
pub use peer;
#[cfg(feature = "structural")]
pub use structural;
pub use tool;
pub use workspace;
