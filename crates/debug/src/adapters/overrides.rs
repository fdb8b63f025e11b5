//! The table laid over, field by field: by the host, and by a file of the workspace.
//! It must never take a program or an argument from the workspace's file: whoever writes that file would run what they
//! like with the next launch.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Adapter;

type Row = Map<String, Value>;

/// Fields that cannot make an adapter run anything.
const HARMLESS: [&str; 4] = ["disabled", "markers", "exceptions", "settle-ms"];

/// Whose override it is, and so what it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Everything.
    Full,
    /// Only what cannot make an adapter run anything; the rest is left out and noted.
    Harmless,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    adapter: Vec<Row>,
}

/// The rows, and what was left out of the overrides.
pub(super) fn laid_over(
    built_in: &str,
    overrides: &[(&str, Trust)],
) -> Result<(Vec<Adapter>, Vec<String>), String> {
    let File { adapter: mut rows } = toml::from_str(built_in).map_err(|error| error.message().to_owned())?;
    let mut notes = Vec::new();
    for (text, trust) in overrides {
        let over: Row = toml::from_str(text)
            .map_err(|error| format!("the table of adapters cannot be read: {}", error.message()))?;
        for (id, fields) in over {
            let Value::Object(fields) = fields else {
                return Err(format!("the table of adapters: `{id}` is no row"));
            };
            lay(&mut rows, &id, fields, *trust, &mut notes);
        }
    }
    let read = |row: Row| {
        let id = row.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        serde_json::from_value(Value::Object(row)).map_err(|error| format!("the adapter `{id}`: {error}"))
    };
    Ok((rows.into_iter().map(read).collect::<Result<_, _>>()?, notes))
}

fn lay(rows: &mut Vec<Row>, id: &str, fields: Row, trust: Trust, notes: &mut Vec<String>) {
    let at = rows.iter().position(|row| row.get("id").and_then(Value::as_str) == Some(id));
    let (harmless, harmful): (Row, Row) =
        fields.into_iter().partition(|(name, _)| trust == Trust::Full || HARMLESS.contains(&name.as_str()));
    for name in harmful.keys() {
        notes.push(format!("`{id}.{name}` of the workspace's table is left out: it could start programs"));
    }
    match at {
        Some(at) => rows[at].extend(harmless),
        None if trust == Trust::Full => {
            rows.push(std::iter::once(("id".to_owned(), Value::from(id))).chain(harmless).collect());
        }
        None => notes.push(format!("`{id}` of the workspace's table is no known adapter")),
    }
}
