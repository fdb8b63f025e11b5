//! The two tools: arguments in, engine, text out. Work runs on the blocking pool and stops with its call.
//! `ast_grep` never changes anything; `ast_edit` only stages, so it needs no permit.

mod edit;
mod grep;

pub use edit::{AstEdit, EditArgs, RuleArgs};
pub use grep::{AstGrep, GrepArgs};

use grammars::Grammar;

use crate::error::Error;

/// What both tools say about patterns.
const PATTERNS: &str = "`$NAME` matches any one node and binds it, `$$$NAME` a run of siblings (possibly none), `$_` \
    and `$$$` the same without binding; a repeated variable must be the same text each time; `\\$` is a dollar sign. \
    White space, comments and trailing separators may differ, nothing else: what the pattern leaves out must not be \
    in the code either (write `$$$` for what may be there).";

impl From<Error> for tool::Error {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let bundled = || format!("name one of: {}", Grammar::ids().join(", "));
        match error {
            Error::Cancelled | Error::Workspace(workspace::Error::Cancelled) => {
                tool::Error::cancelled(message)
            }
            Error::Workspace(error) => workspace_error(&error, message),
            Error::UnknownLanguage { .. } | Error::NoLanguageFor { .. } => {
                tool::Error::bad_arguments(message).with_hint(bundled())
            }
            Error::LeftOut { .. } => tool::Error::unavailable(message).with_hint(bundled()),
            Error::Pattern { .. } | Error::NoLanguageTakes { .. } => tool::Error::bad_arguments(message)
                .with_hint(
                    "give a complete piece of code in the language of the files; nothing was searched",
                ),
            Error::Template(_) => tool::Error::bad_arguments(message).with_hint("nothing was staged"),
            Error::Arguments { .. } => tool::Error::bad_arguments(message),
            Error::TooMany { .. } | Error::TooLong { .. } => tool::Error::refused(message)
                .with_hint("nothing was staged; narrow `path` or the pattern and make several edits"),
            Error::TooSlow { .. } => tool::Error::timed_out(message)
                .with_hint("nothing was staged; leave that file out by a narrower `path`, or make the pattern more specific"),
            Error::Staging(error) => error.into(),
        }
    }
}

fn workspace_error(error: &workspace::Error, message: String) -> tool::Error {
    match error {
        workspace::Error::Leaves { .. } | workspace::Error::LinkLeaves { .. } => {
            tool::Error::refused(message).with_hint("only files of the workspace can be searched")
        }
        workspace::Error::Unreadable { .. } => tool::Error::failed(message),
        _ => tool::Error::bad_arguments(message),
    }
}
