//! The project's own chores, as `cargo xtask …` and as tests.
//!
//! [`arrows`] says which crate may depend on which, [`tidy`] what every file must look like; [`mod@test`] runs everything
//! that must pass, [`peers`] installs the real programs which tests talk to, [`mod@bench`] runs what prints figures,
//! [`fuzz`] what looks for inputs that break us.
//!
//! It must never be a dependency of a crate that is published.
#![expect(
    clippy::disallowed_methods,
    reason = "the chores run cargo and read the environment of a developer"
)]
#![expect(clippy::print_stdout, reason = "the chores talk to a person")]

use std::path::PathBuf;

use anyhow::Context;

pub mod arrows;
pub mod bench;
pub mod fuzz;
pub mod peers;
pub mod test;
pub mod tidy;

/// The workspace's root folder.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What is large and the same for every checkout is kept below this folder.
fn cache() -> anyhow::Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|cache| !cache.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME names a folder")?.join("outrigger"))
}
