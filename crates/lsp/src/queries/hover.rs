//! What a server says of a symbol: signature and documentation, as it words them.
//! It must never pass on more than its limit without saying so.

use serde_json::Value;
use tool::Output;

use super::Queries;
use super::ask::{Reply, Subject, at_symbol};
use super::decode::{self, Decoded};
use crate::Error;
use crate::render::{Page, clip_bytes};

/// Bytes that are passed on.
const MAX_HOVER: usize = 8 << 10;

impl Queries {
    pub(crate) async fn hover(&self, subject: &Subject) -> Result<Output, Error> {
        let read = |answer: &Value| match answer.get("contents") {
            None => Decoded { items: Vec::new(), odd: usize::from(!answer.is_null()) },
            Some(Value::Array(none)) if none.is_empty() => Decoded::one(None),
            Some(contents) => match decode::markup(contents) {
                Some(text) => Decoded::one(Some(text).filter(|text| !text.trim().is_empty())),
                None => Decoded {
                    items: Vec::new(),
                    odd: usize::from(!contents.is_null() && !contents.is_array()),
                },
            },
        };
        let answered = match self.ask(subject, "textDocument/hover", at_symbol, read).await? {
            Reply::Answered(answered) => answered,
            Reply::Nothing(nothing) => {
                return Ok(nothing.page(&format!("hover for {}", subject.shown())).output());
            }
        };
        let text = answered.found.items.first().map(|text| text.trim()).unwrap_or_default();
        let mut page = Page::new(subject.shown());
        page.line(clip_bytes(text, MAX_HOVER));
        page.data("state", "answered");
        page.data("contents", clip_bytes(text, MAX_HOVER));
        page.data("bytes", text.len());
        answered.tell(subject, &mut page);
        Ok(page.output())
    }
}
