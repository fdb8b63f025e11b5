//! Bytes and what identifies them: digests, content that survives JSON byte for byte, and what was seen at a path.
//! Reading happens here and never follows a link; nothing here writes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = from_hex(&text).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        bytes.map(Self).ok_or_else(|| de::Error::custom(format!("`{text}` is no SHA-256")))
    }
}

/// Bytes that JSON carries as text where they are UTF-8, else in hexadecimal.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Content(pub(crate) Vec<u8>);

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Carried {
    Text(String),
    Hex(String),
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Carried::Text(text.to_owned()),
            Err(_) => Carried::Hex(to_hex(&self.0)),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Carried::deserialize(deserializer)? {
            Carried::Text(text) => Ok(Self(text.into_bytes())),
            Carried::Hex(text) => {
                from_hex(&text).map(Self).ok_or_else(|| de::Error::custom("bad hexadecimal"))
            }
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

/// What kind of thing lies at a path; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    File,
    Link,
    Folder,
    Special,
}

/// Kind and content: equal stamps mean that nothing happened that a snapshot cares about, but for the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) kind: Kind,
    /// Of a file's bytes, of a link's target, of nothing for the rest.
    pub(crate) digest: Digest,
}

impl Stamp {
    pub(crate) fn file(bytes: &[u8]) -> Self {
        Self { kind: Kind::File, digest: Digest::of(bytes) }
    }
}

/// What was seen at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) stamp: Stamp,
    pub(crate) len: u64,
    /// Permission bits.
    pub(crate) mode: u32,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// How many names the file has.
    pub(crate) links: u64,
}

impl Seen {
    pub(crate) fn same_inode(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Looks at a path without following a link there; `None` where there is nothing.
pub(crate) fn look(path: &Path) -> io::Result<Option<Seen>> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let seen = |meta: &std::fs::Metadata, kind, digest| Seen {
        stamp: Stamp { kind, digest },
        len: meta.len(),
        mode: meta.mode() & 0o7777,
        device: meta.dev(),
        inode: meta.ino(),
        links: meta.nlink(),
    };
    let nothing = Digest::of(b"");
    let kind = meta.file_type();
    if kind.is_symlink() {
        let target = Digest::of(std::fs::read_link(path)?.as_os_str().as_bytes());
        return Ok(Some(seen(&meta, Kind::Link, target)));
    }
    if kind.is_dir() {
        return Ok(Some(seen(&meta, Kind::Folder, nothing)));
    }
    if !kind.is_file() {
        return Ok(Some(seen(&meta, Kind::Special, nothing)));
    }
    let mut file = match open(path) {
        Ok(file) => file,
        Err(error) if absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let digest = digest_of(&mut file)?;
    Ok(Some(seen(&file.metadata()?, Kind::File, digest)))
}

/// The stamp at a path.
pub(crate) fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    Ok(look(path)?.map(|seen| seen.stamp))
}

/// Reads a file whole; a link there is an error.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file for reading; a link there is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // A pipe put there in the meantime must not block the open.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn digest_of(file: &mut File) -> io::Result<Digest> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Digest(hasher.finalize().into())),
            Ok(count) => hasher.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether an error says that nothing is there.
pub(crate) fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_survives_json_byte_for_byte() {
        for bytes in [&b"plain\r\n"[..], b"", b"\xff\x00caf\xc3\xa9", "\u{feff}é".as_bytes()] {
            let json = serde_json::to_string(&Content(bytes.to_vec())).unwrap();
            assert_eq!(serde_json::from_str::<Content>(&json).unwrap().0, bytes, "{json}");
        }
        assert!(serde_json::from_str::<Content>(r#"{"hex":"f"}"#).is_err());
    }

    #[test]
    fn a_digest_is_the_sha_256_in_hexadecimal() {
        let digest = Digest::of(b"abc");
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), known);
        assert_eq!(serde_json::from_str::<Digest>(&format!("\"{known}\"")).unwrap(), digest);
        assert!(serde_json::from_str::<Digest>("\"ba78\"").is_err());
    }
}
