//! Go: `go build` and `go vet` in every module of `go.work`, or in every module where there is none.
//! Vet writes its findings as JSON between lines of text and ends well with them: it must never be judged by its exit.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::project::{Project, Ran};
use super::report::{Checked, Report, Unit, located};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &["go.work", "go.mod"];
const NAME: &str = "go build, go vet";
/// Every error is told, and no program is left in the folder.
const BUILD: &[&str] = &["build", "-gcflags=-e", "-o", "/dev/null", "./..."];
const VET: &[&str] = &["vet", "-json", "./..."];
const PACKAGES: &[&str] = &["list", "-e", "./..."];
const MODULES: &[&str] = &["list", "-m", "-f", "{{.Dir}}"];

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut covered: HashSet<PathBuf> = HashSet::new();
    let mut folders = project.outermost(&["go.work"]);
    let works = folders.len();
    folders.extend(project.folders(&["go.mod"]));
    for (at, folder) in folders.into_iter().enumerate() {
        if covered.contains(&folder) {
            continue;
        }
        let go = match project.executable(&folder, &["go"]) {
            Ok(go) => go,
            Err(why) => {
                checked.push(project.report(NAME, &folder).not_verified(why));
                return checked;
            }
        };
        let modules =
            if at < works { modules(project, &go, &folder).await } else { Ok(vec![folder.clone()]) };
        let modules = match modules {
            Ok(modules) => modules,
            Err(why) => {
                checked.push(project.report(NAME, &folder).not_verified(why));
                continue;
            }
        };
        for module in modules {
            let report = project.report(NAME, &module);
            if checked.len() == limits::CHECKED_PROJECTS {
                checked.push(report.too_many());
                return checked;
            }
            checked.push(one(project, &go, &module, report).await);
            covered.insert(module);
        }
    }
    checked
}

async fn modules(project: &Project<'_>, go: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let ran = project.run(go, MODULES, folder).await?;
    if !ran.exit.is_success() {
        return Err(ran.failure());
    }
    let modules = ran.stdout.lines().map(PathBuf::from);
    Ok(modules.filter(|module| module.starts_with(project.workspace.root())).collect())
}

async fn one(project: &Project<'_>, go: &Path, module: &Path, mut report: Report<'_>) -> Checked {
    report.command(go, BUILD);
    report.command(go, VET);
    let steps = futures_util::join!(
        project.run(go, PACKAGES, module),
        project.run(go, BUILD, module),
        project.run(go, VET, module)
    );
    let (packages, build, vet) = match steps {
        (Ok(packages), Ok(build), Ok(vet)) => (packages, build, vet),
        (Err(why), ..) | (_, Err(why), _) | (.., Err(why)) => return report.not_verified(why),
    };
    text(&build, &mut report);
    text(&vet, &mut report);
    findings(&vet, &mut report);
    let packages = packages.stdout.lines().filter(|line| !line.trim().is_empty()).count();
    let failed = [&build, &vet].into_iter().find(|ran| !ran.exit.is_success());
    match failed {
        Some(ran) if !report.has_errors() => report.not_verified(ran.failure()),
        _ => report.verified(packages, packages, Unit::Packages),
    }
}

/// The compiler's lines, `file:line:column: message`; vet puts its name before them, and lines may go on indented.
fn text(ran: &Ran, report: &mut Report<'_>) {
    let mut open: Option<(_, String)> = None;
    for line in ran.stderr.lines() {
        if let (Some((_, message)), true) = (&mut open, line.starts_with('\t')) {
            message.push('\n');
            message.push_str(line);
            continue;
        }
        if let Some((place, message)) = open.take() {
            report.add(Some(place), Severity::Error, None, &message);
        }
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        // `go: …` and `# package` have no place; JSON may stand here as well.
        let is_text = !line.starts_with(char::is_whitespace) && !line.starts_with('#');
        open = located(line, Encoding::Utf8)
            .filter(|_| is_text)
            .map(|(place, message)| (place, message.to_owned()));
    }
    if let Some((place, message)) = open {
        report.add(Some(place), Severity::Error, None, &message);
    }
}

/// Vet's findings: objects of packages, of analyzers, of lists, wherever they were written.
fn findings(vet: &Ran, report: &mut Report<'_>) {
    for stream in [&vet.stdout, &vet.stderr] {
        let json: Vec<&str> = stream.lines().filter(|line| json_line(line)).collect();
        let json = json.join("\n");
        for packages in serde_json::Deserializer::from_str(&json).into_iter::<Value>().map_while(Result::ok) {
            let analyzers =
                packages.as_object().into_iter().flatten().filter_map(|(_, found)| found.as_object());
            for (analyzer, found) in analyzers.flatten() {
                for found in found.as_array().into_iter().flatten() {
                    let at = format!("{}:", found["posn"].as_str().unwrap_or_default());
                    let place = located(&at, Encoding::Utf8).map(|(place, _)| place);
                    let message = found["message"].as_str().unwrap_or_default();
                    report.add(place, Severity::Warning, Some(analyzer), message);
                }
            }
        }
    }
}

/// Vet indents with tabs what lies inside its braces; the compiler's continued lines are never quotes or brackets.
fn json_line(line: &str) -> bool {
    line.trim_start().starts_with(['{', '}', '[', ']', '"'])
}
