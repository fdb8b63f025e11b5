//! How breakpoints read: bound, moved, pending or rejected, and what a launch could not set.
//! It must never leave out one that is not as it was asked for.

use serde_json::json;
use tool::Output;

use super::cut;
use crate::breakpoints::{Bound, Function, Point};
use crate::limits;
use crate::session::Session;

/// How a breakpoint stands: the state in a word, and the rest of its line.
fn standing(bound: &Bound, wanted: u64, text: impl Fn(u64) -> String) -> (&'static str, String) {
    match bound {
        Bound::Pending => ("pending", "pending".to_owned()),
        Bound::Rejected(why) => ("rejected", format!("rejected: {}", cut(why, limits::VALUE))),
        Bound::At(line) if *line != wanted => ("moved", format!("moved {wanted} → {line}: {}", text(*line))),
        Bound::At(_) => ("bound", "bound".to_owned()),
    }
}

/// The breakpoints of one file; `lines` is its text.
pub(crate) fn breakpoints(file: &str, points: &[Point], lines: &[String], live: Option<&Session>) -> Output {
    let text_of = |line: u64| {
        let line = usize::try_from(line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
        line.map(|text| format!("`{}`", cut(text.trim(), limits::NAME))).unwrap_or_default()
    };
    if points.is_empty() {
        let text = format!("no breakpoints in {file}");
        return Output::text(text).with_data(json!({"file": file, "breakpoints": []}));
    }
    let (mut shown, mut data) = (vec![format!("breakpoints of {file}:")], Vec::new());
    for point in points {
        let (state, rest) = standing(&point.bound, point.wanted.line, text_of);
        let extra = [
            ("if", &point.wanted.condition),
            ("hits", &point.wanted.hit_condition),
            ("logs", &point.wanted.log_message),
        ];
        let extra = extra.into_iter().filter_map(|(word, text)| {
            text.as_ref().map(|text| format!(" ({word} {})", cut(text, limits::NAME)))
        });
        let rest = if point.bound == Bound::Pending && live.is_none() {
            "pending: set when a program is launched".to_owned()
        } else {
            rest
        };
        shown.push(format!("  {}: {rest}{}", point.wanted.line, extra.collect::<String>()));
        let line = match &point.bound {
            Bound::At(line) => Some(*line),
            _ => None,
        };
        let message = match &point.bound {
            Bound::Rejected(why) => Some(why),
            _ => None,
        };
        data.push(json!({
            "requested": point.wanted.line, "line": line, "state": state, "message": message,
        }));
    }
    Output::text(shown.join("\n")).with_data(json!({"file": file, "breakpoints": data}))
}

/// What was asked for before the launch and is not as it was asked for.
pub(crate) fn unmet(session: &Session) -> String {
    let breakpoints = &session.shared().breakpoints;
    let mut lines = Vec::new();
    for file in breakpoints.files() {
        for Point { wanted, bound, .. } in breakpoints.of(&file) {
            let how = match bound {
                Bound::At(line) if line == wanted.line => continue,
                Bound::At(line) => format!("is at line {line}"),
                Bound::Pending => "is not bound: no code of that line is loaded".to_owned(),
                Bound::Rejected(why) => format!("was rejected: {}", cut(&why, limits::VALUE)),
            };
            lines.push(format!("note: the breakpoint {}:{} {how}", session.shown(&file), wanted.line));
        }
    }
    for function in breakpoints.functions() {
        let how = match function.bound {
            Bound::At(_) => continue,
            Bound::Pending => "is not bound: it was not found yet".to_owned(),
            Bound::Rejected(why) => format!("was rejected: {}", cut(&why, limits::VALUE)),
        };
        lines.push(format!("note: the breakpoint at `{}` {how}", cut(&function.name, limits::NAME)));
    }
    let offered = session.shared().capabilities().exception_filters();
    let known: Vec<&str> = offered.iter().map(|offered| offered.filter.as_str()).collect();
    for filter in breakpoints.filters().unwrap_or_default() {
        if !known.contains(&filter.as_str()) {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            lines.push(format!("note: this adapter has no exception filter `{filter}`; it has: {known}"));
        }
    }
    lines.join("\n")
}

pub(crate) fn functions(functions: &[Function]) -> Output {
    if functions.is_empty() {
        return Output::text("no function breakpoints").with_data(json!({"functions": []}));
    }
    let (mut lines, mut data) = (vec!["function breakpoints:".to_owned()], Vec::new());
    for function in functions {
        let (state, rest) = match &function.bound {
            Bound::At(_) => ("bound", "bound".to_owned()),
            other => standing(other, 0, |_| String::new()),
        };
        lines.push(format!("  {}: {rest}", cut(&function.name, limits::NAME)));
        data.push(json!({"name": function.name, "state": state}));
    }
    Output::text(lines.join("\n")).with_data(json!({ "functions": data }))
}

/// The exceptions a program stops at, of those its adapter offers.
pub(crate) fn filters(on: &[String], offered: Option<&[String]>) -> Output {
    let list = |names: &[String]| {
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let text = match offered {
        Some(offered) => format!("stops at exceptions: {} (offered: {})", list(on), list(offered)),
        None => format!("stops at exceptions: {} (checked when a program is launched)", list(on)),
    };
    Output::text(text).with_data(json!({"filters": on, "offered": offered}))
}
