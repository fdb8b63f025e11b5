//! What this crate cannot do for a caller, in one enum; `tool.rs` turns it into the tools' errors.
//! Nothing found is never an error.

use crate::pattern::PatternError;
use crate::rewrite::TemplateError;

/// Why a search or a rewrite was not begun or not finished.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    #[error("there is no language `{id}`; bundled: {}{}", bundled.join(", "), nearest(near.as_deref()))]
    UnknownLanguage { id: String, bundled: Vec<&'static str>, near: Option<String> },
    #[error("the language `{id}` was left out when this program was built; bundled: {}", bundled.join(", "))]
    LeftOut { id: String, bundled: Vec<&'static str> },
    #[error("no bundled language goes with the name of `{}`; bundled: {}", workspace::shown(path), bundled.join(", "))]
    NoLanguageFor { path: String, bundled: Vec<&'static str> },
    #[error("not a pattern in {language}: {source}")]
    Pattern { language: &'static str, source: PatternError },
    #[error("the pattern is none in any language of the files here:{}", listed(reasons))]
    NoLanguageTakes { reasons: Vec<(&'static str, String)> },
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("{matches} matches are more than one edit may replace: {limit}")]
    TooMany { matches: usize, limit: usize },
    #[error("the rewrite of `{path}` would have {size} {unit}, over the limit of {limit}")]
    TooLong { path: String, size: u64, unit: &'static str, limit: u64 },
    #[error("the rewrite of `{path}` was not done in {seconds} s")]
    TooSlow { path: String, seconds: u64 },
    #[error("{message}")]
    Arguments { message: String },
    #[error(transparent)]
    Staging(#[from] edits::Error),
    #[error("the call was cancelled")]
    Cancelled,
}

fn nearest(near: Option<&str>) -> String {
    near.map(|near| format!("; the nearest is `{near}`")).unwrap_or_default()
}

fn listed(reasons: &[(&'static str, String)]) -> String {
    let each: Vec<String> = reasons.iter().map(|(_, reason)| format!("\n- {reason}")).collect();
    each.concat()
}
