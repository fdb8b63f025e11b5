//! Structural search and staged rewriting; the tools `ast_grep` and `ast_edit`.
//!
//! The way through: `placeholder` lexes `$NAME`; `pattern` compiles a fragment: `ladder` lays it out in each
//! `scaffold` of its language, variables in every `spelling`, and what parses becomes a `shape`, readings that mean
//! the same one `family`, and each a `program`; `refusal` explains what does not. `parse` gives the tree of a file;
//! `matcher` walks it and what is `embedded` in it, `machine` compares one place with a program, by `elements` and
//! `same_text`. `languages` chooses the files and `prefilter` those worth parsing, `visit` reads one, whose tree the
//! `cache` may have, and `sweep` all of them on every core. [`AstGrep`] answers what `search` finds; [`AstEdit`] stages
//! what `propose` makes of `rewrite`; `render` writes both for a model.
//!
//! Matching is directly on tree-sitter. `ast-grep-core` matches lazily without backtracking, skips
//! trailing children and recurses on the depth of the source file, so strict matching, a complete
//! ellipsis and deep trees cannot be had on it without forking it; the tests use it as an oracle.
//!
//! *Invariants.*
//! - Nothing recurses on the depth of a source file.
//! - A fragment that does not parse is never searched; no match lies in or around a syntax error.
//! - No answer depends on the timing of threads, and none says "none" of files that were not searched.
//! - Nothing here writes a file. No byte outside a replacement changes, no line inside a string moves, and no rewrite
//!   is proposed in which a captured part did not come back whole.
//!
//! ```
//! # use outrigger_structural as structural;
//! # fn open(folder: &std::path::Path, state: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
//! let workspace = workspace::Workspace::open(folder)?;
//! let registry = tool::Registry::builder().build();
//! let cache = structural::Cache::default();
//! let edits = edits::Edits::open(workspace.clone(), registry.authority(), edits::State::memory(state))?;
//! registry.attach("syntax", vec![
//!     tool::tool(structural::AstGrep::new(workspace).keeping(cache.clone())),
//!     tool::tool(structural::AstEdit::new(edits.clone()).keeping(cache)),
//!     tool::tool(edits::Resolve::new(edits)),
//! ])?;
//! # Ok(())
//! # }
//! ```

mod cache;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod corpus;
mod elements;
mod embedded;
mod error;
mod family;
mod generated;
mod grouping;
mod ladder;
mod languages;
mod machine;
mod margin;
mod matcher;
#[cfg(test)]
mod oracle;
mod outline;
mod parse;
mod pattern;
mod placeholder;
mod prefilter;
mod program;
#[cfg(test)]
mod properties;
mod propose;
mod refusal;
mod render;
mod rewrite;
mod same_text;
mod scaffold;
mod search;
mod shape;
mod spans;
mod spelling;
mod stopping;
mod sweep;
mod tool;
mod visit;

pub use cache::Cache;
pub use tool::{AstEdit, AstGrep, EditArgs, GrepArgs, RuleArgs};
