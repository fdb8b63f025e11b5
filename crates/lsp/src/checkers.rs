//! The project's own checkers, run for `diagnostics "*"`: each is found by its marker and its executable, started with
//! the project's own binaries first, and believed only with evidence of what it checked.
//!
//! The way through the files: `project` is what they are handed, `report` what they fill, one file a language, `render`
//! what a model reads.
//!
//! It must never call an exit code "clean", start a downloader, or let one checker's failure hide another's result.

mod project;
mod report;

mod c;
mod cargo;
mod dart;
mod go;
mod python;
mod typescript;

mod render;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use peer::Spawn;
use workspace::Workspace;

use crate::Error;
use project::Project;

pub(crate) use render::output;
pub(crate) use report::Checked;
#[cfg(test)]
use report::{CheckerDiagnostic, Outcome, Unit};

/// What is looked for, as an answer without any checker tells it.
const MARKERS: &[&[&str]] = &[
    cargo::MARKERS,
    typescript::MARKERS,
    python::MARKERS,
    python::SOURCES,
    go::MARKERS,
    dart::MARKERS,
    c::MARKERS,
];

/// Runs every checker of the workspace, two processes at a time. `environment` is the children's, its `PATH` where
/// executables are looked for after the project's own folders.
///
/// Checkers run what the project says: cargo its build scripts, the others their plugins.
///
/// *Cancel safety*: dropping the future kills what it started, with all descendants.
///
/// # Errors
/// When the workspace cannot be listed.
pub(crate) async fn check_project(
    workspace: &Workspace,
    environment: &[(OsString, OsString)],
    spawn: &dyn Spawn,
) -> Result<Vec<Checked>, Error> {
    let project = Project::list(workspace, environment, spawn).await?;
    let (rust, typescript, python, go, dart, c) = futures_util::join!(
        cargo::check(&project),
        typescript::check(&project),
        python::check(&project),
        go::check(&project),
        dart::check(&project),
        c::check(&project),
    );
    Ok([rust, typescript, python, go, dart, c].concat())
}
