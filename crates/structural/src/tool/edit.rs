//! `ast_edit`: rewrites code by its shape, staged. Write tier, though it writes nothing: `resolve` does.

use edits::{Edits, Plan, Replacement};
use grammars::Grammar;
use serde_json::json;
use tool::{About, Output, TypedTool, WriteContext};
use workspace::Workspace;

use super::PATTERNS;
use crate::cache::Cache;
use crate::error::Error;
use crate::languages::{Selection, Where};
use crate::pattern::Pattern;
use crate::propose::{MAX_REPLACEMENTS, Proposal, Propose};
use crate::render::{self, Staged};
use crate::rewrite::{Rule, Template};
use crate::sweep;

/// The most rules of one edit.
const MAX_RULES: usize = 50;

/// The tool `ast_edit`.
#[derive(Debug)]
pub struct AstEdit {
    edits: Edits,
    cache: Cache,
}

impl AstEdit {
    /// Rewrites the files of the workspace of `edits`, and stages there. Nothing is kept from one call to the next,
    /// unless it is given a cache.
    pub fn new(edits: Edits) -> Self {
        Self { edits, cache: Cache::new(0) }
    }

    /// Keeps syntax trees in `cache`.
    #[must_use]
    pub fn keeping(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }
}

/// Arguments of `ast_edit`.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub struct EditArgs {
    /// What to replace: a piece of code with variables, as for `ast_grep`. Needed unless `rules` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// What comes in its place, with the pattern's variables, such as `$X.dispose()`; empty to delete. Needed with `pattern`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrite: Option<String>,
    /// A file, folder or glob such as `lib/**/*.dart`, relative to the workspace; the whole workspace if absent. What is named is searched even when it is hidden or ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The language of pattern and files, such as `dart`, `python` or `rust`. If absent: the language of the file that `path` names, else every language that has files there and in which pattern and rewrite parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Several rewrites as one edit, each applied to the code as it is now; where two overlap, the earlier one wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<Vec<RuleArgs>>,
}

/// One rewrite of several.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub struct RuleArgs {
    /// What to replace.
    pattern: String,
    /// What comes in its place; empty to delete.
    rewrite: String,
}

impl TypedTool for AstEdit {
    type Args = EditArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        let description = format!(
            "Rewrites code by its structure: every match of `pattern` becomes `rewrite`. Nothing is written: the \
             change is staged and the result names an `edit_id`, a diff, and what to look at; then call `resolve`. \
             {PATTERNS} Each result is parsed again: a rewrite that would split what a variable holds gets \
             parentheses or is left out and counted."
        );
        About::new("ast_edit", description)
    }

    async fn call(&self, args: EditArgs, cx: WriteContext) -> Result<Output, tool::Error> {
        let (edits, cache, inner) = (self.edits.clone(), self.cache.clone(), cx.clone());
        cx.blocking(move || edit(&edits, &cache, &args, &inner)).await?.map_err(Into::into)
    }
}

fn edit(edits: &Edits, cache: &Cache, args: &EditArgs, cx: &WriteContext) -> Result<Output, Error> {
    let pairs = pairs(args)?;
    let cancelled = || cx.cancellation().is_cancelled();
    let workspace: &Workspace = edits.workspace();
    let place = Where { workspace, path: args.path.as_deref(), language: args.language.as_deref() };
    let selection = Selection::new(place, &cancelled, &|grammar| compile(grammar, &pairs))?;
    let propose = Propose {
        threads: sweep::cores(),
        trees: cache.begin(),
        cancelled: &cancelled,
        report: &|done, total| cx.progress(&format!("{done} of {total} files rewritten")),
        max_replacements: MAX_REPLACEMENTS,
    };
    let proposal = propose.run(&selection)?;
    let staged = if proposal.files.is_empty() { None } else { Some(stage(edits, args, &proposal)?) };
    Ok(render::proposed(&selection, &proposal, staged.as_ref()))
}

/// Pattern and rewrite of each rule.
fn pairs(args: &EditArgs) -> Result<Vec<(&str, &str)>, Error> {
    let wrong = |message: &str| Err(Error::Arguments { message: message.to_owned() });
    let first = match (&args.pattern, &args.rewrite) {
        (Some(pattern), Some(rewrite)) => Some((pattern.as_str(), rewrite.as_str())),
        (Some(_), None) => {
            return wrong("`rewrite` is missing; it may be empty, to delete what `pattern` matches");
        }
        (None, Some(_)) => return wrong("`pattern` is missing"),
        (None, None) => None,
    };
    let rules = args.rules.iter().flatten().map(|rule| (rule.pattern.as_str(), rule.rewrite.as_str()));
    let pairs: Vec<(&str, &str)> = first.into_iter().chain(rules).collect();
    match pairs.len() {
        0 => wrong("`pattern` and `rewrite` are missing, and there are no `rules`"),
        1..=MAX_RULES => Ok(pairs),
        more => wrong(&format!("{more} rules are more than one edit may have: {MAX_RULES}")),
    }
}

fn compile(grammar: &'static Grammar, pairs: &[(&str, &str)]) -> Result<Vec<Rule>, Error> {
    let rule = |(fragment, rewrite): &(&str, &str)| {
        let pattern = Pattern::compile(grammar, fragment)
            .map_err(|source| Error::Pattern { language: grammar.id(), source })?;
        let template = Template::compile(&pattern, fragment, rewrite)?;
        Ok(Rule { pattern, fragment: (*fragment).to_owned(), template })
    };
    pairs.iter().map(rule).collect()
}

fn stage(edits: &Edits, args: &EditArgs, proposal: &Proposal) -> Result<Staged, Error> {
    let mut plan = Plan::new();
    for file in &proposal.files {
        let replacements =
            file.edits.iter().map(|(range, text)| Replacement::new(range.clone(), text.clone()));
        plan = plan.edit(&file.path, file.base, replacements.collect());
    }
    let change = edits.snapshot(&plan)?;
    let diff = edits.diff(&change, 1)?;
    let reasons = proposal
        .errors
        .iter()
        .map(|(place, line)| format!("{}:{} `{line}`", workspace::shown(&place.path), place.line));
    let staged = edits::Proposal::new(render::title(proposal), "ast_edit", change)
        .repeat("ast_edit", json!(args))
        .warnings(render::warnings(proposal))
        .needs_force(reasons.map(|place| format!("would not parse: {place}")).collect());
    let staged = edits.stage(staged)?;
    let expired = staged.expired.iter().map(|id| format!("`{id}` expired to make room for this edit"));
    let diff = [diff.text.as_str(), &diff.remainder()].concat();
    Ok(Staged { id: staged.id.clone(), diff, notes: expired.collect() })
}
