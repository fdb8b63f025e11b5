//! Logs go to standard error: standard output belongs to results and to the pipe.

use tracing_subscriber::filter::LevelFilter;

use crate::args::Log;

/// Starts logging at `level`.
pub(crate) fn start(level: Log) {
    let level = match level {
        Log::Off => LevelFilter::OFF,
        Log::Error => LevelFilter::ERROR,
        Log::Warn => LevelFilter::WARN,
        Log::Info => LevelFilter::INFO,
        Log::Debug => LevelFilter::DEBUG,
        Log::Trace => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).init();
}
