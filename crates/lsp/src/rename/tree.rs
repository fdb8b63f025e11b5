//! The files of an edit as its operations leave them, one after the other: a picture over the disk, which it reads
//! and never writes. A path means what the operations before it made of it; two names of one file are one file.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use workspace::Workspace;

use super::refusal::Refusal;

/// Files of a folder that is moved or deleted.
const MAX_BELOW: usize = 10_000;

/// What the operations so far have made of the workspace.
pub(super) struct Tree<'w> {
    workspace: &'w Workspace,
    /// By path relative to the root; `None` where nothing is now.
    nodes: BTreeMap<String, Option<Node>>,
    /// Which name a file that has several goes by.
    names: HashMap<(u64, u64), String>,
}

/// A file or a link.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it lies on the disk; `None` for a file that the edit makes.
    pub(super) origin: Option<String>,
    is_link: bool,
    /// Its content, where that is not the disk's.
    content: Option<Vec<u8>>,
}

impl<'w> Tree<'w> {
    pub(super) fn new(workspace: &'w Workspace) -> Self {
        Self { workspace, nodes: BTreeMap::new(), names: HashMap::new() }
    }

    /// The file that a text edit of `path` is about, every link followed.
    pub(super) fn file(&mut self, path: &Path) -> Result<String, Refusal> {
        let made_here = self.relative(path).filter(|key| matches!(self.nodes.get(key), Some(Some(_))));
        let key = match made_here {
            Some(key) => key,
            None => self.resolved(path)?,
        };
        self.look(&key)?;
        match self.nodes.get(&key) {
            Some(Some(node)) if node.is_link => Err(Refusal::Missing { path: key }),
            Some(Some(_)) => Ok(self.one_name(key)),
            _ if self.workspace.root().join(&key).is_dir() => Err(Refusal::Folder { path: key }),
            _ => Err(Refusal::Missing { path: key }),
        }
    }

    /// The place that an operation on files names: the last name is not followed, since a link moves as a link.
    pub(super) fn place(&mut self, path: &Path) -> Result<String, Refusal> {
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let key = match (is_link, path.parent(), path.file_name().and_then(|name| name.to_str())) {
            (true, Some(parent), Some(name)) => {
                let folder = self.resolved(parent)?;
                if folder == "." { name.to_owned() } else { format!("{folder}/{name}") }
            }
            _ => self.resolved(path)?,
        };
        self.look(&key)?;
        Ok(key)
    }

    pub(super) fn exists(&self, key: &str) -> bool {
        matches!(self.nodes.get(key), Some(Some(_)))
    }

    /// Whether it is a folder of the disk, or one that the edit has put files into.
    pub(super) fn is_folder(&self, key: &str) -> bool {
        let below = format!("{key}/");
        let holds = self.nodes.iter().any(|(other, node)| other.starts_with(&below) && node.is_some());
        holds || self.workspace.root().join(key).symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
    }

