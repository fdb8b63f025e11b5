//! What can go wrong while a program is debugged, with what a caller needs to know of it.
//! It must never hold a protocol type, nor hide an adapter's own words.

/// Why a question to an adapter has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The adapter answered no.
    #[error("{0}")]
    Answered(String),
    #[error("no answer within {0} s")]
    TimedOut(u64),
    #[error("the debug adapter is gone")]
    Closed,
}

/// Why an action was not done.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Path(#[from] std::sync::Arc<workspace::Error>),
    /// An argument that the action needs, or that does not fit.
    #[error("{0}")]
    Arguments(String),
    #[error("{message}")]
    NoAdapter { message: String, hint: String },
    #[error("`{program}` is already being debugged: {standing}")]
    Busy { program: String, standing: String },
    #[error("no program is being debugged{because}")]
    NoSession { because: String },
    #[error("the program is running")]
    Running,
    #[error("{0}")]
    Stale(String),
    #[error("`{program}` did not start: {why}")]
    Start { program: String, why: String, hint: Option<String> },
    #[error("the start of `{program}` was ended by `terminate`")]
    Abandoned { program: String },
    #[error("`{adapter}` cannot {what}")]
    Unsupported { adapter: String, what: String },
    #[error("{what}: {why}")]
    Adapter { what: String, why: Refusal, hint: Option<String> },
    /// A table of adapters that cannot be read.
    #[error("{0}")]
    Table(String),
}

impl From<workspace::Error> for Error {
    fn from(error: workspace::Error) -> Self {
        Self::Path(std::sync::Arc::new(error))
    }
}

impl From<Error> for tool::Error {
    fn from(error: Error) -> Self {
        use workspace::Error as Path;
        let message = error.to_string();
        match error {
            Error::Path(why) => match *why {
                Path::Leaves { .. } | Path::LinkLeaves { .. } => Self::refused(message)
                    .with_hint("only programs and files of the workspace can be debugged"),
                _ => Self::bad_arguments(message),
            },
            Error::Arguments(_) => Self::bad_arguments(message),
            Error::NoAdapter { hint, .. } => Self::unavailable(message).with_hint(hint),
            Error::Busy { .. } => Self::refused(message)
                .with_hint("call `terminate` first, or go on with the program that is there"),
            Error::NoSession { .. } => Self::refused(message).with_hint("call `launch` with a program"),
            Error::Running => {
                Self::refused(message).with_hint("call `pause`, or `continue` to wait for the next stop")
            }
            Error::Stale(_) => Self::conflict(message).with_hint("call `stack` for what is there now"),
            Error::Abandoned { .. } => Self::cancelled(message),
            Error::Unsupported { .. } => Self::refused(message),
            Error::Adapter { why: Refusal::TimedOut(_), hint, .. } => hinted(Self::timed_out(message), hint),
            Error::Start { hint, .. } | Error::Adapter { hint, .. } => hinted(Self::failed(message), hint),
            Error::Table(_) => Self::failed(message),
        }
    }
}

fn hinted(error: tool::Error, hint: Option<String>) -> tool::Error {
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}
