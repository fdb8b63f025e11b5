//! What the program wrote, in order, each piece with its stream: the last 128 KiB, and a count of what was let go.
//! What the adapter says for itself is kept apart. It must never hold more than its limit, nor cut within a character.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::limits;

/// Bytes read at a time.
const CHUNK: usize = 16 * 1024;

/// Where a piece was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
    /// What log messages and the adapter write once the program runs.
    Console,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Console => "console",
        })
    }
}

/// The output of one session; clones are the same output.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    program: Ring,
    console: Ring,
    /// Bytes of the program's output that a caller has been given.
    seen: u64,
}

#[derive(Debug)]
struct Ring {
    limit: usize,
    pieces: VecDeque<Piece>,
    held: usize,
    total: u64,
}

/// What one stream wrote before the other wrote something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) stream: Stream,
    pub(crate) text: String,
}

/// What is kept, and how many bytes are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) dropped: u64,
}

impl Default for Output {
    fn default() -> Self {
        let inner = Inner { program: Ring::of(limits::OUTPUT), console: Ring::of(limits::CONSOLE), seen: 0 };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }
}

impl Output {
    /// Keeps what the program wrote.
    pub(crate) fn program(&self, stream: Stream, text: &str) {
        self.lock().program.push(stream, text);
    }

    /// Keeps what the adapter said for itself.
    pub(crate) fn console(&self, text: &str) {
        self.lock().console.push(Stream::Stdout, text);
    }

    /// What is kept of the program's output; it then counts as seen.
    pub(crate) fn take(&self) -> Kept {
        let mut inner = self.lock();
        inner.seen = inner.program.total;
        Kept {
            pieces: inner.program.pieces.iter().cloned().collect(),
            dropped: inner.program.total - inner.program.held as u64,
        }
    }

    /// Bytes that have come since the output was last taken.
    pub(crate) fn unseen(&self) -> u64 {
        let inner = self.lock();
        inner.program.total - inner.seen
    }

    /// The end of what the adapter said for itself.
    pub(crate) fn console_text(&self) -> String {
        self.lock().console.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Reads `stream` to its end in a task of its own, as the program's output or as the adapter's.
    pub(crate) fn drain(&self, mut stream: impl AsyncRead + Send + Unpin + 'static, to: Option<Stream>) {
        let output = self.clone();
        tokio::spawn(async move {
            let (mut chunk, mut rest) = (vec![0; CHUNK], Vec::new());
            while let Ok(length @ 1..) = stream.read(&mut chunk).await {
                rest.extend_from_slice(&chunk[..length]);
                output.give(to, &text_of(&mut rest));
            }
            output.give(to, &String::from_utf8_lossy(&rest));
        });
    }

    fn give(&self, to: Option<Stream>, text: &str) {
        match to {
            Some(stream) => self.program(stream, text),
            None => self.console(text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the text out of `bytes`, leaving the start of a character whose rest has not come.
fn text_of(bytes: &mut Vec<u8>) -> String {
    let unfinished = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // What is not UTF-8 is replaced, with whatever stands unfinished behind it.
        _ => bytes.len(),
    };
    let rest = bytes.split_off(unfinished);
    String::from_utf8_lossy(&std::mem::replace(bytes, rest)).into_owned()
}

impl Ring {
    fn of(limit: usize) -> Self {
        Self { limit, pieces: VecDeque::new(), held: 0, total: 0 }
    }

    fn push(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        self.total += text.len() as u64;
        self.held += text.len();
        match self.pieces.back_mut() {
            Some(last) if last.stream == stream => last.text.push_str(text),
            _ => self.pieces.push_back(Piece { stream, text: text.to_owned() }),
        }
        while self.held > self.limit {
            let Some(first) = self.pieces.front_mut() else { return };
            let excess = first.text.ceil_char_boundary(self.held - self.limit);
            if excess >= first.text.len() {
                self.held -= first.text.len();
                self.pieces.pop_front();
            } else {
                first.text.drain(..excess);
                self.held -= excess;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(stream: Stream, text: &str) -> Piece {
        Piece { stream, text: text.to_owned() }
    }

    #[test]
    fn pieces_of_one_stream_are_joined_and_the_streams_kept_apart() {
        let output = Output::default();
        for (stream, text) in
            [(Stream::Stdout, "a"), (Stream::Stdout, "b\n"), (Stream::Stderr, "c"), (Stream::Stdout, "d")]
        {
            output.program(stream, text);
        }
        output.console("adapter");
        assert_eq!(output.unseen(), 5);
        let kept = output.take();
        let pieces = [(Stream::Stdout, "ab\n"), (Stream::Stderr, "c"), (Stream::Stdout, "d")];
        assert_eq!(kept.pieces, pieces.map(|(stream, text)| piece(stream, text)));
        assert_eq!((kept.dropped, output.unseen()), (0, 0));
        assert_eq!(output.console_text(), "adapter");
    }

    #[test]
    fn the_end_is_kept_from_a_characters_start_and_the_rest_counted() {
        let mut ring = Ring::of(4);
        ring.push(Stream::Stdout, "abc");
        ring.push(Stream::Stderr, "€x");
        assert_eq!(ring.pieces, [piece(Stream::Stderr, "€x")]);
        assert_eq!((ring.held, ring.total), (4, 7));
        ring.push(Stream::Stdout, "y");
        assert_eq!(ring.pieces, [piece(Stream::Stderr, "x"), piece(Stream::Stdout, "y")]);
        assert_eq!(ring.total - ring.held as u64, 6);
    }

    #[test]
    fn a_character_in_two_reads_is_one() {
        let mut bytes = "a€".as_bytes()[..3].to_vec();
        assert_eq!(text_of(&mut bytes), "a");
        bytes.push(0xac);
        assert_eq!(text_of(&mut bytes), "€");
        let mut wrong = vec![b'a', 0xff, b'b'];
        assert_eq!(text_of(&mut wrong), "a\u{fffd}b");
        assert!(wrong.is_empty());
    }
}
