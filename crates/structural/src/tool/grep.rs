//! `ast_grep`: finds code by its shape. Read tier, beside anything.

use tool::{About, Output, ReadContext, TypedTool};
use workspace::Workspace;

use super::PATTERNS;
use crate::cache::Cache;
use crate::error::Error;
use crate::languages::{Selection, Where};
use crate::pattern::Pattern;
use crate::search::{MAX_COUNTED, Search};
use crate::{render, sweep};

/// Matches shown where the caller names no number.
const DEFAULT_RESULTS: usize = 50;
/// The most matches shown.
const MAX_RESULTS: usize = 1_000;
/// The most lines around a match.
const MAX_CONTEXT: usize = 20;

/// The tool `ast_grep`.
#[derive(Debug)]
pub struct AstGrep {
    workspace: Workspace,
    cache: Cache,
}

impl AstGrep {
    /// Searches the files of `workspace`. Nothing is kept from one call to the next, unless it is given a cache.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, cache: Cache::new(0) }
    }

    /// Keeps syntax trees in `cache`.
    #[must_use]
    pub fn keeping(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }
}

/// Arguments of `ast_grep`.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "schemars")]
pub struct GrepArgs {
    /// A piece of code with variables, such as `if ($X != null) $X.dispose()`: `$NAME` is one node, `$$$NAME` a run of siblings, `$_` and `$$$` the same without a name. It is parsed by the grammar of the files, so it must be complete code: an expression, statement, class member, declaration or the like.
    pattern: String,
    /// A file, folder or glob such as `lib/**/*.dart`, relative to the workspace; the whole workspace if absent. What is named is searched even when it is hidden or ignored.
    path: Option<String>,
    /// The language of the pattern and the files, such as `dart`, `python` or `rust`. If absent: the language of the file that `path` names, else every language that has files there and in which the pattern parses.
    language: Option<String>,
    /// How many matches to show (50 if absent); all are counted, up to 100,000.
    #[schemars(range(min = 1, max = 1000))]
    max_results: Option<usize>,
    /// How many lines to show around each match (0 if absent).
    #[schemars(range(min = 0, max = 20))]
    context: Option<usize>,
}

impl TypedTool for AstGrep {
    type Args = GrepArgs;
    type Context = ReadContext;

    fn about(&self) -> About {
        let description = format!(
            "Finds code by its structure, not its text: `dispose($X)` finds every call however it is spaced, wrapped \
             or commented, and never the same characters in a string or comment. {PATTERNS} Ignored, hidden and binary \
             files are skipped and counted."
        );
        About::new("ast_grep", description)
    }

    async fn call(&self, args: GrepArgs, cx: ReadContext) -> Result<Output, tool::Error> {
        let (workspace, cache, inner) = (self.workspace.clone(), self.cache.clone(), cx.clone());
        cx.blocking(move || grep(&workspace, &cache, &args, &inner)).await?.map_err(Into::into)
    }
}

fn grep(workspace: &Workspace, cache: &Cache, args: &GrepArgs, cx: &ReadContext) -> Result<Output, Error> {
    let cancelled = || cx.cancellation().is_cancelled();
    let place = Where { workspace, path: args.path.as_deref(), language: args.language.as_deref() };
    let selection = Selection::new(place, &cancelled, &|grammar| {
        Pattern::compile(grammar, &args.pattern)
            .map_err(|source| Error::Pattern { language: grammar.id(), source })
    })?;
    let search = Search {
        max_results: args.max_results.unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS),
        context: args.context.unwrap_or_default().min(MAX_CONTEXT),
        max_counted: MAX_COUNTED,
        threads: sweep::cores(),
        trees: cache.begin(),
        cancelled: &cancelled,
        report: &|done, total| cx.progress(&format!("{done} of {total} files searched")),
    };
    let answer = search.run(&selection)?;
    Ok(render::found(&selection, &answer))
}
