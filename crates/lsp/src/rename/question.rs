//! Asking a server for a rename until its answer can be believed: it is ready, it says that this symbol can be renamed,
//! it answers the same twice, and its edit leaves out no use that it knows itself. It plans, and writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Range;
use serde_json::{Value, json};
use workspace::Workspace;

use super::mentions::Mentions;
use super::names::{self, Name, Names};
use super::plan::{Ground, Planned, plan};
use super::refusal::Refusal;
use super::rewriting::Judge;
use super::workspace_edit::{decode, range};
use crate::client::{Asked, Client};
use crate::documents::Synced;
use crate::error::Error;
use crate::position::Lines;
use crate::readiness::Readiness;
use crate::symbol::{Aim, Choice, Found, Occurrence, PlaceError, Syntax};
use crate::{limits, uri};

/// Answers that are compared before a server is given up.
const MAX_ANSWERS: usize = 5;
/// Files that hold the old name and are opened, so that the server looks at them.
const MAX_OPENED: usize = 24;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unplanned {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Symbol(#[from] PlaceError),
    #[error(transparent)]
    Server(#[from] Error),
    #[error(transparent)]
    Call(#[from] tool::Error),
}

/// A rename to be asked for.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) client: &'a Arc<Client>,
    pub(crate) syntax: Option<&'a Arc<dyn Syntax>>,
    /// Absolute, resolved.
    pub(crate) path: &'a Path,
    pub(crate) aim: &'a Aim,
    pub(crate) new_name: &'a str,
    pub(crate) cx: &'a tool::ReadContext,
}

/// A rename that may be made.
pub(crate) struct Answered {
    pub(crate) names: Names,
    pub(crate) planned: Planned,
    /// Where the old name stood, before.
    pub(crate) mentions: Mentions,
}

impl Question<'_> {
    pub(crate) async fn ask(&self) -> Result<Answered, Unplanned> {
        self.client.sync_all().await?;
        let synced = self.client.sync(self.path).await?;
        self.ready().await?;
        let (occurrence, aim) = self.occurrence(&synced).await?;
        // From here on the symbol names one place alone.
        Question { aim: &aim, ..*self }.ask_at(&synced, &occurrence).await
    }

    async fn ask_at(&self, synced: &Synced, occurrence: &Occurrence) -> Result<Answered, Unplanned> {
        let old = self.prepared(synced, occurrence).await?;
        let language = self.client.server().language(self.path).unwrap_or_default();
        names::check(&old, self.new_name, language)?;
        let names = Names::new(&old, self.new_name, language);
        let mentions = self.mentions(&names.old).await?;
        let answer = self.stable(&mentions).await?;
        let mut planned = self.planned(&names, answer).await?;
        let mut missing = self.missing(&names.old, &planned).await?;
        if !missing.is_empty() {
            self.ready().await?;
            let answer = self.stable(&mentions).await?;
            planned = self.planned(&names, answer).await?;
            missing = self.missing(&names.old, &planned).await?;
        }
        if !missing.is_empty() {
            let (server, symbol) = (self.server(), old);
            return Err(Refusal::Incomplete { server, symbol, places: missing }.into());
        }
        if planned.count() == 0 {
            let (server, symbol) = (self.server(), old);
            return Err(Refusal::NoEdits { server, symbol, why: "its edit is empty".to_owned() }.into());
        }
        Ok(Answered { names, planned, mentions })
    }

    fn server(&self) -> String {
        self.client.server().id.clone()
    }

    async fn ready(&self) -> Result<(), Refusal> {
        match self.client.ready(limits::READINESS).await {
            Readiness::Ready => Ok(()),
            Readiness::Loading { waiting_for } => {
                Err(Refusal::NotReady { server: self.server(), waiting_for })
            }
        }
    }

    /// The place on the line; where there are several, they must all lead to one definition.
    async fn occurrence(&self, synced: &Synced) -> Result<(Occurrence, Aim), Unplanned> {
        let mut several = match self.find(&synced.text)? {
            Found::One(occurrence) => return Ok((occurrence, self.aim.clone())),
            Found::Several(several) => several,
        };
        let mut definitions = Vec::new();
        for occurrence in &several {
            let at = occurrence.at;
            let answer =
                self.client.ask(self.path, "textDocument/definition", |synced| Ok(self.at(synced, at))).await;
            definitions.push(answer.ok().and_then(|asked| target(&asked.value)));
        }
        if definitions.iter().all(|definition| definition.is_some() && *definition == definitions[0]) {
            let first = several.swap_remove(0);
            let aim = self.aim.numbered(first.number);
            return Ok((first, aim));
        }
        let lines = Lines::new(&synced.text);
        let choice = |(occurrence, leads_to): (&Occurrence, Option<(PathBuf, Value)>)| Choice {
            number: occurrence.number,
            column: lines.place(occurrence.at).column,
            leads_to: leads_to.map(|(path, start)| {
                let path = self.workspace.relative(&path).unwrap_or_else(|| path.display().to_string());
                format!("{path}:{}", start["line"].as_u64().unwrap_or_default() + 1)
            }),
        };
        let choices = several.iter().zip(definitions).map(choice).collect();
        let Aim { file, line, .. } = self.aim.clone();
        Err(PlaceError::Ambiguous { symbol: self.aim.name().to_owned(), file, line, choices }.into())
    }

    fn find(&self, text: &str) -> Result<Found, PlaceError> {
        self.aim.find(text, |range| self.syntax?.is_code(self.path, text, range))
    }

    /// Where the symbol is in a text that may have changed since it was found.
    fn again(&self, synced: &Synced) -> Result<usize, PlaceError> {
        match self.find(&synced.text)? {
            Found::One(occurrence) => Ok(occurrence.at),
            // The line has changed meanwhile: it names no one place any more.
            Found::Several(several) => {
                let Aim { file, line, .. } = self.aim.clone();
                let (symbol, count) = (self.aim.name().to_owned(), several.len());
                Err(PlaceError::NoSuchNumber { symbol, file, line, number: 1, count })
            }
        }
    }

    /// A question about the symbol.
    fn place(&self, synced: &Synced) -> Result<Value, Error> {
        Ok(self.at(synced, self.again(synced)?))
    }

    /// A question about one byte.
    fn at(&self, synced: &Synced, at: usize) -> Value {
        let position = Lines::new(&synced.text).position(at, self.client.encoding());
        json!({"textDocument": {"uri": &*synced.uri}, "position": position})
    }

    /// The old name as the server sees it, and its consent.
    async fn prepared(&self, synced: &Synced, occurrence: &Occurrence) -> Result<String, Unplanned> {
        let symbol = synced.text[occurrence.name.clone()].to_owned();
        let method = "textDocument/prepareRename";
        if !self.client.offers(method) {
            return Ok(symbol);
        }
        let not_here = |why: String| Refusal::NotHere { server: self.server(), symbol: symbol.clone(), why };
        let asked = self.client.ask(self.path, method, |synced| self.place(synced)).await;
        let Asked { document: synced, value: answer, .. } = match asked {
            Ok(asked) => asked,
            Err(Error::Answered { message, .. }) => return Err(not_here(message).into()),
            Err(error) => return Err(error.into()),
        };
        if answer.is_null() {
            return Err(not_here("it says that nothing can be renamed there".to_owned()).into());
        }
        let Some(range) = range(&answer).or_else(|| range(&answer["range"])) else { return Ok(symbol) };
        let bytes = Lines::new(&synced.text).bytes(range, self.client.encoding());
        let found = &synced.text[bytes.clone()];
        let at = self.again(&synced)?;
        let name = at..at + symbol.len();
        if bytes.start <= name.start && name.end <= bytes.end {
            return Ok(found.to_owned());
        }
        // `$x`, where the sign is no part of the name.
        let without_signs = bytes.end == name.end && symbol.trim_start_matches('$') == found;
        if without_signs {
            return Ok(found.to_owned());
        }
        Err(Refusal::OtherSymbol { server: self.server(), symbol: symbol.clone(), found: found.to_owned() }
            .into())
    }

    async fn mentions(&self, old: &Name) -> Result<Mentions, Unplanned> {
        let (workspace, name, cancellation) =
            (self.workspace.clone(), old.clone(), self.cx.cancellation().clone());
        let search = move || Mentions::search(&workspace, &name, &|| cancellation.is_cancelled());
        Ok(self.cx.blocking(search).await??)
    }

    /// The answer that was given twice in a row, with every file open that may hold the symbol.
    async fn stable(&self, mentions: &Mentions) -> Result<Value, Unplanned> {
        let mut last = self.once().await?;
        self.open(mentions, &last).await?;
        for _ in 1..MAX_ANSWERS {
            self.ready().await?;
            let answer = self.once().await?;
            if same(&answer, &last) {
                return Ok(answer);
            }
            last = answer;
        }
        Err(Refusal::Unsettled { server: self.server(), times: MAX_ANSWERS }.into())
    }

    async fn once(&self) -> Result<Value, Unplanned> {
        let params = |synced: &Synced| {
            let mut params = self.place(synced)?;
            params["newName"] = self.new_name.into();
            Ok(params)
        };
        match self.client.ask(self.path, "textDocument/rename", params).await {
            Ok(asked) => Ok(asked.value),
            Err(Error::Answered { message, .. }) => {
                let symbol = self.aim.name().to_owned();
                Err(Refusal::NotHere { server: self.server(), symbol, why: message }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens files that hold the old name and that the answer leaves out, and waits until the server has read them: some
    /// servers only know what is open, or what they have read so far.
    async fn open(&self, mentions: &Mentions, answer: &Value) -> Result<(), Refusal> {
        let named: BTreeSet<PathBuf> = touched(answer);
        let root = self.workspace.root();
        let left_out: Vec<PathBuf> = mentions
            .files
            .keys()
            .map(|path| root.join(path))
            .filter(|path| {
                self.client.server().language(path).is_some()
                    && path.starts_with(self.client.root())
                    && !named.contains(path)
            })
            .collect();
        if self.client.caveat().is_some() && left_out.len() > MAX_OPENED {
            return Err(Refusal::Unindexed { server: self.server(), files: left_out.len() });
        }
        for path in left_out.iter().take(MAX_OPENED) {
            // What cannot be opened is no worse off than before; what is opened has been read once this is answered.
            let document = |synced: &Synced| Ok(json!({ "textDocument": { "uri": &*synced.uri } }));
            let _ = self.client.ask(path, "textDocument/documentSymbol", document).await;
        }
        Ok(())
    }

    async fn planned(&self, names: &Names, answer: Value) -> Result<Planned, Unplanned> {
        let operations = decode(&answer, &self.server())?;
        let (workspace, names) = (self.workspace.clone(), names.clone());
        let (encoding, open) = (self.client.encoding(), sent(self.client));
        let work = move || {
            let judge = Judge::Rename(&names);
            plan(Ground { workspace: &workspace, encoding, open: &open, judge }, operations)
        };
        Ok(self.cx.blocking(work).await??)
    }

    /// Uses that the server knows, that read the old name, and that lie in a file its edit does not touch.
    async fn missing(&self, old: &Name, planned: &Planned) -> Result<Vec<String>, Unplanned> {
        let method = "textDocument/references";
        if !self.client.offers(method) {
            return Ok(Vec::new());
        }
        let params = |synced: &Synced| {
            let mut params = self.place(synced)?;
            params["context"] = json!({"includeDeclaration": true});
            Ok(params)
        };
        let answer = self.client.ask(self.path, method, params).await?.value;
        let (root, encoding) = (self.workspace.root().to_owned(), self.client.encoding());
        let (old, touched): (Name, BTreeSet<PathBuf>) =
            (old.clone(), planned.files.keys().map(|path| root.join(path)).collect());
        let work = move || {
            let mut missing = Vec::new();
            for (path, range) in locations(&answer) {
                let path = uri::canonical(&path);
                if touched.contains(&path) || reads(&path, range, encoding).is_none_or(|text| !old.is(&text))
                {
                    continue;
                }
                let shown = path.strip_prefix(&root).unwrap_or(&path).display();
                missing.push(format!("{shown}:{}", range.start.line + 1));
            }
            missing
        };
        Ok(self.cx.blocking(work).await?)
    }
}

/// The documents as the server has them.
pub(super) fn sent(client: &Client) -> BTreeMap<PathBuf, Synced> {
    client.all_documents().into_iter().map(|synced| (synced.path.clone(), synced)).collect()
}

/// What a file says at a range, by the disk.
fn reads(path: &Path, range: Range, encoding: crate::position::Encoding) -> Option<String> {
    let source = workspace::read_source(path, limits::DOCUMENT).ok()?;
    let text = String::from_utf8(source).ok()?;
    let bytes = Lines::new(&text).bytes(range, encoding);
    Some(text[bytes].to_owned())
}

fn locations(answer: &Value) -> Vec<(PathBuf, Range)> {
    let location =
        |location: &Value| Some((uri::path(location["uri"].as_str()?)?, range(&location["range"])?));
    answer.as_array().into_iter().flatten().filter_map(location).collect()
}

/// Where a definition is: the first that is named.
fn target(answer: &Value) -> Option<(PathBuf, Value)> {
    let first = answer.as_array().map_or(Some(answer), |list| list.first())?;
    let (uri, range) = match first.get("targetUri") {
        Some(uri) => (uri, &first["targetSelectionRange"]),
        None => (&first["uri"], &first["range"]),
    };
    Some((uri::canonical_path(uri.as_str()?)?, range["start"].clone()))
}

/// Canonical paths of the files whose text an answer changes.
fn touched(answer: &Value) -> BTreeSet<PathBuf> {
    let operations = decode(answer, "").unwrap_or_default();
    let path = |operation| match operation {
        super::workspace_edit::Operation::Edit { path, .. } => Some(uri::canonical(&path)),
        _ => None,
    };
    operations.into_iter().filter_map(path).collect()
}

/// Whether two answers ask for the same, whatever versions they name and in what order a map lists its files.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    let read = |answer: &Value| {
        let mut operations = decode(answer, "").ok()?;
        for operation in &mut operations {
            if let super::workspace_edit::Operation::Edit { version, .. } = operation {
                *version = None;
            }
        }
        let mut said: Vec<String> = operations.iter().map(|operation| format!("{operation:?}")).collect();
        if answer.get("documentChanges").is_none_or(Value::is_null) {
            said.sort_unstable();
        }
        Some(said)
    };
    match (read(one), read(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
