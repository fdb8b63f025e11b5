//! The tools over servers that misbehave to order: what real ones do now and then, on command.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

extern crate outrigger_lsp as lsp;

mod asking;
mod bench;
mod renaming;
mod writing;
