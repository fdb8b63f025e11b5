//! Servers that tell the beginning and the end of their analysis (dart). It counts only once a question that was sent
//! after the change is answered: the server has read the change then. The end of an analysis that was running before
//! must never count before that.

use super::{Look, Scene, Settlement, calm};
use crate::limits;

pub(super) async fn settle(scene: &Scene<'_>, token: &str) -> Settlement {
    if scene.own.is_empty() && scene.others.is_empty() {
        return Settlement::Unknown { why: "none of the files is open in the server".to_owned() };
    }
    let before = scene.mark.heard.work(token);
    scene.fence(&scene.own).await;
    scene.waits_for("its analysis", false);
    scene
        .until(|told, now| {
            let work = told.heard.work(token);
            if work.open || (work.begun == before.begun && !before.open) {
                return Look::Wait;
            }
            calm(work.changed.max(told.heard.last_publish()), limits::IDLE, now)
        })
        .await;
    Settlement::Settled
}
