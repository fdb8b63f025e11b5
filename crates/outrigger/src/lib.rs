//! The embedded tool library of an agent runtime: the run builder and its layers.
//!
//! A harness links this crate, attaches live resources to a [`Run`], and hands the run's [`Surface`]s to its agents.
//! A tool is registered exactly while its resource is attached, and a surface shows and serves only the tools up to
//! its ceiling: `run.surface(Tier::Read)` is plan mode. Way through the files: `run.rs` (builder, resources, end of
//! a run) → `syntax.rs` → `approval.rs` (who is asked) → `telemetry.rs` (spans) → `state.rs` (where journals live).
//!
//! The rooms behind it are re-exported: [`tool`] (the contract), [`workspace`] (files and paths), [`edits`] (the one
//! door for changes), [`peer`] (child processes), and `structural` with its feature.
//!
//! # Invariants
//! - A call never waits for an approval that nobody can give: it is refused.
//! - Nothing survives a run that is closed or dropped.
//! - This crate reads the environment only to find the state folder, and only when the host names none.
//!
//! # Example
//! ```no_run
//! use outrigger::{AllowAll, Grammars, Run, Tier, workspace::Workspace};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let run = Run::builder(Workspace::open(".")?)
//!     .syntax(Grammars::bundled())
//!     .approver(AllowAll)
//!     .build()?;
//! let found = run
//!     .surface(Tier::Read)
//!     .call("ast_grep", json!({"pattern": "$X.unwrap()", "language": "rust"}))
//!     .await?;
//! println!("{}", found.to_text());
//! run.close().await;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod approval;
mod run;
mod state;
#[cfg(feature = "structural")]
mod syntax;
mod telemetry;

pub use approval::{AllowAll, ByTier};
pub use run::{BuildError, Parts, ResourceError, Run, RunBuilder};
pub use state::{check_state_folder, state_folder};
#[cfg(feature = "structural")]
pub use syntax::Grammars;
pub use tool::{Approver, Card, Decision, Error, ErrorKind, Output, Policy, Surface, Tier, Tool, Verdict};

pub use edits;
pub use peer;
#[cfg(feature = "structural")]
pub use structural;
pub use tool;
pub use workspace;
