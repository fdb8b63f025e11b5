//! The table laid over, field by field: by the host, by a file of the workspace, and where project code may not run.
//! It must never take a program, a variable or a setting from the workspace's file unless the host trusts it: whoever
//! writes that file would run what they like with the next question.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{BUILT_IN, Server};

type Row = Map<String, Value>;

/// Fields that an override adds to instead of replacing.
const ADDED_TO: [&str; 4] = ["settings", "initialization-options", "environment", "without-project-code"];
/// Fields that cannot make a server run anything.
const HARMLESS: [&str; 9] =
    ["disabled", "languages", "markers", "root", "role", "family", "readiness", "settle", "pull"];

/// Rows by id, as an override names them: `[ty]`, `[rust-analyzer.settings.rust-analyzer]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides(Map<String, Value>);

impl Overrides {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map(Self).map_err(|error| error.message().to_owned())
    }
}

/// Whose override it is, and so what it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Everything; a row that cannot be read is an error.
    Full,
    /// Only what cannot make a server run anything; the rest is left out and noted.
    Harmless,
}

/// The rows before they are servers.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    /// What the stand-ins of version managers write when the program they stand for is not installed.
    not_installed_when_stderr_says: Vec<Value>,
    server: Vec<Row>,
}

impl Table {
    /// The built-in rows.
    ///
    /// # Panics
    /// Never: the file is compiled in, and a test reads it.
    pub(crate) fn built_in() -> Self {
        let file: File = toml::from_str(BUILT_IN).expect("the built-in table is a table");
        let mut rows = file.server;
        for row in &mut rows {
            let says =
                row.entry("not-installed-when-stderr-says").or_insert_with(|| Value::Array(Vec::new()));
            says.as_array_mut()
                .expect("a list of words")
                .extend(file.not_installed_when_stderr_says.iter().cloned());
        }
        Self { rows }
    }

    /// Lays `overrides` over. A new id is a new server, before all others. What was left out, and why, is returned.
    pub(crate) fn lay_over(&mut self, overrides: &Overrides, trust: Trust) -> Vec<String> {
        let mut left_out = Vec::new();
        for (id, fields) in &overrides.0 {
            let Value::Object(fields) = fields else {
                left_out.push(format!("`{id}` is not a table"));
                continue;
            };
            let mut fields = fields.clone();
            if trust == Trust::Harmless {
                left_out.extend(leave_harmless(id, &mut fields));
            }
            let known = self.rows.iter().position(|row| row["id"] == id.as_str());
            let mut row = match known {
                Some(at) => self.rows[at].clone(),
                None => Map::from_iter([("id".to_owned(), Value::from(id.as_str()))]),
            };
            lay_over(&mut row, fields);
            match (Server::of(row.clone()), known) {
                (Err(_), None) if trust == Trust::Harmless => {}
                (Err(why), _) => left_out.push(format!("`{id}`: {why}")),
                (Ok(_), Some(at)) => self.rows[at] = row,
                (Ok(_), None) => self.rows.insert(0, row),
            }
        }
        left_out
    }

    /// Why rows are no servers.
    #[cfg(test)]
    pub(crate) fn errors(&self) -> Vec<String> {
        let servers = self.rows.iter().map(|row| (row, Server::of(row.clone())));
        servers.filter_map(|(row, server)| Some(format!("{}: {}", row["id"], server.err()?))).collect()
    }

    /// The servers that are not disabled. Without project code: those that run none, or can be told to run none.
    pub(crate) fn servers(&self, project_code: bool) -> Vec<Arc<Server>> {
        let servers = self.rows.iter().filter_map(|row| {
            let server = Server::of(row.clone()).ok()?;
            if project_code || server.runs_project_code.is_none() {
                return Some(server);
            }
            if server.without_project_code.is_empty() {
                return None;
            }
            let mut limited = row.clone();
            lay_over(&mut limited, server.without_project_code);
            Server::of(limited).ok()
        });
        servers.filter(|server| !server.disabled).map(Arc::new).collect()
    }
}

impl Server {
    fn of(row: Row) -> Result<Self, String> {
        let server: Self = serde_json::from_value(Value::Object(row)).map_err(|error| error.to_string())?;
        let empty = [
            ("command", server.command.first().is_none_or(String::is_empty)),
            ("languages", server.languages.values().all(Vec::is_empty)),
            ("markers", server.markers.is_empty()),
        ];
        match empty.iter().find(|(_, empty)| *empty) {
            Some((field, _)) => Err(format!("`{field}` is empty")),
            None => Ok(server),
        }
    }
}

/// Takes out what could make a server run something, and says so.
fn leave_harmless(id: &str, fields: &mut Row) -> Option<String> {
    let (kept, taken): (Row, Row) =
        std::mem::take(fields).into_iter().partition(|(field, _)| HARMLESS.contains(&field.as_str()));
    *fields = kept;
    let names: Vec<String> = taken.keys().map(|field| format!("`{field}`")).collect();
    (!names.is_empty()).then(|| {
        format!("{} of `{id}`: it could run a program, and the host does not trust it", names.join(", "))
    })
}

/// Lays `fields` over `row`: nested tables of options are added to, everything else is replaced.
pub(super) fn lay_over(row: &mut Row, fields: Row) {
    for (field, value) in fields {
        match (row.get_mut(&field), value) {
            (Some(Value::Object(under)), Value::Object(over)) if is_added_to(&field) => add(under, over),
            (_, value) => {
                row.insert(field, value);
            }
        }
    }
}

fn is_added_to(field: &str) -> bool {
    ADDED_TO.contains(&field)
}

/// Adds to a tree of options, down to its leaves.
pub(super) fn add(under: &mut Row, over: Row) {
    for (name, value) in over {
        match (under.get_mut(&name), value) {
            (Some(Value::Object(under)), Value::Object(over)) => add(under, over),
            (_, value) => {
                under.insert(name, value);
            }
        }
    }
}
