//! The way of every question about a symbol: the servers of the file by priority, the first whose answer is not empty.
//! A symbol that stands on its line more than once is asked about at each place, and goes on only where all of them
//! are defined at the same one. It must never hide that a server was loading, failed, or was passed over.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use workspace::Located;

use super::decode::{self, Decoded};
use super::places::{Found as FoundPlace, Places};
use super::{Queries, aside};
use crate::client::{Asked, Client};
use crate::documents::Synced;
use crate::position::Lines;
use crate::readiness::Readiness;
use crate::render::{Page, clip, flat, named, spot};
use crate::servers::Role;
use crate::supervisor::Purpose as ServerPurpose;
use crate::symbol::{Aim, Choice, Found, Occurrence, PlaceError, Purpose};
use crate::{Error, limits};

/// Places of one symbol on one line that a server is asked about to find out whether they are the same.
const MAX_CHOICES: usize = 8;

/// Characters of what a server says of itself.
const MAX_SAID: usize = 300;
/// How often a server is asked again that began to load meanwhile.
const MAX_AGAIN: usize = 2;

/// A symbol on a line of a file of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Canonical.
    pub(crate) path: PathBuf,
    pub(crate) aim: Aim,
}

impl Subject {
    pub(crate) fn new(file: &Located, line: usize, symbol: &str) -> Self {
        let aim =
            Aim { file: file.relative.clone(), line, symbol: symbol.to_owned(), purpose: Purpose::Read };
        Self { path: file.absolute.clone(), aim }
    }

    /// `` `foo` at src/a.rs:3 ``.
    pub(crate) fn shown(&self) -> String {
        format!("`{}` at {}:{}", self.aim.name(), workspace::shown(&self.aim.file), self.aim.line)
    }
}

/// An answer that holds something.
pub(crate) struct Answered<T> {
    pub(crate) client: Arc<Client>,
    pub(crate) synced: Synced,
    pub(crate) at: Occurrence,
    pub(crate) found: Decoded<T>,
    aside: Aside,
}

/// What must be told beside an answer.
#[derive(Debug, Default)]
struct Aside {
    /// What servers say of their own health, where it is not good.
    unwell: Vec<String>,
    /// Servers that were loading, with what they wait for.
    loading: Vec<(String, String)>,
    /// Servers that had nothing.
    silent: Vec<String>,
    failed: Vec<String>,
}

/// What became of a question.
pub(crate) enum Reply<T> {
    Answered(Answered<T>),
    Nothing(Nothing),
}

/// Every server that could be asked had nothing.
#[derive(Debug)]
pub(crate) struct Nothing {
    aside: Aside,
    /// The symbol stands in a comment or a string.
    no_code: bool,
}

impl Queries {
    /// Asks the servers of the file, by priority, until one has something. `params` gets the place of the symbol in
    /// the text that the server has.
    pub(super) async fn ask<T>(
        &self,
        subject: &Subject,
        method: &'static str,
        params: impl Fn(&Client, &Synced, &Occurrence) -> Value + Sync,
        read: impl Fn(&Value) -> Decoded<T>,
    ) -> Result<Reply<T>, Error> {
        let clients = self.servers.clients(&subject.path, ServerPurpose::Navigation).await?;
        let (able, unable): (Vec<_>, Vec<_>) = clients.into_iter().partition(|client| client.offers(method));
        if able.is_empty() {
            return Err(self.not_offered(&subject.path, method, &unable));
        }
        let mut told = Aside::default();
        let (mut first_error, mut no_code) = (None, false);
        for client in able {
            let (asked, at) = match self.ask_one(&client, subject, method, &params).await {
                Ok(answer) => answer,
                Err(error @ Error::Symbol(_)) => return Err(error),
                Err(error) => {
                    told.failed.push(error.to_string());
                    first_error.get_or_insert(error);
                    continue;
                }
            };
            told.unwell.extend(unwell(&client));
            told.unwell.extend(client.caveat());
            if let Readiness::Loading { waiting_for } = asked.readiness {
                told.loading.push((client.server().id.clone(), waiting_for));
            }
            let (found, synced) = (read(&asked.value), asked.document);
            if !found.is_empty() {
                return Ok(Reply::Answered(Answered { client, synced, at, found, aside: told }));
            }
            no_code = self.is_code(&subject.path, &synced.text, at.name.clone()) == Some(false);
            told.silent.push(client.server().id.clone());
        }
        match first_error {
            Some(error) if told.silent.is_empty() => Err(error),
            _ => Ok(Reply::Nothing(Nothing { aside: told, no_code })),
        }
    }

