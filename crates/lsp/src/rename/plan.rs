//! From a server's operations to a plan of `edits`: in order, over a picture of the files, every rule applied before
//! anything is planned. It must never plan a part of an edit, nor a byte that it has not compared with the disk.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use edits::{Digest, Plan, Replacement};
use workspace::Workspace;

use super::refusal::Refusal;
use super::rewriting::{Judge, Original};
use super::tree::Tree;
use super::workspace_edit::{Clash, Operation, TextEdit};
use crate::documents::Synced;
use crate::position::Encoding;

/// Bytes ranges that one edit may replace.
const MAX_REPLACEMENTS: usize = 10_000;

/// What an edit is judged by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The server's.
    pub(crate) encoding: Encoding,
    /// The documents that are open in it, by canonical path.
    pub(crate) open: &'a BTreeMap<PathBuf, Synced>,
    pub(crate) judge: Judge<'a>,
}

/// A plan, and what is to be said of it.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    /// Files whose text changes, by the path they had on the disk.
    pub(crate) files: BTreeMap<String, Rewritten>,
    /// Old and new path of each file that moves.
    pub(crate) moved: Vec<(String, String)>,
    pub(crate) notes: Vec<String>,
}

/// What changes in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rewritten {
    /// Occurrences of the old name, or for a move the edits.
    pub(crate) count: usize,
    /// The bytes that go, of the text on the disk.
    pub(crate) bytes: Vec<Range<usize>>,
}

impl Planned {
    pub(crate) fn count(&self) -> usize {
        self.files.values().map(|file| file.count).sum()
    }
}

/// Plans `operations`, all of them.
pub(crate) fn plan(ground: Ground<'_>, operations: Vec<Operation>) -> Result<Planned, Refusal> {
    let mut planner = Planner {
        tree: Tree::new(ground.workspace),
        ground,
        pending: BTreeMap::new(),
        named: Vec::new(),
        planned: Planned::default(),
    };
    for operation in operations {
        planner.take(operation)?;
    }
    planner.finish()
}

struct Planner<'a> {
    ground: Ground<'a>,
    tree: Tree<'a>,
    /// Edits that all refer to the text a file has now.
    pending: BTreeMap<String, Vec<TextEdit>>,
    /// What the edit names itself, and is on the disk.
    named: Vec<String>,
    planned: Planned,
}

