//! The client's half of the conversation: every request of a server is answered, at once, and every notification is
//! heard. It must never block, never leave a request without an answer, and never change a file because a server says so.

use std::path::PathBuf;
use std::sync::Arc;

use peer::{Fault, RpcHandler};
use serde_json::{Value, json};

use crate::live::Live;
use crate::servers::Server;
use crate::uri;

/// Answers and hears one server.
#[derive(Debug)]
pub(crate) struct Handler {
    server: Arc<Server>,
    root: PathBuf,
    live: Arc<Live>,
}

impl Handler {
    pub(crate) fn new(server: Arc<Server>, root: PathBuf, live: Arc<Live>) -> Self {
        Self { server, root, live }
    }

    fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => configuration(&Value::Object(self.server.settings.clone()), params),
            "client/registerCapability" => {
                self.live.change(|told| told.registrations.add(params));
                Value::Null
            }
            "client/unregisterCapability" => {
                self.live.change(|told| told.registrations.remove(params));
                Value::Null
            }
            "window/workDoneProgress/create" | "window/showMessageRequest" => Value::Null,
            "workspace/workspaceFolders" => json!([folder(&self.root)]),
            "workspace/applyEdit" => json!({
                "applied": false,
                "failureReason": "files are changed by the user's own tools alone",
            }),
            "window/showDocument" => json!({ "success": false }),
            _ if method.ends_with("/refresh") => Value::Null,
            _ => return None,
        })
    }
}

impl RpcHandler for Handler {
    fn request(&self, method: &str, params: Value) -> Result<Value, Fault> {
        if self.live.is_closing() {
            // An error here makes some servers abort instead of ending.
            return Ok(Value::Null);
        }
        tracing::trace!(server = self.server.id, method, "asked by the server");
        self.answer(method, &params).ok_or_else(|| Fault::method_not_found(method))
    }

    fn notification(&self, method: &str, params: Value) {
        match method {
            "$/progress" => self.live.change(|told| {
                if let Some((_, step)) = told.progress.hear(&params) {
                    told.heard.progress(&params, step);
                }
            }),
            "experimental/serverStatus" => self.live.change(|told| told.hear_status(&params)),
            "textDocument/publishDiagnostics" => self.live.change(|told| {
                if let Some(path) = told.diagnostics.published(&params) {
                    told.heard.published(path, &params["version"]);
                }
            }),
            "textDocument/clangd.fileStatus" => self.live.change(|told| told.heard.file_status(&params)),
            "window/showMessage" => self.live.change(|told| told.hear_message(&params)),
            "window/logMessage" => {
                let line = params["message"].as_str().unwrap_or_default();
                if let Some(loaded) = self.server.readiness.read_log(line) {
                    self.live.change(|told| told.loaded_by_log = loaded);
                }
                tracing::debug!(server = self.server.id, message = params["message"].as_str(), "said");
            }
            _ => {}
        }
    }

    fn noise(&self, text: &str) {
        tracing::debug!(server = self.server.id, text, "no message");
    }
}

/// The settings of each section that is asked for, in order: as many answers as items, `null` for what is not known.
fn configuration(settings: &Value, params: &Value) -> Value {
    let items = params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let section = |item: &Value| match item["section"].as_str() {
        None | Some("") => settings.clone(),
        Some(path) => section(settings, path).cloned().unwrap_or_default(),
    };
    items.iter().map(section).collect()
}

/// `a.b.c` as a path; a key that holds the dots itself comes first.
fn section<'a>(settings: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(value) = settings.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(dot, _)| section(settings.get(&path[..dot])?, &path[dot + 1..]))
}

/// The root as a workspace folder.
pub(crate) fn folder(root: &std::path::Path) -> Value {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    json!({ "uri": uri::of(root), "name": name.unwrap_or_else(|| "/".to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handler() -> (Handler, Arc<Live>) {
        let server = toml::from_str(
            "id = 'x'\ncommand = ['x']\nmarkers = []\nlanguages = {}\nsettle = 'pull'\nreadiness = { signal = 'holds' }\n\
             settings = { python = { analysis = { mode = 'strict' } }, 'a.b' = 1 }",
        );
        let server: Arc<Server> = Arc::new(server.unwrap());
        let live = Arc::new(Live::new(&server));
        (Handler::new(server, PathBuf::from("/w/my project"), Arc::clone(&live)), live)
    }

    #[test]
    fn a_configuration_has_as_many_answers_as_questions() {
        let (handler, _) = handler();
        let items = json!([
            { "section": "python.analysis" }, { "section": "none" }, { "section": "python.none.x" },
            { "section": "a.b" }, { "scopeUri": "file:///w", "section": "" }, {},
        ]);
        let answer = handler.request("workspace/configuration", json!({ "items": items })).unwrap();
        let all = json!({ "python": { "analysis": { "mode": "strict" } }, "a.b": 1 });
        assert_eq!(answer, json!([{ "mode": "strict" }, null, null, 1, all, all]));
        assert_eq!(handler.request("workspace/configuration", Value::Null), Ok(json!([])));
    }

    #[test]
    fn every_request_is_answered() {
        let (handler, live) = handler();
        let ask = |method: &str| handler.request(method, json!({}));
        for method in
            ["client/registerCapability", "window/workDoneProgress/create", "workspace/inlayHint/refresh"]
        {
            assert_eq!(ask(method), Ok(Value::Null), "{method}");
        }
        assert_eq!(ask("workspace/applyEdit").unwrap()["applied"], json!(false));
        assert_eq!(ask("window/showDocument"), Ok(json!({ "success": false })));
        assert_eq!(
            ask("workspace/workspaceFolders"),
            Ok(json!([{ "uri": "file:///w/my%20project", "name": "my project" }]))
        );
        assert_eq!(ask("window/unheardOf").unwrap_err().code, Fault::METHOD_NOT_FOUND);
        live.close();
        assert_eq!(ask("window/unheardOf"), Ok(Value::Null), "while closing nothing is refused");
    }

    #[test]
    fn errors_and_warnings_for_the_user_are_kept_and_nothing_else() {
        let (handler, live) = handler();
        for (kind, message) in [(1, "first"), (3, "info"), (2, "second")] {
            handler.notification("window/showMessage", json!({ "type": kind, "message": message }));
        }
        assert_eq!(live.told().messages, ["first", "second"]);
    }
}
