//! The one door for changes of a workspace's files, and the tool `resolve`.
//!
//! A change begins as a [`Plan`] (`plan.rs`), an ordered list of steps that knows nothing of the disk.
//! [`Edits::snapshot`] (`picture.rs`) compares it with the files and makes of it a [`Change`] (`change.rs`): what each
//! file was, by digest (`content.rs`), and how its new content is made. A change is committed at once
//! ([`Edits::commit`], `commit.rs`), or staged under an id (`store.rs`) until somebody resolves it ([`Resolve`] in
//! `tool.rs`, shown by `render.rs` and `diff.rs`, judged beforehand through the port in `preview.rs`). A commit takes
//! the lock (`lock.rs`) in the state folder (`state.rs`, opened when it is first needed), compares every file again (`verify.rs`), notes in a journal (`journal.rs`) what it is about to
//! do, writes each new content beside its file, swaps file by file, and drops what was old. Whoever finds the journal
//! of a commit that was cut off puts its files back first (`restore.rs`). Every call that changes a disk goes through
//! `disk.rs`, where tests make it fail or die (`fault.rs`).
//!
//! # Invariants
//! - No file changes without a [`WritePermit`](tool::WritePermit) that names it, given by the registry whose
//!   authority the [`Edits`] was opened with, within a call that still runs.
//! - After a failure, or a crash and the next [`Edits::open`] or commit, the files of a change are all old or all
//!   new, and nothing is left beside them.
//! - Content that is neither what a snapshot saw nor what the change put there is never overwritten, but where a
//!   result says that the file system cannot do better.
//! - A folder that a change leaves empty stays, and of what a change could not put back, since somebody else's content
//!   stood in the file, the newest [`limits::MAX_KEPT`] contents are kept in the state folder.
//! - A journal that cannot be read is never passed over: nothing is staged or committed until somebody has looked.
//! - No path outside the workspace and nothing of git's own is ever written; a link stays a link.
//! - Nothing here starts a process or a thread, reads the environment, or chooses a folder for itself.
//!
//! # Example
//! ```
//! # use outrigger_edits as edits;
//! use edits::{Digest, Edits, Plan, Replacement, State};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # let (root, state) = (home.path().join("root"), home.path().join("state"));
//! # std::fs::create_dir(&root)?;
//! # std::fs::write(root.join("a.txt"), "one two")?;
//! # let registry = tool::Registry::builder().build();
//! let workspace = workspace::Workspace::open(&root)?;
//! let edits = Edits::open(workspace, registry.authority(), State::memory(state))?;
//! let read = std::fs::read(root.join("a.txt"))?;
//! let plan = Plan::new()
//!     .edit("a.txt", Digest::of(&read), vec![Replacement::new(0..3, "ONE")])
//!     .rename("a.txt", "b.txt");
//! let change = edits.snapshot(&plan)?;
//! assert_eq!(change.effects().len(), 1);
//! assert!(edits.diff(&change, 1)?.text.contains("+ONE two"));
//! // In a write tool: `edits.commit(&change, cx.permit(change.paths())?)?`.
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod change;
mod content;
mod picture;
mod plan;

mod edits;
mod proposal;
mod store;

mod commit;
mod disk;
mod journal;
mod lock;
mod mismatch;
mod restore;
mod state;
mod verify;

pub mod diff;
mod preview;
mod render;
// Named apart from the crate `tool`.
#[path = "tool.rs"]
mod resolve;

mod error;
#[cfg(feature = "fault-injection")]
pub mod fault;
pub mod limits;

pub use change::{Change, Effect, EffectKind};
pub use commit::Committed;
pub use content::Digest;
pub use edits::Edits;
pub use error::{Cause, Error, Foreign, Stuck};
pub use limits::Limits;
pub use mismatch::{Difference, Mismatch};
pub use plan::{Plan, Replacement};
pub use preview::{Preview, Proposed};
pub use proposal::{Proposal, Repeat, Staged};
pub use resolve::Resolve;
pub use restore::Recovery;
pub use state::State;
