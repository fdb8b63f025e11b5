//! Structural search and staged rewriting; the tools ast_grep and ast_edit.
