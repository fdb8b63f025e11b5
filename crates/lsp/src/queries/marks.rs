//! The moments before each server was sent the text of a file it has now. A server that tells by signs when it is done
//! gives none for a text it has already: what it gave since that moment still holds.
//! It must never be used for checks that a save starts anew.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::client::Client;
use crate::settle::Mark;

/// Moments that are kept; then all are forgotten, which costs a wait.
const MAX_MARKS: usize = 64;

/// By process and file: the version of the text, and the moment before it was sent.
#[derive(Debug, Default)]
pub(super) struct Marks {
    kept: Mutex<HashMap<(u32, PathBuf), (i32, Mark)>>,
}

impl Marks {
    /// The moment before `version` was sent: `now`, unless it was there before.
    pub(super) fn of(&self, client: &Client, path: &Path, version: i32, now: Mark) -> Mark {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (client.pid(), path.to_owned());
        match kept.get(&key) {
            Some((known, mark)) if *known == version => mark.clone(),
            _ => {
                if kept.len() == MAX_MARKS {
                    kept.clear();
                }
                kept.insert(key, (version, now.clone()));
                now
            }
        }
    }
}
