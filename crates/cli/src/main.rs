//! The reference host: one command line over one run.

fn main() {}
