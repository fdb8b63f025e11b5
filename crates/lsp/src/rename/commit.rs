//! A plan that has passed every check: written at once, or staged for `resolve`, and told.
//! It must never write anything before the permit names every file, nor tell a count that was not made.

use edits::{Committed, Edits, EffectKind, Proposal};
use serde_json::{Value, json};
use tool::{Error, Output, WriteContext};
use workspace::shown;

use super::plan::Planned;

/// Files that are listed.
const MAX_FILES: usize = 50;

/// What is done, for a title and a call that would do it again.
pub(super) struct Deed {
    pub(super) tool: &'static str,
    /// What the answer begins with.
    pub(super) title: String,
    pub(super) arguments: Value,
    /// What is counted: `occurrence`, `edit`.
    pub(super) unit: &'static str,
    /// Lines to add.
    pub(super) remarks: Vec<String>,
}

/// Writes the plan, all of it or nothing.
pub(super) async fn apply(
    edits: &Edits,
    planned: Planned,
    deed: Deed,
    cx: &WriteContext,
) -> Result<Output, Error> {
    let (edits, context) = (edits.clone(), cx.clone());
    let work = move || {
        let committed = edits.apply(&planned.plan, |paths| context.permit(paths))?;
        Ok::<_, Error>((planned, committed))
    };
    let (planned, committed) = cx.blocking(work).await??;
    let head = format!("{}: {}", deed.title, summary(&planned, deed.unit));
    Ok(told(head, &planned, &deed, Some(&committed)))
}

/// Stages the plan; `resolve` decides.
pub(super) async fn stage(
    edits: &Edits,
    planned: Planned,
    deed: Deed,
    cx: &WriteContext,
) -> Result<Output, Error> {
    let edits = edits.clone();
    let (title, arguments, tool) = (deed.title.clone(), deed.arguments.clone(), deed.tool);
    let work = move || {
        let change = edits.snapshot(&planned.plan)?;
        let diff = edits.diff(&change, 1)?;
        let proposal = Proposal::new(title, tool, change).repeat(tool, arguments);
        let staged = edits.stage(proposal.warnings(planned.notes.clone()))?;
        Ok::<_, Error>((planned, staged.id.clone(), [diff.text.as_str(), &diff.remainder()].concat()))
    };
    let (planned, id, diff) = cx.blocking(work).await??;
    let head = format!(
        "(proposed) {}: {}; nothing is written yet: call resolve with edit_id \"{id}\"",
        deed.title,
        summary(&planned, deed.unit)
    );
    let output = told(head, &planned, &deed, None).and_text(diff);
    let mut data = output.data.clone().unwrap_or_default();
    data["edit_id"] = id.into();
    Ok(output.with_data(data))
}

/// `5 occurrences in 3 files, 1 file moved`.
fn summary(planned: &Planned, unit: &str) -> String {
    let mut parts = Vec::new();
    if planned.count() > 0 {
        let (count, files) = (planned.count(), planned.files.len());
        parts.push(format!("{} in {}", counted(count, unit), counted(files, "file")));
    }
    if !planned.moved.is_empty() {
        parts.push(format!("{} moved", counted(planned.moved.len(), "file")));
    }
    if parts.is_empty() { "nothing to change".to_owned() } else { parts.join(", ") }
}

fn told(head: String, planned: &Planned, deed: &Deed, committed: Option<&Committed>) -> Output {
    let mut text = head;
    for (path, file) in planned.files.iter().take(MAX_FILES) {
        text.push_str(&format!("\n{}: {}", shown(path), file.count));
    }
    if planned.files.len() > MAX_FILES {
        text.push_str(&format!("\n… and {} more files", planned.files.len() - MAX_FILES));
    }
    for (from, to) in planned.moved.iter().take(MAX_FILES) {
        text.push_str(&format!("\n{} → {}", shown(from), shown(to)));
    }
    let by_commit = committed.map(|committed| committed.notes.as_slice()).unwrap_or_default();
    for note in planned.notes.iter().chain(by_commit) {
        text.push_str(&format!("\nnote: {note}"));
    }
    for remark in &deed.remarks {
        text.push('\n');
        text.push_str(remark);
    }
    let files = planned.files.iter().map(|(path, file)| json!({ "path": path, "count": file.count }));
    let moved = planned.moved.iter().map(|(from, to)| json!({ "from": from, "to": to }));
    let created = committed.map(|committed| {
        let created = committed.effects.iter().filter(|effect| effect.kind == EffectKind::Created);
        created.map(|effect| effect.path.clone()).collect::<Vec<_>>()
    });
    Output::text(text).with_data(json!({
        "count": planned.count(),
        "files": files.collect::<Vec<_>>(),
        "moved": moved.collect::<Vec<_>>(),
        "created": created.unwrap_or_default(),
        "written": committed.is_some(),
    }))
}

fn counted(count: usize, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}
