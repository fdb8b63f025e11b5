//! Dart: `dart analyze` in every outermost package, in its format for machines.
//! It must never split a message at a bar of its own: bars, backslashes and line ends are escaped in it.

use super::project::Project;
use super::report::{Checked, Place, Report, Unit};
use crate::diagnostic::Severity;
use crate::limits;
use crate::position::Encoding;

pub(super) const MARKERS: &[&str] = &["pubspec.yaml"];
const NAME: &str = "dart analyze";
const ANALYZE: &[&str] = &["analyze", "--format=machine"];
/// Without findings, with remarks or warnings, with errors.
const EXITS: std::ops::RangeInclusive<i32> = 0..=3;

pub(super) async fn check(project: &Project<'_>) -> Vec<Checked> {
    let mut checked = Vec::new();
    for folder in project.outermost(MARKERS) {
        let mut report = project.report(NAME, &folder);
        if checked.len() == limits::CHECKED_PROJECTS {
            checked.push(report.too_many());
            break;
        }
        let dart = match project.executable(&folder, &["dart"]) {
            Ok(dart) => dart,
            Err(why) => {
                checked.push(report.not_verified(why));
                continue;
            }
        };
        report.command(&dart, ANALYZE);
        checked.push(match project.run(&dart, ANALYZE, &folder).await {
            Ok(ran) => {
                let lines = ran.stdout.lines().chain(ran.stderr.lines());
                let findings = lines.filter(|line| add(&mut report, line)).count();
                let ended = matches!(ran.exit, peer::Exit::Code(code) if EXITS.contains(&code));
                if ended && (ran.exit.is_success() || findings > 0) {
                    let files = project.count(&folder, &["dart"]);
                    report.verified(files, files, Unit::Files)
                } else {
                    report.not_verified(ran.failure())
                }
            }
            Err(why) => report.not_verified(why),
        });
    }
    checked
}

/// Adds `SEVERITY|TYPE|CODE|FILE|LINE|COLUMN|LENGTH|MESSAGE`; whether the line was one.
fn add(report: &mut Report<'_>, line: &str) -> bool {
    let fields = fields(line);
    let [severity, _, code, path, row, column, _, message] = &fields[..] else { return false };
    let severity = match severity.as_str() {
        "ERROR" => Severity::Error,
        "WARNING" => Severity::Warning,
        "INFO" => return true,
        _ => return false,
    };
    let (Ok(line), Ok(column)) = (row.parse(), column.parse()) else { return false };
    let place = Place { path: path.into(), line, column, counts: Encoding::Utf16 };
    report.add(Some(place), severity, Some(&code.to_lowercase()), message);
    true
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut signs) = (vec![String::new()], line.chars());
    while let Some(sign) = signs.next() {
        let sign = match sign {
            '|' => {
                fields.push(String::new());
                continue;
            }
            '\\' => match signs.next() {
                Some('n') => '\n',
                Some(escaped) => escaped,
                None => '\\',
            },
            sign => sign,
        };
        if let Some(field) = fields.last_mut() {
            field.push(sign);
        }
    }
    fields
}
