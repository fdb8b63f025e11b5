//! Where the state of a workspace lives when the host does not say: the user's state folder plus a hash of the
//! canonical root. This is the one place of the library that reads the environment.

use std::path::{Path, PathBuf, absolute};

use edits::State;

use sha2::{Digest, Sha256};

/// `$XDG_STATE_HOME/outrigger/<hash>`, or `~/.local/state/outrigger/<hash>`; `OUTRIGGER_STATE` names another folder
/// to put the hash in. Absolute: a relative one is taken from the current folder. `None` when none of them is set.
#[expect(clippy::disallowed_methods, reason = "the run builder is where a host's environment is read")]
pub fn state_folder(root: &Path) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("OUTRIGGER_STATE").or_else(|| {
        let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
        state
            .or_else(|| set("HOME").map(|home| home.join(".local/state")))
            .map(|state| state.join("outrigger"))
    })?;
    let folder = base.join(key(root));
    Some(absolute(&folder).unwrap_or(folder))
}

/// Whether a run of the workspace `root` that keeps its staged edits could use the state folder of the environment,
/// found by trying; what is made for that is removed again.
///
/// # Errors
/// What a write tool would answer.
pub fn check_state_folder(root: &Path) -> Result<(), tool::Error> {
    Ok(state(None, true, root).check(root)?)
}

/// The state of a run, in the folder the host has named, or in that of the environment. Where there is none, or none
/// that can be used, whoever needs it is told how to name one.
pub(crate) fn state(named: Option<PathBuf>, keep_staged: bool, root: &Path) -> State {
    let (folder, advice) = match named {
        Some(folder) => (Some(absolute(&folder).unwrap_or(folder)), BY_HOST),
        None => (state_folder(root), BY_ENVIRONMENT),
    };
    let state = match folder {
        Some(folder) if keep_staged => State::folder(folder),
        Some(folder) => State::memory(folder),
        None => State::missing("none of `OUTRIGGER_STATE`, `XDG_STATE_HOME` and `HOME` is set"),
    };
    state.advice(advice)
}

const BY_ENVIRONMENT: &str = "only read tools work without it: set `OUTRIGGER_STATE` to a folder that can be written \
                              (else it is below `XDG_STATE_HOME`, else below `HOME`)";
const BY_HOST: &str = "only read tools work without it: the host named this folder when it built the run and can name \
                       another (`state_folder`)";

/// Sixteen bytes of the root's digest: enough that two checkouts never share a journal.
fn key(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let mut key = String::new();
    for byte in &digest[..16] {
        key.push_str(&format!("{byte:02x}"));
    }
    key
}
