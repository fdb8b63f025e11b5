//! The ports of approval: who decides what is asked, and who answers. One policy engine and one approver stand
//! behind them; this crate has neither. A question that nobody can answer is a refusal, never a wait.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{Call, Spec, Tier};

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
    /// Called once a call, before anything runs. Must not block.
    fn decide(&self, spec: &Spec, call: &Call) -> Decision;
}

/// What a person sees before they allow a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Card {
    /// The tool.
    pub tool: String,
    /// Its tier.
    pub tier: Tier,
    /// The arguments, one `name: value` a line, long values shortened.
    pub arguments: String,
    /// What will change, where the tool can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The conversation that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

impl Card {
    /// The card of one call.
    pub fn new(spec: &Spec, call: &Call) -> Self {
        Self {
            tool: spec.name.clone(),
            tier: spec.tier,
            arguments: summary(call.arguments.value()),
            preview: spec.preview(call.arguments.value()),
            conversation: call.conversation.as_deref().map(str::to_owned),
        }
    }
}

/// The longest value shown on a card, in characters.
const MAX_SHOWN: usize = 200;

fn summary(arguments: &serde_json::Value) -> String {
    let Some(members) = arguments.as_object() else { return shortened(&arguments.to_string()) };
    let line = |(name, value): (&String, &serde_json::Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}: {}", shortened(&text))
    };
    members.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_SHOWN {
        return text.to_owned();
    }
    format!("{}… (+{} characters)", text.chars().take(MAX_SHOWN).collect::<String>(), count - MAX_SHOWN)
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
