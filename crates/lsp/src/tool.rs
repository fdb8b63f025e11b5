//! The tool `lsp`: arguments in, one question, text out. Read tier, beside anything: it starts and asks servers, and
//! changes no file. It must never guess what was left out of its arguments.

use std::sync::Arc;

use tool::{About, Output, ReadContext, TypedTool};
use workspace::{Kind, Located, Workspace};

use crate::Error;
use crate::attachment::Attachment;
use crate::queries::{Hierarchy, Queries, Subject, Wanted};
use crate::supervisor::Supervisor;
use crate::symbol::Syntax;

/// What stands for the whole project in `file`.
const PROJECT: &str = "*";

/// The tool `lsp`.
#[derive(Debug)]
pub struct Lsp {
    queries: Queries,
    workspace: Workspace,
}

impl Lsp {
    /// Asks `servers` about the files of their workspace.
    pub fn new(servers: Supervisor) -> Self {
        let workspace = servers.workspace().clone();
        Self { queries: Queries::new(servers), workspace }
    }

    /// Tells code from comments and strings, where a symbol stands on its line more than once.
    #[must_use]
    pub fn with_syntax(self, syntax: Arc<dyn Syntax>) -> Self {
        Self { queries: self.queries.with_syntax(syntax), ..self }
    }

    /// What a question for diagnostics has shown is not told again by what stands around the other tools.
    #[must_use]
    pub fn attached_to(self, attachment: &Attachment) -> Self {
        Self { queries: self.queries.with_on_write(attachment.on_write().clone()), ..self }
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Errors and warnings of `file`; with `*` the project's own checkers are run.
    Diagnostics,
    /// Where the symbol is defined.
    Definition,
    /// Where its type is defined.
    TypeDefinition,
    /// What implements it.
    Implementation,
    /// Every use of it.
    References,
    /// Its signature and documentation.
    Hover,
    /// The outline of `file`, or the symbols whose name holds `query`.
    Symbols,
    /// What could be done there; only listed.
    CodeActions,
    /// What calls it and what it calls.
    CallHierarchy,
    /// What it derives from and what derives from it.
    TypeHierarchy,
    /// The signatures of the call of it on that line.
    Signature,
    /// The language servers: which run, which could, and what is missing.
    Status,
    /// Restarts the servers of `file`, or all of them.
    Reload,
}

/// Arguments of `lsp`.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
pub struct LspArgs {
    /// What to ask.
    action: Action,
    /// A file, relative to the workspace; `*` with `diagnostics` checks the whole project.
    file: Option<String>,
    /// The line of `file` that has the symbol, from 1.
    line: Option<usize>,
    /// The name as that line has it, such as `parse` or `config.parse`; `parse#2` is the second on the line. There is no column.
    symbol: Option<String>,
    /// With `symbols`: a name or a part of one, sought in the whole workspace (or by the servers of `file`).
    query: Option<String>,
}

impl TypedTool for Lsp {
    type Args = LspArgs;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new(
            "lsp",
            "Asks the project's own language servers: where a symbol is defined, used, implemented or called, what its \
             type and documentation are, what is wrong with a file. A place is a `file`, a `line` (from 1) and the \
             `symbol` as that line has it; there is no column. Unlike a text search it tells names apart by what they \
             mean. A server that is still loading says `unknown`, which is not `none`. `diagnostics` with `file: \"*\"` \
             runs the project's checkers; `status` says which servers there are and what is missing.",
        )
    }

    async fn call(&self, args: LspArgs, _: ReadContext) -> Result<Output, tool::Error> {
        let given = Given { args: &args, workspace: &self.workspace };
        let output = self.answer(&given).await?;
        Ok(match given.unused() {
            Some(unused) => output.and_text(format!("note: {unused}")),
            None => output,
        })
    }
}

impl Lsp {
    async fn answer(&self, given: &Given<'_>) -> Result<Output, tool::Error> {
        let queries = &self.queries;
        let answer = match given.args.action {
            Action::Definition => queries.locate(&given.subject()?, Wanted::Definition).await,
            Action::TypeDefinition => queries.locate(&given.subject()?, Wanted::TypeDefinition).await,
            Action::Implementation => queries.locate(&given.subject()?, Wanted::Implementation).await,
            Action::References => queries.references(&given.subject()?).await,
            Action::Hover => queries.hover(&given.subject()?).await,
            Action::Signature => queries.signature(&given.subject()?).await,
            Action::CodeActions => queries.code_actions(&given.subject()?).await,
            Action::CallHierarchy => queries.hierarchy(&given.subject()?, Hierarchy::Calls).await,
            Action::TypeHierarchy => queries.hierarchy(&given.subject()?, Hierarchy::Types).await,
            Action::Symbols => match filled(given.args.query.as_deref()) {
                Some(query) => queries.named(query, given.file_if_any()?.as_ref()).await,
                None => queries.outline(&given.file("`file` or `query`")?).await,
            },
            Action::Diagnostics if given.args.file.as_deref() == Some(PROJECT) => {
                queries.check_project().await
            }
            Action::Diagnostics => {
                queries.diagnostics(&given.file("`file`, or `\"*\"` for the whole project")?).await
            }
            Action::Status => Ok(queries.status().await),
            Action::Reload => queries.reload(given.file_if_any()?.as_ref()).await,
        };
        Ok(answer?)
    }
}

