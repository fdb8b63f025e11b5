//! The project's own chores: `cargo xtask test`, `bench`, `tidy`.

fn main() {}
