//! Replacing text in a file's bytes. Line ends are no part of the comparison: what is written takes the line ends of
//! what it replaces. It must never guess between several places, nor touch a byte outside them.

use outrigger::workspace::text::{Ending, Endings, LineIndex};

use super::nearest::{Nearest, nearest};

/// Which occurrences are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The only one there is.
    Only,
    /// Each.
    All,
}

/// A file with its text replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) bytes: Vec<u8>,
    /// The lines of the old file at which an occurrence starts.
    pub(super) lines: Vec<usize>,
}

/// Why nothing was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotReplaced {
    /// No such text, but perhaps something like it.
    Absent(Option<Nearest>),
    /// Several places, by line.
    Several(Vec<usize>),
    /// The new text is the old text, line ends apart.
    Same,
}

/// Replaces `old` by `new`.
pub(super) fn replace(bytes: &[u8], old: &str, new: &str, extent: Extent) -> Result<Replaced, NotReplaced> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old == new {
        return Err(NotReplaced::Same);
    }
    let plain = Plain::of(bytes);
    let starts = occurrences(&plain.bytes, old.as_bytes());
    let index = LineIndex::new(bytes);
    let lines: Vec<usize> = starts.iter().map(|at| index.position(plain.original(*at)).line).collect();
    match (starts.len(), extent) {
        (0, _) => return Err(NotReplaced::Absent(nearest(&plain.bytes, &old))),
        (2.., Extent::Only) => return Err(NotReplaced::Several(lines)),
        _ => {}
    }
    let majority = Endings::count(bytes).majority();
    let (mut result, mut copied) = (Vec::with_capacity(bytes.len() + new.len()), 0);
    for start in starts {
        let (from, to) = (plain.original(start), plain.original(start + old.len()));
        result.extend_from_slice(&bytes[copied..from]);
        let ending = first_ending(&bytes[from..to]).unwrap_or(majority);
        result.extend_from_slice(new.replace('\n', ending.as_str()).as_bytes());
        copied = to;
    }
    result.extend_from_slice(&bytes[copied..]);
    Ok(Replaced { bytes: result, lines })
}

/// A file whose `\r\n` have become `\n`, and the way back.
struct Plain {
    bytes: Vec<u8>,
    /// The positions (in `bytes`) of the line ends that lost their `\r`.
    shortened: Vec<usize>,
}

impl Plain {
    fn of(bytes: &[u8]) -> Self {
        let mut plain = Self { bytes: Vec::with_capacity(bytes.len()), shortened: Vec::new() };
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                plain.shortened.push(plain.bytes.len());
            } else {
                plain.bytes.push(*byte);
            }
        }
        plain
    }

    /// A position in `bytes` as one in the file; that of a shortened line end is its `\r`.
    fn original(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|shortened| *shortened < at)
    }
}

/// Where `wanted` starts, from left to right, never overlapping.
fn occurrences(text: &[u8], wanted: &[u8]) -> Vec<usize> {
    let (Some(first), mut starts, mut at) = (wanted.first(), Vec::new(), 0) else { return Vec::new() };
    while let Some(step) = text[at..].iter().position(|byte| byte == first) {
        at += step;
        if text[at..].starts_with(wanted) {
            starts.push(at);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    starts
}

fn first_ending(text: &[u8]) -> Option<Ending> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    Some(if text[..end].ends_with(b"\r") { Ending::CrLf } else { Ending::Lf })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, old: &str, new: &str, extent: Extent) -> String {
        let replaced = replace(text.as_bytes(), old, new, extent).expect("it is replaced");
        String::from_utf8(replaced.bytes).unwrap()
    }

    #[test]
    fn the_only_occurrence_is_replaced_and_all_on_request() {
        assert_eq!(replaced("a b c", "b", "x", Extent::Only), "a x c");
        assert_eq!(replaced("aaa aa", "aa", "b", Extent::All), "ba b", "occurrences never overlap");
        assert_eq!(replaced("abc", "abc", "", Extent::Only), "");
    }

    #[test]
    fn what_is_written_takes_the_line_ends_of_what_it_replaces() {
        assert_eq!(replaced("a\r\nb\r\nc", "a\nb", "x\ny\nz", Extent::Only), "x\r\ny\r\nz\r\nc");
        assert_eq!(replaced("a\r\nb\r\nc", "b", "x\ny", Extent::Only), "a\r\nx\r\ny\r\nc", "the majority's");
        assert_eq!(replaced("a\nb\nc\r\nd\r\ne\r\n", "a\nb", "x\ny", Extent::Only), "x\ny\nc\r\nd\r\ne\r\n");
        assert_eq!(replaced("a\nb\n", "a\r\nb", "x\r\ny", Extent::Only), "x\ny\n");
        assert_eq!(replaced("a\r\nb\r\n", "\nb\n", "\n", Extent::Only), "a\r\n");
        assert_eq!(replaced("a\r\nb", "a\n", "", Extent::Only), "b");
    }

    #[test]
    fn bytes_outside_are_kept_even_where_they_are_not_utf8() {
        let replaced = replace(b"\xef\xbb\xbf\xe9\xff a \r b", "a", "x", Extent::Only).unwrap();
        assert_eq!(replaced.bytes, b"\xef\xbb\xbf\xe9\xff x \r b");
    }

    #[test]
    fn several_places_are_told_by_line() {
        let refused = replace(b"x\na\r\na a\n", "a", "b", Extent::Only).unwrap_err();
        assert_eq!(refused, NotReplaced::Several(vec![2, 3, 3]));
        assert_eq!(replace(b"x\na\r\na", "a", "b", Extent::All).unwrap().lines, [2, 3]);
    }

    #[test]
    fn the_same_text_is_no_change() {
        assert_eq!(replace(b"a\r\n", "a\r\n", "a\n", Extent::Only).unwrap_err(), NotReplaced::Same);
    }
}
