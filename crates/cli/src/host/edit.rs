//! `edit`: one text of a file replaced by another.
//! It must never choose between several places, and an attempt that fails must say what would succeed.

mod nearest;
mod replace;
#[cfg(test)]
mod tests;

use outrigger::edits::{Digest, Edits, Plan};
use outrigger::tool::{About, Error, Output, TypedTool, WriteContext};
use outrigger::workspace::{Workspace, shown};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::commit::{commit, noted};
use super::form::counted;
use super::load::{Source, load};
use replace::{Extent, NotReplaced, Replaced, replace};

/// Line numbers that a message lists.
const MAX_LISTED: usize = 20;
/// Lines of the old and the new text on an approval card.
const MAX_CARD_LINES: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The file, relative to the workspace's root.
    path: String,
    /// The text to replace, exactly as in the file (without line numbers). It must occur once, unless `all` is set.
    old: String,
    /// The text to put there.
    new: String,
    /// Replace every occurrence.
    all: Option<bool>,
}

pub(super) struct Edit {
    pub(super) workspace: Workspace,
    pub(super) edits: Edits,
}

impl TypedTool for Edit {
    type Args = Args;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(
            "edit",
            "Replaces a text of a file by another. `old` must occur exactly once (give enough lines around it) or \
             `all` be set. Line ends are kept.",
        )
        .preview(card)
    }

    async fn call(&self, args: Args, cx: WriteContext) -> Result<Output, Error> {
        let (workspace, edits, context) = (self.workspace.clone(), self.edits.clone(), cx.clone());
        cx.blocking(move || edit(&workspace, &edits, &context, &args)).await?
    }
}

fn edit(workspace: &Workspace, edits: &Edits, cx: &WriteContext, args: &Args) -> Result<Output, Error> {
    if args.old.is_empty() {
        let error = Error::bad_arguments("`old` is empty: there is nothing to replace");
        return Err(
            error.with_hint("`write` creates a file; to insert, put the text beside it into `old` and `new`")
        );
    }
    let Source { relative, bytes } = load(workspace, &args.path)?;
    let extent = if args.all == Some(true) { Extent::All } else { Extent::Only };
    let Replaced { bytes: new, lines } =
        replace(&bytes, &args.old, &args.new, extent).map_err(|refused| explain(&relative, refused))?;
    let plan = Plan::new().replace(&args.path, Some(Digest::of(&bytes)), new);
    let notes = commit(edits, cx, &plan)?.notes;
    let places = counted(lines.len(), "place");
    let mut text = format!("edited `{}` in {places}: {}", shown(&relative), listed(&lines));
    noted(&mut text, &notes);
    Ok(Output::text(text).with_data(json!({"path": relative, "replacements": lines.len(), "lines": lines})))
}

fn explain(path: &str, refused: NotReplaced) -> Error {
    let path = shown(path);
    match refused {
        NotReplaced::Same => Error::bad_arguments("`old` and `new` are the same text (line ends apart)"),
        NotReplaced::Absent(None) => Error::conflict(format!("`{path}` does not have the text `old`"))
            .with_hint("read the file and copy the text from there, without line numbers"),
        NotReplaced::Absent(Some(nearest)) => {
            Error::conflict(format!("`{path}` does not have the text `old`; {nearest}"))
                .with_hint("copy the text exactly as `read` shows it, without line numbers")
        }
        NotReplaced::Several(lines) => {
            let count = lines.len();
            Error::conflict(format!("`old` occurs {count} times in `{path}`: {}", listed(&lines)))
                .with_hint("add lines around it to `old` until it occurs once, or set `all`")
        }
    }
}

fn listed(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_LISTED).map(usize::to_string).collect();
    let more = lines.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {}{more}", if lines.len() == 1 { "line" } else { "lines" }, shown.join(", "))
}

fn card(args: &Args) -> String {
    let all = if args.all == Some(true) { " (every occurrence)" } else { "" };
    format!("edits `{}`{all}\n{}{}", shown(&args.path), marked('-', &args.old), marked('+', &args.new))
}

fn marked(sign: char, text: &str) -> String {
    let mut marked = String::new();
    for line in text.lines().take(MAX_CARD_LINES) {
        marked.extend([sign, ' ']);
        marked.push_str(line);
        marked.push('\n');
    }
    let more = text.lines().count().saturating_sub(MAX_CARD_LINES);
    if more > 0 {
        marked.push_str(&format!("{sign} … ({})\n", counted(more, "more line")));
    }
    marked
}
