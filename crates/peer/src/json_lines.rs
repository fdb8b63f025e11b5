//! One message a line: the host protocol and our own runners.
//! It must never hold more than the longest line allowed, and never let one overlong line end the conversation.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// One line that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line that is not blank, without its line break. Whether it is JSON is the reader's question.
    Message(Bytes),
    /// A line above the limit; it was passed over.
    TooLong { length: u64 },
}

/// The codec; use it with [`tokio_util::codec::FramedRead`] and [`tokio_util::codec::FramedWrite`].
#[derive(Clone, Debug)]
pub struct JsonLines {
    max: usize,
    /// Bytes of the source known to hold no line break.
    searched: usize,
    /// Bytes let go of an overlong line.
    passed_over: u64,
}

impl JsonLines {
    /// Lines of up to `max` bytes, their line break not counted.
    pub fn new(max: usize) -> Self {
        Self { max, searched: 0, passed_over: 0 }
    }

    fn finish(&mut self, line: Bytes) -> Option<Line> {
        let length = std::mem::take(&mut self.passed_over) + line.len() as u64;
        if length > self.max as u64 {
            return Some(Line::TooLong { length });
        }
        let message = line.trim_ascii();
        (!message.is_empty()).then(|| Line::Message(line.slice_ref(message)))
    }
}

impl Decoder for JsonLines {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<Line>> {
        while let Some(at) = source[self.searched..].iter().position(|byte| *byte == b'\n') {
            let mut line = source.split_to(self.searched + at + 1);
            self.searched = 0;
            line.truncate(line.len() - 1);
            if let Some(line) = self.finish(line.freeze()) {
                return Ok(Some(line));
            }
        }
        if source.len() > self.max || self.passed_over > 0 {
            self.passed_over += source.len() as u64;
            source.clear();
        }
        self.searched = source.len();
        Ok(None)
    }

    /// A last line need not end.
    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<Line>> {
        if let Some(line) = self.decode(source)? {
            return Ok(Some(line));
        }
        self.searched = 0;
        Ok(self.finish(source.split().freeze()))
    }
}

impl<T: AsRef<[u8]>> Encoder<T> for JsonLines {
    type Error = io::Error;

    /// Refuses a message with a line break: the other side would read two.
    fn encode(&mut self, message: T, destination: &mut BytesMut) -> io::Result<()> {
        let message = message.as_ref();
        if message.contains(&b'\n') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a message of one line has a line break",
            ));
        }
        destination.reserve(message.len() + 1);
        destination.put_slice(message);
        destination.put_u8(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests;
