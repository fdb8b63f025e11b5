//! What a server offers: its capabilities from `initialize`, and what it registered since.
//! It must never take a capability for granted: a server asked for what it does not offer may answer nonsense or die.

use std::path::Path;

use serde_json::Value;

use crate::documents::ChangeKind;
use crate::watch::{self, Watchers};

/// What a server has registered after `initialize`, by the ids it chose.
#[derive(Debug, Default)]
pub(crate) struct Registrations(Vec<Registration>);

#[derive(Debug)]
struct Registration {
    id: String,
    method: String,
    options: Value,
    watchers: Option<Watchers>,
}

impl Registrations {
    /// Reads `client/registerCapability`. An id that is used again replaces what it stood for.
    pub(crate) fn add(&mut self, params: &Value) {
        for registration in params["registrations"].as_array().into_iter().flatten() {
            let (Some(id), Some(method)) = (registration["id"].as_str(), registration["method"].as_str())
            else {
                continue;
            };
            let options = registration["registerOptions"].clone();
            let watchers = (method == WATCHED_FILES).then(|| {
                Watchers::parse(
                    &options,
                    |watcher| tracing::debug!(%watcher, "a watcher that means nothing here"),
                )
            });
            self.0.retain(|held| held.id != id);
            self.0.push(Registration { id: id.to_owned(), method: method.to_owned(), options, watchers });
        }
    }

    /// Reads `client/unregisterCapability`, with the protocol's misspelt field and the right one.
    pub(crate) fn remove(&mut self, params: &Value) {
        let lists = [&params["unregisterations"], &params["unregistrations"]];
        for gone in lists.into_iter().filter_map(Value::as_array).flatten() {
            self.0.retain(|held| Some(held.id.as_str()) != gone["id"].as_str());
        }
    }

    /// The options of each registration of `method`.
    pub(crate) fn of<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |held| held.method == method).map(|held| &held.options)
    }

    /// Whether the server wants to hear of file events at all.
    pub(crate) fn watches(&self) -> bool {
        self.0.iter().any(|held| held.watchers.is_some())
    }

    /// Whether it asked to hear of this one.
    pub(crate) fn wants(&self, path: &Path, kind: ChangeKind, root: &Path) -> bool {
        self.0
            .iter()
            .filter_map(|held| held.watchers.as_ref())
            .any(|watchers| watchers.want(path, kind, root))
    }
}

const WATCHED_FILES: &str = "workspace/didChangeWatchedFiles";

/// Where in the capabilities each method is offered, as a JSON pointer.
const PROVIDERS: &[(&str, &str)] = &[
    ("textDocument/declaration", "/declarationProvider"),
    ("textDocument/definition", "/definitionProvider"),
    ("textDocument/typeDefinition", "/typeDefinitionProvider"),
    ("textDocument/implementation", "/implementationProvider"),
    ("textDocument/references", "/referencesProvider"),
    ("textDocument/hover", "/hoverProvider"),
    ("textDocument/signatureHelp", "/signatureHelpProvider"),
    ("textDocument/documentSymbol", "/documentSymbolProvider"),
    ("textDocument/codeAction", "/codeActionProvider"),
    ("codeAction/resolve", "/codeActionProvider/resolveProvider"),
    ("textDocument/rename", "/renameProvider"),
    ("textDocument/prepareRename", "/renameProvider/prepareProvider"),
    ("textDocument/prepareCallHierarchy", "/callHierarchyProvider"),
    ("callHierarchy/incomingCalls", "/callHierarchyProvider"),
    ("callHierarchy/outgoingCalls", "/callHierarchyProvider"),
    ("textDocument/prepareTypeHierarchy", "/typeHierarchyProvider"),
    ("typeHierarchy/supertypes", "/typeHierarchyProvider"),
    ("typeHierarchy/subtypes", "/typeHierarchyProvider"),
    ("textDocument/diagnostic", "/diagnosticProvider"),
    ("workspace/diagnostic", "/diagnosticProvider/workspaceDiagnostics"),
    ("workspace/symbol", "/workspaceSymbolProvider"),
    ("workspaceSymbol/resolve", "/workspaceSymbolProvider/resolveProvider"),
    ("workspace/executeCommand", "/executeCommandProvider"),
    ("workspace/willRenameFiles", "/workspace/fileOperations/willRename"),
    ("workspace/didRenameFiles", "/workspace/fileOperations/didRename"),
];

