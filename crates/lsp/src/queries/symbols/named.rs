//! What servers answer to a search by name: each with its place, exact names first.
//! It must never lose a symbol because its server named no line.

use serde_json::Value;

use crate::queries::Spot;
use crate::queries::decode::{kind, range, text};
use crate::queries::places::{Found, Place, Places};

/// A symbol of the workspace.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) container: Option<String>,
    pub(super) place: Place,
    rank: usize,
}

/// What one server found.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) found: Vec<Symbol>,
    pub(super) odd: usize,
}

/// Reads `SymbolInformation[]` or `WorkspaceSymbol[]`. Files are read for the first `limit` in order; of the others the
/// server's own word is kept.
pub(super) fn read(answer: &Value, query: &str, mut places: Places, limit: usize) -> Named {
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut odd = 0;
    let mut found: Vec<(usize, Found, &Value)> = Vec::new();
    for item in items {
        match spot(item) {
            Some((name, spot)) => found.push((rank(name, query), places.find(spot), item)),
            None => odd += 1,
        }
    }
    found.sort_by(|(one, a, _), (other, b, _)| {
        (a.standing, one, a.order()).cmp(&(b.standing, other, b.order()))
    });
    found.dedup_by(|(_, a, one), (_, b, other)| a.same_as(b) && one.get("name") == other.get("name"));
    let mut index = 0;
    let symbols = found.into_iter().map(|(rank, found, item)| {
        index += 1;
        let place = if index <= limit { places.read(&found) } else { Places::unread(&found) };
        let container = text(item, "containerName").filter(|name| !name.is_empty()).map(str::to_owned);
        let name = text(item, "name").unwrap_or_default().to_owned();
        Symbol { kind: kind(item), name, container, place, rank }
    });
    Named { found: symbols.collect(), odd }
}

fn spot(item: &Value) -> Option<(&str, Spot)> {
    let (name, location) = (text(item, "name")?, item.get("location")?);
    let uri = text(location, "uri")?.to_owned();
    // Some add the parameters: `compute()`.
    let plain = name.split(['(', '<']).next().unwrap_or(name).trim();
    Some((name, Spot { uri, range: location.get("range").and_then(range), name: Some(plain.to_owned()) }))
}

/// Exact names before beginnings before the rest.
fn rank(name: &str, query: &str) -> usize {
    let name = name.split('(').next().unwrap_or(name);
    match () {
        () if name == query => 0,
        () if name.eq_ignore_ascii_case(query) => 1,
        () if name.starts_with(query) => 2,
        () => 3,
    }
}

/// Orders what several servers found, and drops what two of them did.
pub(super) fn sort(symbols: &mut Vec<Symbol>) {
    let position = |symbol: &Symbol| symbol.place.position.map(|at| (at.line, at.column));
    symbols.sort_by(|a, b| {
        let key = |it: &Symbol| (it.place.standing, it.rank, position(it));
        let (standing, rank, at) = key(a);
        let (other_standing, other_rank, other_at) = key(b);
        (standing, rank, &a.place.path, at).cmp(&(other_standing, other_rank, &b.place.path, other_at))
    });
    symbols.dedup_by(|a, b| a.place.path == b.place.path && position(a) == position(b) && a.name == b.name);
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use test_support::Fixture;
    use workspace::Workspace;

    use super::*;
    use crate::position::Encoding;
    use crate::uri;

    #[test]
    fn exact_names_come_first_at_their_name() {
        let fixture = Fixture::new("//- /a.ts\nexport function total() {}\nfunction totalled() {}\n");
        let uri = uri::of(&fixture.path("a.ts"));
        let at = |line: u32| json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 26 } });
        let item = |name: &str, line| json!({ "name": name, "kind": 12, "location": { "uri": uri, "range": at(line) } });
        let answer = json!([
            item("totalled()", 1), item("total()", 0), item("total()", 0), { "name": 3 },
            { "name": "subtotal", "kind": 12, "location": { "uri": uri } },
        ]);
        let places = Places::new(Workspace::open(fixture.root()).unwrap(), Encoding::Utf16);
        let Named { mut found, odd } = read(&answer, "total", places, 10);
        sort(&mut found);
        let said: Vec<String> =
            found.iter().map(|it| format!("{} {}", it.name, crate::render::spot(&it.place))).collect();
        assert_eq!(said, ["total() a.ts:1:17", "totalled() a.ts:2:10", "subtotal a.ts"]);
        assert_eq!(odd, 1);
    }
}
