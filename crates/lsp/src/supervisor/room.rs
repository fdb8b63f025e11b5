//! Room for another server, and the end of those that are left alone.
//! It must never take a server that somebody holds or that owes an answer.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::slot::Slot;
use super::{Inner, Supervisor};
use crate::error::Error;

impl Supervisor {
    /// Looks for idle servers from the first start on, until the last handle is dropped.
    pub(super) fn tidy_up_from_now_on(&self) {
        let inner = &self.inner;
        inner.tidying.call_once(|| {
            let (weak, closed) = (Arc::downgrade(inner), inner.closed.clone());
            let every = (inner.idle / 4).clamp(Duration::from_millis(50), Duration::from_secs(30));
            tokio::spawn(async move {
                tokio::select! {
                    () = closed.cancelled() => {}
                    () = tidy_up(weak, every) => {}
                }
            });
        });
    }
}

async fn tidy_up(inner: Weak<Inner>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let Some(inner) = inner.upgrade() else { return };
        let slots: Vec<Arc<Slot>> = inner.slots().values().cloned().collect();
        let idle = inner.idle;
        drop(inner);
        for slot in slots {
            if let Some(client) = slot.take_unless(|client| client.last_exchange().elapsed() < idle) {
                tracing::debug!(server = slot.server.id, root = %slot.root.display(), "idle, so stopped");
                tokio::spawn(async move { client.stop().await });
            }
        }
    }
}

impl Inner {
    /// Stops the server that was left alone longest, where as many run as may, so that the one of `slot` can start.
    pub(super) fn make_room(&self, slot: &Arc<Slot>) -> Result<(), Error> {
        let mut others: Vec<Arc<Slot>> = {
            let slots = self.slots();
            slots.values().filter(|other| !Arc::ptr_eq(other, slot) && other.is_occupied()).cloned().collect()
        };
        if others.len() < self.most {
            return Ok(());
        }
        let running = others.len();
        others.sort_by_key(|other| other.last_exchange());
        let evicted = others.iter().find_map(|other| other.take_unless(|_| false));
        let Some(client) = evicted else {
            return Err(Error::TooMany { server: slot.server.id.clone(), running });
        };
        tokio::spawn(async move { client.stop().await });
        Ok(())
    }
}
