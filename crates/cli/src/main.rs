//! The reference host: one command line over one run. It is the library's first user and does nothing that another
//! host could not do; tools live in `host/`, the pipe in `serve/`, the guided tour in `tour/`.
//! It must never hold logic that a library host would need.

mod answer;
mod args;
mod call;
mod census;
mod doctor;
mod host;
mod logging;
mod printing;
mod progress;
mod serve;
mod setup;
mod terminal;
mod tools;
mod tour;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use printing::complain;

/// The exit code of a usage error.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start(cli.log);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("outrigger: no runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Tour(args) => tour::run(args).await,
            Command::Doctor(args) => doctor::run(&args).await,
            Command::Tools(args) => tools::run(&args),
            Command::Call(args) => call::run(args).await,
            Command::Serve(args) => serve::run(args).await,
        }
    });
    // A blocking read of standard input cannot be cancelled; the process must not wait for it.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|error| {
        complain(&format!("outrigger: {error:#}"));
        ExitCode::from(USAGE)
    })
}
