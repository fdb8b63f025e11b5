//! What a server is told of this client before anything else. What is offered here is kept: an edit that is asked for
//! is not applied unseen, a snippet is not understood, and pulls are offered only to servers that are pulled from.
//! It must never offer to register later what can be told at once: a server that has not registered yet seems unable.

use std::path::Path;

use serde_json::{Value, json};

use crate::handler::folder;
use crate::servers::Server;
use crate::uri;

/// The parameters of `initialize`.
pub(crate) fn params(server: &Server, root: &Path) -> Value {
    json!({
        // A server in a sandbox cannot see this process, and would take it for dead.
        "processId": null,
        "clientInfo": { "name": "outrigger", "version": env!("CARGO_PKG_VERSION") },
        "locale": "en",
        "rootPath": root.to_string_lossy(),
        "rootUri": uri::of(root),
        "workspaceFolders": [folder(root)],
        "initializationOptions": server.options(),
        "trace": "off",
        "capabilities": capabilities(server.pull),
    })
}

fn capabilities(pull: bool) -> Value {
    let mut capabilities = json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-32", "utf-16"],
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] },
        },
        "workspace": workspace(),
        "textDocument": text_document(),
        "window": {
            "workDoneProgress": true,
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": false } },
            "showDocument": { "support": false },
        },
        "experimental": { "serverStatusNotification": true },
    });
    if pull {
        capabilities["textDocument"]["diagnostic"] =
            json!({ "dynamicRegistration": true, "relatedDocumentSupport": true });
        capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    }
    capabilities
}

fn workspace() -> Value {
    json!({
        "applyEdit": false,
        "workspaceEdit": {
            "documentChanges": true,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "transactional",
        },
        "configuration": true,
        "workspaceFolders": true,
        "didChangeConfiguration": { "dynamicRegistration": true },
        "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
        "executeCommand": { "dynamicRegistration": false },
        "symbol": { "dynamicRegistration": false, "symbolKind": { "valueSet": all(26) } },
    })
}

fn text_document() -> Value {
    let link = json!({ "dynamicRegistration": false, "linkSupport": true });
    let plain = json!({ "dynamicRegistration": false });
    json!({
        "synchronization": { "dynamicRegistration": true, "didSave": true },
        "publishDiagnostics": {
            "relatedInformation": true,
            "versionSupport": true,
            "codeDescriptionSupport": true,
            "tagSupport": { "valueSet": [1, 2] },
        },
        "declaration": link,
        "definition": link,
        "typeDefinition": link,
        "implementation": link,
        "references": plain,
        "callHierarchy": plain,
        "typeHierarchy": plain,
        "hover": { "dynamicRegistration": false, "contentFormat": ["markdown", "plaintext"] },
        "signatureHelp": {
            "dynamicRegistration": false,
            "signatureInformation": {
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": { "labelOffsetSupport": true },
                "activeParameterSupport": true,
            },
        },
        "documentSymbol": {
            "dynamicRegistration": false,
            "hierarchicalDocumentSymbolSupport": true,
            "symbolKind": { "valueSet": all(26) },
        },
        "codeAction": {
            "dynamicRegistration": false,
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [
                "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source",
                "source.organizeImports", "source.fixAll",
            ]}},
            "isPreferredSupport": true,
            "disabledSupport": true,
            "dataSupport": true,
            "resolveSupport": { "properties": ["edit"] },
        },
        "rename": { "dynamicRegistration": false, "prepareSupport": true, "prepareSupportDefaultBehavior": 1 },
    })
}

/// Every number of an enumeration that goes up to `last`.
fn all(last: u32) -> Vec<u32> {
    (1..=last).collect()
}
