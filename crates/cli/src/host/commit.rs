//! The way out for every change of this folder: snapshot, permit, commit, and what has to be said of it.
//! It must never hold a permit before the snapshot has named every file.

use outrigger::edits::{Committed, Edits, Plan};
use outrigger::tool::{Error, WriteContext};

/// Carries out a plan, all or nothing.
pub(super) fn commit(edits: &Edits, cx: &WriteContext, plan: &Plan) -> Result<Committed, Error> {
    Ok(edits.apply(plan, |paths| cx.permit(paths))?)
}

/// Notes, each on a line of its own.
pub(super) fn noted(text: &mut String, notes: &[String]) {
    for note in notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
}
