//! `textDocument/diagnostic`: the answer is about the version that the server has, and a request is read after the
//! change that was sent before it. An unopened file must never be asked about: pyright calls a broken one clean.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Look, Scene, Settlement, pause, quiet};
use crate::documents::Synced;
use crate::error::Error;
use crate::limits;
use crate::live::Told;

const METHOD: &str = "textDocument/diagnostic";

pub(super) async fn settle(scene: &Scene<'_>) -> Settlement {
    if scene.own.is_empty() && scene.others.is_empty() {
        return Settlement::Unknown { why: "none of the files is open in the server".to_owned() };
    }
    // Some register it once they have loaded; those that never do are taken as they are.
    tokio::select! {
        biased;
        () = offered(scene) => {}
        settlement = quiet::settle(scene, limits::QUIET) => return settlement,
    }
    match all(scene).await {
        Ok(()) => Settlement::Settled,
        Err(settlement) => settlement,
    }
}

async fn offered(scene: &Scene<'_>) {
    if scene.client.capability("/diagnosticProvider").is_some() {
        return;
    }
    let registered = |told: &Told| told.registrations.of(METHOD).next().is_some();
    scene.until(|told, _| if registered(told) { Look::Content } else { Look::Wait }).await;
}

/// Asks about the written documents, then about all others that may depend on them.
pub(super) async fn all(scene: &Scene<'_>) -> Result<(), Settlement> {
    let (identifier, between_files) = options(scene);
    let identifier = identifier.as_deref();
    let own = scene.own.iter().map(|document| one(scene, document, identifier));
    for answer in join_all(own).await {
        answer.map_err(|why| Settlement::Unknown { why })?;
    }
    if !between_files || scene.others.is_empty() {
        return Ok(());
    }
    scene.waits_for(format!("{} other open files", scene.others.len()), true);
    let others = scene.others.iter().map(|document| one(scene, document, identifier));
    match join_all(others).await.into_iter().find_map(Result::err) {
        Some(why) => Err(Settlement::Partial { waiting_for: format!("other open files ({why})") }),
        None => Ok(()),
    }
}

async fn one(scene: &Scene<'_>, document: &Synced, identifier: Option<&str>) -> Result<(), String> {
    let mut retries = limits::RETRIES;
    loop {
        let mut params = json!({ "textDocument": { "uri": &*document.uri } });
        if let Some(identifier) = identifier {
            params["identifier"] = identifier.into();
        }
        match scene.client.request(METHOD, params).await {
            Ok(report) => {
                let mut kept = Ok(());
                scene.client.live().change(|told| {
                    kept = told.diagnostics.pulled(&document.path, identifier, document.version, &report);
                });
                return kept;
            }
            Err(error) if error.is_outdated() && retries > 0 => retries -= 1,
            Err(error) => return Err(said(&error)),
        }
        pause().await;
    }
}

/// The identifier to ask with, and whether a file's diagnostics depend on others.
fn options(scene: &Scene<'_>) -> (Option<String>, bool) {
    let read = |options: &Value| {
        let identifier = options["identifier"].as_str().map(str::to_owned);
        (identifier, options["interFileDependencies"].as_bool().unwrap_or(true))
    };
    if let Some(options) = scene.client.capability("/diagnosticProvider") {
        return read(options);
    }
    let told = scene.client.live().told();
    told.registrations.of(METHOD).next().map_or((None, true), read)
}

fn said(error: &Error) -> String {
    error.to_string()
}
