//! `read`: a file's lines with their numbers, or a folder's entries.
//! It must never cut without counting, and never show bytes that are no text.

mod folder;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use outrigger::tool::{About, Error, MAX_RESULT_TEXT, Output, ReadContext, TypedTool};
use outrigger::workspace::text::LineIndex;
use outrigger::workspace::{Kind, Workspace, read_source, shown};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::form::{Form, counted};
use super::load::{MAX_FILE, path_error, unread_error};

/// Bytes of numbered lines in one answer; the rest of a result's text is for what is said around them.
const MAX_SHOWN: usize = MAX_RESULT_TEXT - 2 * 1024;
/// Characters of one line that are shown.
const MAX_LINE: usize = 2_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// A file or folder, relative to the workspace's root.
    path: String,
    /// The first line to show, from 1; default 1.
    start: Option<NonZeroUsize>,
    /// How many lines to show; default as many as fit.
    lines: Option<NonZeroUsize>,
}

pub(super) struct Read {
    pub(super) workspace: Workspace,
}

impl TypedTool for Read {
    type Args = Args;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new(
            "read",
            "Reads a text file of the workspace as numbered lines (`12→text`), or lists a folder's entries. Long files \
             come in parts: the answer says how to go on.",
        )
    }

    async fn call(&self, args: Args, cx: ReadContext) -> Result<Output, Error> {
        let workspace = self.workspace.clone();
        cx.blocking(move || read(&workspace, &args)).await?
    }
}

fn read(workspace: &Workspace, args: &Args) -> Result<Output, Error> {
    let located = workspace.resolve(&args.path).map_err(path_error)?;
    if located.kind == Kind::Folder {
        if args.start.is_some() || args.lines.is_some() {
            let message =
                format!("`{}` is a folder: `start` and `lines` are for files", shown(&located.relative));
            return Err(Error::bad_arguments(message));
        }
        return folder::list(&located);
    }
    let bytes = read_source(&located.absolute, MAX_FILE)
        .map_err(|unread| unread_error(&located.relative, &unread))?;
    lines(&located.relative, &bytes, args)
}

fn lines(relative: &str, bytes: &[u8], args: &Args) -> Result<Output, Error> {
    let (index, form) = (LineIndex::new(bytes), Form::of(bytes));
    let (total, name) = (index.line_count(), shown(relative));
    let data = |first: usize, last: usize, content: &str| {
        json!({
            "path": relative, "first": first, "last": last, "total_lines": total, "bytes": bytes.len(),
            "content": content, "line_ends": form.ending(), "byte_order_mark": form.bom,
            "final_newline": form.final_newline,
        })
    };
    let first = args.start.map_or(1, NonZeroUsize::get);
    if total == 0 && first == 1 {
        return Ok(Output::text(format!("`{name}`: empty file{form}")).with_data(data(1, 0, "")));
    }
    if first > total {
        let message = format!("`{name}` has {}; `start` {first} is behind its end", counted(total, "line"));
        return Err(Error::bad_arguments(message));
    }
    let wanted = args.lines.map_or(total, NonZeroUsize::get);
    let part = Shown::of(&index, first..=total.min(first.saturating_add(wanted - 1)));
    let last = part.last;
    let mut text = format!("`{name}`: {} of {total}{form}\n{}", range(first, last), part.text);
    if last < total {
        text.push_str(&format!("({}; go on with `start` {})", counted(total - last, "more line"), last + 1));
    }
    let content = index
        .range(first)
        .zip(index.range(last))
        .map(|(first, last)| String::from_utf8_lossy(&bytes[first.start..last.end]).into_owned());
    Ok(Output::text(text).with_data(data(first, last, &content.unwrap_or_default())))
}

fn range(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Numbered lines, as many as fit.
struct Shown {
    text: String,
    last: usize,
}

impl Shown {
    fn of(index: &LineIndex<'_>, wanted: RangeInclusive<usize>) -> Self {
        let (mut last, mut text) = (*wanted.start(), String::new());
        for number in wanted {
            let line = numbered(number, &String::from_utf8_lossy(index.line(number).unwrap_or_default()));
            if !text.is_empty() && text.len() + line.len() > MAX_SHOWN {
                break;
            }
            text.push_str(&line);
            last = number;
        }
        Self { text, last }
    }
}

fn numbered(number: usize, line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((cut, _)) => {
            let more = counted(line[cut..].chars().count(), "character");
            format!("{number}→{}… (+{more})\n", &line[..cut])
        }
        None => format!("{number}→{line}\n"),
    }
}
