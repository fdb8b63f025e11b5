//! The arrows between the crates, as `cargo xtask tidy` holds them, for whoever runs only the tests.
//! It must never hold a table of its own.

#[test]
fn every_crate_depends_only_on_what_it_may() {
    assert_eq!(xtask::arrows::violations().unwrap(), Vec::<String>::new());
}
