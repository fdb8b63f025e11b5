//! Fixtures for the tests of Outrigger; never published.
//!
//! - [`Fixture`]: a temporary workspace written in a small language of its own.
//! - [`lsp::Script`]: a language server that misbehaves to order.
//! - [`real()`]: a real server, adapter or interpreter, or the word that the test is skipped without it.
//!
//! It must never depend on a crate it helps to test.
#![expect(
    clippy::disallowed_methods,
    reason = "a fixture is written to disk before the code under test sees it, and a program is asked what it is"
)]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

mod fixture;
pub mod lsp;
pub mod real;

pub use fixture::Fixture;
pub use real::{real, real_environment};
