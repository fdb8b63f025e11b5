//! Turns an ordered plan into one before and one after per file, looking at the disk as little as it must and
//! writing nothing. A later step sees what earlier ones did; what is outside the workspace or git's own is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use workspace::Workspace;

use crate::Digest;
use crate::change::{After, Change, FileChange, Make};
use crate::content::{Content, Kind, Seen, Stamp, look, read};
use crate::error::Error;
use crate::plan::{Plan, Replacement, Step, applied, ordered};

pub(crate) fn picture(workspace: &Workspace, plan: &Plan) -> Result<Change, Error> {
    let mut picture = Picture { workspace, nodes: BTreeMap::new() };
    for step in &plan.steps {
        picture.take(step)?;
    }
    picture.finish()
}

struct Picture<'a> {
    workspace: &'a Workspace,
    /// Every file the plan touches, by its path relative to the root.
    nodes: BTreeMap<String, Node>,
}

struct Node {
    before: Option<Seen>,
    now: Option<Now>,
}

/// What the steps so far have made of a path.
enum Now {
    /// What lay at `of` on the disk.
    Same {
        of: String,
    },
    Edited {
        of: String,
        passes: Vec<Vec<Replacement>>,
    },
    Whole {
        content: Vec<u8>,
        like: Option<String>,
    },
}

