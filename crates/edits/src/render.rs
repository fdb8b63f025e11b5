//! What a model reads of staged edits and their fates. It words facts and counts what it leaves out; it looks at
//! nothing by itself.

use std::fmt;

use serde_json::json;
use tool::{Error, Output};

use crate::change::{Effect, EffectKind};
use crate::commit::Committed;
use crate::diff::Diff;
use crate::mismatch::Mismatch;
use crate::proposal::Staged;

/// Files listed in one result; the data has them all.
const MAX_FILES: usize = 50;
/// Notes, warnings or reasons listed in one result; the data has them all.
const MAX_LINES: usize = 50;

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", workspace::shown(&self.path))?;
        match &self.kind {
            EffectKind::Edited => f.write_str("edited")?,
            EffectKind::Created => f.write_str("created")?,
            EffectKind::Deleted => f.write_str("deleted")?,
            EffectKind::Renamed { from } => write!(f, "renamed from `{}`", workspace::shown(from))?,
        }
        match self.replacements {
            0 => Ok(()),
            count => write!(f, ", {}", counted(count, "replacement")),
        }
    }
}

pub(crate) fn accepted(staged: &Staged, committed: &Committed) -> Output {
    let mut text = format!("accepted `{}`: {}", staged.id, staged.title);
    push_effects(&mut text, &committed.effects);
    push_all(&mut text, "note", &committed.notes);
    Output::text(text).with_data(json!({
        "edit_id": staged.id,
        "fate": "accepted",
        "title": staged.title,
        "files": committed.effects,
        "notes": committed.notes,
    }))
}

pub(crate) fn discarded(staged: &Staged) -> Output {
    let text = format!("discarded `{}` ({}); nothing was written", staged.id, staged.title);
    Output::text(text).with_data(json!({"edit_id": staged.id, "fate": "discarded", "title": staged.title}))
}

pub(crate) fn shown(staged: &Staged, diff: &Diff) -> Output {
    let mut text = format!("`{}` (proposed): {}", staged.id, staged.title);
    let effects = staged.change.effects();
    push_effects(&mut text, &effects);
    push_all(&mut text, "warning", &staged.warnings);
    push_all(&mut text, "needs force", &staged.force);
    text.push_str("\n\n");
    text.push_str(&diff.text);
    if diff.shown < diff.total {
        text.push_str(&diff.remainder());
        if diff.page < diff.pages {
            text.push_str(&format!("; call resolve with page {} for more", diff.page + 1));
        }
    }
    Output::text(text).with_data(json!({
        "edit_id": staged.id,
        "title": staged.title,
        "origin": staged.origin,
        "warnings": staged.warnings,
        "needs_force": staged.force,
        "files": effects,
        "diff": diff,
    }))
}

/// The error for an edit whose files have changed: each of them, and how to go on.
pub(crate) fn conflict(staged: &Staged, mismatches: &[Mismatch]) -> Error {
    let (wrong, files) = (mismatches.len(), staged.change.paths().len());
    let mut message = format!(
        "`{}` does not fit any more ({wrong} of {}); nothing was written",
        staged.id,
        counted(files, "path")
    );
    for mismatch in mismatches {
        message.push_str(&format!("\n  {mismatch}"));
    }
    let hint = match &staged.repeat {
        Some(repeat) => format!(
            "`{}` stays staged; to propose it anew call {} {}, and discard this one",
            staged.id, repeat.tool, repeat.arguments
        ),
        None => format!("`{}` stays staged; discard it, or restore the files", staged.id),
    };
    Error::conflict(message).with_hint(hint)
}

pub(crate) fn needs_force(staged: &Staged) -> Error {
    let mut message = format!("`{}` is not accepted without force", staged.id);
    push_all(&mut message, "because", &staged.force);
    Error::refused(message)
        .with_hint("call resolve with action \"accept\" and force true if that is meant; else discard it")
}

/// What an approval card says.
pub(crate) fn card(action: &str, staged: &Staged, diff: Option<&Diff>) -> String {
    let mut text = format!("{action} `{}`: {}", staged.id, staged.title);
    push_effects(&mut text, &staged.change.effects());
    push_all(&mut text, "warning", &staged.warnings);
    push_all(&mut text, "needs force", &staged.force);
    if let Some(diff) = diff {
        text.push_str(&format!("\n\n{}{}", diff.text, diff.remainder()));
    }
    text
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn push_effects(text: &mut String, effects: &[Effect]) {
    for effect in effects.iter().take(MAX_FILES) {
        text.push_str(&format!("\n  {effect}"));
    }
    if let Some(rest) = effects.len().checked_sub(MAX_FILES).filter(|rest| *rest > 0) {
        text.push_str(&format!("\n  … and {}", counted(rest, "more file")));
    }
}

fn push_all(text: &mut String, label: &str, lines: &[String]) {
    for line in lines.iter().take(MAX_LINES) {
        text.push_str(&format!("\n{label}: {line}"));
    }
    if let Some(rest) = lines.len().checked_sub(MAX_LINES).filter(|rest| *rest > 0) {
        text.push_str(&format!("\n{label}: … and {rest} more"));
    }
}
