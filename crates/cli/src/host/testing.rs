//! A run in small for the tests of the host's tools: a fixture, a registry, the tools.

use outrigger::edits::{Edits, State};
use outrigger::tool::{Error, Output, Registry, Tier};
use outrigger::workspace::Workspace;
use serde_json::Value;
use test_support::Fixture;

use super::host_tools;

pub(super) struct Host {
    pub(super) fixture: Fixture,
    pub(super) registry: Registry,
}

impl Host {
    pub(super) fn new(files: &str) -> Self {
        let fixture = Fixture::new(files);
        let workspace = Workspace::open(fixture.root()).unwrap();
        let registry = Registry::builder().build();
        let state = State::memory(fixture.outside().join("state"));
        let edits = Edits::open(workspace.clone(), registry.authority(), state).unwrap();
        registry.attach("host", host_tools(&workspace, &edits)).unwrap();
        Self { fixture, registry }
    }

    pub(super) fn call(&self, tool: &str, arguments: Value) -> Result<Output, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(self.registry.surface(Tier::Exec).call(tool, arguments))
    }

    /// What the model reads when it works.
    pub(super) fn says(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{error}")).to_text()
    }

    /// What the model reads when it fails.
    pub(super) fn fails(&self, tool: &str, arguments: Value) -> String {
        match self.call(tool, arguments) {
            Ok(output) => panic!("it worked: {}", output.to_text()),
            Err(error) => error.to_string(),
        }
    }

    pub(super) fn data(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{error}")).data.unwrap()
    }
}
