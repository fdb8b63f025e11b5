//! `shell`: one command line, run to its end in the workspace's root, with everything it started.
//! It must never leave a process behind, wait without a limit, or cut output without counting.

mod clip;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use outrigger::peer::{Command, Exit, Ladder, Spawn, Stopped};
use outrigger::tool::{About, Error, ExecContext, Output, TypedTool};
use outrigger::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};

use clip::Clip;

/// How long a command runs unless the call says otherwise, and at most.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
const MAX_TIMEOUT: Duration = Duration::from_mins(10);
/// Bytes of output that a command that ran too long still shows.
const SHOWN_ON_TIMEOUT: usize = 4 * 1024;
/// How long output that was written before the end may take to be read.
const REST_OF_OUTPUT: Duration = Duration::from_secs(1);
/// Processes left behind by a command that has ended are given little time.
const LEFTOVERS: Ladder = Ladder {
    after_end_of_input: Duration::ZERO,
    after_terminate: Duration::from_millis(500),
    after_kill: Duration::from_secs(5),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The command line, as for `sh -c`. It has no input.
    command: String,
    /// Seconds until it is stopped; default 120, at most 600.
    timeout_seconds: Option<NonZeroU64>,
}

pub(super) struct Shell {
    pub(super) workspace: Workspace,
    pub(super) spawn: Arc<dyn Spawn>,
    /// What commands see of the host's environment.
    pub(super) environment: Vec<(OsString, OsString)>,
}

impl TypedTool for Shell {
    type Args = Args;
    type Context = ExecContext;

    fn about(&self) -> About {
        About::new(
            "shell",
            "Runs a command line with `sh -c` in the workspace's root and answers its output (standard output and \
             error as they came) and exit code. It has no input, and what it leaves running is stopped.",
        )
        .preview(|args: &Args| format!("runs `{}`", args.command))
    }

    async fn call(&self, args: Args, _cx: ExecContext) -> Result<Output, Error> {
        if args.command.contains('\0') {
            return Err(Error::bad_arguments("`command` holds a NUL byte"));
        }
        let limit =
            args.timeout_seconds.map_or(DEFAULT_TIMEOUT, |seconds| Duration::from_secs(seconds.get()));
        if limit > MAX_TIMEOUT {
            let message =
                format!("`timeout_seconds` is at most {}, not {}", MAX_TIMEOUT.as_secs(), limit.as_secs());
            return Err(Error::bad_arguments(message));
        }
        self.run(&args.command, limit).await
    }
}

impl Shell {
    /// Dropping the future stops the command and all it started: that is how a call is cancelled.
    async fn run(&self, command: &str, limit: Duration) -> Result<Output, Error> {
        // One stream for both, so that the order in which they were written is kept.
        let both = r#"exec sh -c "$0" 2>&1"#;
        let started = Command::new("sh", self.workspace.root())
            .args(["-c", both, command])
            .environment(self.environment.iter().cloned())
            .without_stdin();
        let mut child =
            self.spawn.spawn(started).await.map_err(|error| Error::unavailable(error.to_string()))?;
        let mut clip = Clip::default();
        let mut output = child.take_stdout();
        let ended = tokio::time::timeout(limit, async {
            tokio::select! {
                exit = child.wait() => exit,
                // What the shell leaves running may hold the stream; its own end is what counts.
                exit = async { fill(&mut clip, &mut output).await; child.wait().await } => exit,
            }
        })
        .await;
        let stopped = child.stop(&LEFTOVERS).await;
        // Nobody holds the stream any more, unless a process could not be stopped: what is left of it is there already.
        let _ = tokio::time::timeout(REST_OF_OUTPUT, fill(&mut clip, &mut output)).await;
        match ended {
            Ok(exit) => Ok(answer(exit, &clip, stopped)),
            Err(_) => Err(too_long(command, limit, &clip)),
        }
    }
}

async fn fill(clip: &mut Clip, output: &mut Option<impl AsyncRead + Unpin>) {
    let Some(stream) = output else { return };
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        clip.push(&chunk[..length]);
    }
    *output = None;
}

fn answer(exit: Exit, clip: &Clip, stopped: Stopped) -> Output {
    let mut text = clip.to_string();
    if text.is_empty() {
        text.push_str("(no output)");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("({exit})"));
    let leftovers = stopped != Stopped::Itself;
    if leftovers {
        text.push_str(match stopped {
            Stopped::Stuck => "\n(processes it left running could not be stopped)",
            Stopped::Unguarded => {
                "\n(it ended the process that guards it: something it started may still be running)"
            }
            _ => "\n(processes it left running were stopped)",
        });
    }
    let (code, signal) = match exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    Output::text(text).with_data(json!({
        "exit_code": code, "signal": signal, "output_bytes": clip.total(), "dropped_bytes": clip.dropped(),
        "leftovers_stopped": leftovers && !matches!(stopped, Stopped::Stuck | Stopped::Unguarded),
    }))
}

fn too_long(command: &str, limit: Duration, clip: &Clip) -> Error {
    let shown = clip.last(SHOWN_ON_TIMEOUT);
    let shown = if shown.is_empty() { "no output".to_owned() } else { format!("its last output:\n{shown}") };
    Error::timed_out(format!("`{command}` was stopped after {} s; {shown}", limit.as_secs()))
        .with_hint(format!("set `timeout_seconds` (at most {})", MAX_TIMEOUT.as_secs()))
}
