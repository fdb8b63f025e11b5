//! What a tool answers: parts for a model to read, and the same facts as data for a program to test.
//! It never grows past [`MAX_RESULT_TEXT`]: what is cut is counted in the text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most text one result carries, in bytes (100 KiB); the rest is cut and counted.
pub const MAX_RESULT_TEXT: usize = 100 * 1024;

/// What the count of a cut may take of it, in bytes.
const NOTICE: usize = 120;

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

    /// Cuts the text to `limit` bytes, on a character. What was cut is counted inside the limit.
    pub(crate) fn bounded(mut self, limit: usize) -> Self {
        let whole = self.text_len();
        if whole <= limit {
            return self;
        }
        let mut left = limit.saturating_sub(NOTICE);
        let mut cut = false;
        self.content.retain_mut(|part| {
            let Part::Text { text } = part else { return true };
            if cut {
                return false;
            }
            if text.len() > left {
                text.truncate(text.floor_char_boundary(left));
                cut = true;
            }
            left = left.saturating_sub(text.len() + 1);
            true
        });
        let lost = whole - self.text_len();
        let last = self.content.iter_mut().rev().find_map(|part| match part {
            Part::Text { text } => Some(text),
            Part::Image { .. } => None,
        });
        if let Some(last) = last {
            last.push_str(&format!("\n… (+{lost} bytes cut: one result carries {limit} bytes of text)"));
        }
        self
    }

    /// The length of [`Output::to_text`].
    fn text_len(&self) -> usize {
        let lengths = self.content.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.len() + 1),
            Part::Image { .. } => None,
        });
        lengths.sum::<usize>().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_past_the_limit_is_cut_on_a_character_and_counted() {
        let long = "€".repeat(100);
        let output =
            Output::text("ab").and_text(&long).and_image("image/png", "").and_text("end").bounded(128);
        assert_eq!(
            output.to_text(),
            "ab\n€\n… (+301 bytes cut: one result carries 128 bytes of text)",
            "8 bytes are left beside the count: `ab`, a line break and one whole character"
        );
        assert_eq!(output.content.len(), 3, "images stay");
        assert_eq!(Output::text("abc").and_text("d").bounded(5).to_text(), "abc\nd");
    }

    proptest::proptest! {
        #[test]
        fn the_text_never_passes_the_limit(texts in proptest::collection::vec("[a€\n]{0,90}", 0..8), limit in 120_usize..400) {
            let mut output = Output::default();
            for text in &texts {
                output = output.and_text(text);
            }
            let whole = output.to_text();
            let bounded = output.bounded(limit).to_text();
            proptest::prop_assert!(bounded.len() <= limit, "{} > {limit}", bounded.len());
            proptest::prop_assert!(whole.len() > limit || bounded == whole);
        }
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
