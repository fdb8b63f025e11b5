//! Progress of a long call on a terminal: one line on standard error, rewritten in place and wiped at the end.
//! It never shows where standard error is not a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A line that is wiped when dropped.
#[derive(Debug, Default)]
pub(crate) struct ProgressLine {
    shown: Arc<AtomicBool>,
}

impl ProgressLine {
    /// What a call may report to.
    pub(crate) fn sink(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let shown = Arc::clone(&self.shown);
        let visible = std::io::stderr().is_terminal();
        move |text| {
            if visible {
                shown.store(true, Ordering::Relaxed);
                rewrite(text);
            }
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.load(Ordering::Relaxed) {
            rewrite("");
        }
    }
}

/// Returns to the line's start, writes, clears the rest. A closed standard error is no reason to fail a call.
fn rewrite(text: &str) {
    let line: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r{line}\x1b[K").and_then(|()| stderr.flush());
}
