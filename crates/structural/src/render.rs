//! What a model reads: bounded text, and the same facts as data.
//! It must never cut without saying how much, nor say "none" of what was not looked at.

mod found;
mod proposed;

pub(crate) use found::found;
pub(crate) use proposed::{Staged, proposed, title, warnings};

use std::collections::BTreeMap;

use grammars::Grammar;
use serde_json::{Map, Value, json};

use crate::languages::Selection;
use crate::visit::{Named, PARSE_TIME, Tally, Torn};

/// Characters of one match's text.
const MAX_TEXT: usize = 400;
/// Characters of one variable's text.
const MAX_VARIABLE: usize = 200;
/// Bytes of all matches together: a result carries 100 KiB, and the summary must fit too.
const MAX_MATCHES_TEXT: usize = 80 << 10;

/// `1204` as `1,204`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `1,204 files`.
fn counted(number: usize, noun: &str) -> String {
    let plural = match noun {
        "match" => "matches".to_owned(),
        noun => format!("{noun}s"),
    };
    format!("{} {}", grouped(number), if number == 1 { noun } else { plural.as_str() })
}

/// The first characters of a text, saying how many were cut.
fn clip(text: &str, limit: usize) -> String {
    clip_of(text, text.chars().count(), limit)
}

/// The same for a text of which only the first part is at hand.
fn clip_of(text: &str, characters: usize, limit: usize) -> String {
    if characters <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit).collect();
    let cut = characters - kept.chars().count();
    format!("{kept}… (+{})", counted(cut, "character"))
}

/// A text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `a.dart, b.dart and 3 more`.
fn names(named: &Named) -> String {
    let more = named.count - named.first.len();
    let listed = named.first.iter().map(|path| workspace::shown(path)).collect::<Vec<_>>().join(", ");
    if more == 0 { listed } else { format!("{listed} and {} more", grouped(more)) }
}

/// ``searched 14 dart files (read as `statement`), 3 rust files (read as `expression`) in `lib` ``.
fn searched<P>(selection: &Selection<P>, counts: &[usize], reading: impl Fn(&P) -> String) -> String {
    let listed: Vec<String> = selection
        .programs
        .iter()
        .zip(counts)
        .map(|((grammar, program), count)| {
            format!("{} (read as `{}`)", counted(*count, &format!("{} file", grammar.id())), reading(program))
        })
        .collect();
    if listed.is_empty() {
        return format!(
            "searched 0 files in {}: it has none of {}",
            selection.scope,
            Grammar::ids().join(", ")
        );
    }
    format!("searched {} in {}", listed.join(", "), selection.scope)
}

/// What was left out and what was in the way, a line each.
fn caveats<P>(selection: &Selection<P>, tally: &Tally) -> Vec<String> {
    let mut lines = Vec::new();
    if !tally.skipped.is_empty() {
        lines.push(format!("skipped: {}", tally.skipped));
    }
    if tally.timed_out.count > 0 {
        let time = PARSE_TIME.as_secs();
        lines.push(format!("not searched, over {time} s to parse: {}", names(&tally.timed_out)));
    }
    if tally.with_errors.count > 0 {
        lines.push(format!(
            "{} with syntax errors, searched outside of them: {}",
            counted(tally.with_errors.count, "file"),
            names(&tally.with_errors)
        ));
    }
    lines.extend(torn(tally));
    if tally.raw.count > 0 {
        let bodies = if tally.raw.count == 1 { "macro body" } else { "macro bodies" };
        lines.push(format!(
            "not searched, not code by themselves though they hold the pattern's words: {} {bodies}: {}",
            grouped(tally.raw.count),
            names(&tally.raw)
        ));
    }
    if tally.exhausted.count > 0 {
        lines.push(format!(
            "some places were too intricate to search to the end in: {}",
            names(&tally.exhausted)
        ));
    }
    for (language, reason, files) in &selection.unfit {
        let files = counted(*files, &format!("{language} file"));
        lines.push(format!("not searched: {files}; {}", clip(&flat(reason), MAX_TEXT)));
    }
    lines
}

/// ``not searched, inside syntax errors: 92% of a.h, 40% of b.c``.
fn torn(tally: &Tally) -> Option<String> {
    let torn = &tally.torn;
    let listed: Vec<String> =
        torn.first.iter().map(|(path, part)| format!("{part}% of {}", workspace::shown(path))).collect();
    let more = torn.count - torn.first.len();
    let rest = if more == 0 { String::new() } else { format!(" and of {}", counted(more, "more file")) };
    (torn.count > 0).then(|| format!("not searched, inside syntax errors: {}{rest}", listed.join(", ")))
}

/// `` outside syntax errors, which are a large part of 2 files ``: what must not be missed where nothing was found.
fn but_torn(tally: &Tally) -> String {
    match tally.torn.count {
        0 => String::new(),
        files => format!(" outside syntax errors, which are a large part of {}", counted(files, "file")),
    }
}

fn tally_data(tally: &Tally) -> Vec<(&'static str, Value)> {
    let skipped: Map<String, Value> = tally
        .skipped
        .reasons()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(reason, count)| (reason.to_owned(), json!(count)))
        .collect();
    let named = |named: &Named| json!({ "count": named.count, "first": named.first });
    vec![
        ("files_searched", json!(tally.searched)),
        ("skipped", Value::Object(skipped)),
        ("timed_out", named(&tally.timed_out)),
        ("syntax_errors", named(&tally.with_errors)),
        ("inside_syntax_errors", torn_data(&tally.torn)),
        ("unsearched_macro_bodies", named(&tally.raw)),
        ("exhausted", named(&tally.exhausted)),
    ]
}

fn torn_data(torn: &Torn) -> Value {
    let first = torn.first.iter().map(|(path, part)| json!({ "path": path, "percent": part }));
    json!({ "count": torn.count, "first": first.collect::<Vec<_>>() })
}

fn unfit_data<P>(selection: &Selection<P>) -> Value {
    let unfit = selection.unfit.iter();
    unfit.map(|(id, reason, files)| json!({ "language": id, "reason": reason, "files": files })).collect()
}

/// `` 14 by `return_type`, 3 by `async` ``, the most frequent first.
fn ranked(sums: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut ranked: Vec<(&str, usize)> = sums.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    ranked.sort_by(|(left, more), (right, less)| less.cmp(more).then(left.cmp(right)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        assert_eq!((grouped(0), grouped(999), grouped(1_204)), ("0".into(), "999".into(), "1,204".into()));
        assert_eq!(grouped(100_000), "100,000");
        assert_eq!((counted(1, "match"), counted(2, "match")), ("1 match".into(), "2 matches".into()));
    }

    #[test]
    fn a_cut_is_counted_in_characters() {
        assert_eq!(clip("grün", 4), "grün");
        assert_eq!(clip("grüne", 3), "grü… (+2 characters)");
    }
}
