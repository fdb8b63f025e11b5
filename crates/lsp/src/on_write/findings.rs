//! What came of a write at one server: how far it has come, and what there is more of than before, with the places
//! as people name them. It must never carry hints, nor warnings of files that were not written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::Position;

use super::registry::New;
use crate::client::Client;
use crate::diagnostic::Severity;
use crate::position::{Encoding, Lines};
use crate::servers::Scope;
use crate::settle::Settlement;

/// Of one server.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    pub(super) server: String,
    pub(super) settlement: Settlement,
    /// It knows of open files alone.
    pub(super) of_open_files: bool,
    pub(super) own: Vec<Found>,
    /// In files that were not written: errors alone.
    pub(super) others: Vec<Found>,
    /// How many errors there are in files that were not written, where it is not known whether they were there before.
    pub(super) doubtful: BTreeMap<String, usize>,
}

/// One diagnostic there is more of.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) new: New,
    /// As results show it.
    pub(super) path: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) column: usize,
    /// Whether it is known that it was not there before.
    pub(super) compared: bool,
}

/// What is known of the time before, file by file.
pub(super) struct Reach<'a> {
    pub(super) workspace: &'a Path,
    pub(super) own: &'a [PathBuf],
    pub(super) compared: &'a (dyn Fn(&Path) -> bool + Sync),
}

impl Findings {
    pub(super) fn without_answer(server: String, settlement: Settlement) -> Self {
        Self {
            server,
            settlement,
            of_open_files: false,
            own: Vec::new(),
            others: Vec::new(),
            doubtful: BTreeMap::new(),
        }
    }

    pub(super) fn of(client: &Client, settlement: Settlement, new: Vec<New>, reach: &Reach<'_>) -> Self {
        let mut findings = Self::without_answer(client.server().id.clone(), settlement);
        findings.of_open_files = client.server().scope == Scope::OpenFiles;
        let echoes = |one: &New| {
            let echoed = |other: &New| other.path == one.path && one.diagnostic.is_echo_of(&other.diagnostic);
            new.iter().any(echoed)
        };
        for new in new.iter().filter(|one| !echoes(one)).cloned() {
            let Ok(relative) = new.path.strip_prefix(reach.workspace) else { continue };
            let is_own = reach.own.contains(&new.path);
            let compared = (reach.compared)(&new.path);
            if !is_own && new.diagnostic.severity != Severity::Error {
                continue;
            }
            // What is not compared, in a file that nobody touched, was there all along for all we know.
            if !is_own && !compared {
                *findings.doubtful.entry(relative.to_string_lossy().into_owned()).or_default() += new.added;
                continue;
            }
            let path = relative.to_string_lossy().into_owned();
            let (line, column) = place(client, &new);
            let found = Found { new, path, line, column, compared };
            if is_own { findings.own.push(found) } else { findings.others.push(found) }
        }
        findings
    }

    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.others.is_empty()
    }
}

/// Line and column from 1, by the text the server has, or else the disk's.
fn place(client: &Client, new: &New) -> (usize, usize) {
    let (line, character) = new.diagnostic.start;
    let open = client.all_documents().into_iter().find(|document| document.path == new.path);
    let text = match open {
        Some(document) => document.text.to_string(),
        None => std::fs::read_to_string(&new.path).unwrap_or_default(),
    };
    named(&text, line, character, client.encoding())
}

fn named(text: &str, line: u32, character: u32, encoding: Encoding) -> (usize, usize) {
    let lines = Lines::new(text);
    if lines.line(line as usize).is_none() {
        return (line as usize + 1, character as usize + 1);
    }
    let place = lines.place(lines.offset(Position::new(line, character), encoding));
    (place.line, place.column)
}
