//! The syntax resource: which languages a run searches and rewrites, and how much of what was parsed it keeps for
//! the next call. It holds no file, and no tree outlives the attachment.

use std::path::Path;
use std::sync::Arc;

use grammars::Grammar;
use structural::{AstEdit, AstGrep, Cache};
use tool::Tool;

use crate::Parts;

/// The languages of a run's `ast_grep` and `ast_edit`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Grammars {
    /// The host's word, if it has said one.
    cache_bytes: Option<usize>,
}

impl Grammars {
    /// Every language that is compiled in (the features `lang-*`).
    pub fn bundled() -> Self {
        Self { cache_bytes: None }
    }

    /// Syntax trees are kept for later calls up to this many bytes in all, by estimate; 256 MiB where nothing is said,
    /// and 0 keeps none.
    #[must_use]
    pub fn cache_bytes(self, most: usize) -> Self {
        Self { cache_bytes: Some(most) }
    }

    /// The languages' ids, in order.
    pub fn ids(self) -> Vec<&'static str> {
        Grammar::ids()
    }

    /// The language of a file, by its name; `None` for a language that is not compiled in.
    pub fn of(self, path: &Path) -> Option<&'static str> {
        Grammar::by_path(path).map(Grammar::id)
    }

    pub(crate) fn tools(self, parts: &Parts) -> Vec<Arc<dyn Tool>> {
        let cache = self.cache_bytes.map(Cache::new).unwrap_or_default();
        let (workspace, edits) = (parts.workspace().clone(), parts.edits().clone());
        vec![
            tool::tool(AstGrep::new(workspace).keeping(cache.clone())),
            tool::tool(AstEdit::new(edits).keeping(cache)),
        ]
    }
}
