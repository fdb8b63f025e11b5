//! A child process Outrigger talks to: started under a guardian, read in frames, stopped with its whole tree.
//!
//! The way through the files: a [`Command`] says what to start; the [`Spawn`] port, on this machine [`Host`], starts
//! it from one permanent thread (`nursery`) below a `guardian`, to which two pipes lead (`lifeline`); `orphans` are what
//! a killed guardian leaves; a [`Child`] is the handle, and [`Child::stop`] climbs down a [`Ladder`]. [`Tail`] keeps the end of an error stream;
//! [`ContentLength`] and [`JsonLines`] cut streams into messages and survive what is none.
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

pub use child::Child;
pub use command::{Command, Stdio};
pub use content_length::{ContentLength, Incoming};
pub use error::Error;
pub use exit::Exit;
pub use json_lines::{JsonLines, Line};
pub use spawn::{Host, Spawn, Spawning};
pub use stop::{Ladder, Stopped};
pub use tail::{Kept, Tail};
pub use tree::{Process, descendants};
