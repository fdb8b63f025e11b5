//! The tools on real files.
#![expect(clippy::needless_raw_string_hashes, reason = "`expect!` is written by its update")]
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, outside of test functions")]

mod around;
mod bench;
mod corpora;
mod destroyed;
mod edit;
mod grep;
mod macros;
mod real;
mod reports;
mod surprises;
mod tables;
