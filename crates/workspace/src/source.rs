//! Reading one file as source text, or saying why it is none.
//! It must never hand out bytes that are not UTF-8, and never read past its limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::text::Bom;

/// Git and ripgrep look for a NUL in about this much.
const BINARY_PROBE: usize = 8 * 1024;

/// Why a file was not read as text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// A NUL in the first 8 KiB.
    #[error("binary (a NUL in its first 8 KiB)")]
    Binary,
    /// A UTF-16 byte order mark.
    #[error("UTF-16, not UTF-8")]
    Utf16,
    /// Bytes that are not UTF-8.
    #[error("not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// Where the first wrong byte is.
        offset: usize,
    },
    /// Longer than the limit.
    #[error("{len} bytes, over the limit of {limit}")]
    TooLarge {
        /// The file's length in bytes.
        len: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system's error.
    #[error("unreadable: {0}")]
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(why: io::Error) -> Self {
        Self::Failed(why)
    }
}

/// Reads a file of at most `limit` bytes. What comes back is UTF-8, a byte order mark included.
pub fn read_source(path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    if len > limit {
        return Err(Unread::TooLarge { len, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default() + 1);
    // One more than allowed shows a file that has grown since.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Unread::TooLarge { len: bytes.len() as u64, limit });
    }
    if matches!(Bom::detect(&bytes), Some(Bom::Utf16Le | Bom::Utf16Be)) {
        return Err(Unread::Utf16);
    }
    if bytes[..bytes.len().min(BINARY_PROBE)].contains(&0) {
        return Err(Unread::Binary);
    }
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Unread::NotUtf8 { offset: error.valid_up_to() }),
    }
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    fn read(content: &[u8], limit: u64) -> Result<Vec<u8>, String> {
        let fixture = Fixture::empty();
        fixture.write("file", content);
        read_source(&fixture.path("file"), limit).map_err(|unread| unread.to_string())
    }

    #[test]
    fn text_comes_back_byte_for_byte() {
        for text in ["", "\u{feff}a\r\nb", "grün"] {
            assert_eq!(read(text.as_bytes(), 100).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn what_is_not_text_has_a_reason() {
        assert_eq!(read(b"a\0b", 100).unwrap_err(), "binary (a NUL in its first 8 KiB)");
        assert_eq!(read(b"\xff\xfea\0", 100).unwrap_err(), "UTF-16, not UTF-8");
        assert_eq!(read(b"\xfe\xff\0a", 100).unwrap_err(), "UTF-16, not UTF-8");
        assert_eq!(read(b"abc\xe9", 100).unwrap_err(), "not UTF-8 at byte 3");
    }

    #[test]
    fn a_nul_behind_the_probe_is_text() {
        let mut late = vec![b'a'; BINARY_PROBE];
        late.push(0);
        assert_eq!(read(&late, 1 << 20).unwrap(), late);
        late[BINARY_PROBE - 1] = 0;
        assert!(read(&late, 1 << 20).unwrap_err().starts_with("binary"));
    }

    #[test]
    fn the_limit_is_the_last_length_allowed() {
        assert!(read(b"12345", 5).is_ok());
        assert_eq!(read(b"123456", 5).unwrap_err(), "6 bytes, over the limit of 5");
    }

    #[test]
    fn a_missing_file_is_the_systems_error() {
        let fixture = Fixture::empty();
        let unread = read_source(&fixture.path("none"), 5).unwrap_err();
        assert!(matches!(unread, Unread::Failed(error) if error.kind() == io::ErrorKind::NotFound));
    }
}
