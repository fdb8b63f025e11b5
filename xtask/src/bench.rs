//! Runs the benches of the `outrigger-benches` crate, all or one, in release.
//! It must never compare figures itself: each bench prints its own table.

use std::process::Command;

use anyhow::{Context, bail};
use cargo_metadata::MetadataCommand;

const CRATE: &str = "outrigger-benches";

/// Runs every bench, or the one called `name`.
///
/// # Errors
/// When there is none of that name, or one fails.
pub fn run(name: Option<&str>) -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().current_dir(crate::root()).no_deps().exec()?;
    let package =
        metadata.packages.iter().find(|package| package.name == CRATE).context("no benches crate")?;
    let programs =
        package.targets.iter().filter(|target| target.is_bench()).map(|target| target.name.as_str());
    let known: Vec<&str> = programs.collect();
    let chosen: Vec<&str> =
        known.iter().copied().filter(|known| name.is_none_or(|name| name == *known)).collect();
    if chosen.is_empty() {
        bail!("no bench called `{}`; there are: {}", name.unwrap_or("*"), known.join(", "));
    }
    for program in chosen {
        println!("\n== {program}");
        let arguments = ["bench", "--quiet", "--package", CRATE, "--bench", program];
        let status = Command::new(env!("CARGO")).args(arguments).current_dir(crate::root()).status()?;
        if !status.success() {
            bail!("`{program}` failed: {status}");
        }
    }
    Ok(())
}
