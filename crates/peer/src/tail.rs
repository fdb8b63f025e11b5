//! The end of a stream, kept while the rest is counted: a child's error stream is always read, whether or not anyone
//! asks. It must never hold more than its limit, and never stop reading before the end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

/// Bytes read at a time.
const CHUNK: usize = 16 * 1024;

/// The last bytes of a stream that is being read by a task of its own.
#[derive(Clone, Debug)]
#[must_use = "what is kept is read through this handle"]
pub struct Tail {
    ring: Arc<Mutex<Ring>>,
    ended: watch::Receiver<bool>,
}

/// What a [`Tail`] holds at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The last bytes, from a character's start; what is not UTF-8 is replaced.
    pub text: String,
    /// Bytes that came before and were let go.
    pub dropped: u64,
}

impl Tail {
    /// Reads `stream` to its end in a task of its own, keeping the last `limit` bytes. Must be called on a runtime.
    pub fn drain(mut stream: impl AsyncRead + Send + Unpin + 'static, limit: usize) -> Self {
        let ring = Arc::new(Mutex::new(Ring { limit, bytes: VecDeque::new(), dropped: 0 }));
        let (end, ended) = watch::channel(false);
        let filled = Arc::clone(&ring);
        tokio::spawn(async move {
            let mut chunk = vec![0; CHUNK];
            while let Ok(length @ 1..) = stream.read(&mut chunk).await {
                filled.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
            }
            let _ = end.send(true);
        });
        Self { ring, ended }
    }

    /// What is kept now.
    pub fn kept(&self) -> Kept {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner).kept()
    }

    /// Waits for the stream's end, which may come after the child's: a descendant can hold the stream.
    ///
    /// *Cancel safety*: dropping the future loses nothing.
    pub async fn ended(&self) {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }
}

#[derive(Debug)]
struct Ring {
    limit: usize,
    bytes: VecDeque<u8>,
    dropped: u64,
}

impl Ring {
    fn push(&mut self, new: &[u8]) {
        let fits = new.len().min(self.limit);
        let displaced = (self.bytes.len() + fits).saturating_sub(self.limit);
        self.bytes.drain(..displaced);
        self.bytes.extend(&new[new.len() - fits..]);
        self.dropped += (displaced + new.len() - fits) as u64;
    }

    fn kept(&self) -> Kept {
        let inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        // A character has at most three continuation bytes; more of them are not UTF-8, and stay to be replaced.
        let cut = if self.dropped == 0 { 0 } else { self.bytes.iter().take(3).take_while(inside).count() };
        let bytes: Vec<u8> = self.bytes.iter().skip(cut).copied().collect();
        Kept { text: String::from_utf8_lossy(&bytes).into_owned(), dropped: self.dropped + cut as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(limit: usize, pieces: &[&[u8]]) -> (String, u64) {
        let mut ring = Ring { limit, bytes: VecDeque::new(), dropped: 0 };
        for piece in pieces {
            ring.push(piece);
        }
        let kept = ring.kept();
        (kept.text, kept.dropped)
    }

    #[test]
    fn the_end_is_kept_and_the_rest_counted() {
        assert_eq!(after(8, &[b"abc", b"def"]), ("abcdef".to_owned(), 0));
        assert_eq!(after(4, &[b"abc", b"def"]), ("cdef".to_owned(), 2));
        assert_eq!(after(4, &[b"ab", b"0123456789"]), ("6789".to_owned(), 8));
        assert_eq!(after(0, &[b"abc"]), (String::new(), 3));
    }

    #[test]
    fn a_cut_character_is_let_go_whole() {
        assert_eq!(after(4, &["a€bc".as_bytes()]), ("bc".to_owned(), 4));
    }

    #[tokio::test]
    async fn a_stream_is_read_to_its_end() {
        let tail = Tail::drain(tokio::io::repeat(b'x').take(1 << 20), 100);
        tail.ended().await;
        assert_eq!(tail.kept(), Kept { text: "x".repeat(100), dropped: (1 << 20) - 100 });
    }
}
