//! rust-analyzer: its own diagnostics by pull, the compiler's by the check that a save starts. The check of this save
//! has begun after the save; it is over with its end, and told with the answer to a question after that.
//! An earlier check's end must never count, nor the first of two checks that two saves may have started.

use super::{Look, Occasion, Scene, Settlement, calm, pull};
use crate::limits;

pub(super) async fn settle(scene: &Scene<'_>, occasion: Occasion) -> Settlement {
    if let Err(settlement) = pull::all(scene).await {
        return settlement;
    }
    if occasion == Occasion::Unwritten {
        let waiting_for = "cargo check, which sees only what is written".to_owned();
        return Settlement::Partial { waiting_for };
    }
    scene.waits_for(not_begun(scene), true);
    let before = scene.mark.heard.checks().begun;
    scene.until(|told, _| if told.heard.checks().begun > before { Look::Content } else { Look::Wait }).await;
    scene.waits_for("cargo check, which is running", true);
    loop {
        scene
            .until(|told, _| if told.heard.checks().is_running() { Look::Wait } else { Look::Content })
            .await;
        let begun = scene.client.live().told().heard.checks().begun;
        // It publishes in the turn in which it tells the end.
        scene.fence(scene.own.iter().chain(&scene.others).take(1)).await;
        let mut another = false;
        scene
            .until(|told, now| {
                let checks = told.heard.checks();
                another = checks.begun > begun || checks.is_running();
                let doubtful = checks.doubtful_at > before || checks.unanswered > 0;
                if another || !doubtful {
                    return Look::Content;
                }
                calm(checks.last_change(), limits::NEXT_CHECK, now)
            })
            .await;
        if !another {
            return Settlement::Settled;
        }
    }
}

/// A check that cannot start tells so in the server's status, and begins never.
fn not_begun(scene: &Scene<'_>) -> String {
    let status = scene.client.status().filter(|status| status.health != "ok");
    match status.and_then(|status| status.message) {
        Some(message) => format!("cargo check to begin ({})", message.lines().next().unwrap_or_default()),
        None => "cargo check to begin".to_owned(),
    }
}
