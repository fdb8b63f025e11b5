//! The symbols of a file as an outline, and those of the workspace by name, with true totals.
//! It must never cut a file's end off: where there are too many, the innermost are left out.

mod named;
mod outline;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tool::Output;
use workspace::Located;

use self::named::Named;
use self::outline::Node;
use super::ask::ask;
use super::places::Places;
use super::{Queries, aside};
use crate::Error;
use crate::client::Client;
use crate::readiness::Readiness;
use crate::render::{Page, clip, counted, cut, flat, place_data, spot};
use crate::supervisor::Purpose;

/// Symbols of a file that are listed.
const MAX_OUTLINE: usize = 200;
/// Symbols of the workspace that are listed.
const MAX_NAMED: usize = 100;
/// Endings of files whose servers a search starts, the most frequent first.
const MAX_ENDINGS: usize = 4;
/// Characters of a signature beside a name.
const MAX_DETAIL: usize = 120;
/// A list this long may be all that a server gives.
const MAY_BE_CUT: usize = 100;

impl Queries {
    /// The outline of a file.
    pub(crate) async fn outline(&self, file: &Located) -> Result<Output, Error> {
        const METHOD: &str = "textDocument/documentSymbol";
        let clients = self.servers.clients(&file.absolute, Purpose::Symbols).await?;
        let (able, unable): (Vec<_>, Vec<_>) = clients.into_iter().partition(|client| client.offers(METHOD));
        if able.is_empty() {
            return Err(self.not_offered(&file.absolute, METHOD, &unable));
        }
        let mut failed = None;
        let mut nothing = Vec::new();
        for client in able {
            let params =
                |synced: &crate::documents::Synced| Ok(json!({ "textDocument": { "uri": &*synced.uri } }));
            match ask(&client, &file.absolute, METHOD, params).await {
                Ok(asked) => {
                    let outline = outline::read(&asked.value, &asked.document.uri);
                    let told = told(&client, asked.readiness);
                    if outline.is_empty() {
                        nothing.push(told);
                        continue;
                    }
                    return Ok(self.write_outline(file, &client, outline, told).await);
                }
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
        }
        match failed {
            Some(error) if nothing.is_empty() => Err(error),
            _ => {
                Ok(nothing_page(&format!("symbols in `{}`", workspace::shown(&file.relative)), &nothing, &[]))
            }
        }
    }

    async fn write_outline(
        &self,
        file: &Located,
        client: &Client,
        outline: outline::Outline,
        told: Told,
    ) -> Output {
        let total = outline.nodes.len();
        let listed = outline.outermost(MAX_OUTLINE);
        let mut places = Places::new(self.workspace.clone(), client.encoding());
        let read = aside(move || {
            let read = listed.into_iter().map(|node| {
                let found = places.find(node.spot.clone());
                let place = places.read(&found);
                (node, place)
            });
            read.collect::<Vec<(Node, _)>>()
        })
        .await;
        let rest = if read.len() < total {
            format!("; the outermost {} are listed", read.len())
        } else {
            String::new()
        };
        let mut page = Page::new(format!(
            "{} in `{}`{rest}",
            counted(total, "symbol"),
            workspace::shown(&file.relative)
        ));
        for (node, place) in &read {
            let detail = node.detail.as_ref().map(|detail| format!(" {}", clip(&flat(detail), MAX_DETAIL)));
            let indent = "  ".repeat(node.depth);
            page.line(format!(
                "{}: {indent}{} {}{}",
                spot(place),
                node.kind,
                flat(&node.name),
                detail.unwrap_or_default()
            ));
        }
        let data = read.iter().map(|(node, place)| {
            let mut data = place_data(place);
            data["name"] = json!(node.name);
            data["kind"] = json!(node.kind);
            data["depth"] = json!(node.depth);
            data["detail"] = json!(node.detail);
            data
        });
        page.data("symbols", data.collect::<Vec<_>>());
        page.data("total", total);
        page.data("state", "answered");
        page.data("server", client.server().id.as_str());
        if outline.odd > 0 {
            page.note(format!("{} of the answer could not be read", counted(outline.odd, "item")));
        }
        if let (server, Some(waiting_for)) = told {
            page.note(format!("{server} is still loading (waiting for {waiting_for}): there may be more"));
        }
        page.output()
    }

    /// The symbols whose name holds what is asked for, of the servers of one file or of the workspace's languages.
    pub(crate) async fn named(&self, query: &str, file: Option<&Located>) -> Result<Output, Error> {
        let (asked, left_out) = match file {
            Some(file) => (vec![file.absolute.clone()], Vec::new()),
            None => self.one_file_of_each().await,
        };
        let (mut found, mut notes, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
        if !left_out.is_empty() {
            notes.push(format!(
                "not asked: servers of {}; name a `file` to ask its own",
                crate::render::named(&left_out)
            ));
        }
        let mut errors = Vec::new();
        for (client, path) in self.clients_of(&asked, &mut errors).await {
            match self.named_by(&client, path.as_ref(), query).await {
                Ok((named, readiness)) => {
                    let told = told(&client, readiness);
                    if let (server, Some(waiting_for)) = &told {
                        notes.push(format!(
                            "{server} is still loading (waiting for {waiting_for}): there may be more"
                        ));
                    }
                    if named.found.len() >= MAY_BE_CUT {
                        let count = named.found.len();
                        notes.push(format!("{} gave {count}, and may limit its own list", told.0));
                    }
                    if named.odd > 0 {
                        notes.push(format!("{} of {} could not be read", counted(named.odd, "item"), told.0));
                    }
                    nothing.push(told);
                    found.extend(named.found);
                }
                Err(error) => errors.push(error),
            }
        }
        if nothing.is_empty() {
            return Err(errors.into_iter().next().unwrap_or(Error::NoServerRuns));
        }
        notes.extend(errors.iter().map(ToString::to_string));
        Ok(write_named(query, found, &nothing, notes))
    }

    async fn named_by(
        &self,
        client: &Arc<Client>,
        path: Option<&PathBuf>,
        query: &str,
    ) -> Result<(Named, Readiness), Error> {
        const METHOD: &str = "workspace/symbol";
        if !client.offers(METHOD) {
            return Err(Error::NotOffered {
                method: METHOD,
                running: vec![client.server().id.clone()],
                others: Vec::new(),
            });
        }
        let params = json!({ "query": query });
        let (answer, readiness) = if let Some(path) = path {
            // Some answer only once a file of theirs is open.
            let asked = ask(client, path, METHOD, |_| Ok(params.clone())).await?;
            (asked.value, asked.readiness)
        } else {
            let readiness = client.ready(crate::limits::READINESS).await;
            (client.request(METHOD, params).await?, readiness)
        };
        let places = Places::new(self.workspace.clone(), client.encoding());
        let query = query.to_owned();
        Ok((aside(move || named::read(&answer, &query, places, MAX_NAMED)).await, readiness))
    }

    /// The clients of these files, and those that run besides, each once with a file of its own if there is one.
    async fn clients_of(
        &self,
        files: &[PathBuf],
        errors: &mut Vec<Error>,
    ) -> Vec<(Arc<Client>, Option<PathBuf>)> {
        let mut clients: Vec<(Arc<Client>, Option<PathBuf>)> = Vec::new();
        let is_new = |clients: &[(Arc<Client>, _)], client: &Arc<Client>| {
            !clients.iter().any(|(other, _)| Arc::ptr_eq(other, client))
        };
        for file in files {
            match self.servers.clients(file, Purpose::Symbols).await {
                Ok(serving) => {
                    for client in serving {
                        if is_new(&clients, &client) {
                            clients.push((client, Some(file.clone())));
                        }
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        if files.len() != 1 {
            for client in self.servers.running() {
                if is_new(&clients, &client) && client.offers("workspace/symbol") {
                    clients.push((client, None));
                }
            }
        }
        clients
    }

    /// For each of the most frequent endings of the workspace's files that a server could serve, the first file; and
    /// the endings that are left out.
    async fn one_file_of_each(&self) -> (Vec<PathBuf>, Vec<String>) {
        let queries = self.clone();
        aside(move || {
            let workspace = &queries.workspace;
            let Ok(scope) = workspace.scope(None) else { return Default::default() };
            let Ok(walk) = workspace.walk(&scope, &|_| true, &|| false) else { return Default::default() };
            let mut endings: BTreeMap<String, (usize, PathBuf)> = BTreeMap::new();
            for file in walk.files {
                let Some(ending) = file.absolute.extension().and_then(|it| it.to_str()) else { continue };
                endings.entry(ending.to_owned()).or_insert((0, file.absolute.clone())).0 += 1;
            }
            let serves = |path: &Path| {
                let mut candidates = queries.servers.candidates(path).into_iter();
                candidates.any(|it| it.is_usable() && it.server.role == crate::servers::Role::Primary)
            };
            let mut endings: Vec<_> = endings.into_iter().filter(|(_, (_, path))| serves(path)).collect();
            endings.sort_by_key(|(_, (count, _))| Reverse(*count));
            let rest = endings.split_off(endings.len().min(MAX_ENDINGS));
            let files = endings.into_iter().map(|(_, (_, path))| path).collect();
            (files, rest.into_iter().map(|(ending, _)| format!("*.{ending}")).collect())
        })
        .await
    }
}

fn write_named(query: &str, mut found: Vec<named::Symbol>, asked: &[Told], notes: Vec<String>) -> Output {
    named::sort(&mut found);
    let total = found.len();
    if total == 0 {
        return nothing_page(&format!("symbol for `{}`", flat(query)), asked, &notes);
    }
    let shown = total.min(MAX_NAMED);
    let head = format!("{} for `{}`{}", counted(total, "symbol"), flat(query), cut(shown, total));
    let mut page = Page::new(head);
    for symbol in &found[..shown] {
        let within = symbol.container.as_ref().map(|name| format!(" in {}", flat(name))).unwrap_or_default();
        page.line(format!("{}: {} {}{within}", spot(&symbol.place), symbol.kind, flat(&symbol.name)));
    }
    let data = found[..shown].iter().map(|symbol| {
        let mut data = place_data(&symbol.place);
        data["name"] = json!(symbol.name);
        data["kind"] = json!(symbol.kind);
        data["container"] = json!(symbol.container);
        data
    });
    page.data("symbols", data.collect::<Vec<_>>());
    page.data("total", total);
    page.data("state", "answered");
    page.data("servers", asked.iter().map(|(server, _)| json!(server)).collect::<Vec<Value>>());
    for note in notes {
        page.note(note);
    }
    page.output()
}

fn nothing_page(what: &str, asked: &[Told], notes: &[String]) -> Output {
    let loading: Vec<String> =
        asked.iter().filter_map(|(server, what)| Some(format!("{} ({server})", what.as_ref()?))).collect();
    let servers: Vec<&str> = asked.iter().map(|(server, _)| server.as_str()).collect();
    let mut page = if loading.is_empty() {
        Page::new(format!("no {what} ({} answered)", crate::render::named(&servers)))
    } else {
        let mut page = Page::new(format!("unknown: still loading, waiting for {}", loading.join(", ")));
        page.line(format!("no {what} so far, which may change: ask again"));
        page
    };
    page.data("state", if loading.is_empty() { "nothing" } else { "unknown" });
    page.data("servers", json!(servers));
    for note in notes {
        page.note(note.as_str());
    }
    page.output()
}

/// A server, and what it waits for if it is loading.
type Told = (String, Option<String>);

fn told(client: &Client, readiness: Readiness) -> Told {
    let waiting_for = match readiness {
        Readiness::Ready => None,
        Readiness::Loading { waiting_for } => Some(waiting_for),
    };
    (client.server().id.clone(), waiting_for)
}
