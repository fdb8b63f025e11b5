//! The limits of this crate, by name; a host may set them.

use std::time::Duration;

/// Staged edits at one time; the oldest expires to make room.
pub const MAX_PENDING: usize = 32;
/// How long an edit stays staged.
pub const STAGED_LIFE: Duration = Duration::from_mins(30);
/// How long a commit waits for another one to finish.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Lines of a diff shown at once.
pub const MAX_DIFF_LINES: usize = 200;
/// Characters of one line of a diff.
pub const MAX_DIFF_COLUMNS: usize = 400;
/// Finished edits whose fate is remembered.
pub const MAX_FATES: usize = 256;
/// Contents in the state folder's `kept` that a change could not put back since somebody else's stood in the file;
/// the oldest go, but never one of the change at hand.
pub const MAX_KEPT: usize = 64;

/// What a host may set; the default is the constants of this module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// See [`MAX_PENDING`]; at least 1.
    pub pending: usize,
    /// See [`STAGED_LIFE`].
    pub life: Duration,
    /// See [`LOCK_WAIT`].
    pub lock_wait: Duration,
    /// See [`MAX_DIFF_LINES`]; at least 1.
    pub diff_lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { pending: MAX_PENDING, life: STAGED_LIFE, lock_wait: LOCK_WAIT, diff_lines: MAX_DIFF_LINES }
    }
}
