//! Who calls a function and what it calls; what a type derives from and what derives from it.
//! It must never take a direction that failed for one that holds nothing.

use serde_json::{Value, json};
use tool::Output;

use super::ask::{Answered, Reply, Subject, at_symbol};
use super::decode::{self, Decoded, kind, text};
use super::places::{Place, Places, Spot};
use super::{Queries, aside};
use crate::Error;
use crate::render::{Page, clip, counted, cut, flat, place_data, spot};

/// Lines of one direction that are listed.
const MAX_LISTED: usize = 50;
/// Things that one symbol may stand for, such as the overloads of a function.
const MAX_ITEMS: usize = 5;

/// Calls or types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hierarchy {
    Calls,
    Types,
}

/// One way through a hierarchy.
struct Direction {
    method: &'static str,
    noun: &'static str,
    /// Where the item of an entry is; the entry itself if nowhere.
    item: Option<&'static str>,
    /// Whether the lines shown are those of the calls, in the item's file.
    calls_shown: bool,
}

const CALLS: [Direction; 2] = [
    Direction {
        method: "callHierarchy/incomingCalls",
        noun: "caller",
        item: Some("from"),
        calls_shown: true,
    },
    Direction { method: "callHierarchy/outgoingCalls", noun: "callee", item: Some("to"), calls_shown: false },
];
const TYPES: [Direction; 2] = [
    Direction { method: "typeHierarchy/supertypes", noun: "supertype", item: None, calls_shown: false },
    Direction { method: "typeHierarchy/subtypes", noun: "subtype", item: None, calls_shown: false },
];

/// A function or type, and one place to show for it.
struct Entry {
    kind: &'static str,
    name: String,
    spot: Spot,
}

impl Hierarchy {
    fn prepare(self) -> &'static str {
        match self {
            Self::Calls => "textDocument/prepareCallHierarchy",
            Self::Types => "textDocument/prepareTypeHierarchy",
        }
    }

    fn directions(self) -> &'static [Direction; 2] {
        match self {
            Self::Calls => &CALLS,
            Self::Types => &TYPES,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Calls => "call hierarchy",
            Self::Types => "type hierarchy",
        }
    }
}

impl Queries {
    pub(crate) async fn hierarchy(&self, subject: &Subject, hierarchy: Hierarchy) -> Result<Output, Error> {
        let read = |answer: &Value| Decoded::each(answer, |item| text(item, "name").map(|_| item.clone()));
        let answered = match self.ask(subject, hierarchy.prepare(), at_symbol, read).await? {
            Reply::Answered(answered) => answered,
            Reply::Nothing(nothing) => {
                return Ok(nothing.page(&format!("{} for {}", hierarchy.noun(), subject.shown())).output());
            }
        };
        let mut page = Page::new(format!("{} of {}", hierarchy.noun(), subject.shown()));
        page.data("state", "answered");
        if answered.found.items.len() > MAX_ITEMS {
            page.note(format!("the first {MAX_ITEMS} of {} things of that name", answered.found.items.len()));
        }
        for direction in hierarchy.directions() {
            self.direction(&answered, direction, &mut page).await;
        }
        answered.tell(subject, &mut page);
        Ok(page.output())
    }

    /// Writes what one direction holds, or why that is not known.
    async fn direction(&self, answered: &Answered<Value>, direction: &Direction, page: &mut Page) {
        let (mut entries, mut odd) = (Vec::new(), 0);
        for item in answered.found.items.iter().take(MAX_ITEMS) {
            match answered.client.request(direction.method, json!({ "item": item })).await {
                Ok(answer) => {
                    let decoded = Decoded::each(&answer, |entry| direction.read(entry));
                    odd += decoded.odd;
                    entries.extend(decoded.items.into_iter().flatten());
                }
                Err(error) => page.note(format!("{}s are not known: {error}", direction.noun)),
            }
        }
        if odd > 0 {
            page.note(format!("{} among the {}s could not be read", counted(odd, "item"), direction.noun));
        }
        let mut places = Places::new(self.workspace.clone(), answered.client.encoding());
        let (read, total) = aside(move || read_places(&mut places, entries)).await;
        page.line(format!("{}{}", counted(total, direction.noun), cut(read.len(), total)));
        for (kind, name, place) in &read {
            let reads = place.reads.as_deref().map(|line| format!(": {}", clip(line.trim(), 200)));
            let within = if direction.calls_shown { "in " } else { "" };
            page.line(format!(
                "  {} {within}{kind} `{}`{}",
                spot(place),
                flat(name),
                reads.unwrap_or_default()
            ));
        }
        let data = read.iter().map(|(kind, name, place)| {
            let mut data = place_data(place);
            data["kind"] = json!(kind);
            data["name"] = json!(name);
            data
        });
        page.data(&format!("{}s", direction.noun), data.collect::<Vec<_>>());
        page.data(&format!("{}s_total", direction.noun), total);
    }
}

/// Every entry once, in order, and how many there are; only what is shown is read.
fn read_places(places: &mut Places, entries: Vec<Entry>) -> (Vec<(&'static str, String, Place)>, usize) {
    let mut found: Vec<_> =
        entries.into_iter().map(|entry| (places.find(entry.spot), entry.kind, entry.name)).collect();
    found.sort_by(|(a, _, _), (b, _, _)| a.order().cmp(&b.order()));
    found.dedup_by(|(a, _, name), (b, _, other)| a.same_as(b) && name == other);
    let total = found.len();
    found.truncate(MAX_LISTED);
    (found.into_iter().map(|(found, kind, name)| (kind, name, places.read(&found))).collect(), total)
}

impl Direction {
    /// The lines of one entry: its calls, or its name.
    fn read(&self, entry: &Value) -> Option<Vec<Entry>> {
        let item = self.item.map_or(Some(entry), |name| entry.get(name))?;
        let (name, uri) = (text(item, "name")?, text(item, "uri")?);
        let own = decode::range(item.get("selectionRange").or_else(|| item.get("range"))?)?;
        let calls = entry.get("fromRanges").and_then(Value::as_array).filter(|_| self.calls_shown);
        let ranges: Vec<_> = match calls.map(|calls| calls.iter().filter_map(decode::range).collect()) {
            Some(ranges) if !Vec::is_empty(&ranges) => ranges,
            _ => vec![own],
        };
        let one = |range| Entry { kind: kind(item), name: name.to_owned(), spot: Spot::new(uri, range) };
        Some(ranges.into_iter().map(one).collect())
    }
}
