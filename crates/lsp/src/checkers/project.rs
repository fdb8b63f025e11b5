//! What a checker works with: the files that were listed, where its executable is, and a way to run it within limits.
//! It must never start a process outside `peer`, or hand on output that was cut as if it were whole.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use peer::{Command, Exit, Spawn, Tail};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use workspace::detect::{SearchPath, Sought};
use workspace::{Found, Workspace};

use super::report::Report;
use crate::{Error, limits};

/// One workspace while it is checked.
#[derive(Debug)]
pub(super) struct Project<'a> {
    pub(super) workspace: &'a Workspace,
    environment: &'a [(OsString, OsString)],
    spawn: &'a dyn Spawn,
    files: Vec<Found>,
    slots: Semaphore,
}

/// What a process left.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) exit: Exit,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl<'a> Project<'a> {
    pub(super) async fn list(
        workspace: &'a Workspace,
        environment: &'a [(OsString, OsString)],
        spawn: &'a dyn Spawn,
    ) -> Result<Self, Error> {
        let listed = workspace.clone();
        let walk = tokio::task::spawn_blocking(move || {
            let scope = listed.scope(None)?;
            listed.walk(&scope, &|_| true, &|| false)
        });
        let files = match walk.await {
            Ok(walk) => walk?.files,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        };
        let slots = Semaphore::new(limits::CHECKERS_AT_ONCE);
        Ok(Self { workspace, environment, spawn, files, slots })
    }

    /// The folders that hold a file of one of these names, those nearest to the root first.
    pub(super) fn folders(&self, names: &[&str]) -> Vec<PathBuf> {
        let named = self.files.iter().filter(|file| {
            file.absolute.file_name().and_then(OsStr::to_str).is_some_and(|name| names.contains(&name))
        });
        let folders: BTreeSet<&Path> = named.filter_map(|file| file.absolute.parent()).collect();
        let mut folders: Vec<PathBuf> = folders.into_iter().map(Path::to_owned).collect();
        folders.sort_by_key(|folder| folder.components().count());
        folders
    }

    /// Of those, the ones that lie below no other.
    pub(super) fn outermost(&self, names: &[&str]) -> Vec<PathBuf> {
        let mut outermost: Vec<PathBuf> = Vec::new();
        for folder in self.folders(names) {
            if !outermost.iter().any(|outer| folder.starts_with(outer)) {
                outermost.push(folder);
            }
        }
        outermost
    }

    /// How many listed files below `folder` have one of these endings.
    pub(super) fn count(&self, folder: &Path, extensions: &[&str]) -> usize {
        let wanted = |file: &&Found| {
            let extension = file.absolute.extension().and_then(OsStr::to_str).unwrap_or_default();
            file.absolute.starts_with(folder) && extensions.contains(&extension)
        };
        self.files.iter().filter(wanted).count()
    }

    /// An executable for `folder`, the project's own before the search path's; else where it was looked for.
    pub(super) fn executable(&self, folder: &Path, names: &[&str]) -> Result<PathBuf, String> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let folders = path.map(|(_, path)| std::env::split_paths(path).collect::<Vec<_>>());
        let search = SearchPath::of(folders.unwrap_or_default());
        // The marker is there already: the checker knows its folder by it.
        let sought = Sought { markers: &[], executables: names, fits: &|_| true };
        let mut detection = self.workspace.detect(folder, &sought, &search);
        detection.marker = Some(folder.to_owned());
        detection.executable.clone().ok_or_else(|| detection.to_string())
    }

    /// Starts an empty report about `folder`.
    pub(super) fn report(&self, checker: &str, folder: &Path) -> Report<'_> {
        let shown = self.workspace.relative(folder).unwrap_or_else(|| folder.display().to_string());
        Report::new(self.workspace, checker, shown, folder)
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// Why it cannot be believed, as a sentence goes on: it did not start, did not end in time, or said too much.
    pub(super) async fn run<A: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: &[A],
        folder: &Path,
    ) -> Result<Ran, String> {
        let Ok(_slot) = self.slots.acquire().await else { return Err("it was not started".to_owned()) };
        let command = Command::new(program, folder)
            .args(arguments.iter().map(AsRef::as_ref))
            .environment(self.environment.iter().cloned())
            .without_stdin();
        let mut child = self.spawn.spawn(command).await.map_err(|error| error.to_string())?;
        let (Some(stdout), Some(stderr)) = (child.take_stdout(), child.take_stderr()) else {
            return Err("its output cannot be read".to_owned());
        };
        let stdout = Tail::drain(stdout, limits::CHECKER_OUTPUT);
        let stderr = Tail::drain(stderr, limits::CHECKER_OUTPUT);
        let Ok(exit) = timeout(limits::CHECKER, child.wait()).await else {
            let said = last_lines(&stderr.kept().text);
            return Err(format!("it did not end within {:?}{said}", limits::CHECKER));
        };
        // A daemon that the checker left behind may hold the streams; it dies with the child's handle.
        let ends = async { futures_util::join!(stdout.ended(), stderr.ended()) };
        _ = timeout(limits::CHECKER_STREAMS, ends).await;
        let (stdout, stderr) = (stdout.kept(), stderr.kept());
        if stdout.dropped + stderr.dropped > 0 {
            return Err(format!("it wrote more than {} bytes", limits::CHECKER_OUTPUT));
        }
        Ok(Ran { exit, stdout: stdout.text, stderr: stderr.text })
    }
}

impl Ran {
    /// Why this run is no evidence: how it ended, and the last that it said.
    pub(super) fn failure(&self) -> String {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        format!("it ended with {}{}", self.exit, last_lines(said))
    }
}

/// The end of what a process wrote, to follow a sentence.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(limits::CHECKER_LAST_LINES)..];
    if last.is_empty() { String::new() } else { format!(":\n{}", last.join("\n")) }
}