impl Planner<'_> {
    fn take(&mut self, operation: Operation) -> Result<(), Refusal> {
        match operation {
            Operation::Edit { path, version, edits } => self.edit(&path, version, edits),
            Operation::Create { path, clash } => self.create(&path, clash),
            Operation::Rename { from, to, clash } => self.rename(&from, &to, clash),
            Operation::Delete { path, recursive, may_miss } => self.delete(&path, recursive, may_miss),
        }
    }

    fn edit(&mut self, path: &Path, version: Option<i64>, edits: Vec<TextEdit>) -> Result<(), Refusal> {
        let key = self.tree.file(path)?;
        let origin = self.tree.node(&key).and_then(|node| node.origin.clone());
        let sent = origin.as_ref().and_then(|origin| self.sent(origin)).map(|synced| synced.version);
        // Version 0 of a file that is not open is gopls's word for the disk's.
        let fits = match (version, sent) {
            (None, _) | (Some(0), None) => true,
            (Some(asked), Some(sent)) => asked == i64::from(sent),
            (Some(_), None) => origin.is_none(),
        };
        if !fits {
            return Err(Refusal::Version { path: key, asked: version.unwrap_or_default(), sent });
        }
        self.named.extend(origin);
        self.pending.entry(key).or_default().extend(edits);
        Ok(())
    }

    fn sent(&self, origin: &str) -> Option<&Synced> {
        self.ground.open.get(&self.ground.workspace.root().join(origin))
    }

    /// Turns the edits gathered so far into replacements of the text as it is now.
    fn settle(&mut self) -> Result<(), Refusal> {
        for (key, edits) in std::mem::take(&mut self.pending) {
            let content = self.tree.content(&key)?;
            let not_text = |_| Refusal::NotText { path: key.clone() };
            let text = std::str::from_utf8(&content).map_err(not_text)?;
            let untouched = self.tree.is_untouched(&key);
            if untouched && self.sent(&key).is_some_and(|sent| *sent.text != *text) {
                return Err(Refusal::Stale { path: key });
            }
            let original = Original { path: &key, text, encoding: self.ground.encoding };
            let found = original.rewritten(&edits, self.ground.judge)?;
            if found.is_empty() {
                continue;
            }
            let counts = |renames: bool| renames || matches!(self.ground.judge, Judge::Move);
            let origin = self.tree.node(&key).and_then(|node| node.origin.clone());
            let file = self.planned.files.entry(origin.unwrap_or_else(|| key.clone())).or_default();
            file.count += found.iter().filter(|one| counts(one.renames)).count();
            if untouched {
                file.bytes = found.iter().map(|one| one.bytes.clone()).collect();
            }
            let replacements: Vec<Replacement> =
                found.iter().map(|one| Replacement::new(one.bytes.clone(), one.text.as_str())).collect();
            let mut new = content.clone();
            for one in found.iter().rev() {
                new.splice(one.bytes.clone(), one.text.bytes());
            }
            self.step(|plan| plan.edit(&key, Digest::of(&content), replacements));
            self.tree.write(&key, new);
        }
        Ok(())
    }

    fn create(&mut self, path: &Path, clash: Clash) -> Result<(), Refusal> {
        self.settle()?;
        let key = self.tree.place(path)?;
        if self.tree.is_folder(&key) {
            return Err(Refusal::Folder { path: key });
        }
        match (self.tree.exists(&key), clash) {
            (true, Clash::Refuse) => return Err(Refusal::Exists { path: key }),
            (true, Clash::Skip) => return Ok(()),
            (true, Clash::Overwrite) => {
                self.named.push(key.clone());
                self.step(|plan| plan.replace(&key, None, ""));
                self.tree.write(&key, Vec::new());
            }
            (false, _) => {
                self.step(|plan| plan.create(&key, ""));
                self.tree.create(&key);
            }
        }
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path, clash: Clash) -> Result<(), Refusal> {
        self.settle()?;
        let (from, to) = (self.tree.place(from)?, self.tree.place(to)?);
        if from == to {
            return Ok(());
        }
        let is_folder = self.tree.is_folder(&from);
        if !is_folder && !self.tree.exists(&from) {
            return Err(Refusal::Missing { path: from });
        }
        if self.tree.is_folder(&to) {
            return match clash {
                Clash::Skip => Ok(()),
                _ => Err(Refusal::Exists { path: to }),
            };
        }
        match (self.tree.exists(&to), clash) {
            (true, Clash::Refuse) => return Err(Refusal::Exists { path: to }),
            (true, Clash::Skip) => return Ok(()),
            (true, Clash::Overwrite) => self.drop_file(&to),
            (false, _) => {}
        }
        self.named.push(from.clone());
        if !is_folder {
            self.move_file(&from, &to);
            return Ok(());
        }
        let inside = self.tree.below(&from)?;
        if to.starts_with(&format!("{from}/")) {
            return Err(Refusal::Folder { path: from });
        }
        for file in &inside {
            self.move_file(file, &format!("{to}{}", &file[from.len()..]));
        }
        self.planned.notes.push(format!("the folder `{}` stays, empty", workspace::shown(&from)));
        Ok(())
    }

    fn move_file(&mut self, from: &str, to: &str) {
        self.step(|plan| plan.rename(from, to));
        self.tree.rename(from, to);
        match self.planned.moved.iter_mut().find(|(_, now)| now == from) {
            Some((_, now)) => to.clone_into(now),
            None => self.planned.moved.push((from.to_owned(), to.to_owned())),
        }
    }

    fn delete(&mut self, path: &Path, recursive: bool, may_miss: bool) -> Result<(), Refusal> {
        self.settle()?;
        let key = self.tree.place(path)?;
        if self.tree.exists(&key) {
            self.named.push(key.clone());
            self.drop_file(&key);
            return Ok(());
        }
        if !self.tree.is_folder(&key) {
            return if may_miss { Ok(()) } else { Err(Refusal::Missing { path: key }) };
        }
        let inside = self.tree.below(&key)?;
        if !recursive && !inside.is_empty() {
            return Err(Refusal::Folder { path: key });
        }
        for file in &inside {
            self.drop_file(file);
        }
        self.named.push(key.clone());
        self.planned.notes.push(format!("the folder `{}` stays, empty", workspace::shown(&key)));
        Ok(())
    }

    fn drop_file(&mut self, key: &str) {
        self.step(|plan| plan.delete(key));
        self.tree.remove(key);
    }

    fn step(&mut self, step: impl FnOnce(Plan) -> Plan) {
        self.planned.plan = step(std::mem::take(&mut self.planned.plan));
    }

    fn finish(mut self) -> Result<Planned, Refusal> {
        self.settle()?;
        let count = self.planned.files.values().map(|file| file.count).sum();
        if count > MAX_REPLACEMENTS {
            return Err(Refusal::TooMany { count, what: "replacements", limit: MAX_REPLACEMENTS });
        }
        self.named.sort_unstable();
        self.named.dedup();
        let paths = self.tree.ignored(&self.named);
        if !paths.is_empty() {
            return Err(Refusal::Ignored { paths });
        }
        Ok(self.planned)
    }
}

#[cfg(test)]
mod tests;
