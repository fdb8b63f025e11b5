//! What a write made worse, as a model reads it and as a program does.
//! It must never say "no new diagnostics" unless every server had settled, and never show a part without the whole.

use serde_json::{Value, json};
use tool::Output;
use workspace::shown;

use super::findings::{Findings, Found};
use crate::limits;
use crate::settle::Settlement;

/// How what was found is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The write whose result this is added to.
    ThisWrite,
    /// One before.
    EarlierWrite,
    /// A change that is not made.
    Proposal,
}

/// Adds the findings behind the tool's own result; its data keeps what it has.
pub(super) fn add(output: Output, findings: &[Findings], about: About) -> Output {
    if findings.is_empty() {
        return output;
    }
    let data = data(findings, about);
    let merged = match output.data.clone() {
        None => json!({ "diagnostics": data }),
        Some(Value::Object(mut own)) => {
            // Of a result that tells of an earlier write and its own, both are kept, in order.
            match own.entry("diagnostics").or_insert_with(|| json!([])) {
                Value::Array(reports) => reports.extend(data.as_array().cloned().unwrap_or_default()),
                _ => return output.and_text(text(findings, about)),
            }
            Value::Object(own)
        }
        Some(_) => return output.and_text(text(findings, about)),
    };
    output.and_text(text(findings, about)).with_data(merged)
}

pub(super) fn text(findings: &[Findings], about: About) -> String {
    let own: Vec<(&Found, &Findings)> = with(findings, |one| &one.own);
    let others: Vec<(&Found, &Findings)> = with(findings, |one| &one.others);
    let mut text = heading(findings, own.len() + others.len(), about);
    list(&mut text, &own, limits::WRITTEN_SHOWN);
    if !others.is_empty() {
        text.push_str("\nin other files:");
        list(&mut text, &others, limits::OTHERS_SHOWN);
    }
    text.push_str(&doubtful(findings));
    text
}

/// What there is in other files, of which nothing was known before.
fn doubtful(findings: &[Findings]) -> String {
    let files: Vec<(&String, &usize)> = findings.iter().flat_map(|one| &one.doubtful).collect();
    if files.is_empty() {
        return String::new();
    }
    let errors: usize = files.iter().map(|(_, errors)| **errors).sum();
    let errors = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
    let mut named: Vec<String> = files
        .iter()
        .take(limits::DOUBTFUL_SHOWN)
        .map(|(path, errors)| format!("{}: {errors}", shown(path)))
        .collect();
    if files.len() > named.len() {
        named.push(format!("{} more files", files.len() - named.len()));
    }
    format!("\n{errors} in other files ({}); whether this made them is not known", named.join(", "))
}

fn with<'a>(
    findings: &'a [Findings],
    part: impl Fn(&'a Findings) -> &'a Vec<Found>,
) -> Vec<(&'a Found, &'a Findings)> {
    let mut all: Vec<(&Found, &Findings)> =
        findings.iter().flat_map(|one| part(one).iter().map(move |found| (found, one))).collect();
    all.sort_by_key(|(found, _)| found.new.diagnostic.severity);
    all
}

fn heading(findings: &[Findings], count: usize, about: About) -> String {
    let settled = findings.iter().all(|one| one.settlement == Settlement::Settled);
    let states: Vec<String> =
        findings.iter().map(|one| format!("{} {}", one.server, one.settlement)).collect();
    // Reports of several writes may be told at once.
    let mut seen = std::collections::BTreeSet::new();
    let states: Vec<&str> = states.iter().map(String::as_str).filter(|state| seen.insert(*state)).collect();
    let states = states.join("; ");
    let unmade = about == About::Proposal;
    // What a write breaks elsewhere such servers do not see.
    let extent = if findings.iter().any(|one| !one.doubtful.is_empty()) {
        " in what was written"
    } else if findings.iter().any(|one| one.of_open_files) {
        " in open files"
    } else {
        ""
    };
    let said = match (count, settled) {
        (0, true) if unmade => format!("Would introduce no new diagnostics{extent} ({states})"),
        (0, true) => format!("No new diagnostics{extent} ({states})"),
        (0, false) => format!("Diagnostics not known yet ({states})"),
        (count, _) if unmade => format!("Would introduce {count} ({states}):"),
        (count, _) => format!("New diagnostics: {count} ({states}):"),
    };
    let later = if settled || unmade || about == About::EarlierWrite {
        ""
    } else {
        "\nwhat is found later is told with a later result"
    };
    let earlier = if about == About::EarlierWrite { "Of an earlier write: " } else { "" };
    match (later.is_empty(), count) {
        (false, 0) => format!("{earlier}{said}{later}"),
        _ => format!("{earlier}{said}"),
    }
}

fn list(text: &mut String, all: &[(&Found, &Findings)], limit: usize) {
    for (found, one) in all.iter().take(limit) {
        text.push('\n');
        text.push_str(&line(found, one));
    }
    if all.len() > limit {
        text.push_str(&format!("\n{limit} of {} shown", all.len()));
    }
}

fn line(found: &Found, one: &Findings) -> String {
    let diagnostic = &found.new.diagnostic;
    let code = diagnostic.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
    let source = diagnostic.source.as_deref().unwrap_or(&one.server);
    let count = match (found.new.added, found.new.now) {
        (1, 1) => String::new(),
        (added, now) => format!(" (+{added}, now {now})"),
    };
    let compared =
        if found.compared { "" } else { " (present after this write; what was there before is not known)" };
    format!(
        "{}:{}:{}: {}{code}: {} [{source}]{count}{compared}",
        shown(&found.path),
        found.line,
        found.column,
        diagnostic.severity,
        cut(&diagnostic.message).replace('\n', "\n    "),
    )
}

fn cut(message: &str) -> String {
    match message.char_indices().nth(limits::CHECKER_MESSAGE) {
        Some((at, _)) => format!("{}… ({} characters)", &message[..at], message.chars().count()),
        None => message.to_owned(),
    }
}

/// One report a server, every diagnostic in it.
fn data(findings: &[Findings], about: About) -> Value {
    let about = match about {
        About::ThisWrite => "this write",
        About::EarlierWrite => "an earlier write",
        About::Proposal => "a proposal",
    };
    let one = |one: &Findings| {
        let (state, detail) = match &one.settlement {
            Settlement::Settled => ("settled", None),
            Settlement::Partial { waiting_for } => ("partial", Some(waiting_for)),
            Settlement::Unknown { why } => ("unknown", Some(why)),
        };
        let list = |all: &[Found]| -> Vec<Value> { all.iter().map(datum).collect() };
        json!({
            "about": about, "server": one.server, "state": state, "detail": detail,
            "new": list(&one.own), "in_other_files": list(&one.others),
            "errors_in_other_files_not_compared": one.doubtful,
        })
    };
    findings.iter().map(one).collect()
}

fn datum(found: &Found) -> Value {
    let diagnostic = &found.new.diagnostic;
    json!({
        "path": found.path, "line": found.line, "column": found.column,
        "severity": diagnostic.severity.to_string(), "code": diagnostic.code, "source": diagnostic.source,
        "message": diagnostic.message, "added": found.new.added, "now": found.new.now,
        "compared": found.compared,
    })
}
