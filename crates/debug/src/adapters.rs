//! The debug adapters as data: one row each, parsed from `adapters.toml` and laid over by the host and the workspace.
//! It must never hold a rule of one adapter in code: what sets an adapter apart is a field here and a value there.

mod detect;
mod overrides;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::program::Kind;

pub(crate) use detect::{Found, Search, lacking};
pub(crate) use overrides::Trust;

/// The built-in rows, in order of priority.
const BUILT_IN: &str = include_str!("adapters.toml");

/// The numbers that versioned names and folders are tried with, the highest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=40;

/// One adapter: what it takes, where it belongs, how it is started and what is peculiar to it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Adapter {
    /// Its name in arguments, results and overrides.
    pub(crate) id: String,
    /// The program and its arguments.
    command: Vec<String>,
    /// Other names of the program, tried after the first.
    #[serde(default)]
    also: Vec<String>,
    /// Names with a version at their end, tried after the first as well.
    #[serde(default)]
    versions: Option<Versions>,
    /// The names of which one must be there, from the program's folder up to the workspace.
    markers: Vec<String>,
    /// The kinds of programs it takes, with what each adds.
    takes: BTreeMap<Kind, Take>,
    /// With these arguments its executable ends successfully when it is complete.
    #[serde(default)]
    probe: Vec<String>,
    /// What to say when it does not; `{program}` is the executable.
    #[serde(default)]
    lacks: Option<String>,
    /// How it is installed, as a hint.
    #[serde(default)]
    install: Option<String>,
    /// It listens on a port, which it tells after these words on a line of its output. Without them it speaks over its
    /// standard streams.
    #[serde(default)]
    pub(crate) announcement: Option<String>,
    /// Fields of every launch.
    #[serde(default)]
    launch: Map<String, Value>,
    /// Fields of a launch that stops at the entry; without them it cannot.
    #[serde(default)]
    entry: Map<String, Value>,
    /// Fields of a launch with breakpoints in library code.
    #[serde(default)]
    pub(crate) whole: Map<String, Value>,
    /// How a program that is already being debugged is reached; without it, not at all.
    #[serde(default)]
    pub(crate) attach: Option<Attach>,
    /// How such a program is started.
    #[serde(default)]
    pub(crate) attach_hint: Option<String>,
    /// The exception filters that are on unless others are asked for, where it has them.
    #[serde(default)]
    pub(crate) exceptions: Vec<String>,
    /// How long a stop at the entry that nobody asked for may take to go on by itself.
    #[serde(default)]
    pub(crate) settle_ms: u64,
    /// Whether `totalFrames` is the number of frames.
    #[serde(default)]
    pub(crate) counts_frames: bool,
    /// Children that are none of the program's own variables; they come last, in this order.
    #[serde(default)]
    pub(crate) last_children: Vec<String>,
    /// The one of them whose value is the number of items.
    #[serde(default)]
    pub(crate) count_child: Option<String>,
    /// Whether the program of a Rust project needs the toolchain's own formatters loaded.
    #[serde(default)]
    pub(crate) rust_formatters: bool,
    /// Whether the program's output comes through a terminal: both streams in one, with CR LF.
    #[serde(default)]
    pub(crate) terminal_output: bool,
    /// Where it tells no exit code but in words: the words before it.
    #[serde(default)]
    pub(crate) exit_code_after: Option<String>,
    /// What to say of a failed evaluation, by the extension of the frame's file.
    #[serde(default)]
    pub(crate) evaluate_hint: BTreeMap<String, String>,
    /// What to say of a changed variable.
    #[serde(default)]
    pub(crate) set_note: Option<String>,
    /// Words of a marker that say the project is none of its own, and what to say then.
    #[serde(default)]
    unfit_when_marker_says: Vec<String>,
    #[serde(default)]
    unfit: Option<String>,
    /// Whether it is left out.
    #[serde(default)]
    disabled: bool,
}

