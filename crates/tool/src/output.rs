//! What a tool answers: parts for a model to read, and the same facts as data for a program to test.
//! It never grows past [`MAX_RESULT_TEXT`]: what is cut is counted in the text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most text one result carries, in bytes (100 KiB); the rest is cut and counted.
pub const MAX_RESULT_TEXT: usize = 100 * 1024;

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Text a model can act on.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Such as `image/png`.
        mime_type: String,
        /// The bytes, in base64.
        data: String,
    },
}

/// A tool's answer: parts in reading order, and structured data that says the same in full.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Output {
    /// What a model reads.
    pub content: Vec<Part>,
    /// What a program tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Output {
    /// An answer of one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Part::Text { text: text.into() }], data: None }
    }

    /// Adds the structured facts, replacing earlier ones.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Appends a text part.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.content.push(Part::Text { text: text.into() });
        self
    }

    /// Appends an image part (`data` in base64).
    #[must_use]
    pub fn and_image(mut self, mime_type: impl Into<String>, data: impl Into<String>) -> Self {
        self.content.push(Part::Image { mime_type: mime_type.into(), data: data.into() });
        self
    }

    /// All text parts, joined by line breaks.
    pub fn to_text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::Image { .. } => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Cuts the text parts to `limit` bytes together, on a character, counting what was cut.
    pub(crate) fn bounded(mut self, limit: usize) -> Self {
        let mut left = limit;
        for part in &mut self.content {
            let Part::Text { text } = part else { continue };
            if text.len() <= left {
                left -= text.len();
                continue;
            }
            let keep = text.floor_char_boundary(left);
            let cut = text.len() - keep;
            text.truncate(keep);
            text.push_str(&format!("\n… (+{cut} bytes cut: one result carries {limit} bytes of text)"));
            left = 0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_past_the_limit_is_cut_on_a_character_and_counted() {
        let output = Output::text("ab").and_text("cde€f").bounded(6);
        assert_eq!(output.to_text(), "ab\ncde\n… (+4 bytes cut: one result carries 6 bytes of text)");
        assert_eq!(Output::text("abc").bounded(3).to_text(), "abc");
    }

    #[test]
    fn parts_travel_as_tagged_objects() {
        let output = Output::text("t").and_image("image/png", "AA==").with_data(serde_json::json!({"n": 1}));
        let json = serde_json::to_value(&output).unwrap();
        assert_eq!(
            json["content"][1],
            serde_json::json!({"type": "image", "mime_type": "image/png", "data": "AA=="})
        );
        assert_eq!(serde_json::from_value::<Output>(json).unwrap(), output);
    }
}
