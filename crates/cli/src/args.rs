//! The command line, as clap reads it. It says what may be asked and never does anything.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use outrigger::Tier;

/// Structural search, staged rewrites and the other live-resource tools of an agent run.
#[derive(Debug, Parser)]
#[command(name = "outrigger", version, propagate_version = true)]
pub(crate) struct Cli {
    /// How much to log, on standard error.
    #[arg(long, global = true, value_enum, default_value_t = Log::Warn)]
    pub(crate) log: Log,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Log {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show every tool at work on a small project that it makes, or the read tools on a folder of yours.
    Tour(TourArgs),
    /// Say what is usable here, and for what is not, which half is missing.
    Doctor(DoctorArgs),
    /// Print the tools' schemas.
    Tools(ToolsArgs),
    /// Make one call.
    Call(CallArgs),
    /// Serve a run as JSON-RPC 2.0 on standard input and output, one message a line.
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TourArgs {
    /// Show the read tools on this folder instead of a project made for the tour.
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Tools whose skip is a failure, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) require: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The workspace to look at.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// The highest tier to list: read, write or exec.
    #[arg(long, value_name = "TIER", default_value_t = Tier::Exec)]
    pub(crate) tier: Tier,
    /// The format of the definitions.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    Text,
    Anthropic,
    Openai,
    Gemini,
    Mcp,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool's name.
    pub(crate) tool: String,
    /// One JSON object, `-` to read it from standard input, or `key=value` pairs (a value is text where the tool
    /// takes text, else JSON).
    #[arg(value_name = "JSON | - | KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// The workspace.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// Print the result as one JSON object, as `serve` would.
    #[arg(long)]
    pub(crate) json: bool,
    /// The conversation the call belongs to.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Who approves write and exec calls: you by typing it, you when asked, or nobody.
    #[arg(long, value_enum, default_value_t = Approve::Auto)]
    pub(crate) approve: Approve,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The workspace.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) workspace: PathBuf,
    /// The highest tier to serve: read, write or exec.
    #[arg(long, value_name = "TIER", default_value_t = Tier::Exec)]
    pub(crate) tier: Tier,
    /// The conversation the calls belong to.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Who approves write and exec calls: everything passes, the host is asked, or everything is denied.
    #[arg(long, value_enum, default_value_t = Approve::Ask)]
    pub(crate) approve: Approve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approve {
    Auto,
    Ask,
    Deny,
}
