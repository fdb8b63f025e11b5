//! Structural search and staged rewriting; the tools `ast_grep` and `ast_edit`.
//!
//! The way through: [`placeholder`] lexes `$NAME`, [`pattern`] compiles a fragment inside the scaffolds of
//! its language's ladder, [`parse`] gives the tree of a file, [`matcher`] walks it.
//!
//! Matching is directly on tree-sitter. `ast-grep-core` matches lazily without backtracking, skips
//! trailing children and recurses on the depth of the source file, so strict matching, a complete
//! ellipsis and deep trees cannot be had on it without forking it; the tests use it as an oracle.
//!
//! *Invariants.* Nothing recurses on the depth of a source file. A fragment that does not parse is never
//! searched. No match lies in or around a syntax error.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod corpus;
mod elements;
mod error;
mod family;
mod generated;
mod ladder;
mod languages;
mod machine;
mod matcher;
#[cfg(test)]
mod oracle;
mod parse;
mod pattern;
mod placeholder;
mod prefilter;
mod program;
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

pub use tool::{AstEdit, AstGrep, EditArgs, GrepArgs, RuleArgs};
