//! What a person reads before they allow a call. Most of its text is a model's, so nothing of it reaches a terminal raw,
//! and no value can pass for another line of the card.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Call, Spec, Tier};

/// What a person sees before they allow a call. Every text is safe to print: control characters and changes of writing
/// direction are escaped, and only the first line of an argument and of the preview stands at the margin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Card {
    /// The tool.
    pub tool: String,
    /// Its tier.
    pub tier: Tier,
    /// The arguments, each as `name: value`, further lines of a value indented, long values shortened.
    pub arguments: String,
    /// What will change, where the tool can say; all lines after the first are indented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The conversation that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

impl Card {
    /// The card of one call. It makes the tool's preview, which may block: see [`About::preview`](crate::About::preview).
    pub fn new(spec: &Spec, call: &Call) -> Self {
        let arguments = call.arguments.value();
        Self {
            tool: one_line(&spec.name, MAX_NAME),
            tier: spec.tier,
            arguments: summary(arguments),
            preview: spec.preview(arguments).map(|text| printable(&text, MAX_PREVIEW)),
            conversation: call.conversation.as_deref().map(|id| one_line(id, MAX_VALUE)),
        }
    }
}

/// The longest value shown on a card, in characters.
const MAX_VALUE: usize = 200;
/// The longest name.
const MAX_NAME: usize = 64;
/// The longest preview.
const MAX_PREVIEW: usize = 100_000;
/// The most arguments; no tool has so many.
const MAX_ARGUMENTS: usize = 64;

fn summary(arguments: &Value) -> String {
    let Some(members) = arguments.as_object() else { return printable(&arguments.to_string(), MAX_VALUE) };
    let line = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{}: {}", one_line(name, MAX_NAME), printable(&text, MAX_VALUE))
    };
    let mut lines: Vec<String> = members.iter().take(MAX_ARGUMENTS).map(line).collect();
    if members.len() > MAX_ARGUMENTS {
        lines.push(format!("… (+{} arguments)", members.len() - MAX_ARGUMENTS));
    }
    lines.join("\n")
}

/// The first `most` characters of `text`, how many are left out, and every line but the first indented.
fn printable(text: &str, most: usize) -> String {
    shortened(text, most, |sign, shown| match sign {
        '\n' => shown.push_str("\n    "),
        '\t' => shown.push('\t'),
        sign => escaped(sign, shown),
    })
}

/// The same on one line.
fn one_line(text: &str, most: usize) -> String {
    shortened(text, most, escaped)
}

fn shortened(text: &str, most: usize, show: impl Fn(char, &mut String)) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    let mut signs = text.chars();
    signs.by_ref().take(most).for_each(|sign| show(sign, &mut shown));
    match signs.count() {
        0 => shown,
        left => shown + &format!("… (+{left} characters)"),
    }
}

fn escaped(sign: char, shown: &mut String) {
    let steers = sign.is_control()
        || matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if steers { shown.extend(sign.escape_default()) } else { shown.push(sign) }
}
