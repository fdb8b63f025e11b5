//! What a model reads, and the same as data. Every list and value has its limit, and what was cut is counted.
//! It must never print an adapter's text raw: control characters would forge lines of an answer.

mod points;

use serde_json::{Value, json};
use tool::Output;

use crate::inspect::{Children, Found, Holding};
use crate::launch::Standing;
use crate::limits;
use crate::output::Kept;
use crate::protocol::Thread;
use crate::report::{Exception, Frame, Report, Stack, Total};
use crate::session::{Outcome, Session};
use crate::state::{Ended, Phase};

pub(crate) use points::{breakpoints, filters, functions, unmet};

/// `text` in at most `limit` characters, and how many were cut.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => workspace::shown(text).into_owned(),
        Some((at, _)) => {
            let rest = text[at..].chars().count();
            format!("{}… (+{rest})", workspace::shown(&text[..at]))
        }
    }
}

/// How the last thing that was asked of the program ended.
pub(crate) fn outcome(session: &Session, outcome: &Outcome) -> Output {
    match outcome {
        Outcome::Stopped(report) => stopped(session, report),
        Outcome::Ended(how) => ended(session, how),
        Outcome::Running => running(session),
    }
}

/// Where the session stands.
pub(crate) fn status(session: &Session, report: Option<&Report>) -> Output {
    match (session.state().phase, report) {
        (Phase::Stopped(_), Some(report)) => stopped(session, report),
        (Phase::Ended(how), _) => ended(session, &how),
        (Phase::Configuring, _) => configuring(&session.program),
        _ => running(session),
    }
}

/// A program that is being started.
pub(crate) fn configuring(program: &str) -> Output {
    let text = format!("`{program}` is being started (configuring)");
    Output::text(text).with_data(json!({"state": "configuring", "program": program}))
}

fn running(session: &Session) -> Output {
    let unseen = session.shared().output.unseen();
    let text = format!(
        "running: `{}` has not stopped; `continue` waits on, `pause` stops it{}",
        session.program,
        new_output(unseen)
    );
    Output::text(noted(session, text)).with_data(json!({
        "state": "running",
        "program": session.program,
        "adapter": session.adapter().id,
        "new_output_bytes": unseen,
    }))
}

fn ended(session: &Session, how: &Ended) -> Output {
    let unseen = session.shared().output.unseen();
    let text = session.end().unwrap_or_default() + &new_output(unseen);
    let (state, code) = match how {
        Ended::Exited(code) => ("exited", *code),
        Ended::Terminated { .. } => ("terminated", None),
        Ended::Expired { .. } => ("expired", None),
        Ended::Lost(_) => ("lost", None),
    };
    Output::text(text).with_data(json!({
        "state": state,
        "program": session.program,
        "adapter": session.adapter().id,
        "exit_code": code,
        "new_output_bytes": unseen,
    }))
}

fn new_output(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!("\nnew output: {bytes} bytes (`output` shows it)") }
}

fn noted(session: &Session, text: String) -> String {
    session.notes.iter().fold(text, |text, note| format!("{text}\nnote: {note}"))
}

fn stopped(session: &Session, report: &Report) -> Output {
    let stop = &report.stop;
    let unseen = session.shared().output.unseen();
    let top = report.stack.frames.first();
    let hit: Vec<String> = stop
        .breakpoints
        .iter()
        .map(|id| match session.shared().breakpoints.place(*id) {
            Some((file, line)) => format!("{}:{line}", session.shown(&file)),
            None => format!("breakpoint {id}"),
        })
        .collect();
    let mut lines = vec![standing(report)];
    if let Some(lack) = &report.stack.lack {
        lines.push(format!("there is no frame: {}", cut(lack, limits::NAME)));
    }
    lines.extend(report.exception.as_ref().map(exception_line));
    lines.extend(source_lines(report));
    let thread = report.thread.map(|thread| format!("thread {thread}"));
    let frame = top.map(|top| format!("frame_id {}", top.id));
    lines.push(frame.into_iter().chain(thread).collect::<Vec<_>>().join(", "));
    if !hit.is_empty() {
        lines.push(format!("breakpoints hit: {}", hit.join(", ")));
    }
    let text = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let data = json!({
        "state": "stopped",
        "program": session.program,
        "adapter": session.adapter().id,
        "stop": stop.number,
        "reason": stop.reason.word(),
        "description": stop.text,
        "thread_id": report.thread,
        "function": top.map(|top| &top.function),
        "file": top.and_then(|top| top.shown.as_ref()),
        "line": top.map(|top| top.line),
        "frame_id": top.map(|top| top.id),
        "breakpoints_hit": hit,
        "exception": report.exception.as_ref().map(|exception| json!({
            "name": exception.name,
            "text": exception.text,
            "exit_code": exit_code(exception),
        })),
        "new_output_bytes": unseen,
    });
    Output::text(noted(session, text + &new_output(unseen))).with_data(data)
}

