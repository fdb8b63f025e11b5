//! What servers offer to do at a symbol. Only listed: a title, a kind, whether it is preferred or why it is disabled.
//! It must never run a command, apply an edit, or ask for one.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tool::Output;

use super::Queries;
use super::ask::Subject;
use super::decode::{Decoded, text};
use crate::client::Client;
use crate::diagnostic::Diagnostic;
use crate::documents::Synced;
use crate::position::Lines;
use crate::readiness::Readiness;
use crate::render::{Page, counted, cut, flat, named};
use crate::supervisor::Purpose;
use crate::symbol::Occurrence;
use crate::{Error, limits};

/// Actions that are listed.
const MAX_LISTED: usize = 50;

/// One offer.
struct Action {
    server: String,
    title: String,
    kind: Option<String>,
    preferred: bool,
    disabled: Option<String>,
    fixes: usize,
}

impl Queries {
    pub(crate) async fn code_actions(&self, subject: &Subject) -> Result<Output, Error> {
        const METHOD: &str = "textDocument/codeAction";
        // Of every server: what a linter fixes is offered by the linter.
        let clients = self.servers.clients(&subject.path, Purpose::Diagnostics).await?;
        let (able, unable): (Vec<_>, Vec<_>) = clients.into_iter().partition(|client| client.offers(METHOD));
        if able.is_empty() {
            return Err(self.not_offered(&subject.path, METHOD, &unable));
        }
        let (mut actions, mut asked, mut loading, mut notes) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut failed = None;
        for client in able {
            let diagnostics = self.told_of(&client, &subject.path).await;
            let params =
                |client: &Client, synced: &Synced, at: &Occurrence| params(client, synced, at, &diagnostics);
            match self.ask_one(&client, subject, METHOD, &params).await {
                Ok((answer, _)) => {
                    let server = client.server().id.clone();
                    let read = Decoded::each(&answer.value, |item| action(&server, item));
                    if read.odd > 0 {
                        notes.push(format!("{} of {server} could not be read", counted(read.odd, "item")));
                    }
                    actions.extend(read.items);
                    if let Readiness::Loading { waiting_for } = answer.readiness {
                        loading.push(format!("{waiting_for} ({server})"));
                    }
                    asked.push(server);
                }
                Err(error @ Error::Symbol(_)) => return Err(error),
                Err(error) => {
                    notes.push(error.to_string());
                    failed.get_or_insert(error);
                }
            }
        }
        match failed {
            Some(error) if asked.is_empty() => Err(error),
            _ => Ok(write(subject, &actions, &asked, &loading, notes)),
        }
    }

    /// The diagnostics that actions may mend, as the server gave them: some hide in them what they need to do so.
    async fn told_of(&self, client: &Arc<Client>, path: &Path) -> Vec<Value> {
        const METHOD: &str = "textDocument/diagnostic";
        if client.offers(METHOD) {
            let params = |synced: &Synced| Ok(json!({ "textDocument": { "uri": &*synced.uri } }));
            let answer = client.ask(path, METHOD, params).await;
            if let Ok(Value::Array(items)) = answer.map(|mut asked| asked.value["items"].take()) {
                return items;
            }
        }
        let reported = self.reported(client, path, limits::BESIDE).await;
        reported.iter().flat_map(|it| &it.diagnostics).map(Diagnostic::to_protocol).collect()
    }
}

fn params(client: &Client, synced: &Synced, at: &Occurrence, diagnostics: &[Value]) -> Value {
    let lines = Lines::new(&synced.text);
    let range = lines.range(&at.name, client.encoding());
    let overlaps = |diagnostic: &&Value| {
        super::decode::range(&diagnostic["range"])
            .is_some_and(|it| it.start <= range.end && range.start <= it.end)
    };
    let context: Vec<&Value> = diagnostics.iter().filter(overlaps).collect();
    json!({
        "textDocument": { "uri": &*synced.uri },
        "range": range,
        "context": { "diagnostics": context, "triggerKind": 1 },
    })
}

/// `CodeAction`, or a bare `Command`.
fn action(server: &str, item: &Value) -> Option<Action> {
    let title = text(item, "title")?.to_owned();
    let disabled = item.get("disabled").map(|it| text(it, "reason").unwrap_or("no reason given").to_owned());
    Some(Action {
        server: server.to_owned(),
        title,
        kind: text(item, "kind").filter(|kind| !kind.is_empty()).map(str::to_owned),
        preferred: item.get("isPreferred").and_then(Value::as_bool).unwrap_or(false),
        disabled,
        fixes: item.get("diagnostics").and_then(Value::as_array).map_or(0, Vec::len),
    })
}

fn write(
    subject: &Subject,
    actions: &[Action],
    asked: &[String],
    loading: &[String],
    notes: Vec<String>,
) -> Output {
    let shown = actions.len().min(MAX_LISTED);
    let mut page = match (actions.is_empty(), loading.is_empty()) {
        (false, _) => Page::new(format!(
            "{} for {}{}; they are listed only, not applied",
            counted(actions.len(), "code action"),
            subject.shown(),
            cut(shown, actions.len())
        )),
        (true, true) => {
            Page::new(format!("no code action for {} ({} answered)", subject.shown(), named(asked)))
        }
        (true, false) => Page::new(format!("unknown: still loading, waiting for {}", loading.join(", "))),
    };
    for (index, action) in actions.iter().take(shown).enumerate() {
        let kind = action.kind.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
        let preferred = if action.preferred { " (preferred)" } else { "" };
        let disabled =
            action.disabled.as_ref().map(|why| format!(" (disabled: {})", flat(why))).unwrap_or_default();
        let server = if asked.len() > 1 { format!(" — {}", action.server) } else { String::new() };
        page.line(format!("{}. {}{kind}{preferred}{disabled}{server}", index + 1, flat(&action.title)));
    }
    let data = actions.iter().take(shown).enumerate().map(|(index, action)| {
        json!({
            "number": index + 1, "title": action.title, "kind": action.kind, "preferred": action.preferred,
            "disabled": action.disabled, "fixes": action.fixes, "server": action.server,
        })
    });
    let state = match (actions.is_empty(), loading.is_empty()) {
        (false, _) => "answered",
        (true, true) => "nothing",
        (true, false) => "unknown",
    };
    page.data("state", state);
    page.data("actions", data.collect::<Vec<_>>());
    page.data("total", actions.len());
    page.data("servers", json!(asked));
    if !actions.is_empty() {
        for loading in loading {
            page.note(format!("still loading, waiting for {loading}: there may be more"));
        }
    }
    for note in notes {
        page.note(note);
    }
    page.output()
}
