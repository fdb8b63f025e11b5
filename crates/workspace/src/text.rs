//! Text as bytes: lines and columns, line ends, byte order marks.
//! It must never decode a file, nor count in anything but bytes and characters; protocols have their own units.

mod form;
mod lines;

pub use form::{Bom, Ending, Endings, has_final_newline};
pub use lines::{LineIndex, Position};