/// Where a stopped program stands, in a line.
pub(crate) fn standing(report: &Report) -> String {
    let (stop, top) = (&report.stop, report.stack.frames.first());
    format!("stopped: {}{} (stop #{})", stop.reason.word(), at(top), stop.number)
}

/// ` in `f` at a.c:3`.
fn at(frame: Option<&Frame>) -> String {
    let Some(frame) = frame else { return String::new() };
    format!(" in `{}`{}", cut(&frame.function, limits::NAME), place(frame))
}

fn place(frame: &Frame) -> String {
    match &frame.shown {
        Some(file) if frame.line > 0 => format!(" at {file}:{}", frame.line),
        Some(file) => format!(" in {file}"),
        None => " (no source)".to_owned(),
    }
}

/// The lines around the top frame, or around the frame of the workspace that has called it.
fn source_lines(report: &Report) -> Vec<String> {
    let Some((index, lines)) = &report.lines else { return Vec::new() };
    let frame = &report.stack.frames[*index];
    let width = lines.last().map_or(0, |(number, _)| number.to_string().len());
    let caller = (*index > 0).then(|| {
        format!(
            "called from `{}`{}, frame_id {}:",
            cut(&frame.function, limits::NAME),
            place(frame),
            frame.id
        )
    });
    let marked = lines.iter().map(|(number, text)| {
        let mark = if *number == frame.line { "→" } else { " " };
        format!("{mark} {number:>width$} | {}", cut(text, limits::VALUE))
    });
    caller.into_iter().chain(marked).collect()
}

fn exception_line(exception: &Exception) -> String {
    let text = cut(&exception.text, limits::VALUE);
    match exit_code(exception) {
        Some(code) => format!("about to exit with code {code} (`SystemExit`), not a crash"),
        None if exception.name.is_empty() || exception.text.contains(&exception.name) => {
            format!("exception: {text}")
        }
        None => format!("exception: {}: {text}", exception.name),
    }
}

/// Python ends a program by an exception, whose text is the code: nothing is 0, and words are printed with 1.
fn exit_code(exception: &Exception) -> Option<i64> {
    let named = |text: &str| text == "SystemExit" || text.ends_with(".SystemExit");
    let text = exception.text.trim();
    if !named(&exception.name) && !named(text) {
        return None;
    }
    Some(match text {
        "" | "None" | "SystemExit" => 0,
        text => text.parse().unwrap_or(1),
    })
}

pub(crate) fn adapters(standings: &[Standing], notes: &[String]) -> Output {
    let line = |standing: &Standing| match (&standing.missing, &standing.executable) {
        (None, Some(executable)) => format!("{}: usable ({})", standing.id, executable.display()),
        (missing, _) => format!("{}: {}", standing.id, missing.as_deref().unwrap_or("no executable")),
    };
    let lines = standings.iter().map(line).chain(notes.iter().map(|note| format!("note: {note}")));
    let data: Vec<Value> = standings
        .iter()
        .map(|standing| {
            json!({
                "id": standing.id,
                "usable": standing.missing.is_none(),
                "executable": standing.executable,
                "missing": standing.missing,
            })
        })
        .collect();
    Output::text(lines.collect::<Vec<_>>().join("\n")).with_data(json!({ "adapters": data }))
}

pub(crate) fn threads(threads: &[Thread], stopped: Option<i64>) -> Output {
    let line = |thread: &Thread| {
        let mark = if Some(thread.id) == stopped { " (stopped here)" } else { "" };
        format!("thread {} `{}`{mark}", thread.id, cut(&thread.name, limits::NAME))
    };
    let mut lines: Vec<String> = threads.iter().take(limits::THREADS).map(line).collect();
    if threads.len() > limits::THREADS {
        lines.push(format!("{} of {} threads", limits::THREADS, threads.len()));
    }
    let data: Vec<Value> =
        threads.iter().map(|thread| json!({"thread_id": thread.id, "name": thread.name})).collect();
    Output::text(lines.join("\n")).with_data(json!({ "threads": data }))
}

pub(crate) fn stack(thread: Option<i64>, stack: &Stack) -> Output {
    let line = |(index, frame): (usize, &Frame)| {
        format!("#{index} frame_id {} `{}`{}", frame.id, cut(&frame.function, limits::NAME), place(frame))
    };
    let mut lines: Vec<String> = stack.frames.iter().enumerate().map(line).collect();
    let (total, exact) = match stack.total {
        Total::Exactly(total) => (total, true),
        Total::AtLeast(total) => (total, false),
        Total::Unknown => (stack.frames.len(), false),
    };
    if total > stack.frames.len() {
        let least = if exact { "" } else { "at least " };
        lines.push(format!("{} of {least}{total} frames", stack.frames.len()));
    }
    lines.extend(stack.lack.as_ref().map(|lack| format!("there is no frame: {}", cut(lack, limits::NAME))));
    let data: Vec<Value> = stack
        .frames
        .iter()
        .map(|frame| {
            json!({
                "frame_id": frame.id, "function": frame.function, "file": frame.shown, "line": frame.line,
            })
        })
        .collect();
    let data = json!({"thread_id": thread, "frames": data, "total": total, "total_is_exact": exact});
    Output::text(lines.join("\n")).with_data(data)
}

