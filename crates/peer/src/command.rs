//! What to start: program, arguments, folder, environment and streams, all of them handed in.
//! It must never read the environment or the current folder of the host: what is not named here the child does not get.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

/// A program to start. The child sees exactly this environment: nothing of the host's is added, and of ours on Linux
/// `OUTRIGGER_GUARD`, by which its descendants are found if its guardian is killed.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// A path, or a name looked up in the `PATH` of [`environment`](Self::environment).
    pub program: OsString,
    pub args: Vec<OsString>,
    /// The folder the child starts in.
    pub folder: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    pub stdin: Stdio,
    pub stdout: Stdio,
    pub stderr: Stdio,
}

/// Where one of a child's three standard streams leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stdio {
    /// `/dev/null`.
    Null,
    /// A pipe, taken from the [`Child`](crate::Child).
    Piped,
}

impl Command {
    /// `program` in `folder` with no arguments, an empty environment and three pipes.
    pub fn new(program: impl Into<OsString>, folder: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            folder: folder.into(),
            environment: Vec::new(),
            stdin: Stdio::Piped,
            stdout: Stdio::Piped,
            stderr: Stdio::Piped,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds variables; of two with one name the later counts.
    #[must_use]
    pub fn environment<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Gives the child no input: it reads end of file at once.
    #[must_use]
    pub fn without_stdin(mut self) -> Self {
        self.stdin = Stdio::Null;
        self
    }
}

/// Without the values of the environment, which may be secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, args, folder, environment, stdin, stdout, stderr } = self;
        let names: Vec<&OsStr> = environment.iter().map(|(name, _)| name.as_os_str()).collect();
        f.debug_struct("Command")
            .field("program", program)
            .field("args", args)
            .field("folder", folder)
            .field("environment", &names)
            .field("stdin", stdin)
            .field("stdout", stdout)
            .field("stderr", stderr)
            .finish()
    }
}

impl From<Stdio> for std::process::Stdio {
    fn from(stdio: Stdio) -> Self {
        match stdio {
            Stdio::Null => Self::null(),
            Stdio::Piped => Self::piped(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_the_environment_are_not_printed() {
        let text = format!("{:?}", Command::new("x", "/").environment([("TOKEN", "hunter2")]));
        assert!(text.contains("TOKEN") && !text.contains("hunter2"), "{text}");
    }
}
