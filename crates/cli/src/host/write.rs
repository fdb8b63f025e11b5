//! `write`: a file's whole content, byte for byte as given.
//! It must never change the form of a file (line ends, byte order mark) without saying so.

#[cfg(test)]
mod tests;

use std::fs;

use outrigger::edits::{Edits, Plan};
use outrigger::tool::{About, Error, Output, TypedTool, WriteContext};
use outrigger::workspace::text::LineIndex;
use outrigger::workspace::{Kind, Located, Workspace, shown};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::commit::{commit, noted};
use super::form::{Form, counted};
use super::load::{MAX_FILE, target};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The file, relative to the workspace's root; its folders are made.
    path: String,
    /// Its whole content.
    content: String,
}

pub(super) struct Write {
    pub(super) workspace: Workspace,
    pub(super) edits: Edits,
}

impl TypedTool for Write {
    type Args = Args;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(
            "write",
            "Creates a file of the workspace, or replaces its whole content. To change a part, use `edit`.",
        )
        .preview(|args: &Args| format!("writes `{}` ({})", shown(&args.path), size(&args.content)))
    }

    async fn call(&self, args: Args, cx: WriteContext) -> Result<Output, Error> {
        let (workspace, edits, context) = (self.workspace.clone(), self.edits.clone(), cx.clone());
        cx.blocking(move || write(&workspace, &edits, &context, args)).await?
    }
}

fn write(workspace: &Workspace, edits: &Edits, cx: &WriteContext, args: Args) -> Result<Output, Error> {
    let located = target(workspace, &args.path)?;
    let exists = located.kind == Kind::File;
    let old = if exists { old_content(&located)? } else { None };
    let path = located.relative;
    let shown = shown(&path);
    let content = args.content.as_bytes();
    let answer = |effect: &str, text: String| {
        Output::text(text).with_data(json!({"path": path, "effect": effect, "bytes": content.len()}))
    };
    if old.as_deref() == Some(content) {
        return Ok(answer("unchanged", format!("`{shown}` has this content already; nothing was written")));
    }
    let plan = if exists {
        Plan::new().replace(&args.path, None, content)
    } else {
        Plan::new().create(&args.path, content)
    };
    let mut notes = commit(edits, cx, &plan)?.notes;
    let size = size(&args.content);
    let (effect, mut text) = match old {
        None if exists => ("replaced", format!("replaced `{shown}` ({size})")),
        None => ("created", format!("created `{shown}` ({size})")),
        Some(old) => {
            if let Some(lost) = Form::of(&old).lost_in(&Form::of(content)) {
                notes.push(format!("it had {lost}, which the new content has not"));
            }
            let lines = counted(LineIndex::new(&old).line_count(), "line");
            ("replaced", format!("replaced `{shown}` ({size}; it had {lines})"))
        }
    };
    noted(&mut text, &notes);
    Ok(answer(effect, text))
}

/// What a file holds before it is replaced; `None` for one too large to be compared.
fn old_content(located: &Located) -> Result<Option<Vec<u8>>, Error> {
    fs::metadata(&located.absolute)
        .and_then(|metadata| (metadata.len() <= MAX_FILE).then(|| fs::read(&located.absolute)).transpose())
        .map_err(|error| Error::failed(format!("cannot read `{}`: {error}", shown(&located.relative))))
}

fn size(content: &str) -> String {
    let lines = LineIndex::new(content.as_bytes()).line_count();
    format!("{}, {}", counted(lines, "line"), counted(content.len(), "byte"))
}