pub(crate) fn scopes(scopes: &[Found]) -> Output {
    let line = |scope: &Found| {
        let count = scope.count.map(|count| format!(", {count} variables")).unwrap_or_default();
        let expensive = if scope.expensive { ", slow to list" } else { "" };
        format!("reference {} `{}`{count}{expensive}", scope.reference, cut(&scope.name, limits::NAME))
    };
    let mut lines: Vec<String> = scopes.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("this frame has no scopes".to_owned());
    }
    let data: Vec<Value> =
        scopes.iter().map(|scope| json!({"name": scope.name, "reference": scope.reference})).collect();
    Output::text(lines.join("\n")).with_data(json!({ "scopes": data }))
}

pub(crate) fn variables(children: &Children) -> Output {
    let mut lines: Vec<String> = children.shown.iter().map(holding_line).collect();
    let end = children.start + children.shown.len() as u64;
    if children.shown.len() as u64 != children.total && !children.shown.is_empty() {
        let more = if end < children.total { format!("; `start`: {end} shows more") } else { String::new() };
        lines.push(format!("{} of {} children{more}", children.shown.len(), children.total));
    } else if lines.is_empty() {
        let past = if children.start > 0 { format!(" from {} on", children.start) } else { String::new() };
        lines.push(format!("no children{past}"));
    }
    let data: Vec<Value> = children.shown.iter().map(holding_data).collect();
    let data = json!({"variables": data, "start": children.start, "total": children.total});
    Output::text(lines.join("\n")).with_data(data)
}

pub(crate) fn value(holding: &Holding, note: Option<&str>) -> Output {
    let note = note.map(|note| format!("\nnote: {note}")).unwrap_or_default();
    Output::text(holding_line(holding) + &note).with_data(holding_data(holding))
}

fn holding_line(holding: &Holding) -> String {
    let kind = holding.kind.as_ref().map(|kind| format!(": {}", cut(kind, limits::NAME))).unwrap_or_default();
    let reference = holding.reference.map(|reference| {
        let count = holding.count.map(|count| format!(", {count} items")).unwrap_or_default();
        format!(" (reference {reference}{count})")
    });
    let value = cut(&holding.value, limits::VALUE);
    format!("{}{kind} = {value}{}", cut(&holding.name, limits::NAME), reference.unwrap_or_default())
}

fn holding_data(holding: &Holding) -> Value {
    json!({
        "name": holding.name,
        "value": cut(&holding.value, limits::VALUE),
        "type": holding.kind,
        "reference": holding.reference,
    })
}

pub(crate) fn output(session: &Session, kept: &Kept) -> Output {
    let terminal = session.adapter().terminal_output;
    let clean = |text: &str| if terminal { text.replace("\r\n", "\n") } else { text.to_owned() };
    let mut text = String::new();
    if kept.dropped > 0 {
        text.push_str(&format!("… ({} bytes came before and were dropped)\n", kept.dropped));
    }
    for piece in &kept.pieces {
        text.push_str(&format!("[{}]\n{}", piece.stream, clean(&piece.text)));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if kept.pieces.is_empty() {
        text.push_str("no output yet\n");
    } else if terminal {
        text.push_str("note: with this adapter both streams may come as stdout\n");
    }
    let pieces: Vec<Value> = kept
        .pieces
        .iter()
        .map(|piece| json!({"stream": piece.stream.to_string(), "text": clean(&piece.text)}))
        .collect();
    Output::text(text.trim_end()).with_data(json!({"pieces": pieces, "dropped_bytes": kept.dropped}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_cut_on_a_character_and_counted() {
        assert_eq!(cut("a€€b", 2), "a€… (+2)");
        assert_eq!(cut("a\n€", 3), r"a\n€");
    }

    #[test]
    fn the_exception_that_ends_a_program_is_told_apart_from_a_crash() {
        let exception = |name: &str, text: &str| Exception { name: name.to_owned(), text: text.to_owned() };
        assert_eq!(exit_code(&exception("SystemExit", "3")), Some(3));
        assert_eq!(exit_code(&exception("SystemExit", "no input")), Some(1));
        assert_eq!(exit_code(&exception("SystemExit", "")), Some(0));
        assert_eq!(exit_code(&exception("ValueError", "3")), None);
        assert_eq!(exception_line(&exception("ValueError", "bad")), "exception: ValueError: bad");
    }
}