/// Versioned names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Versions {
    /// What stands before the number.
    names: String,
    /// Folders outside the search path, with `{}` for the number.
    places: String,
}

/// What a kind of program adds to the start.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Take {
    /// To the adapter's own arguments.
    #[serde(default)]
    arguments: Vec<String>,
    /// To the launch.
    #[serde(default)]
    launch: Map<String, Value>,
}

/// How a program that is already being debugged is reached.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Attach {
    /// The port speaks the protocol itself: no adapter is started.
    #[serde(default)]
    pub(crate) connect: bool,
    /// Fields of the request; `{port}` is the port.
    #[serde(default)]
    request: Map<String, Value>,
}

/// What stands in braces in the table's values.
pub(crate) struct Blanks<'a> {
    pub(crate) executable: &'a str,
    pub(crate) scratch: &'a str,
    pub(crate) port: u16,
}

impl Adapter {
    /// Whether it takes programs of that kind.
    pub(crate) fn takes(&self, kind: Kind) -> bool {
        self.takes.contains_key(&kind)
    }

    /// The arguments of its executable, for a program of that kind.
    pub(crate) fn arguments(&self, kind: Option<Kind>) -> Vec<String> {
        let more = kind.and_then(|kind| self.takes.get(&kind)).map(|take| take.arguments.clone());
        self.command.iter().skip(1).cloned().chain(more.unwrap_or_default()).collect()
    }

    /// The fields of a launch that are its own.
    pub(crate) fn launch(&self, kind: Kind, blanks: &Blanks<'_>) -> Map<String, Value> {
        let kind = self.takes.get(&kind).map(|take| take.launch.clone()).unwrap_or_default();
        self.launch.clone().into_iter().chain(kind).map(|(name, value)| (name, fill(value, blanks))).collect()
    }

    /// Whether it is to be given a folder for what it builds.
    pub(crate) fn wants_scratch(&self) -> bool {
        self.launch.values().any(|value| value.as_str().is_some_and(|text| text.contains("{scratch}")))
    }

    /// The fields that make a launch stop at the entry; `None` where it cannot.
    pub(crate) fn entry(&self) -> Option<Map<String, Value>> {
        (!self.entry.is_empty()).then(|| self.entry.clone())
    }
}

impl Attach {
    pub(crate) fn request(&self, blanks: &Blanks<'_>) -> Map<String, Value> {
        self.request.clone().into_iter().map(|(name, value)| (name, fill(value, blanks))).collect()
    }
}

fn fill(value: Value, blanks: &Blanks<'_>) -> Value {
    match value {
        Value::String(text) if text == "{port}" => Value::from(blanks.port),
        Value::String(text) => Value::String(
            text.replace("{executable}", blanks.executable)
                .replace("{scratch}", blanks.scratch)
                .replace("{port}", &blanks.port.to_string()),
        ),
        Value::Array(items) => items.into_iter().map(|item| fill(item, blanks)).collect(),
        other => other,
    }
}

/// All rows in order.
#[derive(Clone, Debug)]
pub(crate) struct Table(pub(crate) Vec<Arc<Adapter>>);

impl Table {
    /// The built-in rows with what the host lays over them, and then the workspace.
    pub(crate) fn new(overrides: &[(&str, Trust)]) -> Result<(Self, Vec<String>), Error> {
        let (rows, notes) = overrides::laid_over(BUILT_IN, overrides).map_err(Error::Table)?;
        let rows = rows.into_iter().filter(|row| !row.disabled).map(Arc::new).collect();
        Ok((Self(rows), notes))
    }

    pub(crate) fn named(&self, id: &str) -> Result<Arc<Adapter>, Error> {
        self.0.iter().find(|row| row.id == id).cloned().ok_or_else(|| {
            let known = self.0.iter().map(|row| format!("`{}`", row.id)).collect::<Vec<_>>().join(", ");
            Error::Arguments(format!("there is no adapter `{id}`; known are {known}"))
        })
    }
}