    /// Asks one server, and finds out which place is meant if there are several.
    pub(super) async fn ask_one(
        &self,
        client: &Client,
        subject: &Subject,
        method: &'static str,
        params: &(impl Fn(&Client, &Synced, &Occurrence) -> Value + Sync),
    ) -> Result<(Asked, Occurrence), Error> {
        match self.ask_at(client, &subject.path, &subject.aim, method, params).await {
            Err(Error::Symbol(PlaceError::Ambiguous { choices, .. })) => {
                let aim = self.choose(client, subject, choices).await?;
                self.ask_at(client, &subject.path, &aim, method, params).await
            }
            answer => answer,
        }
    }

    async fn ask_at(
        &self,
        client: &Client,
        path: &Path,
        aim: &Aim,
        method: &'static str,
        params: &(impl Fn(&Client, &Synced, &Occurrence) -> Value + Sync),
    ) -> Result<(Asked, Occurrence), Error> {
        // Found anew for every attempt: the file may have changed between two.
        let place = |synced: &Synced| self.occurrence(path, &synced.text, aim);
        let asked = ask(client, path, method, |synced| Ok(params(client, synced, &place(synced)?))).await?;
        let at = place(&asked.document)?;
        Ok((asked, at))
    }

    fn occurrence(&self, path: &Path, text: &str, aim: &Aim) -> Result<Occurrence, Error> {
        match aim.find(text, |range| self.is_code(path, text, range))? {
            Found::One(occurrence) => Ok(occurrence),
            Found::Several(several) => {
                let lines = Lines::new(text);
                let choice = |it: &Occurrence| Choice {
                    number: it.number,
                    column: lines.place(it.at).column,
                    leads_to: None,
                };
                Err(ambiguous(aim, several.iter().map(choice).collect()))
            }
        }
    }

    /// The first of several places if all are defined at the same one; else an error that says where each leads.
    async fn choose(&self, client: &Client, subject: &Subject, choices: Vec<Choice>) -> Result<Aim, Error> {
        const DEFINITION: &str = "textDocument/definition";
        if choices.len() > MAX_CHOICES || !client.offers(DEFINITION) {
            return Err(ambiguous(&subject.aim, choices));
        }
        let aims: Vec<Aim> = choices.iter().map(|choice| subject.aim.numbered(choice.number)).collect();
        let asked = aims.iter().map(|aim| self.ask_at(client, &subject.path, aim, DEFINITION, &at_symbol));
        let mut spots = Vec::new();
        for answer in futures_util::future::join_all(asked).await {
            spots.push(decode::locations(&answer?.0.value).items);
        }
        let mut places = Places::new(self.workspace.clone(), client.encoding());
        let targets = aside(move || {
            let found: Vec<Vec<FoundPlace>> = spots.into_iter().map(|spots| places.sorted(spots)).collect();
            let first = found.first().filter(|first| !first.is_empty());
            let same = first.is_some_and(|first| found.iter().all(|found| is_same(first, found)));
            if same {
                return None;
            }
            let leads = found.iter().map(|found| Some(spot(&places.read(found.first()?))));
            Some(leads.collect::<Vec<_>>())
        });
        match (targets.await, aims.into_iter().next()) {
            (None, Some(aim)) => Ok(aim),
            (leads, _) => {
                let mut choices = choices;
                for (choice, leads_to) in choices.iter_mut().zip(leads.unwrap_or_default()) {
                    choice.leads_to = leads_to;
                }
                Err(ambiguous(&subject.aim, choices))
            }
        }
    }

    /// No server of the file offers this: which do not, and which of the table might.
    pub(crate) fn not_offered(&self, path: &Path, method: &'static str, unable: &[Arc<Client>]) -> Error {
        let running: Vec<String> = unable.iter().map(|client| client.server().id.clone()).collect();
        let others = self.servers.candidates(path).into_iter().filter(|it| !running.contains(&it.server.id));
        let others = others.map(|it| {
            let why = match ((!it.is_usable()).then(|| it.why_not()), it.server.role) {
                (Some(missing), _) => missing,
                (None, Role::Linter) => "it gives diagnostics only".to_owned(),
                (None, Role::Primary) => "it can be started".to_owned(),
            };
            (it.server.id.clone(), why)
        });
        let others = others.collect();
        Error::NotOffered { method, running, others }
    }
}

impl<T> Answered<T> {
    /// Writes what must be known of the answer.
    pub(super) fn tell(&self, subject: &Subject, page: &mut Page) {
        page.data("server", self.client.server().id.as_str());
        if let Some(whole) = &self.at.taken_for {
            page.note(format!("`{}` → `{whole}`", subject.aim.name()));
            page.data("taken_for", whole.as_str());
        }
        if self.found.odd > 0 {
            page.note(format!(
                "{} of the answer could not be read",
                crate::render::counted(self.found.odd, "item")
            ));
            page.data("odd_items", self.found.odd);
        }
        for (server, waiting_for) in &self.aside.loading {
            page.note(format!("{server} is still loading (waiting for {waiting_for}): there may be more"));
        }
        page.data("complete", self.aside.loading.is_empty());
        if !self.aside.silent.is_empty() {
            let silent = named(&self.aside.silent);
            page.note(format!("answered by `{}`; {silent} had nothing", self.client.server().id));
        }
        for told in self.aside.failed.iter().chain(&self.aside.unwell) {
            page.note(told.as_str());
        }
    }
}

