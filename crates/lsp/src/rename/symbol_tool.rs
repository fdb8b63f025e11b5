//! The tool `lsp_rename`: arguments in, one server's answer judged, written or staged. Write tier, apart from `lsp`,
//! since the tier decides who can see it. It must never take a part of a name for the name.

use std::path::Path;
use std::sync::Arc;

use edits::Edits;
use serde_json::json;
use tool::{About, Error, Output, TypedTool, WriteContext};
use workspace::{Kind, Located};

use super::commit::{self, Deed};
use super::names::Name;
use super::question::{Answered, Question, Unplanned};
use super::refusal::clip;
use crate::client::Client;
use crate::queries::Queries;
use crate::supervisor::{Purpose, Supervisor};
use crate::symbol::{self, Aim, Syntax};

const NAME: &str = "lsp_rename";
const METHOD: &str = "textDocument/rename";
const DESCRIPTION: &str = "Renames a symbol in every file of the project, by its language server: all files or none. \
The place is a `file`, a `line` (from 1) and the `symbol` as that line has it, whole. Every place is compared with what \
it reads now; what the server leaves out, or would change besides the name, refuses the whole. The result counts the \
occurrences in each file, and lists where the old name is left in comments, strings and other text. With `dry_run` \
nothing is written: the change is staged, and `resolve` decides.";

/// The tool `lsp_rename`.
pub struct LspRename {
    servers: Supervisor,
    edits: Edits,
    syntax: Option<Arc<dyn Syntax>>,
}

impl LspRename {
    /// Asks `servers`, and writes through `edits`.
    pub fn new(servers: Supervisor, edits: Edits) -> Self {
        Self { servers, edits, syntax: None }
    }

    /// Tells code from comments and strings.
    #[must_use]
    pub fn with_syntax(self, syntax: Arc<dyn Syntax>) -> Self {
        Self { syntax: Some(syntax), ..self }
    }
}

impl std::fmt::Debug for LspRename {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LspRename").field("servers", &self.servers).finish_non_exhaustive()
    }
}

/// Arguments of `lsp_rename`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub struct RenameArgs {
    /// The file that has the symbol, relative to the workspace.
    file: String,
    /// The line of the symbol, from 1.
    line: usize,
    /// The whole name as that line has it; `parse#2` is the second on the line.
    symbol: String,
    /// What it will be called.
    new_name: String,
    /// Stage the change instead of writing it; the answer names an `edit_id` for `resolve`.
    dry_run: Option<bool>,
}

impl TypedTool for LspRename {
    type Args = RenameArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(NAME, DESCRIPTION).preview(|args: &RenameArgs| {
            let (symbol, new_name) = (clip(&args.symbol), clip(&args.new_name));
            let what = if args.dry_run == Some(true) { "stage a rename of" } else { "rename" };
            format!(
                "{what} `{symbol}` ({}:{}) to `{new_name}` in every file of the project",
                clip(&args.file),
                args.line
            )
        })
    }

    async fn call(&self, args: RenameArgs, cx: WriteContext) -> Result<Output, Error> {
        let file = file(&self.servers, &args.file)?;
        let client = owner(&self.servers, &file.absolute, METHOD).await?;
        let aim = Aim {
            file: file.relative.clone(),
            line: args.line,
            symbol: args.symbol.clone(),
            purpose: symbol::Purpose::Rename,
        };
        let question = Question {
            workspace: self.servers.workspace(),
            client: &client,
            syntax: self.syntax.as_ref(),
            path: &file.absolute,
            aim: &aim,
            new_name: &args.new_name,
            cx: &cx,
        };
        let Answered { names, planned, mentions } = question.ask().await?;
        let mut remarks = self.remarks(&names.new, &planned, &cx).await?;
        let left = mentions.without(&planned.files);
        let (workspace, syntax) = (self.servers.workspace().clone(), self.syntax.clone());
        let sorted = move || left.sorted(&workspace, syntax.as_deref());
        remarks.extend(cx.blocking(sorted).await?.lines(&names.old.text));
        let deed = Deed {
            tool: NAME,
            title: format!("rename `{}` to `{}`", clip(&names.old.text), clip(&names.new.text)),
            arguments: json!(args),
            unit: "occurrence",
            remarks,
        };
        if args.dry_run == Some(true) {
            return commit::stage(&self.edits, planned, deed, &cx).await;
        }
        commit::apply(&self.edits, planned, deed, &cx).await
    }
}

impl LspRename {
    /// Files that change and have the new name already: the two may now be one.
    async fn remarks(
        &self,
        new: &Name,
        planned: &super::plan::Planned,
        cx: &WriteContext,
    ) -> Result<Vec<String>, Error> {
        let root = self.servers.workspace().root().to_owned();
        let (new, paths) = (new.clone(), planned.files.keys().cloned().collect::<Vec<_>>());
        let taken = move || {
            let has = |path: &String| {
                let source = workspace::read_source(&root.join(path), crate::limits::DOCUMENT).ok();
                let text = source.and_then(|source| String::from_utf8(source).ok());
                text.is_some_and(|text| !new.occurrences(&text).is_empty())
            };
            let taken: Vec<String> = paths.into_iter().filter(has).collect();
            taken.first().map(|first| {
                let more = if taken.len() > 1 {
                    format!(" and {} more files", taken.len() - 1)
                } else {
                    String::new()
                };
                format!(
                    "warning: `{}` stands in `{}`{more} already: look whether the two now mean the same",
                    clip(&new.text),
                    workspace::shown(first)
                )
            })
        };
        Ok(cx.blocking(taken).await?.into_iter().collect())
    }
}

/// A file of the workspace.
pub(super) fn file(servers: &Supervisor, named: &str) -> Result<Located, Error> {
    let located = servers.workspace().resolve(named).map_err(crate::Error::from)?;
    if located.kind != Kind::File {
        return Err(Error::bad_arguments(format!("`{named}` is a folder; a file is needed")));
    }
    Ok(located)
}

/// The one server that is asked for `method`: the first, by priority, that offers it.
pub(super) async fn owner(
    servers: &Supervisor,
    path: &Path,
    method: &'static str,
) -> Result<Arc<Client>, Error> {
    let clients = servers.clients(path, Purpose::Navigation).await?;
    for client in &clients {
        // What a server registers comes after it has come up.
        client.sync(path).await?;
        client.ready(crate::limits::READINESS).await;
        if client.offers(method) {
            return Ok(Arc::clone(client));
        }
    }
    Err(Queries::new(servers.clone()).not_offered(path, method, &clients).into())
}

impl From<Unplanned> for Error {
    fn from(unplanned: Unplanned) -> Self {
        match unplanned {
            Unplanned::Refused(refusal) => refusal.into(),
            Unplanned::Symbol(place) => crate::Error::from(place).into(),
            Unplanned::Server(error) => error.into(),
            Unplanned::Call(error) => error,
        }
    }
}
