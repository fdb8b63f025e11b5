//! What a tool's caller is told of an error: its kind, and the next step. It words nothing anew: the message is the
//! error's own.

use std::path::Path;

use super::{Cause, Error, Foreign, show};
use crate::limits::MAX_KEPT;
use crate::mismatch::Mismatch;

impl From<Error> for tool::Error {
    fn from(error: Error) -> Self {
        use workspace::Error as At;
        let message = error.to_string();
        match error {
            Error::Permit(error) => error,
            Error::Path(At::Leaves { .. } | At::LinkLeaves { .. }) => {
                Self::refused(message).with_hint("only files inside the workspace are changed")
            }
            Error::Git { .. } => Self::refused(message).with_hint("use git itself to change its data"),
            Error::NotPermitted { .. } => Self::refused(message),
            Error::Mismatch { mismatches } if mismatches.iter().all(Mismatch::is_permission) => {
                Self::refused(message)
                    .with_hint("make it writable first if it is meant to change; nothing was written")
            }
            Error::Stale { .. } | Error::Mismatch { .. } => {
                Self::conflict(message).with_hint("read the files again; nothing was written")
            }
            Error::Exists { .. } => {
                Self::conflict(message).with_hint("choose another path, or edit the file")
            }
            Error::RolledBack { cause: Cause::Foreign { .. }, foreign } => {
                with_foreign(Self::conflict(message).with_hint("read the files again"), &foreign)
            }
            Error::RolledBack { foreign, .. } => with_foreign(Self::failed(message), &foreign),
            Error::Locked { .. } => Self::timed_out(message).with_hint("try again when it has finished"),
            Error::NotRestored { .. } | Error::Unrecovered { .. } => Self::failed(message)
                .with_hint("remove the obstacle; the next change tries to restore them again"),
            Error::UnknownEdit { pending, .. } => Self::bad_arguments(message).with_hint(staged(&pending)),
            Error::Finished { pending, .. } => Self::conflict(message).with_hint(staged(&pending)),
            Error::State { advice, .. } | Error::NoState { advice, .. } => {
                let error = Self::unavailable(message);
                if advice.is_empty() { error } else { error.with_hint(advice) }
            }
            Error::StateNotAbsolute { .. } => Self::unavailable(message),
            Error::DamagedStaged { .. } => Self::unavailable(message)
                .with_hint("move it away: staged edits are lost, files of the workspace are not"),
            Error::DamagedJournal { path, .. } => Self::unavailable(message).with_hint(by_hand(&path)),
            Error::NoSpace { .. } | Error::Read { .. } => Self::failed(message),
            _ => Self::bad_arguments(message),
        }
    }
}

/// What a person does about a journal that nobody can read.
fn by_hand(journal: &Path) -> String {
    let kept = journal.with_file_name("kept");
    format!(
        "nothing is changed before this is settled by hand: a change may have been cut off, and then the old content \
         of its files lies beside them, named `.outrigger-*.new` or `.outrigger-*.old`, or in `{}` (the newest \
         {MAX_KEPT}); put back what is missing, remove the rest, and move the journal away",
        show(&kept)
    )
}

fn with_foreign(mut error: tool::Error, foreign: &[Foreign]) -> tool::Error {
    for foreign in foreign {
        error.message.push_str(&format!("; but {foreign}"));
    }
    error
}

fn staged(pending: &[String]) -> String {
    if pending.is_empty() {
        return "no edit is staged".to_owned();
    }
    format!("staged now: {}", pending.join(", "))
}
