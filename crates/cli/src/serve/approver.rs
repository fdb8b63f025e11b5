//! Approval by the host: `approval/ask {card}`, answered `{verdict: allow_once | allow_for_run | deny, message?}`.
//! A host that did not declare `approval` is never asked.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use outrigger::{Approver, Card, Error, Verdict};
use serde_json::json;

use super::host::Host;

/// Asks the host behind the pipe.
#[derive(Clone, Debug)]
pub(crate) struct HostApprover(pub(crate) Host);

impl Approver for HostApprover {
    fn ask(&self, card: Card) -> BoxFuture<'_, Result<Verdict, Error>> {
        async move {
            if !self.0.capabilities().approval {
                return Err(Error::unavailable("the host did not declare `approval` in `initialize`"));
            }
            match self.0.ask("approval/ask", &json!({"card": card})).await {
                Some(Ok(verdict)) => serde_json::from_value(verdict.clone()).map_err(|_| {
                    Error::unavailable(format!(
                        "the host answered `{verdict}`, which is none of {{\"verdict\": \"allow_once\"}}, \
                         {{\"verdict\": \"allow_for_run\"}}, {{\"verdict\": \"deny\", \"message\": …}}"
                    ))
                }),
                Some(Err(fault)) => Err(Error::unavailable(format!(
                    "the host answered error {}: {}",
                    fault.code, fault.message
                ))),
                None => Err(Error::unavailable("the host has gone")),
            }
        }
        .boxed()
    }
}