    /// Every file and link below a folder, in order.
    pub(super) fn below(&mut self, folder: &str) -> Result<Vec<String>, Refusal> {
        let mut folders = vec![self.workspace.root().join(folder)];
        let mut count = 0;
        while let Some(at) = folders.pop() {
            let unread = |why| Refusal::Read { path: folder.to_owned(), why };
            let entries = match fs::read_dir(&at) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(unread(error)),
            };
            for entry in entries {
                let entry = entry.map_err(unread)?;
                count += 1;
                if count > MAX_BELOW {
                    return Err(Refusal::TooMany { count, what: "files in one folder", limit: MAX_BELOW });
                }
                if entry.file_type().map_err(unread)?.is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let outside = || Refusal::Outside { path: entry.path() };
                let key = self.relative(&entry.path()).ok_or_else(outside)?;
                self.look(&key)?;
            }
        }
        let below = format!("{folder}/");
        let here = self.nodes.iter().filter(|(key, node)| key.starts_with(&below) && node.is_some());
        Ok(here.map(|(key, _)| key.clone()).collect())
    }

    /// The content of a file.
    pub(super) fn content(&self, key: &str) -> Result<Vec<u8>, Refusal> {
        let missing = || Refusal::Missing { path: key.to_owned() };
        let node = self.nodes.get(key).and_then(Option::as_ref).ok_or_else(missing)?;
        match (&node.content, &node.origin) {
            (Some(content), _) => Ok(content.clone()),
            (None, Some(origin)) => fs::read(self.workspace.root().join(origin))
                .map_err(|why| Refusal::Read { path: key.to_owned(), why }),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// Gives a file new content.
    pub(super) fn write(&mut self, key: &str, content: Vec<u8>) {
        if let Some(Some(node)) = self.nodes.get_mut(key) {
            node.content = Some(content);
        }
    }

    pub(super) fn node(&self, key: &str) -> Option<&Node> {
        self.nodes.get(key).and_then(Option::as_ref)
    }

    /// Whether it is the disk's file of that name, as it is there.
    pub(super) fn is_untouched(&self, key: &str) -> bool {
        self.node(key).is_some_and(|node| node.content.is_none() && node.origin.as_deref() == Some(key))
    }

    pub(super) fn create(&mut self, key: &str) {
        self.nodes.insert(key.to_owned(), Some(Node { origin: None, is_link: false, content: None }));
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Node> {
        self.nodes.get_mut(key).and_then(Option::take)
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        if let Some(node) = self.remove(from) {
            self.nodes.insert(to.to_owned(), Some(node));
        }
    }

    /// Looks at the disk, once for each path.
    fn look(&mut self, key: &str) -> Result<(), Refusal> {
        if self.nodes.contains_key(key) {
            return Ok(());
        }
        let absolute = self.workspace.root().join(key);
        if self.workspace.is_git_internal(&absolute) {
            return Err(Refusal::Git { path: key.to_owned() });
        }
        let node = match absolute.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(metadata) if metadata.is_file() || metadata.is_symlink() => {
                if metadata.nlink() > 1 {
                    self.names.entry((metadata.dev(), metadata.ino())).or_insert_with(|| key.to_owned());
                }
                Some(Node { origin: Some(key.to_owned()), is_link: metadata.is_symlink(), content: None })
            }
            Ok(_) => return Err(workspace::Error::Special { path: key.to_owned() }.into()),
            Err(_) => None,
        };
        self.nodes.insert(key.to_owned(), node);
        Ok(())
    }

    /// The name under which a file with several names was met first.
    fn one_name(&self, key: String) -> String {
        let Ok(metadata) = self.workspace.root().join(&key).symlink_metadata() else { return key };
        let first =
            self.names.get(&(metadata.dev(), metadata.ino())).filter(|first| self.is_untouched(first));
        match first {
            Some(first) if metadata.nlink() > 1 && self.is_untouched(&key) => first.clone(),
            _ => key,
        }
    }

    fn resolved(&self, path: &Path) -> Result<String, Refusal> {
        let outside = || Refusal::Outside { path: path.to_owned() };
        match self.workspace.resolve_new(path.to_str().ok_or_else(outside)?) {
            Ok(located) => Ok(located.relative),
            Err(workspace::Error::Leaves { .. } | workspace::Error::LinkLeaves { .. }) => Err(outside()),
            // The edit may have made a folder, or taken a file away, where the disk says otherwise.
            Err(error @ workspace::Error::NotAFolder { .. }) => {
                self.relative(path).ok_or_else(|| error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Relative to the root, with no link followed.
    fn relative(&self, path: &Path) -> Option<String> {
        self.workspace.relative(path)
    }

    /// Of the files that are on the disk, those that an ignore file names.
    pub(super) fn ignored(&self, keys: &[String]) -> Vec<String> {
        let absolute: Vec<PathBuf> = keys.iter().map(|key| self.workspace.root().join(key)).collect();
        let ignored = self.workspace.ignored(&absolute);
        keys.iter()
            .zip(absolute)
            .filter(|(_, path)| ignored.contains(path))
            .map(|(key, _)| key.clone())
            .collect()
    }
}
