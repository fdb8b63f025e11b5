//! The bundled languages, as data: a feature and a folder each.
//!
//! The way through: [`Grammar::bundled`] lists what was compiled in, [`Grammar::by_path`] and
//! [`Grammar::by_first_line`] find the language of a file. A grammar is a parser plus `languages/<id>/grammar.toml`: its extensions, the
//! scaffold ladder ([`Rung`]), the spellings of placeholders, and sets of node kinds ([`Kinds`]).
//! `cases.toml` beside it holds what the language must match and must not.
//!
//! *Invariants.* This crate never parses a source file, never searches, and holds no code that is about
//! one language: adding one is a folder, a feature, a dependency and a row in `bundled.rs`. A language
//! that was compiled out is still known by name ([`Grammar::is_known`]), so that an error can say so.
//!
//! ```
//! use outrigger_grammars as grammars;
//! use grammars::Grammar;
//! use std::path::Path;
//!
//! for grammar in Grammar::bundled() {
//!     let file = format!("example.{}", grammar.extensions()[0]);
//!     assert_eq!(Grammar::by_path(Path::new(&file)).map(Grammar::id), Some(grammar.id()));
//! }
//! ```

mod bundled;
mod data;
mod grammar;
mod kinds;
mod needed;

pub use data::{Embedded, Role, Rung};
pub use grammar::Grammar;
pub use kinds::{KindSet, Kinds};
pub use needed::Needed;

#[cfg(test)]
mod tests;