impl Picture<'_> {
    fn take(&mut self, step: &Step) -> Result<(), Error> {
        match step {
            Step::Edit { path, base, replacements } => self.edit(path, *base, replacements),
            Step::Replace { path, base, content } => self.replace(path, *base, content),
            Step::Create { path, content } => {
                let path = self.free(path)?;
                self.put(&path, Some(Now::Whole { content: content.clone(), like: None }));
                Ok(())
            }
            Step::Rename { from, to } => {
                let from = self.present(from, Last::Itself)?;
                // The old name is free already for the new one: a rename onto itself changes nothing.
                let moved = self.nodes.get_mut(&from).and_then(|node| node.now.take());
                let to = self.free(to)?;
                self.put(&to, moved);
                Ok(())
            }
            Step::Delete { path } => {
                let path = self.present(path, Last::Itself)?;
                self.put(&path, None);
                Ok(())
            }
        }
    }

    fn edit(&mut self, path: &str, base: Digest, replacements: &[Replacement]) -> Result<(), Error> {
        let path = self.present(path, Last::Followed)?;
        let bytes = self.bytes(&path)?;
        if Digest::of(&bytes) != base {
            return Err(Error::Stale { path });
        }
        let pass = ordered(&path, replacements.to_vec(), bytes.len())?;
        let node = self.nodes.get_mut(&path).and_then(|node| node.now.as_mut());
        match node {
            Some(Now::Edited { passes, .. }) => passes.push(pass),
            Some(Now::Whole { content, .. }) => *content = applied(&bytes, &pass).unwrap_or(bytes),
            Some(now @ Now::Same { .. }) => {
                let Now::Same { of } = now else { return Ok(()) };
                *now = Now::Edited { of: std::mem::take(of), passes: vec![pass] };
            }
            None => return Err(Error::Gone { path }),
        }
        Ok(())
    }

    fn replace(&mut self, path: &str, base: Option<Digest>, content: &[u8]) -> Result<(), Error> {
        let path = self.present(path, Last::Followed)?;
        if let Some(base) = base
            && Digest::of(&self.bytes(&path)?) != base
        {
            return Err(Error::Stale { path });
        }
        let like = match self.nodes.get_mut(&path).and_then(|node| node.now.take()) {
            Some(Now::Same { of } | Now::Edited { of, .. }) => Some(of),
            Some(Now::Whole { like, .. }) => like,
            None => return Err(Error::Gone { path }),
        };
        self.put(&path, Some(Now::Whole { content: content.to_vec(), like }));
        Ok(())
    }

    fn put(&mut self, path: &str, now: Option<Now>) {
        if let Some(node) = self.nodes.get_mut(path) {
            node.now = now;
        }
    }

    /// The key of a path at which a file or link must be, as the steps so far left it.
    fn present(&mut self, path: &str, last: Last) -> Result<String, Error> {
        let entry = self.entry(path)?;
        self.touch(&entry)?;
        let gone = || Error::Gone { path: path.to_owned() };
        let Some(node) = self.nodes.get(&entry) else { return Err(gone()) };
        match &node.now {
            None if node.before.is_some() => Err(gone()),
            None => self.workspace.resolve(path).map_err(Error::from).and_then(|_| Err(gone())),
            Some(Now::Same { of }) if self.is_link(of) && matches!(last, Last::Followed) => {
                if *of != entry {
                    return Err(Error::MovedLink { path: path.to_owned() });
                }
                let target = self.workspace.resolve(path)?.relative;
                self.touch(&target)?;
                let there = self.nodes.get(&target).is_some_and(|node| node.now.is_some());
                if there { Ok(target) } else { Err(gone()) }
            }
            Some(_) => Ok(entry),
        }
    }

    /// The key of a path at which nothing may be.
    fn free(&mut self, path: &str) -> Result<String, Error> {
        let entry = self.entry(path)?;
        self.touch(&entry)?;
        if self.nodes.get(&entry).is_some_and(|node| node.now.is_some()) {
            return Err(Error::Exists { path: path.to_owned() });
        }
        for (ancestor, _) in entry.match_indices('/') {
            let file = &entry[..ancestor];
            if self.nodes.get(file).is_some_and(|node| node.now.is_some()) {
                return Err(Error::BelowFile { path: path.to_owned(), file: file.to_owned() });
            }
        }
        let below = format!("{entry}/");
        if self.nodes.iter().any(|(other, node)| other.starts_with(&below) && node.now.is_some()) {
            return Err(Error::Folder { path: path.to_owned() });
        }
        Ok(entry)
    }

    /// Takes a snapshot of a path that the plan has not touched yet.
    fn touch(&mut self, key: &str) -> Result<(), Error> {
        if self.nodes.contains_key(key) {
            return Ok(());
        }
        let absolute = self.workspace.root().join(key);
        if self.workspace.is_git_internal(&absolute) {
            return Err(Error::Git { path: key.to_owned() });
        }
        let before = look(&absolute).map_err(|why| Error::Read { path: key.to_owned(), why })?;
        match before.as_ref().map(|seen| seen.stamp.kind) {
            Some(Kind::Folder) => return Err(Error::Folder { path: key.to_owned() }),
            Some(Kind::Special) => return Err(workspace::Error::Special { path: key.to_owned() }.into()),
            Some(Kind::File | Kind::Link) | None => {}
        }
        let now = before.as_ref().map(|_| Now::Same { of: key.to_owned() });
        self.nodes.insert(key.to_owned(), Node { before, now });
        Ok(())
    }

    /// A path relative to the root with every link in it followed, but for its last name.
    fn entry(&self, path: &str) -> Result<String, Error> {
        let located = match self.workspace.resolve_new(path) {
            Ok(located) if !located.through_link => return Ok(located.relative),
            Ok(located) => Some(located.relative),
            // The last name may be a link to nothing: its own place is still inside.
            Err(workspace::Error::Dangling { .. }) => None,
            // A file of this plan's making may lie where the disk has none, and the other way round.
            Err(error) => return Err(error.into()),
        };
        let given = Path::new(path);
        let parent = given.parent().map_or("", |parent| parent.to_str().unwrap_or(""));
        let (Some(name), Ok(folder)) = (
            given.file_name().and_then(|name| name.to_str()),
            self.workspace.resolve_new(if parent.is_empty() { "." } else { parent }),
        ) else {
            return located.ok_or_else(|| Error::Folder { path: path.to_owned() });
        };
        Ok(if folder.relative == "." { name.to_owned() } else { format!("{}/{name}", folder.relative) })
    }

    fn is_link(&self, path: &str) -> bool {
        self.nodes
            .get(path)
            .and_then(|node| node.before.as_ref())
            .is_some_and(|seen| seen.stamp.kind == Kind::Link)
    }

    /// The bytes a path has after the steps so far.
    fn bytes(&self, path: &str) -> Result<Vec<u8>, Error> {
        let gone = || Error::Gone { path: path.to_owned() };
        match self.nodes.get(path).and_then(|node| node.now.as_ref()).ok_or_else(gone)? {
            Now::Same { of } => self.disk(of, &[]),
            Now::Edited { of, passes } => self.disk(of, passes),
            Now::Whole { content, .. } => Ok(content.clone()),
        }
    }

    /// The bytes of a file as the snapshot has them, with passes of replacements.
    fn disk(&self, of: &str, passes: &[Vec<Replacement>]) -> Result<Vec<u8>, Error> {
        let stale = || Error::Stale { path: of.to_owned() };
        let mut bytes =
            read(&self.workspace.root().join(of)).map_err(|why| Error::Read { path: of.to_owned(), why })?;
        let seen = self.nodes.get(of).and_then(|node| node.before.as_ref()).ok_or_else(stale)?;
        if seen.stamp != Stamp::file(&bytes) {
            return Err(stale());
        }
        for pass in passes {
            bytes = applied(&bytes, pass).ok_or_else(stale)?;
        }
        Ok(bytes)
    }

    fn finish(self) -> Result<Change, Error> {
        let mut files = Vec::new();
        for (path, node) in &self.nodes {
            let after = self.after(path)?;
            if node.before.as_ref().map(|seen| seen.stamp) != after.as_ref().map(|after| after.stamp) {
                files.push(FileChange { path: path.clone(), before: node.before.clone(), after });
            }
        }
        // A file whose content moved away and came back some other way has no place in the change: its content is
        // carried whole to where it went.
        let changed: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        for file in &mut files {
            let Some(after) = &mut file.after else { continue };
            if after.make.source().is_some_and(|of| !changed.contains(of)) {
                after.make = Make::Whole { content: Content(self.bytes(&file.path)?), like: None };
            }
        }
        one_name_each(&files)?;
        Ok(Change::new(self.workspace.root(), files))
    }

    fn after(&self, path: &str) -> Result<Option<After>, Error> {
        let Some(now) = self.nodes.get(path).and_then(|node| node.now.as_ref()) else { return Ok(None) };
        let made = |bytes: &[u8], make| After { stamp: Stamp::file(bytes), len: bytes.len() as u64, make };
        Ok(Some(match now {
            Now::Same { of } => {
                let seen = self.nodes.get(of).and_then(|node| node.before.as_ref());
                let seen = seen.ok_or_else(|| Error::Gone { path: of.clone() })?;
                After { stamp: seen.stamp, len: seen.len, make: Make::Moved { of: of.clone() } }
            }
            Now::Edited { of, passes } => {
                made(&self.bytes(path)?, Make::Edited { of: of.clone(), passes: passes.clone() })
            }
            Now::Whole { content, like } => {
                made(content, Make::Whole { content: Content(content.clone()), like: like.clone() })
            }
        }))
    }
}

