//! The tool against real debug adapters and the programs they debug. One missing says `skipped: no …`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests build their own fixtures"
)]

mod dart;
mod desk;
mod gdb;
mod go;
mod native;
mod python;
mod survivors;
