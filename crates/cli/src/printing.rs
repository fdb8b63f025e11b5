//! Standard output of the commands that print once and end. A reader that went away (`| head -1`) is no failure; a
//! disk that is full is one.

use std::io::{self, Write};

/// Writes `text` and a line break where it lacks one.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match stdout.write_all(format!("{text}{end}").as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes a line to standard error; where that is closed too, there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
