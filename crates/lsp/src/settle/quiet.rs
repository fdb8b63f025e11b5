//! Servers that say nothing but their diagnostics: each written file got some, or an empty list, and nothing more has
//! come for a while. That is never settled: such servers publish the written file first and others when they get there.

use std::time::Duration;

use super::{Look, Scene, Settlement, calm};

pub(super) async fn settle(scene: &Scene<'_>, ms: u64) -> Settlement {
    if scene.own.is_empty() {
        return Settlement::Unknown { why: "none of the files is open in the server".to_owned() };
    }
    scene.waits_for("its diagnostics of the written text", false);
    scene
        .until(|told, now| {
            let fresh = scene.own.iter().all(|document| {
                let before = scene.mark.heard.publishes(&document.path).map_or(0, |before| before.count);
                told.heard.publishes(&document.path).is_some_and(|published| {
                    published.count > before
                        && published.version.is_none_or(|version| version >= document.version)
                })
            });
            if !fresh || told.progress.open(&[]).next().is_some() {
                return Look::Wait;
            }
            calm(told.heard.last_publish(), Duration::from_millis(ms), now)
        })
        .await;
    Settlement::Partial {
        waiting_for: format!("{}, which does not tell when it is done", scene.client.server().id),
    }
}
