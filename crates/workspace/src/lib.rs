//! The files of one run: a contained root, the walk, text and its positions.
//!
//! Everything that touches the workspace's files comes through here first, so that one place decides what a path
//! means and what is out of reach. The way through the files:
//!
//! 1. [`Workspace`] (`root.rs`) opens a folder and turns what a caller wrote into a [`Located`] path: `resolve` for
//!    what must exist, `resolve_new` for what may not. `root/follow.rs` follows links, `root/near.rs` suggests names,
//!    `root/git.rs` knows what belongs to git.
//! 2. [`Scope`] (`scope.rs`) reads a `path` argument (nothing, a folder, a file, a glob), and [`Workspace::walk`]
//!    (`walk.rs`) lists its files by ripgrep's rules; [`Skipped`] (`skipped.rs`) counts what was left out, and why.
//!    [`Workspace::ignored`] (`ignored.rs`) says it of single files.
//! 3. [`read_source`] (`source.rs`) reads one file for searching, or says why not.
//! 4. [`shown()`] (`shown.rs`) makes a path fit to be read in an answer.
//! 5. [`text`] has lines, columns, line ends and byte order marks; [`detect`] finds root markers and executables.
//!
//! # Invariants
//!
//! - A [`Located`] path never lies outside the root, and never holds a link or `..` (at the time it was resolved).
//! - Nothing here writes a file, starts a process, or keeps anything between two calls.
//! - A list never depends on timing: the walk is parallel, its result sorted.
//! - What was left out is counted, never dropped in silence.
//!
//! # Example
//!
//! ```
//! # extern crate outrigger_workspace as workspace;
//! # fn main() -> Result<(), workspace::Error> {
//! let workspace = workspace::Workspace::open(env!("CARGO_MANIFEST_DIR"))?;
//! let scope = workspace.scope(Some("src/**/*.rs"))?;
//! let walk = workspace.walk(&scope, &|_| true, &|| false)?;
//! assert!(walk.files.iter().any(|file| file.relative == "src/lib.rs"));
//! # Ok(())
//! # }
//! ```

mod error;
mod ignored;
mod root;
mod scope;
mod shown;
mod skipped;
mod source;
mod walk;

pub mod detect;
pub mod text;

pub use error::Error;
pub use root::{Kind, Located, Workspace};
pub use scope::Scope;
pub use shown::shown;
pub use skipped::Skipped;
pub use source::{Unread, read_source};
pub use walk::{Found, Walk};