/// The arguments of one call, as its action needs them.
struct Given<'a> {
    args: &'a LspArgs,
    workspace: &'a Workspace,
}

impl Given<'_> {
    fn subject(&self) -> Result<Subject, tool::Error> {
        let missing = |what: &str| {
            let action = action(self.args.action);
            tool::Error::bad_arguments(format!("`{action}` needs `file`, `line` and `symbol`; {what} is missing"))
                .with_hint("`symbol` is the name as the line has it: `parse`, `config.parse`, or `parse#2` for the second")
        };
        let Some(symbol) = filled(self.args.symbol.as_deref()) else { return Err(missing("`symbol`")) };
        let Some(line) = self.args.line else { return Err(missing("`line`")) };
        if filled(self.args.file.as_deref()).is_none() {
            return Err(missing("`file`"));
        }
        Ok(Subject::new(&self.file("`file`")?, line, symbol))
    }

    fn file(&self, needed: &str) -> Result<Located, tool::Error> {
        self.file_if_any()?.ok_or_else(|| {
            tool::Error::bad_arguments(format!("`{}` needs {needed}", action(self.args.action)))
        })
    }

    fn file_if_any(&self) -> Result<Option<Located>, tool::Error> {
        let Some(file) = filled(self.args.file.as_deref()) else { return Ok(None) };
        let located = self.workspace.resolve(file).map_err(Error::from)?;
        if located.kind != Kind::File {
            return Err(tool::Error::bad_arguments(format!(
                "`{file}` is a folder; servers are asked about a file"
            )));
        }
        Ok(Some(located))
    }

    /// What was given and says nothing to this action.
    fn unused(&self) -> Option<String> {
        use Action::{Diagnostics, Reload, Status, Symbols};
        let at_symbol = !matches!(self.args.action, Diagnostics | Reload | Status | Symbols);
        let given = [
            ("file", filled(self.args.file.as_deref()).is_some(), self.args.action != Status),
            ("line", self.args.line.is_some(), at_symbol),
            ("symbol", filled(self.args.symbol.as_deref()).is_some(), at_symbol),
            ("query", filled(self.args.query.as_deref()).is_some(), self.args.action == Symbols),
        ];
        let unused: Vec<&str> =
            given.iter().filter(|(_, given, used)| *given && !used).map(|(name, _, _)| *name).collect();
        let names = crate::render::named(&unused);
        (!unused.is_empty()).then(|| format!("`{}` makes no use of {names}", action(self.args.action)))
    }
}

/// What was given, if it is not empty: some fill every field in.
fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// Its name as it is asked for.
fn action(action: Action) -> String {
    serde_json::to_value(action).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

impl From<Error> for tool::Error {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Symbol(place) => {
                let error = tool::Error::bad_arguments(message);
                place.hint().into_iter().fold(error, tool::Error::with_hint)
            }
            Error::Workspace(workspace::Error::Leaves { .. } | workspace::Error::LinkLeaves { .. }) => {
                tool::Error::refused(message).with_hint("only files of the workspace can be asked about")
            }
            Error::Workspace(workspace::Error::Unreadable { .. }) | Error::Unreadable { .. } => {
                tool::Error::failed(message)
            }
            Error::Workspace(_) | Error::NoFile { .. } => tool::Error::bad_arguments(message),
            Error::ProjectCode => tool::Error::refused(message).with_hint("ask for one `file` instead"),
            Error::NotText { .. } | Error::TooLarge { .. } => tool::Error::refused(message),
            Error::TimedOut { .. } | Error::Previewing { .. } => tool::Error::timed_out(message)
                .with_hint("the server may be busy: ask again, or see `lsp` with the action `status`"),
            Error::Answered { .. } => tool::Error::failed(message),
            _ => tool::Error::unavailable(message)
                .with_hint("`lsp` with the action `status` says what there is and what is missing"),
        }
    }
}
