//! What the checkers said, as a model reads it and as a program does.
//! It must never show a list without its true total, or a run that is no evidence as a clean one.

use serde_json::{Value, json};
use tool::Output;
use workspace::shown;

use super::MARKERS;
use super::report::{Checked, CheckerDiagnostic, Outcome};
use crate::diagnostic::Severity;
use crate::limits;

/// One line a checker, then the diagnostics, errors of all checkers first; `data` holds every one of them.
pub(crate) fn output(checked: &[Checked]) -> Output {
    if checked.is_empty() {
        let markers: Vec<String> = MARKERS.concat().iter().map(|marker| format!("`{marker}`")).collect();
        let text = format!("not verified: no checker for this workspace; looked for {}", markers.join(", "));
        return Output::text(text).with_data(json!({ "checkers": [], "diagnostics": [], "total": 0 }));
    }
    let mut text = String::new();
    for one in checked {
        let place = if one.folder == "." { String::new() } else { format!(" ({})", shown(&one.folder)) };
        let outside = match one.outside {
            0 => String::new(),
            many => format!("; {many} more in files outside the workspace"),
        };
        text.push_str(&format!("{}{place}: {}{outside}\n", one.checker, one.outcome));
    }
    let mut all: Vec<(&CheckerDiagnostic, &Checked)> =
        checked.iter().flat_map(|one| one.diagnostics.iter().map(move |found| (found, one))).collect();
    all.sort_by_key(|(found, _)| *found);
    let shown = all.len().min(limits::CHECKER_DIAGNOSTICS);
    if !all.is_empty() {
        text.push('\n');
    }
    for (found, one) in &all[..shown] {
        text.push_str(&line(found, one));
    }
    if shown < all.len() {
        let errors = all.iter().filter(|(found, _)| found.severity == Severity::Error).count();
        let (warnings, total) = (all.len() - errors, all.len());
        text.push_str(&format!("{shown} of {total} shown ({errors} errors, {warnings} warnings)\n"));
    }
    let diagnostics: Vec<Value> = all.iter().map(|(found, one)| datum(found, one)).collect();
    let checkers: Vec<Value> = checked.iter().map(summary).collect();
    let data = json!({
        "checkers": checkers, "diagnostics": diagnostics, "total": all.len(), "shown": shown,
    });
    Output::text(text.trim_end().to_owned()).with_data(data)
}

fn line(found: &CheckerDiagnostic, one: &Checked) -> String {
    let place = match &found.path {
        None => "(no place)".to_owned(),
        Some(path) if found.line == 0 => shown(path).into_owned(),
        Some(path) if found.column == 0 => format!("{}:{}", shown(path), found.line),
        Some(path) => format!("{}:{}:{}", shown(path), found.line, found.column),
    };
    let code = found.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
    let message = cut(&found.message).replace('\n', "\n    ");
    format!("{place}: {}{code}: {message} [{}]\n", found.severity, one.checker)
}

fn cut(message: &str) -> String {
    match message.char_indices().nth(limits::CHECKER_MESSAGE) {
        Some((at, _)) => format!("{}… ({} characters)", &message[..at], message.chars().count()),
        None => message.to_owned(),
    }
}

fn datum(found: &CheckerDiagnostic, one: &Checked) -> Value {
    json!({
        "path": found.path, "line": found.line, "column": found.column,
        "severity": found.severity.to_string(), "code": found.code, "message": found.message,
        "checker": one.checker, "folder": one.folder,
    })
}

fn summary(one: &Checked) -> Value {
    let mut summary = json!({
        "checker": one.checker, "folder": one.folder, "command": one.command, "outside": one.outside,
    });
    let more = match &one.outcome {
        Outcome::Verified { errors, warnings, checked, of, unit: _ } => json!({
            "verified": true, "errors": errors, "warnings": warnings, "checked": checked,
            "of": of.unwrap_or(*checked),
        }),
        Outcome::NotVerified { why } => json!({ "verified": false, "why": why }),
    };
    if let (Some(summary), Value::Object(more)) = (summary.as_object_mut(), more) {
        summary.extend(more);
    }
    summary
}
