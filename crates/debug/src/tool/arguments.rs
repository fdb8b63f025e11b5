//! The arguments of `debug`: one flat struct, an action and what each of them needs.
//! It must never decide anything: what an argument means is the action's.

use serde_json::json;

use crate::breakpoints::Wanted;
use crate::error::Error;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Which adapters are usable here, and what the others lack.
    Adapters,
    /// Whether a program is being debugged, and where it stands.
    Status,
    /// Replaces the breakpoints of `file` by `lines`; none clears them. Also before `launch`.
    Breakpoints,
    /// Replaces the functions to stop at by `names`.
    FunctionBreakpoints,
    /// Replaces the exceptions to stop at by `filters`.
    ExceptionBreakpoints,
    /// Starts `program` and runs it to the first stop.
    Launch,
    /// Joins a program that is being debugged at `port` of this machine.
    Attach,
    /// Runs to the next stop; of a running program only waits for it.
    Continue,
    /// Stops the program where it is.
    Pause,
    /// Runs to the next line of this function.
    StepOver,
    /// Runs into the function that is called next.
    StepIn,
    /// Runs to the caller.
    StepOut,
    /// Ids and names of the threads.
    Threads,
    /// The frames of a thread, each with its `frame_id`.
    Stack,
    /// The scopes of `frame_id`, each with its `reference`.
    Scopes,
    /// The children of `reference`.
    Variables,
    /// Sets the child `name` of `reference` to `value`.
    SetVariable,
    /// The value of `expression` in a frame.
    Evaluate,
    /// What the program has written.
    Output,
    /// Ends the session and every process of it.
    Terminate,
}

/// Arguments of `debug`.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
pub struct DebugArgs {
    /// What to do.
    pub(super) action: Action,
    /// With `breakpoints`: the source file, relative to the workspace.
    pub(super) file: Option<String>,
    /// With `breakpoints`: the lines, from 1, each a number or an object.
    pub(super) lines: Option<Vec<LineArg>>,
    /// With `function_breakpoints`: names of functions, as the language's debugger spells them.
    pub(super) names: Option<Vec<String>>,
    /// With `exception_breakpoints`: filters of the adapter, such as `raised` or `uncaught`.
    pub(super) filters: Option<Vec<String>>,
    /// With `launch`: a script of Python or Dart, a file or folder of Go, or an executable with debug information.
    pub(super) program: Option<String>,
    /// With `launch`: arguments of the program.
    pub(super) args: Option<Vec<String>>,
    /// With `launch` and `attach`: the adapter, such as `debugpy` or `lldb`; chosen by the program and its project if absent.
    pub(super) adapter: Option<String>,
    /// With `launch`: the folder the program runs in; its project's if absent.
    pub(super) cwd: Option<String>,
    /// With `launch`: variables for the program.
    pub(super) env: Option<Vec<Variable>>,
    /// With `launch`: stop before the program's first line.
    pub(super) stop_on_entry: Option<bool>,
    /// With `attach`: the port.
    #[schemars(range(min = 1, max = 65535))]
    pub(super) port: Option<u16>,
    /// With `continue`, `pause`, the steps and `stack`: a thread; the stopped one if absent.
    pub(super) thread_id: Option<i64>,
    /// With `scopes` and `evaluate`: a frame of this stop.
    pub(super) frame_id: Option<u64>,
    /// With `variables` and `set_variable`: a reference of this stop.
    pub(super) reference: Option<u64>,
    /// With `variables`: how many children to pass over.
    pub(super) start: Option<u64>,
    /// With `set_variable`: the child.
    pub(super) name: Option<String>,
    /// With `set_variable`: its new value, as the language writes it.
    pub(super) value: Option<String>,
    /// With `evaluate`: an expression of the program's language, never a command of the debugger.
    pub(super) expression: Option<String>,
}

/// One breakpoint.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum LineArg {
    /// A line.
    Number(u64),
    /// A line with conditions.
    Detailed(DetailedLine),
}

/// A line with conditions.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
pub struct DetailedLine {
    /// The line, from 1.
    pub(super) line: u64,
    /// Stop only where this expression holds.
    pub(super) condition: Option<String>,
    /// Stop only at these passes, as the adapter counts them, such as `3`.
    pub(super) hit_condition: Option<String>,
    /// Write this instead of stopping; expressions stand in braces.
    pub(super) log_message: Option<String>,
}

/// A variable of the environment.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
pub struct Variable {
    /// Its name.
    pub(super) name: String,
    /// Its value.
    pub(super) value: String,
}

/// What an approval card says.
pub(super) fn preview(args: &DebugArgs) -> String {
    match args.action {
        Action::Launch => {
            let words = args.program.iter().chain(args.args.iter().flatten());
            format!("run under a debugger: {}", words.cloned().collect::<Vec<_>>().join(" "))
        }
        Action::Attach => format!("join the program debugged at port {}", args.port.unwrap_or_default()),
        Action::Evaluate => format!("evaluate in the program: {}", args.expression.as_deref().unwrap_or("")),
        action => json!(action).as_str().unwrap_or_default().to_owned(),
    }
}

/// An argument that the action needs.
pub(super) fn needed<T>(value: Option<T>, name: &str, action: Action) -> Result<T, Error> {
    let action = json!(action);
    let action = action.as_str().unwrap_or_default();
    value.ok_or_else(|| Error::Arguments(format!("`{action}` needs `{name}`")))
}

/// The breakpoints asked for, each line once.
pub(super) fn wanted(lines: Vec<LineArg>) -> Result<Vec<Wanted>, Error> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for line in lines {
        let next = match line {
            LineArg::Number(line) => Wanted { line, condition: None, hit_condition: None, log_message: None },
            LineArg::Detailed(DetailedLine { line, condition, hit_condition, log_message }) => {
                Wanted { line, condition, hit_condition, log_message }
            }
        };
        if next.line == 0 {
            return Err(Error::Arguments("lines are counted from 1".to_owned()));
        }
        if wanted.iter().any(|known| known.line == next.line) {
            return Err(Error::Arguments(format!("line {} is named twice", next.line)));
        }
        wanted.push(next);
    }
    Ok(wanted)
}
