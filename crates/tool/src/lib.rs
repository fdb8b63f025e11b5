//! The contract of Outrigger: what a tool is, who may see it, and how a call travels.
//!
//! A *tool* is written against one of three contexts, [`ReadContext`], [`WriteContext`], [`ExecContext`]; the
//! context decides its [`Tier`], and the tier decides which [`Surface`]s list and serve it. A [`Registry`] holds
//! the tools of one run, each under the resource it is attached to, wrapped in the run's [`Layer`]s. Way through
//! the files: [`Tier`] → [`TypedTool`] → [`Spec`] → [`Call`] → contexts and [`WritePermit`] → [`Layer`], [`Gate`]
//! → [`Registry`] → [`Surface`] → [`Dispatch`] → [`export`].
//!
//! # Invariants
//! - A tool above a surface's ceiling is never listed, and calling it answers what an unknown name answers.
//! - A [`WritePermit`] never comes from a read context, never outlives its call, and is never honoured for another
//!   registry.
//! - A wait for a [`Gate`] that would close a ring never begins: it is refused, naming the ring.
//! - Once a commit has begun, cancellation never wins: the caller learns how the commit ended, also from a call that
//!   made the committing one.
//! - No tool is attached whose arguments some model's format could not describe.
//! - This crate knows no tool, no layer and no resource by name, starts no process and reads no file.
//!
//! What it cannot hold: `std::fs` inside an embedder's own tool, and layers, which see every call and are trusted.
//!
//! # Example
//! ```
//! use outrigger_tool as tool;
//! use tool::{About, Error, Output, ReadContext, Registry, Tier, TypedTool};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! struct Greeter;
//!
//! impl TypedTool for Greeter {
//!     type Args = Greet;
//!     type Context = ReadContext;
//!     fn about(&self) -> About {
//!         About::new("greet", "Greets somebody.")
//!     }
//!     async fn call(&self, args: Greet, _cx: ReadContext) -> Result<Output, Error> {
//!         Ok(Output::text(format!("hello, {}", args.name)))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let registry = Registry::builder().build();
//! registry.attach("people", vec![tool::tool(Greeter)]).unwrap();
//! let answer = registry.surface(Tier::Read).call("greet", serde_json::json!({"name": "Ada"})).await.unwrap();
//! assert_eq!(answer.to_text(), "hello, Ada");
//! # });
//! ```
#![deny(missing_docs)]

mod arguments;
mod call;
mod cancel;
mod card;
mod check;
mod context;
mod dispatch;
mod error;
pub mod export;
mod gate;
mod innermost;
mod layer;
mod life;
mod near;
#[cfg(doctest)]
mod not_possible;
mod output;
mod permit;
mod policy;
mod registry;
mod schema;
mod spec;
mod surface;
mod tenure;
mod tidy;
mod tier;
mod typed;
mod unknown;

pub use arguments::Arguments;
pub use call::{Call, Progress};
pub use cancel::Cancellation;
pub use card::Card;
pub use context::{Context, ExecContext, ReadContext, WriteContext};
pub use dispatch::Dispatch;
pub use error::{Error, ErrorKind};
pub use futures_util::future::BoxFuture;
pub use gate::Gate;
pub use layer::Layer;
pub use near::nearest;
pub use output::{MAX_RESULT_TEXT, Output, Part};
pub use permit::{Authority, WritePermit, WriteWatcher};
pub use policy::{Approver, Decision, Policy, Verdict};
pub use registry::{AttachError, Changes, Registry, RegistryBuilder};
pub use spec::{About, Spec};
pub use surface::{Request, Surface};
pub use tier::Tier;
pub use typed::{ExecTool, ReadTool, Tool, TypedTool, WriteTool, tool};

/// What derives the schema of a tool's arguments, in the version that [`TypedTool`] expects.
pub use schemars;
/// What [`Arguments`] and [`Output`] hold, in the version they expect.
pub use serde_json;
