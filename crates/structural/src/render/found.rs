//! The result of `ast_grep`. Each match's first line starts with `path:line:column`.

use serde_json::{Value, json};
use tool::Output;

use super::{
    MAX_MATCHES_TEXT, MAX_TEXT, MAX_VARIABLE, but_torn, caveats, clip, clip_of, counted, flat, grouped,
    ranked, searched, tally_data, unfit_data,
};
use crate::languages::Selection;
use crate::pattern::Pattern;
use crate::search::{Answer, Hit, MAX_COUNTED};

/// Where at least this many match, near misses are not worth a line.
const MANY: usize = 50;
/// How many sorts of near misses are named.
const MAX_NEAR: usize = 5;

/// The answer, as text and data.
pub(crate) fn found(selection: &Selection<Pattern>, answer: &Answer) -> Output {
    let mut shown = 0;
    let mut matches = String::new();
    let mut printed = None;
    for (index, hit) in answer.hits.iter().enumerate() {
        let text = entry(hit, printed, answer.hits.get(index + 1));
        printed = Some(hit);
        if matches.len() + text.len() > MAX_MATCHES_TEXT {
            break;
        }
        matches.push_str(&text);
        shown += 1;
    }
    let mut lines = vec![headline(answer, shown)];
    if shown > 0 {
        lines.push(matches.trim_end_matches('\n').to_owned());
    }
    lines.extend(footer(selection, answer));
    Output::text(lines.join("\n")).with_data(data(selection, answer))
}

fn headline(answer: &Answer, shown: usize) -> String {
    let mut parts = Vec::new();
    match (answer.stopped, answer.total) {
        (true, _) => parts.push(format!("≥ {}", counted(MAX_COUNTED, "match"))),
        (false, 0) => parts.push(format!("0 matches{}", but_torn(&answer.tally))),
        (false, total) => {
            let files = counted(answer.files_with_matches, "file");
            parts.push(format!("{} in {files}", counted(total, "match")));
        }
    }
    if shown < answer.total {
        parts.push(format!("the first {} by path", grouped(shown)));
    }
    parts.extend(near_misses(answer));
    parts.join("; ")
}

/// `` 14 more differ only by `return_type`, 3 by `async` ``.
fn near_misses(answer: &Answer) -> Option<String> {
    if answer.stopped || answer.total >= MANY {
        return None;
    }
    let ranked = ranked(&answer.near);
    let (first, rest) = ranked.split_first()?;
    let verb = if first.1 == 1 { "differs" } else { "differ" };
    let mut text = format!("{} more {verb} only by `{}`", grouped(first.1), first.0);
    for (name, count) in rest.iter().take(MAX_NEAR - 1) {
        text.push_str(&format!(", {} by `{name}`", grouped(*count)));
    }
    Some(text)
}

/// A match between the ones before and after it. A line of context stands once: it is the earlier match's, unless it
/// is a line of the later one.
fn entry(hit: &Hit, earlier: Option<&Hit>, later: Option<&Hit>) -> String {
    let mut text = String::new();
    let here = |other: &&Hit| other.path == hit.path;
    let shown = earlier.filter(here).map_or(0, |earlier| earlier.end.line + earlier.after.len());
    let next = later.filter(here).map_or(usize::MAX, |later| later.start.line);
    let first = hit.start.line - hit.before.len();
    for (number, line) in (first..).zip(&hit.before).filter(|(number, _)| *number > shown) {
        text.push_str(&format!("    {number}- {}\n", clip(line, MAX_TEXT)));
    }
    let mark = if hit.generated { " (generated)" } else { "" };
    let matched = clip_of(&hit.text.text, hit.text.characters, MAX_TEXT);
    let mut matched = matched.lines();
    let opening = matched.next().unwrap_or_default();
    text.push_str(&format!(
        "{}:{}:{}{mark}: {opening}\n",
        workspace::shown(&hit.path),
        hit.start.line,
        hit.start.column
    ));
    for line in matched {
        text.push_str(&format!("    | {}\n", line.strip_prefix(hit.indent.as_str()).unwrap_or(line)));
    }
    for (name, value) in &hit.variables {
        let flat = flat(&value.text);
        let whole = value.text.chars().count() == value.characters;
        let characters = if whole { flat.chars().count() } else { value.characters };
        text.push_str(&format!("    {name} = {}\n", clip_of(&flat, characters, MAX_VARIABLE)));
    }
    for (number, line) in (hit.end.line + 1..).zip(&hit.after).take_while(|(number, _)| *number < next) {
        text.push_str(&format!("    {number}- {}\n", clip(line, MAX_TEXT)));
    }
    text
}

fn footer(selection: &Selection<Pattern>, answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    if answer.stopped {
        lines.push(
            "the search stopped there: narrow `path` or the pattern; not every file was searched".to_owned(),
        );
    } else {
        lines.push(searched(selection, &answer.searched, |pattern| pattern.reading().to_owned()));
        lines.extend(caveats(selection, &answer.tally));
    }
    for (reading, count) in ranked(&answer.also) {
        lines.push(format!("also reads as `{reading}`: {}", counted(count, "match")));
    }
    for (grammar, pattern) in &selection.programs {
        lines.extend(pattern.notes().iter().map(|note| format!("note ({}): {note}", grammar.id())));
    }
    lines
}

fn data(selection: &Selection<Pattern>, answer: &Answer) -> Value {
    let languages: Vec<Value> = selection
        .programs
        .iter()
        .zip(&answer.searched)
        .map(|((grammar, pattern), files)| {
            json!({ "language": grammar.id(), "reading": pattern.reading(), "files": files, "notes": pattern.notes() })
        })
        .collect();
    let mut data = json!({
        "matches": answer.hits.iter().map(|hit| hit_data(hit, answer.context)).collect::<Vec<_>>(),
        "total": answer.total.min(MAX_COUNTED),
        "total_is_exact": !answer.stopped,
        "files_with_matches": answer.files_with_matches,
        "languages": languages,
        "unfit": unfit_data(selection),
        "near_misses": answer.near,
        "other_readings": answer.also,
    });
    for (name, value) in tally_data(&answer.tally) {
        data[name] = value;
    }
    data
}

fn hit_data(hit: &Hit, context: usize) -> Value {
    let variables: serde_json::Map<String, Value> = hit
        .variables
        .iter()
        .map(|(name, text)| (name.trim_start_matches('$').to_owned(), json!(text.text)))
        .collect();
    let place = |byte: usize, at: workspace::text::Position| json!({ "byte": byte, "line": at.line, "column": at.column });
    let mut data = json!({
        "path": hit.path,
        "range": { "start": place(hit.range.start, hit.start), "end": place(hit.range.end, hit.end) },
        "text": hit.text.text,
        "characters": hit.text.characters,
        "variables": variables,
        "generated": hit.generated,
    });
    if context > 0 {
        data["context_before"] = json!(hit.before);
        data["context_after"] = json!(hit.after);
    }
    data
}
