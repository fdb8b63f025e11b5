//! The language servers as data: one row each, parsed from `servers.toml` and laid over by the host and the workspace.
//! It must never hold a rule of one server in code: what sets a server apart is a field here and a value there.

mod overrides;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use workspace::detect::matches_star;

use crate::readiness::Signal;

pub(crate) use overrides::{Overrides, Table, Trust};

/// The built-in rows, in order of priority.
const BUILT_IN: &str = include_str!("servers.toml");

/// One server: what it serves, where it belongs, how it is started and how it tells what it is doing.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Server {
    /// Its name in results, in `status` and in overrides.
    pub(crate) id: String,
    /// Patterns of file names by the language id the server knows them under. A pattern holds at most one `*`.
    pub(crate) languages: BTreeMap<String, Vec<String>>,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// Other names the program goes by, after the first.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// Variables laid over those of the run.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// The names (or patterns with one `*`) of which one must be there, from the file's folder up to the workspace.
    pub(crate) markers: Vec<String>,
    /// Which folder the server is started for.
    #[serde(default)]
    pub(crate) root: RootRule,
    /// Whether it is asked for more than diagnostics.
    #[serde(default)]
    pub(crate) role: Role,
    /// Of the servers of one family only one serves a file: the project's own before one of the search path, then the
    /// first in the table.
    #[serde(default)]
    pub(crate) family: Option<String>,
    /// How it tells that it has loaded.
    pub(crate) readiness: Signal,
    /// How it tells that its diagnostics are those of the text it was sent.
    pub(crate) settle: Settle,
    /// Of which files it knows what is wrong.
    #[serde(default)]
    pub(crate) scope: Scope,
    /// Whether it is offered to be asked for diagnostics (`textDocument/diagnostic`); some then push no more.
    #[serde(default = "yes")]
    pub(crate) pull: bool,
    /// What it gets with `initialize`.
    #[serde(default)]
    pub(crate) initialization_options: Map<String, Value>,
    /// The section of `settings` that it wants with `initialize` as well.
    #[serde(default)]
    pub(crate) initialization_section: Option<String>,
    /// What it gets when it asks for its configuration, by section.
    #[serde(default)]
    pub(crate) settings: Map<String, Value>,
    /// Where in `settings` the project's own interpreter goes: names from the outermost inward.
    #[serde(default)]
    pub(crate) interpreter_setting: Vec<String>,
    /// The program must belong to this package: two programs share the name.
    #[serde(default)]
    pub(crate) package: Option<Package>,
    /// It cannot serve a project that has this package installed.
    #[serde(default)]
    pub(crate) not_with: Option<Package>,
    /// How it is installed, as a hint.
    #[serde(default)]
    pub(crate) install: Option<String>,
    /// Words of its error stream that say the program is a stand-in for one that is not installed.
    #[serde(default)]
    pub(crate) not_installed_when_stderr_says: Vec<String>,
    /// What it runs of the project, if it runs any: build scripts, configuration that is a program, plug-ins.
    #[serde(default)]
    pub(crate) runs_project_code: Option<String>,
    /// Fields laid over the row with which it runs nothing of the project. Without it a server that does is left out
    /// where that is not allowed.
    #[serde(default)]
    pub(crate) without_project_code: Map<String, Value>,
    /// Whether it is left out.
    #[serde(default)]
    pub(crate) disabled: bool,
}

fn yes() -> bool {
    true
}

/// Which folder a server is started for, from a file's folder up to the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RootRule {
    /// The nearest with a marker.
    #[default]
    Nearest,
    /// The highest with a marker.
    Outermost,
    /// The workspace's own root.
    Workspace,
    /// The nearest with a name of the first group that is found at all.
    FirstOf(Vec<Vec<String>>),
    /// The nearest Cargo manifest, or the Cargo workspace that it belongs to.
    Cargo,
    /// The `go.work` that uses the nearest Go module, or that module.
    Go,
}

/// Of which files a server's diagnostics are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scope {
    /// Those that are open in it.
    #[default]
    OpenFiles,
    /// All of the project.
    Project,
}

/// What a server is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Everything it offers. Navigation goes by the order of the table; a rename has one owner.
    #[default]
    Primary,
    /// Diagnostics and code actions.
    Linter,
}

/// How a server tells that its diagnostics are those of the text it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Settle {
    /// rust-analyzer: its own diagnostics by pull, the compiler's by the progress of the check that a save starts.
    Flycheck,
    /// `textDocument/diagnostic`: the answer is about the version that was sent.
    Pull,
    /// clangd: `textDocument/clangd.fileStatus` says when it is idle.
    FileStatus,
    /// `typescript.tsserverRequest`: tsserver's synchronous diagnostics of a file.
    Tsserver,
    /// The progress with this token has begun and ended.
    Progress { token: String },
    /// It says nothing: no more has come for so long after something did.
    Quiet { ms: u64 },
}

/// A package of npm, and the first of its major versions that is meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) from_major: u64,
}

impl Server {
    /// The language id of a file by its name; the longest pattern decides. `None` when the file is not this server's.
    pub(crate) fn language(&self, path: &Path) -> Option<&str> {
        let name = path.file_name()?.to_str()?;
        self.languages
            .iter()
            .flat_map(|(language, patterns)| patterns.iter().map(move |pattern| (language, pattern)))
            .filter(|(_, pattern)| matches_star(pattern, name))
            .max_by_key(|(_, pattern)| pattern.len())
            .map(|(language, _)| language.as_str())
    }

    /// The names its program may have, in order.
    pub(crate) fn executables(&self) -> Vec<&str> {
        self.command.first().into_iter().chain(&self.also).map(String::as_str).collect()
    }

    /// What goes with `initialize`: the options, laid over the section of the settings that is wanted there.
    pub(crate) fn options(&self) -> Value {
        let section = self.initialization_section.as_ref().and_then(|section| self.settings.get(section));
        let mut options = section.and_then(Value::as_object).cloned().unwrap_or_default();
        overrides::add(&mut options, self.initialization_options.clone());
        Value::Object(options)
    }

    /// The row with the project's interpreter in its settings, for a server that wants to be told.
    pub(crate) fn with_interpreter(&self, interpreter: &Path) -> Self {
        let mut told = self.clone();
        let Some((last, outer)) = self.interpreter_setting.split_last() else { return told };
        let mut at = &mut told.settings;
        for name in outer {
            let inner = at.entry(name).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return self.clone() };
            at = inner;
        }
        at.entry(last).or_insert_with(|| Value::from(interpreter.to_string_lossy()));
        told
    }

    /// Whether what it wrote on its error stream says that its program stands in for one that is not installed.
    pub(crate) fn says_not_installed(&self, stderr: &str) -> bool {
        self.not_installed_when_stderr_says.iter().any(|words| stderr.contains(words))
    }
}
