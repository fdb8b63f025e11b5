//! Runs the benches of the `outrigger-benches` crate, all or one, in release; and by their names alone the one of
//! structural search beside its peers, which brings sources from registries first, and the one of language servers,
//! which needs real ones.
//! It must never compare figures itself: each bench prints its own table.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, bail};
use cargo_metadata::MetadataCommand;

const CRATE: &str = "outrigger-benches";
const STRUCTURAL: &str = "structural";
const LSP: &str = "lsp";

/// Runs every bench, or the one called `name`.
///
/// # Errors
/// When there is none of that name, or one fails.
pub fn run(name: Option<&str>) -> anyhow::Result<()> {
    if name == Some(STRUCTURAL) {
        return structural();
    }
    if name == Some(LSP) {
        return lsp();
    }
    let metadata = MetadataCommand::new().current_dir(crate::root()).no_deps().exec()?;
    let package =
        metadata.packages.iter().find(|package| package.name == CRATE).context("no benches crate")?;
    let programs =
        package.targets.iter().filter(|target| target.is_bench()).map(|target| target.name.as_str());
    let known: Vec<&str> = programs.collect();
    let chosen: Vec<&str> =
        known.iter().copied().filter(|known| name.is_none_or(|name| name == *known)).collect();
    if chosen.is_empty() {
        let name = name.unwrap_or("*");
        bail!("no bench called `{name}`; there are: {}, {STRUCTURAL}, {LSP}", known.join(", "));
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

/// Brings the sources, builds the program, and measures it beside ast-grep and ripgrep: `benches/README.md`.
fn structural() -> anyhow::Result<()> {
    let root = crate::root();
    let corpora = crate::cache()?.join("corpora");
    let program = root.join("target/release/outrigger");
    step("bash", [root.join("benches/corpora.sh").as_os_str(), corpora.as_os_str()])?;
    step(env!("CARGO"), ["build", "--quiet", "--release", "--package", "outrigger-cli"])?;
    let script = root.join("benches/structural.py");
    step("python3", [script.as_os_str(), program.as_os_str(), corpora.as_os_str()])
}

/// Asks real servers the same thing by themselves and through the tool, turn by turn. It is a test of the crate, since
/// a server by itself is nothing that the crate hands out.
fn lsp() -> anyhow::Result<()> {
    let test =
        ["test", "--release", "--quiet", "--package", "outrigger-lsp", "--lib", "long_what_the_tool_adds"];
    step(env!("CARGO"), test.iter().chain(&["--", "--ignored", "--nocapture"]))
}

fn step(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> anyhow::Result<()> {
    let status = Command::new(program).args(arguments).current_dir(crate::root()).status();
    let status = status.with_context(|| format!("`{program}` does not start"))?;
    if !status.success() {
        bail!("`{program}` failed: {status}");
    }
    Ok(())
}
