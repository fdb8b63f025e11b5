//! Fixtures for the tests of Outrigger; never published.
//!
//! - [`Fixture`]: a temporary workspace written in a small language of its own.
//!
//! It must never depend on a crate it helps to test.
#![expect(
    clippy::disallowed_methods,
    reason = "a fixture is written to disk before the code under test sees it"
)]

mod fixture;

pub use fixture::Fixture;
