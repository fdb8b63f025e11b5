//! Frames of the form `Content-Length: N`, blank line, N bytes: the language-server and debug-adapter protocols.
//!
//! Peers print log lines between frames, end lines with a bare LF, forget the space, miscount, and announce absurd
//! lengths. None of that is fatal here: what belongs to no frame comes out as [`Incoming::Noise`], and the next header
//! is found even in the middle of a line. That is sound because a JSON body cannot hold a raw line break after
//! `Content-Length: N`: within a string it would be escaped.
//!
//! It must never reserve memory by an announced length, and never answer an error: the stream's end is the only end.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

const NAME: &[u8] = b"content-length";
/// A longer line without a break is cut into several pieces of noise.
const MAX_LINE: usize = 8 * 1024;
/// Reserved at most in one step, however long the body is said to be.
const MAX_RESERVE: usize = 64 * 1024;

/// What a peer wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// The body of one frame. Whether it is JSON is the reader's question.
    Message(Bytes),
    /// A line, or a piece of one, that belongs to no frame, without its line break.
    Noise(Bytes),
    /// A frame above the limit was announced. Its body, should it come, arrives as noise.
    TooLong { announced: u64 },
}

/// The codec; use it with [`tokio_util::codec::FramedRead`] and [`tokio_util::codec::FramedWrite`].
#[derive(Clone, Debug)]
pub struct ContentLength {
    max: usize,
    state: State,
    /// The source starts within a line whose first part came out as noise.
    mid_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// A length is known, the blank line has not come. One found in the middle of a line is a guess: any line that
    /// belongs to no header refutes it.
    Header {
        announced: u64,
        guessed: bool,
    },
    Body {
        length: usize,
    },
}

impl ContentLength {
    /// Frames of up to `max` bytes.
    pub fn new(max: usize) -> Self {
        Self { max, state: State::Idle, mid_line: false }
    }

    /// Takes one line from the source. It decides by the first `MAX_LINE + 1` bytes alone, so that the result does not
    /// depend on how the stream was cut.
    fn line(&mut self, source: &mut BytesMut) -> Step {
        let Some(end) = source.iter().take(MAX_LINE + 1).position(|byte| *byte == b'\n') else {
            return if source.len() > MAX_LINE { self.cut(source) } else { Step::NeedsMore };
        };
        let mut line = source.split_to(end + 1).freeze();
        line.truncate(line.trim_ascii_end().len());
        let mid_line = std::mem::take(&mut self.mid_line);
        if line.is_empty() {
            return self.blank_line();
        }
        let Some((start, announced)) = find_header(&line) else { return self.other_line(line) };
        let before = line.split_to(start);
        self.state = State::Header { announced, guessed: mid_line || !before.trim_ascii().is_empty() };
        noise(before)
    }

    fn blank_line(&mut self) -> Step {
        let State::Header { announced, .. } = self.state else { return Step::Moved };
        match usize::try_from(announced) {
            Ok(length) if length <= self.max => {
                self.state = State::Body { length };
                Step::Moved
            }
            _ => {
                self.state = State::Idle;
                Step::Out(Incoming::TooLong { announced })
            }
        }
    }

    fn other_line(&mut self, line: Bytes) -> Step {
        let in_header = matches!(self.state, State::Header { .. });
        if in_header && starts_with(&line, b"content-type") {
            return Step::Moved;
        }
        if matches!(self.state, State::Header { guessed: true, .. }) {
            self.state = State::Idle;
        }
        noise(line)
    }

    /// Lets go of the first part of an overlong line, up to where a header may start.
    fn cut(&mut self, source: &mut BytesMut) -> Step {
        let window = &source[..MAX_LINE];
        let start = (1..MAX_LINE).find(|at| starts_with(&window[*at..], NAME));
        self.mid_line = true;
        if matches!(self.state, State::Header { guessed: true, .. }) {
            self.state = State::Idle;
        }
        noise(source.split_to(start.unwrap_or(MAX_LINE - NAME.len())).freeze())
    }

    fn body(&mut self, source: &mut BytesMut, length: usize) -> Step {
        if source.len() < length {
            source.reserve((length - source.len()).min(MAX_RESERVE));
            return Step::NeedsMore;
        }
        self.state = State::Idle;
        Step::Out(Incoming::Message(source.split_to(length).freeze()))
    }
}

enum Step {
    NeedsMore,
    Moved,
    Out(Incoming),
}

impl Decoder for ContentLength {
    type Item = Incoming;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<Incoming>> {
        loop {
            let step = match self.state {
                State::Body { length } => self.body(source, length),
                State::Idle | State::Header { .. } => self.line(source),
            };
            match step {
                Step::NeedsMore => return Ok(None),
                Step::Moved => {}
                Step::Out(incoming) => return Ok(Some(incoming)),
            }
        }
    }

    /// What is left at the end, half a header or half a body, is noise.
    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<Incoming>> {
        if let Some(incoming) = self.decode(source)? {
            return Ok(Some(incoming));
        }
        self.state = State::Idle;
        let rest = source.split().freeze();
        Ok((!rest.trim_ascii().is_empty()).then_some(Incoming::Noise(rest)))
    }
}

impl<T: AsRef<[u8]>> Encoder<T> for ContentLength {
    type Error = io::Error;

    fn encode(&mut self, body: T, destination: &mut BytesMut) -> io::Result<()> {
        destination.unsplit(frame(body.as_ref()));
        Ok(())
    }
}

/// One frame around `body`.
pub(crate) fn frame(body: &[u8]) -> BytesMut {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    let mut frame = BytesMut::with_capacity(header.len() + body.len());
    frame.put_slice(header.as_bytes());
    frame.put_slice(body);
    frame
}

/// Blank noise is none.
fn noise(bytes: Bytes) -> Step {
    if bytes.trim_ascii().is_empty() { Step::Moved } else { Step::Out(Incoming::Noise(bytes)) }
}

/// The first place from which the rest of `line` is a header, and the length it announces.
fn find_header(line: &[u8]) -> Option<(usize, u64)> {
    (0..line.len()).find_map(|start| Some((start, announced_length(&line[start..])?)))
}

/// `Content-Length: 12`, in any case, with any blanks. A number too large for its type is still a number.
fn announced_length(text: &[u8]) -> Option<u64> {
    if !starts_with(text, NAME) {
        return None;
    }
    let digits = text[NAME.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let shift = |number: u64, digit: &u8| number.saturating_mul(10).saturating_add(u64::from(digit & 0x0f));
    Some(digits.iter().fold(0, shift))
}

fn starts_with(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
