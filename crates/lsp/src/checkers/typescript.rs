//! TypeScript: `tsc` on every project, those that a solution refers to included, each by itself and without output.
//!
//! `tsc -b --noEmit` cannot do it: it leaves build information in the project, and stops at a project that refers to
//! another (TS6310). It must never take a solution's root, which holds no file, for a project without errors.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::project::{Project, Ran};
use super::report::{Checked, Place, Report, Unit};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &["tsconfig.json"];
const NAME: &str = "tsc";
/// Lists what a solution refers to, in build order, and builds nothing.
const SOLUTION: &[&str] = &["-b", "--dry", "--verbose", "--pretty", "false"];
/// No file is written: a composite project would leave its build information otherwise.
const FLAGS: &str =
    "--noEmit --pretty false --composite false --incremental false --tsBuildInfoFile null --listFiles";
/// What a project refers to has not been built, so its types are unknown.
const NOT_BUILT: &str = "TS6305";

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let mut checked = Vec::new();
    let (mut done, mut covered): (HashSet<PathBuf>, HashSet<PathBuf>) = (HashSet::new(), HashSet::new());
    for folder in project.folders(MARKERS) {
        let config = folder.join(MARKERS[0]);
        if done.contains(&config) || covered.iter().any(|file| file.starts_with(&folder)) {
            continue;
        }
        let tsc = match project.executable(&folder, &["tsc"]) {
            Ok(tsc) => tsc,
            Err(why) => {
                checked.push(project.report(NAME, &folder).not_verified(why));
                // A folder below may have an executable of its own.
                continue;
            }
        };
        for config in projects(project, &tsc, &folder, &config).await {
            if !done.insert(config.clone()) {
                continue;
            }
            let folder = config.parent().unwrap_or(&folder);
            let report = project.report(NAME, folder);
            if checked.len() == limits::CHECKED_PROJECTS {
                checked.push(report.too_many());
                return checked;
            }
            let (one, files) = one(project, &tsc, folder, &config, report).await;
            covered.extend(files);
            checked.push(one);
        }
    }
    checked
}

/// The configuration itself, or of a solution every project in it that holds files.
async fn projects(project: &Project<'_>, tsc: &Path, folder: &Path, config: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(config).unwrap_or_default();
    if text.contains("\"references\"")
        && let Ok(ran) = project.run(tsc, SOLUTION, folder).await
    {
        let listed = ran.stdout.lines().filter_map(|line| line.trim_start().strip_prefix("* "));
        let listed: Vec<PathBuf> = listed.map(|path| folder.join(path.trim())).collect();
        let others = listed.iter().any(|other| other != config);
        let empty = text.split_whitespace().collect::<String>().contains("\"files\":[]");
        if others {
            return listed.into_iter().filter(|listed| listed != config || !empty).collect();
        }
    }
    vec![config.to_owned()]
}

/// The report, and the workspace's files that were checked.
async fn one(
    project: &Project<'_>,
    tsc: &Path,
    folder: &Path,
    config: &Path,
    mut report: Report<'_>,
) -> (Checked, Vec<PathBuf>) {
    let name = config.file_name().unwrap_or_default().to_string_lossy();
    let mut arguments = vec!["-p", &*name];
    report.command(tsc, &[&arguments[..], &["--noEmit"]].concat());
    arguments.extend(FLAGS.split(' '));
    let ran = match project.run(tsc, &arguments, folder).await {
        Ok(ran) => ran,
        Err(why) => return (report.not_verified(why), Vec::new()),
    };
    let read = read(&ran, &mut report);
    let own = |file: &PathBuf| {
        project.workspace.relative(file).is_some()
            && !file.components().any(|part| part.as_os_str() == "node_modules")
    };
    let files: Vec<PathBuf> = read.files.into_iter().filter(own).collect();
    let checked = if read.not_built {
        let why = "a project that it refers to has not been built, so types from there are unknown (TS6305); \
                   `tsc -b` builds it";
        report.not_verified(why)
    } else if !ran.exit.is_success() && !report.has_errors() {
        report.not_verified(ran.failure())
    } else {
        report.verified(files.len(), files.len(), Unit::Files)
    };
    (checked, files)
}

struct Read {
    files: Vec<PathBuf>,
    not_built: bool,
}

/// Diagnostics (a line that is indented goes on with the one above) and, between them, the files by absolute path.
fn read(ran: &Ran, report: &mut Report<'_>) -> Read {
    let mut read = Read { files: Vec::new(), not_built: false };
    let mut open: Option<Told<'_>> = None;
    for line in ran.stdout.lines().chain(ran.stderr.lines()) {
        if line.starts_with(char::is_whitespace) {
            if let Some(told) = &mut open {
                told.message.push('\n');
                told.message.push_str(line);
            }
            continue;
        }
        if let Some(told) = open.take() {
            told.add(report);
        }
        match told(line) {
            Some(told) if told.code == NOT_BUILT => read.not_built = true,
            Some(told) => open = Some(told),
            None if Path::new(line).is_absolute() => read.files.push(line.into()),
            None => {}
        }
    }
    if let Some(told) = open {
        told.add(report);
    }
    read
}

struct Told<'a> {
    place: Option<Place>,
    severity: Severity,
    code: &'a str,
    message: String,
}

impl Told<'_> {
    fn add(self, report: &mut Report<'_>) {
        report.add(self.place, self.severity, Some(self.code), &self.message);
    }
}

/// `file(line,column): error TS1: message`, or the same without a place.
fn told(line: &str) -> Option<Told<'_>> {
    let told = |place: &str, severity: Severity, word: &str| {
        let (place, rest) = match place {
            "" => (None, line.strip_prefix(word)?),
            separator => {
                let (place, rest) = line.split_once(&format!("{separator}{word}"))?;
                (Some(self::place(place)?), rest)
            }
        };
        let (code, message) = rest.strip_prefix(' ')?.split_once(": ")?;
        code.strip_prefix("TS")?.parse::<u32>().ok()?;
        Some(Told { place, severity, code, message: message.to_owned() })
    };
    let kinds = [("error", Severity::Error), ("warning", Severity::Warning)];
    kinds
        .iter()
        .find_map(|(word, severity)| told("): ", *severity, word).or_else(|| told("", *severity, word)))
}

fn place(text: &str) -> Option<Place> {
    let (path, numbers) = text.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    Some(Place { path: path.into(), line, column, counts: Encoding::Utf16 })
}
