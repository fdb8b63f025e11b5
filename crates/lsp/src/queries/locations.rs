//! Where a symbol is defined, typed, implemented and used. True totals, the workspace's own files first, each place once.
//! It must never pass a declaration off as a use.

use std::collections::BTreeSet;

use serde_json::json;
use tool::Output;

use super::ask::{Answered, Reply, Subject, at_symbol};
use super::decode;
use super::places::{Found, Place, Places, Spot};
use super::{Queries, aside};
use crate::Error;
use crate::client::Client;
use crate::render::{Page, counted, cut, place_data, place_line};

/// Places of one answer that are listed.
const MAX_LISTED: usize = 50;

/// Which places of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Definition,
    TypeDefinition,
    Implementation,
}

impl Wanted {
    fn method(self) -> &'static str {
        match self {
            Self::Definition => "textDocument/definition",
            Self::TypeDefinition => "textDocument/typeDefinition",
            Self::Implementation => "textDocument/implementation",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::TypeDefinition => "type definition",
            Self::Implementation => "implementation",
        }
    }
}

/// Places that are listed, of how many.
struct Listed {
    places: Vec<Place>,
    total: usize,
    files: usize,
    /// Whether one of the listed is where the symbol is defined.
    declared: Vec<bool>,
}

impl Queries {
    /// Definition, type definition, implementation.
    pub(crate) async fn locate(&self, subject: &Subject, wanted: Wanted) -> Result<Output, Error> {
        let noun = wanted.noun();
        let answered = match self.ask(subject, wanted.method(), at_symbol, decode::locations).await? {
            Reply::Answered(answered) => answered,
            Reply::Nothing(nothing) => {
                return Ok(nothing.page(&format!("{noun} of {}", subject.shown())).output());
            }
        };
        let listed = self.list(&answered, &answered.found.items, &[]).await;
        let head = format!(
            "{} of {}{}",
            counted(listed.total, noun),
            subject.shown(),
            cut(listed.places.len(), listed.total)
        );
        let mut page = Page::new(head);
        for place in &listed.places {
            page.line(place_line(place));
        }
        write_data(&mut page, &listed);
        answered.tell(subject, &mut page);
        Ok(page.output())
    }

    /// Every use, the declaration among them and marked.
    pub(crate) async fn references(&self, subject: &Subject) -> Result<Output, Error> {
        let params = |client: &Client, synced: &_, at: &_| {
            let mut params = at_symbol(client, synced, at);
            params["context"] = json!({ "includeDeclaration": true });
            params
        };
        let answered = match self.ask(subject, "textDocument/references", params, decode::locations).await? {
            Reply::Answered(answered) => answered,
            Reply::Nothing(nothing) => {
                return Ok(nothing.page(&format!("references to {}", subject.shown())).output());
            }
        };
        let declared = self.declared(&answered).await;
        let listed = self.list(&answered, &answered.found.items, &declared).await;
        let mut page = Page::new(headline(subject, &listed));
        let mut file = None;
        for (place, declared) in listed.places.iter().zip(&listed.declared) {
            if file != Some(&place.path) {
                file = Some(&place.path);
                let here = listed.places.iter().filter(|other| other.path == place.path).count();
                page.line(format!("{} ({here} listed)", workspace::shown(&place.path)));
            }
            let mark = if *declared { "  ← declaration" } else { "" };
            page.line(format!("  {}{mark}", place_line(place)));
        }
        write_data(&mut page, &listed);
        page.data("files", listed.files);
        answered.tell(subject, &mut page);
        Ok(page.output())
    }

    /// Where the server says that the symbol is defined or declared; nothing where it does not say.
    async fn declared(&self, answered: &Answered<Spot>) -> Vec<Spot> {
        let client: &Client = &answered.client;
        let mut declared = Vec::new();
        for method in ["textDocument/definition", "textDocument/declaration"] {
            if client.offers(method) {
                let params = at_symbol(client, &answered.synced, &answered.at);
                let answer = client.request(method, params).await.unwrap_or_default();
                declared.extend(decode::locations(&answer).items);
            }
        }
        declared
    }

    async fn list(&self, answered: &Answered<Spot>, spots: &[Spot], declared: &[Spot]) -> Listed {
        let mut places = Places::new(self.workspace.clone(), answered.client.encoding());
        let (spots, declared) = (spots.to_vec(), declared.to_vec());
        aside(move || {
            let found = places.sorted(spots);
            let declared: Vec<Found> = declared.into_iter().map(|spot| places.find(spot)).collect();
            let files: BTreeSet<&str> = found.iter().map(|found| found.path.as_str()).collect();
            let (total, files) = (found.len(), files.len());
            let shown = &found[..total.min(MAX_LISTED)];
            Listed {
                places: shown.iter().map(|found| places.read(found)).collect(),
                declared: shown.iter().map(|found| declared.iter().any(|it| it.same_as(found))).collect(),
                total,
                files,
            }
        })
        .await
    }
}

fn headline(subject: &Subject, listed: &Listed) -> String {
    let declared = listed.declared.iter().filter(|declared| **declared).count();
    let uses = match (listed.total, declared) {
        (1, 1) => ": only its declaration".to_owned(),
        (_, 0) => String::new(),
        (_, 1) => ", its declaration among them".to_owned(),
        (_, more) => format!(", {more} declarations among them"),
    };
    format!(
        "{} to {} in {}{uses}{}",
        counted(listed.total, "reference"),
        subject.shown(),
        counted(listed.files, "file"),
        cut(listed.places.len(), listed.total)
    )
}

fn write_data(page: &mut Page, listed: &Listed) {
    let data = listed.places.iter().zip(&listed.declared).map(|(place, declared)| {
        let mut data = place_data(place);
        if *declared {
            data["declaration"] = json!(true);
        }
        data
    });
    page.data("state", "answered");
    page.data("places", data.collect::<Vec<_>>());
    page.data("total", listed.total);
}
