//! The tools on real files.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

mod bench;
mod edit;
mod grep;
mod real;
