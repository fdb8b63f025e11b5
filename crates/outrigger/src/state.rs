//! Where the state of a workspace lives when the host does not say: the user's state folder plus a hash of the
//! canonical root. This is the one place of the library that reads the environment.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// `$XDG_STATE_HOME/outrigger/<hash>`, or `~/.local/state/outrigger/<hash>`; `OUTRIGGER_STATE` names another folder
/// to put the hash in. `None` when there is no home folder to put it in.
#[expect(clippy::disallowed_methods, reason = "the run builder is where a host's environment is read")]
pub fn state_folder(root: &Path) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("OUTRIGGER_STATE").or_else(|| {
        let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
        state
            .or_else(|| set("HOME").map(|home| home.join(".local/state")))
            .map(|state| state.join("outrigger"))
    })?;
    Some(base.join(key(root)))
}

/// Sixteen bytes of the root's digest: enough that two checkouts never share a journal.
fn key(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let mut key = String::new();
    for byte in &digest[..16] {
        key.push_str(&format!("{byte:02x}"));
    }
    key
}
