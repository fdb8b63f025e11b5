//! Renaming a symbol, or moving a file with what names it: one server is asked, its edit is judged, and only what is
//! understood whole becomes a plan of `edits`.
//!
//! `names.rs` knows the two names, `workspace_edit.rs` reads the server's answer, `tree.rs` pictures the files while
//! its operations run, `rewriting.rs` turns text edits into bytes, `effect.rs` judges what they do, `plan.rs` joins
//! these, `question.rs` asks until an answer can be believed, `mentions.rs` finds what is left alone, `commit.rs` writes or
//! stages, `symbol_tool.rs` and `file_tool.rs` are the tools. `refusal.rs` has every reason to write nothing.

mod commit;
mod effect;
mod file_tool;
mod mentions;
mod names;
mod plan;
mod question;
mod refusal;
mod rewriting;
mod symbol_tool;
#[cfg(test)]
mod tests;
mod tree;
mod workspace_edit;

pub use file_tool::{LspRenameFile, RenameFileArgs};
pub use symbol_tool::{LspRename, RenameArgs};
