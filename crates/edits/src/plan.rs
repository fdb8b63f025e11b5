//! What somebody wants done, in order. A plan knows nothing of the disk: [`Edits::snapshot`](crate::Edits::snapshot)
//! compares it with what is there.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::content::Content;
use crate::error::Error;

/// Bytes of a file to replace: an empty range inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    start: usize,
    end: usize,
    text: Content,
}

impl Replacement {
    /// Replaces the bytes `range` by `text`.
    pub fn new(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { start: range.start, end: range.end, text: Content(text.into()) }
    }

    /// The bytes that go.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The bytes that come.
    pub fn text(&self) -> &[u8] {
        &self.text.0
    }
}

/// Changes of files in the order in which they are meant: a step sees what the steps before it did.
///
/// Paths are written as anywhere else: relative to the workspace's root with `/`, or absolute and inside it.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Plan {
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Edit { path: String, base: Digest, replacements: Vec<Replacement> },
    Replace { path: String, base: Option<Digest>, content: Vec<u8> },
    Create { path: String, content: Vec<u8> },
    Rename { from: String, to: String },
    Delete { path: String },
}

impl Plan {
    /// A plan without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Edits a file. `base` is the digest of the bytes the ranges refer to: a file that has changed since they were
    /// read is a conflict. Ranges may come in any order and must not overlap; insertions at one place keep theirs.
    pub fn edit(mut self, path: impl Into<String>, base: Digest, replacements: Vec<Replacement>) -> Self {
        self.steps.push(Step::Edit { path: path.into(), base, replacements });
        self
    }

    /// Gives a file that exists wholly new content; with `base`, only if it still holds those bytes.
    pub fn replace(
        mut self,
        path: impl Into<String>,
        base: Option<Digest>,
        content: impl Into<Vec<u8>>,
    ) -> Self {
        self.steps.push(Step::Replace { path: path.into(), base, content: content.into() });
        self
    }

    /// Creates a file that must not exist, and the folders it needs.
    pub fn create(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Create { path: path.into(), content: content.into() });
        self
    }

    /// Renames a file, or a link itself, to a name that must be free.
    pub fn rename(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.steps.push(Step::Rename { from: from.into(), to: to.into() });
        self
    }

    /// Deletes a file, or a link itself. A folder that it leaves empty stays, as one that a rename leaves empty does.
    pub fn delete(mut self, path: impl Into<String>) -> Self {
        self.steps.push(Step::Delete { path: path.into() });
        self
    }

    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Sorts replacements and refuses those that overlap or leave the file.
pub(crate) fn ordered(
    path: &str,
    mut replacements: Vec<Replacement>,
    len: usize,
) -> Result<Vec<Replacement>, Error> {
    for Replacement { start, end, .. } in &replacements {
        if start > end || *end > len {
            return Err(Error::OutOfBounds { path: path.to_owned(), start: *start, end: *end, len });
        }
    }
    // Stable, so that insertions at one place keep their order; an insertion goes before what starts there.
    replacements.sort_by_key(|replacement| (replacement.start, replacement.end));
    for pair in replacements.windows(2) {
        if pair[1].start < pair[0].end {
            let (first, second) = (pair[0].range(), pair[1].range());
            return Err(Error::Overlap { path: path.to_owned(), first, second });
        }
    }
    Ok(replacements)
}

/// The bytes after one pass of ordered replacements; `None` where a range does not fit.
pub(crate) fn applied(bytes: &[u8], replacements: &[Replacement]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for replacement in replacements {
        out.extend_from_slice(bytes.get(done..replacement.start)?);
        out.extend_from_slice(&replacement.text.0);
        done = replacement.end;
    }
    out.extend_from_slice(bytes.get(done..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcome(text: &str, replacements: Vec<Replacement>) -> Result<String, String> {
        let ordered = ordered("a", replacements, text.len()).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(applied(text.as_bytes(), &ordered).unwrap()).unwrap())
    }

    #[test]
    fn ranges_come_in_any_order_and_insertions_keep_theirs() {
        let edit = |range, text: &str| Replacement::new(range, text);
        let edits = vec![edit(4..5, "E"), edit(0..1, "A"), edit(2..2, "x"), edit(2..2, "y"), edit(2..3, "C")];
        assert_eq!(outcome("abcde", edits).unwrap(), "AbxyCdE");
        assert_eq!(outcome("ab", vec![edit(0..1, ""), edit(1..2, "")]).unwrap(), "");
        assert_eq!(outcome("", vec![edit(0..0, "new")]).unwrap(), "new");
    }

    #[test]
    fn overlaps_and_ranges_outside_are_refused() {
        let edit = |range| Replacement::new(range, "");
        assert_eq!(
            outcome("abcde", vec![edit(3..4), edit(1..4)]).unwrap_err(),
            "`a`: the replacements of bytes 1..4 and 3..4 overlap"
        );
        assert_eq!(
            outcome("abcde", vec![edit(2..2), edit(1..3)]).unwrap_err(),
            "`a`: the replacements of bytes 1..3 and 2..2 overlap"
        );
        assert_eq!(
            outcome("abc", vec![edit(2..4)]).unwrap_err(),
            "`a`: the replacement of bytes 2..4 does not fit a file of 3 bytes"
        );
    }

    proptest! {
        /// Cutting a text at places and putting each piece back, doubled, doubles the text's pieces in order.
        #[test]
        fn every_byte_outside_the_ranges_stays(text in "[a-z]{0,30}", cuts in prop::collection::btree_set(0usize..30, 0..6)) {
            let cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
            let edits: Vec<Replacement> = cuts.iter().rev().map(|cut| Replacement::new(*cut..*cut, "|")).collect();
            let mut expected = text.clone();
            for cut in cuts.iter().rev() {
                expected.insert(*cut, '|');
            }
            prop_assert_eq!(outcome(&text, edits).unwrap(), expected);
        }
    }
}
