//! The syntax resource: which languages a run searches and rewrites. It holds no tree and no file; those live with
//! each call.

use std::path::Path;
use std::sync::Arc;

use grammars::Grammar;
use structural::{AstEdit, AstGrep};
use tool::Tool;

use crate::Parts;

/// The languages of a run's `ast_grep` and `ast_edit`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Grammars {}

impl Grammars {
    /// Every language that is compiled in (the features `lang-*`).
    pub fn bundled() -> Self {
        Self {}
    }

    /// The languages' ids, in order.
    pub fn ids(self) -> Vec<&'static str> {
        Grammar::ids()
    }

    /// The language of a file, by its name; `None` for a language that is not compiled in.
    pub fn of(self, path: &Path) -> Option<&'static str> {
        Grammar::by_path(path).map(Grammar::id)
    }

    pub(crate) fn tools(parts: &Parts) -> Vec<Arc<dyn Tool>> {
        let (workspace, edits) = (parts.workspace().clone(), parts.edits().clone());
        vec![tool::tool(AstGrep::new(workspace)), tool::tool(AstEdit::new(edits))]
    }
}
