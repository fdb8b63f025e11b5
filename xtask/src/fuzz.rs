//! Runs a fuzz target of `fuzz/`, which is a workspace of its own, with the coverage flags of libFuzzer: they need no
//! nightly compiler. It must never touch the flags, or the artifacts, of the ordinary builds.

use std::process::Command;

use anyhow::bail;

/// libFuzzer's instrumentation, as `rustc` spells it.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
/// Inputs to begin with, one for each language of the target.
const SEEDS: [&str; 3] = [
    "\0$X.unwrap()\0fn f() { a.unwrap(); }",
    "\x01dispose($X)\0f() { dispose(a); }",
    "\x02$F($$$A)\0print(a, b)\nif a:\n    f(b)\n",
];

/// Runs `target` for `seconds`; an input that fails is left in the target folder, and said.
///
/// # Errors
/// When it does not build, or an input fails.
pub fn run(target: &str, seconds: &str) -> anyhow::Result<()> {
    let root = crate::root();
    let folder = root.join("target/fuzz").join(target);
    let corpus = folder.join("corpus");
    std::fs::create_dir_all(&corpus)?;
    for (number, seed) in SEEDS.iter().enumerate() {
        std::fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    let status = Command::new(env!("CARGO"))
        .args(["run", "--release", "--manifest-path", "fuzz/Cargo.toml", "--bin", target, "--"])
        .arg(&corpus)
        .arg(format!("-max_total_time={seconds}"))
        .arg("-max_len=400")
        .arg(format!("-artifact_prefix={}/", folder.display()))
        .env("RUSTFLAGS", FLAGS)
        .env("CARGO_TARGET_DIR", root.join("target/fuzz"))
        .current_dir(root)
        .status()?;
    if !status.success() {
        bail!("`{target}` failed: {status}; the input is in `{}`", folder.display());
    }
    Ok(())
}
