//! tsserver through typescript-language-server: its synchronous diagnostics of a file, which the wrapper hands on.
//! Its pushes must never be believed: the first is empty, and a file that stays clean gets none.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Scene, Settlement};
use crate::diagnostic::Diagnostic;
use crate::diagnostics::of_tsserver;
use crate::documents::Synced;

/// What tsserver calls the two halves of a file's diagnostics.
const COMMANDS: [&str; 2] = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"];

pub(super) async fn settle(scene: &Scene<'_>) -> Settlement {
    if scene.own.is_empty() && scene.others.is_empty() {
        return Settlement::Unknown { why: "none of the files is open in the server".to_owned() };
    }
    for answer in join_all(scene.own.iter().map(|document| one(scene, document))).await {
        if let Err(why) = answer {
            return Settlement::Unknown { why };
        }
    }
    if scene.others.is_empty() {
        return Settlement::Settled;
    }
    scene.waits_for(format!("{} other open files", scene.others.len()), true);
    let others = join_all(scene.others.iter().map(|document| one(scene, document))).await;
    match others.into_iter().find_map(Result::err) {
        Some(why) => Settlement::Partial { waiting_for: format!("other open files ({why})") },
        None => Settlement::Settled,
    }
}

async fn one(scene: &Scene<'_>, document: &Synced) -> Result<(), String> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let halves = COMMANDS.map(|command| {
        let arguments = json!([command, { "file": document.path.to_string_lossy() }, {}]);
        let params = json!({ "command": "typescript.tsserverRequest", "arguments": arguments });
        scene.client.request("workspace/executeCommand", params)
    });
    for answer in join_all(halves).await {
        let answer = answer.map_err(|error| error.to_string())?;
        found.extend(read(&answer, &scene.client.server().id)?);
    }
    scene.client.live().change(|told| told.diagnostics.asked(&document.path, found));
    Ok(())
}

fn read(answer: &Value, server: &str) -> Result<Vec<Diagnostic>, String> {
    let refused = || answer["message"].as_str().unwrap_or("tsserver gave no answer").to_owned();
    if answer["success"] != true {
        return Err(refused());
    }
    let items = answer["body"].as_array().ok_or_else(refused)?;
    Ok(items.iter().filter_map(|item| of_tsserver(item, server)).collect())
}
