//! Output kept by its head and its tail, with what is between them counted.
//! It must never hold more than both, nor cut a character in two.

use std::collections::VecDeque;
use std::fmt;

const HEAD: usize = 48 * 1024;
const TAIL: usize = 16 * 1024;

/// The beginning and the end of a stream.
#[derive(Debug, Default)]
pub(super) struct Clip {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: usize,
}

impl Clip {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len();
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(TAIL)..];
        let displaced = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..displaced);
        self.tail.extend(rest);
    }

    /// Bytes that came.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Bytes that are not shown.
    pub(super) fn dropped(&self) -> usize {
        let (head, tail) = self.parts();
        self.total - head.len() - tail.len()
    }

    /// The last bytes, at most `limit`, as text.
    pub(super) fn last(&self, limit: usize) -> String {
        let (head, tail) = self.parts();
        let mut bytes = if self.total == head.len() + tail.len() { [head, &tail].concat() } else { tail };
        bytes.drain(..bytes.len().saturating_sub(limit));
        String::from_utf8_lossy(&bytes[continuation(&bytes)..]).into_owned()
    }

    /// Head and tail, cut to whole characters where something lies between them.
    fn parts(&self) -> (&[u8], Vec<u8>) {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.total == self.head.len() + tail.len() {
            return (&self.head, tail);
        }
        (&self.head[..whole(&self.head)], tail[continuation(&tail)..].to_vec())
    }
}

/// How many bytes at the start belong to a character that began before.
fn continuation(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}

/// The length without a character that is cut at the end.
fn whole(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|byte| *byte >= 0xc0);
    match lead.map(|back| (back + 1, bytes[bytes.len() - 1 - back].leading_ones() as usize)) {
        Some((there, needed)) if there < needed => bytes.len() - there,
        _ => bytes.len(),
    }
}

impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, tail) = self.parts();
        let dropped = self.total - head.len() - tail.len();
        if dropped == 0 {
            return f.write_str(&String::from_utf8_lossy(&[head, &tail].concat()));
        }
        f.write_str(&String::from_utf8_lossy(head))?;
        write!(f, "\n… ({dropped} bytes dropped) …\n")?;
        f.write_str(&String::from_utf8_lossy(&tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(pieces: &[&[u8]]) -> Clip {
        let mut clip = Clip::default();
        for piece in pieces {
            clip.push(piece);
        }
        clip
    }

    #[test]
    fn output_that_fits_is_whole() {
        let whole = "é".repeat(HEAD.midpoint(TAIL));
        for size in [1, 7, 4096, whole.len()] {
            let clip = clip(&whole.as_bytes().chunks(size).collect::<Vec<_>>());
            assert_eq!((clip.to_string() == whole, clip.dropped()), (true, 0), "in pieces of {size}");
        }
    }

    #[test]
    fn one_byte_more_drops_and_counts() {
        let bytes: Vec<u8> = (0..=HEAD + TAIL).map(|at| b'a' + u8::try_from(at % 26).unwrap()).collect();
        let clip = clip(&[&bytes]);
        assert_eq!((clip.total(), clip.dropped()), (HEAD + TAIL + 1, 1));
        let text = clip.to_string();
        let (head, tail) = text.split_once("\n… (1 bytes dropped) …\n").unwrap();
        assert_eq!((head.as_bytes(), tail.as_bytes()), (&bytes[..HEAD], &bytes[HEAD + 1..]));
    }

    #[test]
    fn characters_at_the_cuts_are_dropped_whole() {
        let signs = "é".repeat(HEAD);
        for (text, kept) in [
            (signs.clone(), HEAD + TAIL),
            (format!("a{signs}"), HEAD - 1 + TAIL),
            (format!("{signs}a"), HEAD + TAIL - 1),
        ] {
            let clip = clip(&[text.as_bytes()]);
            assert!(!clip.to_string().contains('\u{fffd}'));
            assert_eq!(clip.total() - clip.dropped(), kept);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(clip(&[b"a\xffb"]).to_string(), "a\u{fffd}b");
    }

    #[test]
    fn the_last_bytes() {
        assert_eq!(clip(&[b"abc", b"def"]).last(4), "cdef");
        assert_eq!(clip(&["aé".as_bytes()]).last(1), "");
    }
}
