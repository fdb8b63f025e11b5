//! Renaming a symbol, or moving a file with what names it: one server is asked, its edit is judged, and only what is
//! understood whole becomes a plan of `edits`.
//!
//! `names.rs` knows the two names, `workspace_edit.rs` reads the server's answer, `tree.rs` pictures the files while
//! its operations run, `rewriting.rs` turns text edits into bytes, `effect.rs` judges what they do, `plan.rs` joins
//! these. `refusal.rs` has every reason to write nothing.

mod effect;
mod names;
mod plan;
mod refusal;
mod rewriting;
mod tree;
mod workspace_edit;
