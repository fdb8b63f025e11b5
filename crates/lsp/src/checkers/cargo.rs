//! Rust: `cargo check` for every workspace of the folder, whose members cargo itself names.
//! It must never take a run without `build-finished` for a run: a broken manifest ends the same way as errors do.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::project::Project;
use super::report::{Checked, Place, Report, Unit};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &["Cargo.toml"];
const NAME: &str = "cargo check";
const CHECK: &[&str] = &["check", "--workspace", "--all-targets", "--keep-going", "--message-format=json"];
const METADATA: &[&str] = &["metadata", "--no-deps", "--format-version=1"];

/// What `cargo metadata` says of one workspace.
struct Members {
    root: PathBuf,
    ids: HashSet<String>,
    folders: Vec<PathBuf>,
}

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut covered: HashSet<PathBuf> = HashSet::new();
    for folder in project.folders(MARKERS) {
        if covered.contains(&folder) {
            continue;
        }
        let report = project.report(NAME, &folder);
        if checked.len() == limits::CHECKED_PROJECTS {
            checked.push(report.too_many());
            break;
        }
        let (done, folders) = one(project, &folder, report).await;
        covered.extend(folders);
        checked.push(done);
    }
    checked
}

/// The report, and the folders of the packages it covers.
async fn one(project: &Project<'_>, folder: &Path, mut report: Report<'_>) -> (Checked, Vec<PathBuf>) {
    let cargo = match project.executable(folder, &["cargo"]) {
        Ok(cargo) => cargo,
        Err(why) => return (report.not_verified(why), Vec::new()),
    };
    report.command(&cargo, CHECK);
    let members = match project.run(&cargo, METADATA, folder).await {
        Ok(ran) => members(&ran.stdout).ok_or_else(|| ran.failure()),
        Err(why) => Err(why),
    };
    let members = match members {
        Ok(members) => members,
        Err(why) => return (report.not_verified(why), Vec::new()),
    };
    let ran = match project.run(&cargo, CHECK, folder).await {
        Ok(ran) => ran,
        Err(why) => return (report.not_verified(why), members.folders),
    };
    report.based_on(&members.root);
    let (mut targets, mut finished) = (HashSet::new(), None);
    for line in ran.stdout.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let reason = message["reason"].as_str().unwrap_or_default();
        if reason == "build-finished" {
            finished = message["success"].as_bool();
        }
        let mine = message["package_id"].as_str().is_some_and(|id| members.ids.contains(id));
        if mine && ["compiler-message", "compiler-artifact"].contains(&reason) {
            targets.insert(target(&message));
        }
        if reason == "compiler-message" {
            add(&mut report, &message["message"], project);
        }
    }
    let checked = match finished {
        // A build script that fails, or a dependency that cannot be built, is told on the error stream alone.
        Some(false) if !report.has_errors() => report.not_verified(ran.failure()),
        Some(_) => report.verified(targets.len(), targets.len(), Unit::Targets),
        None => report.not_verified(ran.failure()),
    };
    (checked, members.folders)
}

fn members(metadata: &str) -> Option<Members> {
    let metadata: Value = serde_json::from_str(metadata).ok()?;
    let ids = metadata["workspace_members"].as_array()?.iter();
    let packages = metadata["packages"].as_array()?.iter();
    let manifests = packages.filter_map(|package| package["manifest_path"].as_str());
    let root = PathBuf::from(metadata["workspace_root"].as_str()?);
    let mut folders: Vec<PathBuf> =
        manifests.filter_map(|path| Some(Path::new(path).parent()?.to_owned())).collect();
    folders.push(root.clone());
    Some(Members { root, ids: ids.filter_map(|id| Some(id.as_str()?.to_owned())).collect(), folders })
}

/// What tells targets apart: an example and a test may share a name, and a library is checked again for its tests.
fn target(message: &Value) -> (String, String, String) {
    let target = &message["target"];
    let text = |value: &Value| value.to_string();
    (text(&message["package_id"]), text(&target["kind"]), text(&target["name"]))
}

fn add(report: &mut Report<'_>, message: &Value, project: &Project<'_>) {
    let level = message["level"].as_str().unwrap_or_default();
    let severity = match level {
        "warning" => Severity::Warning,
        level if level.starts_with("error") => Severity::Error,
        _ => return,
    };
    let text = message["message"].as_str().unwrap_or_default();
    let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
    let counts = text.starts_with("aborting due to")
        || text.ends_with("warning emitted")
        || text.ends_with("warnings emitted");
    if spans.is_empty() && counts {
        return;
    }
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let place = primary.map(|span| place(span, project));
    report.add(place, severity, message["code"]["code"].as_str(), text);
}

/// The place in the project: out of the macros of others, to where they are used.
fn place(span: &Value, project: &Project<'_>) -> Place {
    let mut span = span;
    loop {
        let path = Path::new(span["file_name"].as_str().unwrap_or_default());
        let outside =
            path.is_absolute() && project.workspace.relative(path).is_none() || path.starts_with("<");
        let outer = &span["expansion"]["span"];
        if !outside || !outer.is_object() {
            let number =
                |key: &str| span[key].as_u64().and_then(|number| number.try_into().ok()).unwrap_or(0);
            let (line, column) = (number("line_start"), number("column_start"));
            return Place { path: path.to_owned(), line, column, counts: Encoding::Utf32 };
        }
        span = outer;
    }
}
