//! The result of `ast_edit`. What is proposed is told from what is done in its first word.

use serde_json::{Value, json};
use tool::Output;

use super::{MAX_TEXT, but_torn, caveats, clip, counted, grouped, names, searched, tally_data, unfit_data};
use crate::languages::Selection;
use crate::propose::{Place, Proposal};
use crate::rewrite::Rule;

/// How many places are named where places are counted.
const MAX_PLACES: usize = 10;
/// How many files are listed with their number of replacements.
const MAX_FILES: usize = 100;

/// What staging gave.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) id: String,
    /// A bounded diff.
    pub(crate) diff: String,
    /// What the staging itself has to say, such as an older edit that went.
    pub(crate) notes: Vec<String>,
}

/// The answer, as text and data. `staged` is absent when nothing changes.
pub(crate) fn proposed(
    selection: &Selection<Vec<Rule>>,
    proposal: &Proposal,
    staged: Option<&Staged>,
) -> Output {
    let mut lines = vec![headline(proposal, staged)];
    if staged.is_some() {
        let files = proposal.files.iter().take(MAX_FILES);
        lines.extend(files.map(|file| {
            format!("{}: {}", workspace::shown(&file.path), counted(file.replacements, "replacement"))
        }));
        if proposal.files.len() > MAX_FILES {
            lines.push(format!("… and {}", counted(proposal.files.len() - MAX_FILES, "more file")));
        }
    }
    lines.extend(warnings(proposal));
    let reading = |rules: &Vec<Rule>| {
        let mut readings: Vec<&str> = rules.iter().map(|rule| rule.pattern.reading()).collect();
        readings.dedup();
        readings.join("`, `")
    };
    let counts: Vec<usize> = (0..selection.programs.len())
        .map(|program| selection.files.iter().filter(|(_, of)| *of == program).count())
        .collect();
    lines.push(searched(selection, &counts, reading));
    lines.extend(caveats(selection, &proposal.tally));
    for (grammar, rules) in &selection.programs {
        let notes = rules.iter().flat_map(|rule| rule.pattern.notes());
        lines.extend(notes.map(|note| format!("note ({}): {note}", grammar.id())));
    }
    if let Some(staged) = staged {
        lines.extend(staged.notes.iter().cloned());
        lines.push(format!("\n{}", staged.diff.trim_end_matches('\n')));
    }
    Output::text(lines.join("\n")).with_data(data(selection, proposal, staged))
}

/// What the edit does, in few words.
pub(crate) fn title(proposal: &Proposal) -> String {
    let replacements = counted(proposal.replacements, "replacement");
    format!("{replacements} in {}", counted(proposal.files.len(), "file"))
}

fn headline(proposal: &Proposal, staged: Option<&Staged>) -> String {
    let Some(staged) = staged else {
        return match proposal.matches {
            0 => format!("0 replacements: 0 matches{}; nothing is staged", but_torn(&proposal.tally)),
            found => format!("0 replacements of {}; nothing is staged", counted(found, "match")),
        };
    };
    let what = title(proposal);
    let id = &staged.id;
    match proposal.errors.first() {
        None => format!("(proposed) {what}; nothing is written yet: call resolve with edit_id \"{id}\""),
        Some((place, excerpt)) => {
            let more = match proposal.errors.len() {
                1 => String::new(),
                errors => format!(" and {}", counted(errors - 1, "more file")),
            };
            let place = format!("{} `{}`{more}", at(place), clip(excerpt, 120));
            format!(
                "(proposed, would not parse: {place}) {what}; nothing is written yet: call resolve with edit_id \
                 \"{id}\"; to accept it all the same needs force: true"
            )
        }
    }
}

/// What a reader must look at before accepting.
pub(crate) fn warnings(proposal: &Proposal) -> Vec<String> {
    let mut lines = Vec::new();
    if !proposal.comments.is_empty() {
        let dropped = counted(proposal.comments.len(), "comment");
        lines.push(format!("drops {dropped}: {}", places(&proposal.comments)));
    }
    if !proposal.refused.is_empty() {
        lines.push(format!(
            "left out, since the result would not mean what the rewrite says (a captured part would be split or \
             joined with its surroundings, or a statement would stand in for a value): {}: {}",
            counted(proposal.refused.len(), "match"),
            places(&proposal.refused)
        ));
    }
    if !proposal.nested.is_empty() {
        lines.push(format!(
            "left as they are, since they overlap a replacement: {}: {}; run again after accepting",
            counted(proposal.nested.len(), "match"),
            places(&proposal.nested)
        ));
    }
    if proposal.parenthesized > 0 {
        lines.push(format!("parentheses added in {}", counted(proposal.parenthesized, "replacement")));
    }
    if !proposal.quoted.is_empty() {
        lines.push(format!(
            "a variable's source text is pasted into a string at {}",
            places(&proposal.quoted)
        ));
    }
    if proposal.generated.count > 0 {
        lines.push(format!(
            "generated files are edited only when `path` names them; left alone: {}: {}",
            counted(proposal.generated.count, "file"),
            names(&proposal.generated)
        ));
    }
    lines
}

fn at(place: &Place) -> String {
    format!("{}:{}", workspace::shown(&place.path), place.line)
}

fn places(places: &[Place]) -> String {
    let mut listed: Vec<String> = places.iter().take(MAX_PLACES).map(at).collect();
    if places.len() > MAX_PLACES {
        listed.push(format!("{} more", grouped(places.len() - MAX_PLACES)));
    }
    listed.join(", ")
}

fn data(selection: &Selection<Vec<Rule>>, proposal: &Proposal, staged: Option<&Staged>) -> Value {
    let places = |places: &[Place]| -> Value {
        places.iter().map(|place| json!({ "path": place.path, "line": place.line })).collect()
    };
    let files: Vec<Value> = proposal
        .files
        .iter()
        .map(|file| json!({ "path": file.path, "replacements": file.replacements }))
        .collect();
    let languages: Vec<Value> = selection
        .programs
        .iter()
        .map(|(grammar, rules)| {
            let readings: Vec<&str> = rules.iter().map(|rule| rule.pattern.reading()).collect();
            json!({ "language": grammar.id(), "readings": readings })
        })
        .collect();
    let errors: Vec<Value> = proposal
        .errors
        .iter()
        .map(|(place, line)| json!({ "path": place.path, "line": place.line, "text": clip(line, MAX_TEXT) }))
        .collect();
    let mut data = json!({
        "edit_id": staged.map(|staged| &staged.id),
        "replacements": proposal.replacements,
        "matches": proposal.matches,
        "files": files,
        "would_not_parse": errors,
        "dropped_comments": places(&proposal.comments),
        "refused": places(&proposal.refused),
        "nested": places(&proposal.nested),
        "pasted_into_strings": places(&proposal.quoted),
        "parenthesized": proposal.parenthesized,
        "generated": { "count": proposal.generated.count, "first": proposal.generated.first },
        "languages": languages,
        "unfit": unfit_data(selection),
    });
    for (name, value) in tally_data(&proposal.tally) {
        data[name] = value;
    }
    data
}
