//! clangd: its status of each file. A file is idle for a moment between the steps of one update, and the building of
//! its tree is not told at all; so idle counts after a while without a word, and after the answer to a question about
//! a file whose preamble was built anew: questions wait behind the tree.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

use super::{Look, Scene, Settlement, calm};
use crate::documents::Synced;
use crate::limits;

pub(super) async fn settle(scene: &Scene<'_>) -> Settlement {
    if scene.own.is_empty() && scene.others.is_empty() {
        return Settlement::Unknown { why: "none of the files is open in the server".to_owned() };
    }
    // A question ends the pause that clangd makes before it looks at a change.
    scene.fence(&scene.own).await;
    scene.waits_for("the files that include them", true);
    let mut asked: HashMap<PathBuf, Instant> = HashMap::new();
    let mut silence = limits::IDLE;
    loop {
        idle(scene, silence).await;
        let now = Instant::now();
        let due: Vec<&Synced> = {
            let told = scene.client.live().told();
            let due = |document: &&Synced| match (asked.get(&document.path), told.heard.file(&document.path))
            {
                (None, _) if scene.own.contains(document) => true,
                (Some(asked), Some(file)) => file.rebuilt.is_some_and(|rebuilt| rebuilt > *asked),
                (None, Some(file)) => {
                    let before = scene.mark.heard.file(&document.path).and_then(|before| before.rebuilt);
                    file.rebuilt > before
                }
                (_, None) => false,
            };
            scene.own.iter().chain(&scene.others).filter(due).collect()
        };
        if due.is_empty() {
            return Settlement::Settled;
        }
        asked.extend(due.iter().map(|document| (document.path.clone(), now)));
        scene.fence(due).await;
        // By now every update has reached the thread that works on it.
        silence = Duration::ZERO;
    }
}

/// Waits until every file is idle and nothing was told for so long.
async fn idle(scene: &Scene<'_>, silence: Duration) {
    scene
        .until(|told, now| {
            if told.heard.files().any(|(_, file)| file.busy) {
                return Look::Wait;
            }
            let last = told.heard.files().map(|(_, file)| file.at).max();
            calm(last.max(told.heard.last_publish()), silence, now)
        })
        .await;
}
