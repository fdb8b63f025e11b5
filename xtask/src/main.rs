//! `cargo xtask test [--long]`, `cargo xtask bench [NAME]`, `cargo xtask fuzz TARGET SECONDS`, `cargo xtask peers`,
//! `cargo xtask tidy`.
//! It must never hold a chore itself: each is a module of the library.

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask test [--long] | bench [NAME] | fuzz TARGET SECONDS | peers | tidy";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["test"] => xtask::test::run(xtask::test::Extent::Usual),
        ["test", "--long"] => xtask::test::run(xtask::test::Extent::Long),
        ["bench"] => xtask::bench::run(None),
        ["bench", name] => xtask::bench::run(Some(name)),
        ["fuzz", target, seconds] => xtask::fuzz::run(target, seconds),
        ["peers"] => xtask::peers::run(),
        ["tidy"] => xtask::tidy::run(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
