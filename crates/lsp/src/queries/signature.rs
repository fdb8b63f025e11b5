//! The signatures of a call. The symbol is the name of what is called; servers answer between the parentheses, so that
//! is where they are asked. It must never show the parameters of an enclosing call for those of the one that was named.

use serde_json::{Value, json};
use tool::Output;

use super::Queries;
use super::ask::{Reply, Subject, position_params};
use super::decode::{self, Decoded};
use crate::Error;
use crate::client::Client;
use crate::documents::Synced;
use crate::render::{Page, clip_bytes, counted, cut, flat};
use crate::symbol::{Occurrence, whole_in};

/// Signatures that are listed.
const MAX_SIGNATURES: usize = 20;
/// Bytes of documentation of the active one.
const MAX_DOCUMENTATION: usize = 4 << 10;
/// How far behind a name its parenthesis is looked for, in bytes: type arguments may stand between.
const MAX_BETWEEN: usize = 400;

impl Queries {
    pub(crate) async fn signature(&self, subject: &Subject) -> Result<Output, Error> {
        const METHOD: &str = "textDocument/signatureHelp";
        let inside = |client: &Client, synced: &Synced, at: &Occurrence| {
            let inside = behind_parenthesis(&synced.text, at.name.end).unwrap_or(at.name.end);
            position_params(client, synced, inside)
        };
        let read = |answer: &Value| {
            let some = answer["signatures"].as_array().is_some_and(|signatures| !signatures.is_empty());
            Decoded::one(some.then(|| answer.clone()))
        };
        let mut reply = self.ask(subject, METHOD, inside, read).await?;
        if matches!(reply, Reply::Nothing(_)) {
            // Some say nothing where an argument has begun, but before the parenthesis. What they say there may be of
            // the call around, so it must name what was named.
            let before = |client: &Client, synced: &Synced, at: &Occurrence| {
                position_params(client, synced, at.name.end)
            };
            let named = |answer: &Value| {
                let name = subject.aim.name();
                let label = answer["signatures"][0]["label"].as_str().unwrap_or_default();
                Decoded {
                    items: read(answer)
                        .items
                        .into_iter()
                        .filter(|_| whole_in(label, name).is_some())
                        .collect(),
                    odd: 0,
                }
            };
            if let answered @ Reply::Answered(_) = self.ask(subject, METHOD, before, named).await? {
                reply = answered;
            }
        }
        let answered = match reply {
            Reply::Answered(answered) => answered,
            Reply::Nothing(nothing) => {
                let mut page = nothing.page(&format!("signature for {}", subject.shown()));
                page.note("signatures belong to calls: name what is called, on a line where `(` follows it");
                return Ok(page.output());
            }
        };
        let help = answered.found.items.first().unwrap_or(&Value::Null);
        let mut page = write(subject, help);
        answered.tell(subject, &mut page);
        Ok(page.output())
    }
}

fn write(subject: &Subject, help: &Value) -> Page {
    let signatures = help["signatures"].as_array().map(Vec::as_slice).unwrap_or_default();
    let active = help["activeSignature"].as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
    let shown = signatures.len().min(MAX_SIGNATURES);
    let head = format!(
        "{} for {}{}",
        counted(signatures.len(), "signature"),
        subject.shown(),
        cut(shown, signatures.len())
    );
    let mut page = Page::new(head);
    let mut data = Vec::new();
    for (index, signature) in signatures.iter().take(shown).enumerate() {
        let label = decode::text(signature, "label").unwrap_or_default();
        let mark = if index == active && signatures.len() > 1 { "  ← the call's" } else { "" };
        page.line(format!("{}{mark}", flat(label)));
        let said = signature.get("documentation").and_then(decode::markup).unwrap_or_default();
        if index == active && !said.trim().is_empty() {
            page.line(clip_bytes(said.trim(), MAX_DOCUMENTATION));
        }
        data.push(json!({ "label": label, "documentation": said, "active": index == active }));
    }
    page.data("state", "answered");
    page.data("signatures", data);
    page.data("total", signatures.len());
    page
}

/// The byte behind the parenthesis that opens the call of what ends at `end`. Type arguments and a macro's sign may
/// stand between; anything else is no call.
fn behind_parenthesis(text: &str, end: usize) -> Option<usize> {
    let rest = &text[end..text.floor_char_boundary((end + MAX_BETWEEN).min(text.len()))];
    let mut depth = 0_usize;
    for (at, sign) in rest.char_indices() {
        match sign {
            '(' if depth == 0 => return Some(end + at + 1),
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.checked_sub(1)?,
            '!' | ':' | '?' | '.' | ' ' | '\t' | '\r' | '\n' => {}
            _ if depth > 0 => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_is_that_of_the_name() {
        let behind = |text: &str| behind_parenthesis(text, 1).map(|at| text[at..].to_owned());
        assert_eq!(behind("f(1)").unwrap(), "1)");
        assert_eq!(behind("f::<Vec<u8>>(1)").unwrap(), "1)");
        assert_eq!(behind("f!(1)").unwrap(), "1)");
        assert_eq!(behind("f?.(1)").unwrap(), "1)");
        assert_eq!(behind("f\n  (1)").unwrap(), "1)");
        for text in ["f", "f, g(1)", "f) + g(1)", "f = g(1)", "f > g(1)"] {
            assert_eq!(behind(text), None, "{text}");
        }
    }
}
