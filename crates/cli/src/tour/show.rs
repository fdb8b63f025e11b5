//! Shows steps and keeps count. A tool has failed when one of its steps did not answer as it must.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use outrigger::{Error, Output, Surface};
use serde_json::Value;

use super::println;

/// Lines of an answer that are shown.
const MAX_LINES: usize = 24;

/// What the tour has seen so far.
#[derive(Debug, Default)]
pub(crate) struct Show {
    ran: BTreeSet<String>,
    skipped: BTreeMap<String, String>,
    failed: BTreeMap<String, String>,
}

impl Show {
    /// Makes one call, shows it, and checks the answer: `Ok` texts and `Err` texts alike must contain every word of
    /// `expected`.
    pub(crate) async fn step(
        &mut self,
        surface: &Surface,
        about: &str,
        (tool, arguments): (&str, Value),
        expected: &[&str],
    ) -> Result<Output, Error> {
        println(&format!("# {about}\n> {tool} {arguments}"));
        let answer = surface.call(tool, arguments).await;
        let text = match &answer {
            Ok(output) => output.to_text(),
            Err(error) => error.to_string(),
        };
        show(&text);
        self.ran.insert(tool.to_owned());
        let missing: Vec<&str> = expected.iter().copied().filter(|words| !text.contains(words)).collect();
        if answer.is_err() && expected.is_empty() {
            self.fail(tool, &format!("{about}: it answered an error"));
        }
        if !missing.is_empty() {
            self.fail(tool, &format!("{about}: the answer lacks {missing:?}"));
        }
        answer
    }

    /// Counts a failure of `tool`.
    pub(crate) fn fail(&mut self, tool: &str, why: &str) {
        println(&format!("  FAILED {why}\n"));
        self.failed.insert(tool.to_owned(), why.to_owned());
    }

    /// Takes a failure of `tool` back, which was an honest answer, and notes it as skipped.
    pub(crate) fn forgive(&mut self, tool: &str, why: &str) {
        self.failed.remove(tool);
        self.ran.remove(tool);
        self.skip(tool, why);
    }

    /// Notes that `tool` could not be shown here, and what would make it possible.
    pub(crate) fn skip(&mut self, tool: &str, why: &str) {
        println(&format!("# {tool}\n  skipped: {why}\n"));
        self.skipped.insert(tool.to_owned(), why.to_owned());
    }

    /// A tool that the surface lists and no step has shown is a failure of the tour.
    pub(crate) fn finish_tools(&mut self, surface: &Surface) {
        for spec in surface.specs() {
            if !self.ran.contains(&spec.name) && !self.skipped.contains_key(&spec.name) {
                self.fail(&spec.name, "no step shows it");
            }
        }
    }

    /// Prints the last line; success when nothing failed and nothing required was skipped.
    pub(crate) fn summary(mut self, required: &[String]) -> ExitCode {
        for name in required {
            if !self.ran.contains(name) {
                let why =
                    self.skipped.remove(name).unwrap_or_else(|| "there is no such tool here".to_owned());
                self.fail(name, &format!("`{name}` is required: {why}"));
            }
        }
        let skipped: Vec<&str> = self.skipped.keys().map(String::as_str).collect();
        let names = if skipped.is_empty() { String::new() } else { format!(" ({})", skipped.join(", ")) };
        let ran = self.ran.iter().filter(|name| !self.failed.contains_key(*name)).count();
        println(&format!("tour: {ran} ran, {} skipped{names}, {} failed", skipped.len(), self.failed.len()));
        if self.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn show(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(MAX_LINES) {
        println(&format!("  {line}"));
    }
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        println(&format!("  … ({more} more line{})", if more == 1 { "" } else { "s" }));
    }
    println("");
}
