//! Reading a file for a server: its text, and the stamp by which it is known again.
//! It must never pair a text with the stamp of another, and never send what is no text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::Error;
use crate::limits;
use crate::stamp::{COARSEST_TICK, Stamp, is_absence};

/// A file's text at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disk {
    pub(crate) text: Arc<str>,
    pub(crate) stamp: Stamp,
    /// A later change would show in the stamp.
    pub(crate) settled: bool,
}

impl Disk {
    /// Reads `path`, again if it changes meanwhile.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let unreadable = |why: io::Error| {
            if is_absence(&why) {
                Error::NoFile { path: path.to_owned() }
            } else {
                Error::Unreadable { path: path.to_owned(), why }
            }
        };
        let mut read = 0;
        loop {
            let now = SystemTime::now();
            // Anything but a file, a pipe say, is not even opened.
            let stamp = Stamp::of(path).map_err(unreadable)?;
            let stamp = stamp.ok_or_else(|| Error::NoFile { path: path.to_owned() })?;
            let limit = limits::DOCUMENT;
            if stamp.length > limit {
                return Err(Error::TooLarge { path: path.to_owned(), length: stamp.length, limit });
            }
            let mut bytes = Vec::with_capacity(usize::try_from(stamp.length).unwrap_or_default());
            let file = File::open(path).map_err(unreadable)?;
            file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
            read += 1;
            let same =
                Stamp::of(path).map_err(unreadable)? == Some(stamp) && bytes.len() as u64 == stamp.length;
            if !same && read < limits::READS {
                continue;
            }
            let text = String::from_utf8(bytes).map_err(|_| Error::NotText { path: path.to_owned() })?;
            let settled = same && stamp.is_settled(now, COARSEST_TICK);
            return Ok(Self { text: Arc::from(text), stamp, settled });
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::Fixture;

    use super::*;

    #[test]
    fn a_text_is_read_as_it_is() {
        let fixture = Fixture::empty();
        let text = "\u{feff}fn a() {}\r\nno newline at the end";
        fixture.write("a.rs", text);
        let disk = Disk::read(&fixture.path("a.rs")).unwrap();
        assert_eq!((&*disk.text, disk.settled), (text, false));
    }

    #[test]
    fn what_is_no_text_is_told_apart() {
        let fixture = Fixture::empty();
        fixture.write("latin.rs", b"// \xfc\n");
        fixture.write("big.rs", vec![b' '; usize::try_from(limits::DOCUMENT).unwrap() + 1]);
        let error = |name: &str| Disk::read(&fixture.path(name)).unwrap_err();
        assert!(matches!(error("latin.rs"), Error::NotText { .. }));
        assert!(matches!(error("big.rs"), Error::TooLarge { .. }));
        assert!(matches!(error("none.rs"), Error::NoFile { .. }));
        assert!(matches!(error("."), Error::NoFile { .. }), "a folder is no file");
        assert!(matches!(error("latin.rs/x"), Error::NoFile { .. }));
    }
}
