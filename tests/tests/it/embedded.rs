//! A run as an embedder builds it: the workspace, its syntax, everything approved.

use outrigger::workspace::Workspace;
use outrigger::{AllowAll, Grammars, Output, Run, RunBuilder};
use serde_json::Value;
use test_support::Fixture;

/// A run to be, whose state lies beside the fixture's workspace.
pub(crate) fn builder(fixture: &Fixture) -> RunBuilder {
    let workspace = Workspace::open(fixture.root()).expect("a workspace");
    Run::builder(workspace).state_folder(fixture.outside().join("state")).syntax(Grammars::bundled())
}

/// A run whose every call is approved.
pub(crate) fn run(fixture: &Fixture) -> Run {
    builder(fixture).approver(AllowAll).build().expect("a run")
}

/// An answer's structured facts.
pub(crate) fn data(output: &Output) -> &Value {
    output.data.as_ref().expect("structured data")
}
