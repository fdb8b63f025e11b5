//! The tools on a temporary workspace, called as a host calls them.

use std::path::Path;

use edits::{Edits, Resolve, State};
use expect_test::Expect;
use grammars::Grammar;
use outrigger_structural::{AstEdit, AstGrep, Cache};
use serde_json::Value;
use test_support::Fixture;
use tool::{Error, Output, Registry, Surface, Tier};
use workspace::Workspace;

/// A workspace with `ast_grep`, `ast_edit` and `resolve`.
pub(crate) struct Bench {
    pub(crate) fixture: Fixture,
    pub(crate) surface: Surface,
    registry: Registry,
}

impl Bench {
    pub(crate) fn new(text: &str) -> Self {
        Self::of(Fixture::new(text))
    }

    pub(crate) fn of(fixture: Fixture) -> Self {
        let root = fixture.root().to_owned();
        Self::open(&root, fixture)
    }

    /// On a folder that stays; only the state is temporary.
    pub(crate) fn at(root: &Path) -> Self {
        Self::open(root, Fixture::empty())
    }

    fn open(root: &Path, fixture: Fixture) -> Self {
        let workspace = Workspace::open(root).unwrap();
        let registry = Registry::builder().build();
        let state = State::memory(fixture.outside().join("state"));
        let edits = Edits::open(workspace.clone(), registry.authority(), state).unwrap();
        let cache = Cache::default();
        let tools = vec![
            tool::tool(AstGrep::new(workspace).keeping(cache.clone())),
            tool::tool(AstEdit::new(edits.clone()).keeping(cache)),
            tool::tool(Resolve::new(edits)),
        ];
        registry.attach("syntax", tools).unwrap();
        Self { fixture, surface: registry.surface(Tier::Write), registry }
    }

    pub(crate) fn read_surface(&self) -> Surface {
        self.registry.surface(Tier::Read)
    }

    pub(crate) async fn output(&self, tool: &str, arguments: Value) -> Result<Output, Error> {
        self.surface.call(tool, arguments).await
    }

    /// What a model reads, of an answer or of an error.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> String {
        match self.output(tool, arguments).await {
            Ok(output) => output.to_text(),
            Err(error) => error.to_string(),
        }
    }

    /// The structured facts of an answer.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        self.output(tool, arguments).await.unwrap().data.unwrap()
    }

    pub(crate) async fn check(&self, tool: &str, arguments: Value, expected: Expect) {
        // Which languages are bundled is a matter of features.
        let text = self.call(tool, arguments).await.replace(&Grammar::ids().join(", "), "LANGUAGES");
        expected.assert_eq(&format!("{text}\n"));
    }
}
