//! The project's own chores, as `cargo xtask …` and as tests.
//!
//! [`arrows`] says which crate may depend on which, [`tidy`] what every file must look like; [`mod@test`] runs everything
//! that must pass, [`mod@bench`] what prints figures.
//!
//! It must never be a dependency of a crate that is published.
#![expect(
    clippy::disallowed_methods,
    reason = "the chores run cargo and read the environment of a developer"
)]
#![expect(clippy::print_stdout, reason = "the chores talk to a person")]

use std::path::PathBuf;

pub mod arrows;
pub mod bench;
pub mod test;
pub mod tidy;

/// The workspace's root folder.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
