//! The tool `lsp_rename_file`: a file moves, and the imports that name it follow, as its server says; all of it or
//! nothing. It must never move a file whose imports nobody could follow: that would only look done.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use edits::Edits;
use serde_json::{Value, json};
use tool::{About, Error, Output, TypedTool, WriteContext};
use workspace::Kind;

use super::commit::{self, Deed};
use super::plan::{Ground, Planned, plan};
use super::question::{same, sent};
use super::refusal::{Refusal, clip};
use super::rewriting::Judge;
use super::symbol_tool::{file, owner};
use super::workspace_edit::{Clash, Operation, decode};
use crate::client::Client;
use crate::limits;
use crate::readiness::Readiness;
use crate::supervisor::Supervisor;
use crate::uri;

const NAME: &str = "lsp_rename_file";
const METHOD: &str = "workspace/willRenameFiles";
/// Answers that are compared before a server is given up.
const MAX_ANSWERS: usize = 5;
const DESCRIPTION: &str = "Moves or renames a file together with the imports that name it, by its language server: \
all files or none. Refused where no server can follow the imports. With `dry_run` nothing is written: the change is \
staged, and `resolve` decides.";

/// The tool `lsp_rename_file`.
#[derive(Debug)]
pub struct LspRenameFile {
    servers: Supervisor,
    edits: Edits,
}

impl LspRenameFile {
    /// Asks `servers`, and writes through `edits`.
    pub fn new(servers: Supervisor, edits: Edits) -> Self {
        Self { servers, edits }
    }
}

/// Arguments of `lsp_rename_file`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub struct RenameFileArgs {
    /// The file, relative to the workspace.
    file: String,
    /// Where it will be, relative to the workspace; nothing may be there yet.
    new_path: String,
    /// Stage the change instead of writing it; the answer names an `edit_id` for `resolve`.
    dry_run: Option<bool>,
}

impl TypedTool for LspRenameFile {
    type Args = RenameFileArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(NAME, DESCRIPTION).preview(|args: &RenameFileArgs| {
            let what = if args.dry_run == Some(true) { "stage a move of" } else { "move" };
            format!(
                "{what} `{}` to `{}`, with the imports that name it",
                clip(&args.file),
                clip(&args.new_path)
            )
        })
    }

    async fn call(&self, args: RenameFileArgs, cx: WriteContext) -> Result<Output, Error> {
        let workspace = self.servers.workspace();
        let from = file(&self.servers, &args.file)?;
        let to = workspace.resolve_new(&args.new_path).map_err(crate::Error::from)?;
        if to.absolute == from.absolute {
            return Err(Refusal::SameName { name: to.relative }.into());
        }
        if to.kind != Kind::Absent {
            return Err(Refusal::Exists { path: to.relative }.into());
        }
        let client = self.owner(&from.absolute).await?;
        let answer = stable(&client, &from.absolute, &to.absolute).await?;
        let planned = self.planned(&client, answer, (&from.absolute, &to.absolute), &cx).await?;
        let none = planned
            .files
            .is_empty()
            .then(|| format!("{} knows of no import that names it", client.server().id));
        let deed = Deed {
            tool: NAME,
            title: format!("move `{}` to `{}`", clip(&from.relative), clip(&to.relative)),
            arguments: json!(args),
            unit: "edit",
            remarks: none.into_iter().collect(),
        };
        if args.dry_run == Some(true) {
            return commit::stage(&self.edits, planned, deed, &cx).await;
        }
        let output = commit::apply(&self.edits, planned, deed, &cx).await?;
        if client.offers("workspace/didRenameFiles") {
            client.notify("workspace/didRenameFiles", files(&from.absolute, &to.absolute));
        }
        Ok(output)
    }
}

impl LspRenameFile {
    /// A server that can follow imports, though another of its family is asked first about all else.
    async fn owner(&self, path: &Path) -> Result<Arc<Client>, Error> {
        match owner(&self.servers, path, METHOD).await {
            Ok(client) => Ok(client),
            Err(error) => {
                let offers = |client: &Client| client.offers(METHOD);
                self.servers.stand_in(path, offers).await.ok_or(error)
            }
        }
    }

    /// The server's edits, and then the move.
    async fn planned(
        &self,
        client: &Client,
        answer: Value,
        (from, to): (&Path, &Path),
        cx: &WriteContext,
    ) -> Result<Planned, Error> {
        let mut operations = decode(&answer, &client.server().id)?;
        let moves = |operation: &Operation| matches!(operation, Operation::Rename { from: moved, .. } if uri::canonical(moved) == from);
        if !operations.iter().any(moves) {
            let (from, to): (PathBuf, PathBuf) = (from.to_owned(), to.to_owned());
            operations.push(Operation::Rename { from, to, clash: Clash::Refuse });
        }
        let (workspace, encoding, open) = (self.servers.workspace().clone(), client.encoding(), sent(client));
        let work = move || {
            plan(Ground { workspace: &workspace, encoding, open: &open, judge: Judge::Move }, operations)
        };
        Ok(cx.blocking(work).await??)
    }
}

/// The answer that was given twice in a row.
async fn stable(client: &Arc<Client>, from: &Path, to: &Path) -> Result<Value, Error> {
    let server = || client.server().id.clone();
    let mut last = None;
    for _ in 0..MAX_ANSWERS {
        client.sync_all().await?;
        if let Readiness::Loading { waiting_for } = client.ready(limits::READINESS).await {
            return Err(Refusal::NotReady { server: server(), waiting_for }.into());
        }
        let answer = client.ask(from, METHOD, |_| Ok(files(from, to))).await?.value;
        if last.as_ref().is_some_and(|last| same(last, &answer)) {
            return Ok(answer);
        }
        last = Some(answer);
    }
    Err(Refusal::Unsettled { server: server(), times: MAX_ANSWERS }.into())
}

fn files(from: &Path, to: &Path) -> Value {
    json!({ "files": [{ "oldUri": uri::of(from), "newUri": uri::of(to) }] })
}