/// Whether the static capabilities offer `method`.
pub(crate) fn offered(capabilities: &Value, method: &str) -> bool {
    let pointer = PROVIDERS.iter().find(|(name, _)| *name == method).map(|(_, pointer)| *pointer);
    pointer.and_then(|pointer| capabilities.pointer(pointer)).is_some_and(is_offer)
}

/// `true`, or options.
fn is_offer(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// Whether a save of `path` is to be told, and whether with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Save {
    Untold,
    Told,
    WithText,
}

impl Save {
    /// By the static capabilities, or by a registration whose selector fits.
    pub(crate) fn of(
        capabilities: &Value,
        registrations: &Registrations,
        path: &Path,
        language: &str,
    ) -> Self {
        let with_text = |options: &Value| match options["includeText"].as_bool() {
            Some(true) => Self::WithText,
            _ => Self::Told,
        };
        match &capabilities["textDocumentSync"]["save"] {
            offer if is_offer(offer) => with_text(offer),
            _ => registrations
                .of("textDocument/didSave")
                .find(|options| selects(&options["documentSelector"], path, language))
                .map_or(Self::Untold, with_text),
        }
    }
}

/// Whether a document selector fits; none at all fits every document of the server.
fn selects(selector: &Value, path: &Path, language: &str) -> bool {
    let Some(filters) = selector.as_array() else { return true };
    filters.iter().any(|filter| {
        let fits_language = filter["language"].as_str().is_none_or(|wanted| wanted == language);
        let fits_scheme = filter["scheme"].as_str().is_none_or(|scheme| scheme == "file");
        let fits_pattern = filter["pattern"]
            .as_str()
            .is_none_or(|pattern| watch::compile(pattern).is_some_and(|glob| glob.is_match(path)));
        fits_language && fits_scheme && fits_pattern
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_method_is_offered_by_true_or_by_options() {
        let capabilities = json!({
            "definitionProvider": true, "hoverProvider": {}, "referencesProvider": false, "renameProvider": { "prepareProvider": true },
        });
        for (method, is) in [
            ("textDocument/definition", true),
            ("textDocument/hover", true),
            ("textDocument/references", false),
            ("textDocument/prepareRename", true),
            ("textDocument/codeAction", false),
            ("textDocument/unheardOf", false),
        ] {
            assert_eq!(offered(&capabilities, method), is, "{method}");
        }
    }

    #[test]
    fn an_unregistered_method_is_gone_and_an_id_used_again_replaces() {
        let mut held = Registrations::default();
        held.add(&json!({ "registrations": [
            { "id": "1", "method": "textDocument/diagnostic", "registerOptions": { "identifier": "a" } },
            { "id": 2, "method": "odd" },
            { "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": [{ "globPattern": "**/*.py" }] } },
        ]}));
        held.add(&json!({ "registrations": [
            { "id": "1", "method": "textDocument/diagnostic", "registerOptions": { "identifier": "b" } },
        ]}));
        assert_eq!(held.of("textDocument/diagnostic").collect::<Vec<_>>(), [&json!({ "identifier": "b" })]);
        assert!(held.wants(Path::new("/w/a.py"), ChangeKind::Created, Path::new("/w")) && held.watches());
        held.remove(&json!({ "unregisterations": [{ "id": "1", "method": "textDocument/diagnostic" }, { "id": "w" }] }));
        assert_eq!(held.of("textDocument/diagnostic").count(), 0);
        assert!(!held.watches());
    }

    #[test]
    fn a_save_is_told_where_it_was_asked_for() {
        let none = Registrations::default();
        let save = |capabilities: Value, held: &Registrations, path: &str| {
            Save::of(&capabilities, held, Path::new(path), "rust")
        };
        assert_eq!(save(json!({ "textDocumentSync": 2 }), &none, "/w/a.rs"), Save::Untold);
        assert_eq!(save(json!({}), &none, "/w/a.rs"), Save::Untold);
        assert_eq!(save(json!({ "textDocumentSync": { "save": true } }), &none, "/w/a.rs"), Save::Told);
        let text = json!({ "textDocumentSync": { "save": { "includeText": true } } });
        assert_eq!(save(text, &none, "/w/a.rs"), Save::WithText);
        let mut held = Registrations::default();
        held.add(&json!({ "registrations": [{ "id": "s", "method": "textDocument/didSave", "registerOptions": {
            "includeText": false, "documentSelector": [{ "pattern": "**/*.rs" }, { "pattern": "**/Cargo.toml" }],
        }}]}));
        assert_eq!(save(json!({}), &held, "/w/a.rs"), Save::Told);
        assert_eq!(save(json!({}), &held, "/w/a.md"), Save::Untold);
    }
}
