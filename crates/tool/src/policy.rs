//! The ports of approval: who decides what is asked, and who answers. One policy engine and one approver stand
//! behind them; this crate has neither. A question that nobody can answer is a refusal, never a wait.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{Call, Card, Spec};

/// What a policy says of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Goes on.
    Allow,
    /// Does not; the reason reaches the model.
    Deny(String),
    /// Somebody must say.
    Ask,
}

/// Decides which calls are asked about.
pub trait Policy: Send + Sync {
    /// Called once a call, before anything runs; not for names that no visible tool has. Must not block.
    fn decide(&self, spec: &Spec, call: &Call) -> Decision;
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// This call.
    AllowOnce,
    /// This tool at this tier, until the run ends.
    AllowForRun,
    /// No, with the person's words.
    Deny {
        /// What the model is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

/// Asks a person, or stands in for one.
pub trait Approver: Send + Sync {
    /// Shows the card and waits. Dropping the future withdraws it.
    ///
    /// # Errors
    /// `Unavailable` where nobody is there: the call is refused.
    fn ask(&self, card: Card) -> BoxFuture<'_, Result<Verdict, crate::Error>>;
}
