//! A child process Outrigger talks to: started under a guardian, read in frames, stopped with its whole tree.
//!
//! The way through the files: a [`Command`] says what to start; the [`Spawn`] port, on this machine [`Host`], starts
//! it from one permanent thread (`nursery`) below a `guardian`, to which two pipes lead (`lifeline`); `orphans` are what
//! a killed guardian leaves; a [`Child`] is the handle, and [`Child::stop`] climbs down a [`Ladder`]. [`Prefixed`] starts
//! it in a sandbox. [`Tail`] keeps the end of an error stream; [`ContentLength`] and [`JsonLines`] cut streams into
//! messages and survive what is none; [`Rpc`] holds a conversation in JSON-RPC, with an [`RpcHandler`] for the peer's part.
//!
//! # Invariants
//!
//! - No process outlives its [`Child`]: not when the handle is dropped, not when the host dies by SIGKILL, and not by
//!   `setsid` or an early-dying parent. (Linux. Elsewhere a child has its process group only: a descendant that leaves
//!   the group, or the SIGKILL of the host, leaves processes behind.)
//! - What remains of that on Linux: a process of the same user can kill the guardian. The kernel then kills the child,
//!   the host kills what it finds by session or by the variable `OUTRIGGER_GUARD`, and [`Child::stop`] never calls
//!   that a clean end. A descendant that has left both behind survives, as does one in a session of its own when host
//!   and guardian are killed together.
//! - A child gets no environment, descriptor, signal disposition or terminal of the host that it was not handed.
//! - Nothing here blocks a runtime, and nothing depends on one to kill or reap.
//! - No byte a peer writes is an error, a panic, or an allocation of the size it names.
//! - A caller of [`Rpc`] never waits for the peer to read, and its wait for an answer ends with the conversation.
//!
//! The host must ignore SIGPIPE, as Rust and Python programs do: a child may end while it is written to.
//!
//! ```
//! # extern crate outrigger_peer as peer;
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), peer::Error> {
//! use peer::{Command, Exit, Host, Ladder, Spawn, Stopped};
//!
//! let command = Command::new("/bin/sh", "/").args(["-c", "read line; exit 3"]).without_stdin();
//! let mut child = Host.spawn(command).await?;
//! assert_eq!(child.wait().await, Exit::Code(3));
//! assert_eq!(child.stop(&Ladder::default()).await, Stopped::Itself);
//! # Ok(()) }
//! ```
//!
//! A conversation, here with `cat`: it sends back our request, which we answer, and then our answer.
//!
//! ```
//! # extern crate outrigger_peer as peer;
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::{sync::Arc, time::Duration};
//!
//! use peer::{Command, Fault, Host, Ladder, Rpc, RpcHandler, RpcLimits, Spawn};
//! use serde_json::{Value, json};
//!
//! struct Double;
//! impl RpcHandler for Double {
//!     fn request(&self, method: &str, params: Value) -> Result<Value, Fault> {
//!         let number = params.as_i64().ok_or_else(|| Fault::method_not_found(method))?;
//!         Ok(json!(2 * number))
//!     }
//!     fn notification(&self, _method: &str, _params: Value) {}
//! }
//!
//! let mut cat = Host.spawn(Command::new("/bin/cat", "/")).await?;
//! let (output, input) = (cat.take_stdout().ok_or("taken")?, cat.take_stdin().ok_or("taken")?);
//! let rpc = Rpc::start(output, input, RpcLimits::default(), Arc::new(Double));
//! assert_eq!(rpc.request("double", json!(21), Duration::from_secs(10)).await?, json!(42));
//! rpc.close();
//! rpc.closed().await;
//! let _ = cat.stop(&Ladder::default()).await;
//! # Ok(()) }
//! ```

#[cfg(not(unix))]
compile_error!(
    "outrigger-peer starts, signals and reaps processes the way unix does; there is no other way in it yet"
);

mod command;
mod error;
mod spawn;

mod child;
mod exit;
mod stop;
mod tail;
mod tree;

mod lifeline;
mod nursery;
mod orphans;

#[cfg(any(not(target_os = "linux"), test))]
mod group;
#[cfg(target_os = "linux")]
mod guardian;
#[cfg(target_os = "linux")]
mod maps;

mod content_length;
mod json_lines;
mod rpc;

pub use child::Child;
pub use command::{Command, Stdio};
pub use content_length::{ContentLength, Incoming};
pub use error::Error;
pub use exit::Exit;
pub use json_lines::{JsonLines, Line};
pub use rpc::{Closed, Fault, Rpc, RpcError, RpcHandler, RpcLimits};
pub use spawn::{Host, Prefixed, Spawn, Spawning};
pub use stop::{Ladder, Stopped};
pub use tail::{Kept, Tail};
pub use tree::{Process, descendants};