/// Whether a link at the end of a path is followed.
enum Last {
    Followed,
    Itself,
}

/// Two names of one file cannot both change: writing one would look like a foreign write of the other.
fn one_name_each(files: &[FileChange]) -> Result<(), Error> {
    let linked = |file: &FileChange| file.before.as_ref().is_some_and(|seen| seen.links > 1);
    for (at, file) in files.iter().enumerate().filter(|(_, file)| linked(file)) {
        let Some(seen) = &file.before else { continue };
        let other = files[..at].iter().find(|other| {
            other.before.as_ref().is_some_and(|before| before.same_inode(seen))
                && (other.is_written() || file.is_written())
        });
        if let Some(other) = other {
            return Err(Error::SameFile { first: other.path.clone(), second: file.path.clone() });
        }
        let rewritten = files.iter().find(|other| {
            other.path != file.path
                && matches!(&other.after, Some(After { make: Make::Edited { of, .. }, .. }) if *of == file.path)
        });
        if rewritten.is_some() {
            return Err(Error::LinkedRename { path: file.path.clone(), links: seen.links });
        }
    }
    Ok(())
}

impl FileChange {
    /// Whether new content is written at this path.
    pub(crate) fn is_written(&self) -> bool {
        matches!(&self.after, Some(After { make: Make::Whole { .. } | Make::Edited { .. }, .. }))
    }
}