impl Nothing {
    /// An answer that says so, or that it is not known. `what` reads on after "no": ``definition of `foo` at a.rs:3``.
    pub(super) fn page(&self, what: &str) -> Page {
        let Aside { unwell, loading, silent, failed } = &self.aside;
        let mut page = match loading.as_slice() {
            [] => Page::new(format!("no {what} ({} answered)", named(silent))),
            loading => {
                let waiting: Vec<String> =
                    loading.iter().map(|(server, what)| format!("{what} ({server})")).collect();
                let mut page =
                    Page::new(format!("unknown: still loading, waiting for {}", waiting.join(", ")));
                page.line(format!("no {what} so far, which may change: ask again"));
                page
            }
        };
        page.data("state", if loading.is_empty() { "nothing" } else { "unknown" });
        page.data("servers", json!(silent));
        if !loading.is_empty() {
            page.data("waiting_for", loading.iter().map(|(_, what)| json!(what)).collect::<Vec<_>>());
        }
        if self.no_code {
            page.note("the symbol stands in a comment or a string there");
        }
        for told in failed.iter().chain(unwell) {
            page.note(told.as_str());
        }
        page
    }
}

/// What a server says of its own health, or what went wrong in it last: its answers may lack what that took away.
pub(super) fn unwell(client: &Client) -> Option<String> {
    let server = &client.server().id;
    let status = client.status().filter(|status| status.health != "ok");
    let said = match status {
        Some(status) => {
            format!("{server} is not well ({}): {}", status.health, status.message.unwrap_or_default())
        }
        None => format!("{server} said: {}", client.messages().pop()?),
    };
    Some(clip(&flat(&said), MAX_SAID))
}

/// Asks a server about a file, and again if it began to load meanwhile: some load only when they are asked, and what
/// they leave out then they know a moment later.
pub(super) async fn ask(
    client: &Client,
    path: &Path,
    method: &str,
    params: impl Fn(&Synced) -> Result<Value, Error>,
) -> Result<Asked, Error> {
    let mut again = MAX_AGAIN;
    loop {
        let asked = client.ask(path, method, &params).await?;
        let done = asked.readiness.is_ready() || again == 0;
        if done || !client.ready(limits::READINESS).await.is_ready() {
            return Ok(asked);
        }
        again -= 1;
    }
}

/// What is the same for most questions: a document and a position.
pub(super) fn at_symbol(client: &Client, synced: &Synced, at: &Occurrence) -> Value {
    position_params(client, synced, at.at)
}

/// A document and the position of a byte.
pub(super) fn position_params(client: &Client, synced: &Synced, at: usize) -> Value {
    let position = Lines::new(&synced.text).position(at, client.encoding());
    json!({ "textDocument": { "uri": &*synced.uri }, "position": position })
}

fn ambiguous(aim: &Aim, choices: Vec<Choice>) -> Error {
    let symbol = aim.name().to_owned();
    Error::Symbol(PlaceError::Ambiguous { symbol, file: aim.file.clone(), line: aim.line, choices })
}

fn is_same(one: &[FoundPlace], other: &[FoundPlace]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same_as(other))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn said(told: Aside, no_code: bool) -> String {
        Nothing { aside: told, no_code }.page("references to `a` at a.rs:3").output().to_text()
    }

    #[test]
    fn nothing_of_a_server_that_loads_is_not_known() {
        let silent = vec!["pyright".to_owned(), "ty".to_owned()];
        let calm = Aside { silent: silent.clone(), ..Aside::default() };
        assert_eq!(said(calm, false), "no references to `a` at a.rs:3 (`pyright` and `ty` answered)");
        let loading = vec![("ty".to_owned(), "`Indexing`".to_owned())];
        expect![[r"
            unknown: still loading, waiting for `Indexing` (ty)
            no references to `a` at a.rs:3 so far, which may change: ask again"]]
        .assert_eq(&said(Aside { loading, silent, ..Aside::default() }, false));
    }

    #[test]
    fn why_nothing_may_be_there_is_told() {
        let unwell = vec!["gopls said: no packages".to_owned()];
        let silent = vec!["gopls".to_owned()];
        expect![[r"
            no references to `a` at a.rs:3 (`gopls` answered)
            note: the symbol stands in a comment or a string there
            note: gopls said: no packages"]]
        .assert_eq(&said(Aside { unwell, silent, ..Aside::default() }, true));
    }
}
