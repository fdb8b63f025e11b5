//! A plan compared with the disk: what each file was and will be. It keeps edits, not copies: the new content is
//! made from the old file when it is needed, and its digest says whether that worked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::content::{Content, Kind, Seen, Stamp, read};
use crate::error::Error;
use crate::plan::{Replacement, applied};

/// What a plan does to each file, with a snapshot of what each file was.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use]
pub struct Change {
    root: PathBuf,
    /// By path.
    files: Vec<FileChange>,
}

/// One file before and after. `before` and `after` are never both `None`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    pub(crate) before: Option<Seen>,
    pub(crate) after: Option<After>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct After {
    pub(crate) stamp: Stamp,
    pub(crate) len: u64,
    pub(crate) make: Make,
}

/// How new content is made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Make {
    /// Given whole; mode and owner as `like`, where there is one.
    Whole { content: Content, like: Option<String> },
    /// The old content of `of`, with passes of replacements.
    Edited { of: String, passes: Vec<Vec<Replacement>> },
    /// The file, or the link, `of` itself under a new name.
    Moved { of: String },
}

/// What happens to one file, in the words of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// The file, relative to the root; after a rename, its new name.
    pub path: String,
    /// What happens to it.
    #[serde(flatten)]
    pub kind: EffectKind,
    /// How many replacements were asked for in it.
    pub replacements: usize,
}

/// Kinds of [`Effect`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EffectKind {
    /// Its content changes.
    Edited,
    /// It appears.
    Created,
    /// It goes.
    Deleted,
    /// It moves, with its content changed or not.
    Renamed {
        /// Its old name.
        from: String,
    },
}

impl Change {
    pub(crate) fn new(root: &Path, files: Vec<FileChange>) -> Self {
        Self { root: root.to_owned(), files }
    }

    pub(crate) fn files(&self) -> &[FileChange] {
        &self.files
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The files that change, absolute: what a [`WritePermit`](tool::WritePermit) must name.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| self.absolute(&file.path)).collect()
    }

    /// Whether every file stays as it is.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What happens, file by file, by path.
    pub fn effects(&self) -> Vec<Effect> {
        self.effects_with_files().into_iter().map(|(effect, _)| effect).collect()
    }

    /// Each effect with the file before (of a rename, under its old name) and the file after.
    pub(crate) fn effects_with_files(&self) -> Vec<(Effect, Pair<'_>)> {
        let by_path: BTreeMap<&str, &FileChange> =
            self.files.iter().map(|file| (file.path.as_str(), file)).collect();
        let renamed_from = |file: &FileChange| {
            let of = file.after.as_ref().and_then(|after| after.make.source())?;
            let old = by_path.get(of)?;
            (file.before.is_none() && old.after.is_none()).then(|| of.to_owned())
        };
        let taken: Vec<String> = self.files.iter().filter_map(renamed_from).collect();
        let mut effects = Vec::new();
        for file in &self.files {
            let path = file.path.clone();
            let replacements = file.after.as_ref().map_or(0, |after| after.make.replacements());
            let (kind, before) = match (renamed_from(file), &file.before, &file.after) {
                (Some(from), _, _) => {
                    let old = by_path.get(from.as_str()).copied();
                    (EffectKind::Renamed { from }, old)
                }
                (None, None, _) => (EffectKind::Created, None),
                (None, Some(_), Some(_)) => (EffectKind::Edited, Some(file)),
                (None, Some(_), None) if taken.contains(&path) => continue,
                (None, Some(_), None) => (EffectKind::Deleted, Some(file)),
            };
            let after = file.after.is_some().then_some(file);
            effects.push((Effect { path, kind, replacements }, Pair { before, after }));
        }
        effects
    }

    /// The bytes a file had when the snapshot was taken, if it still has them; a link's target for a link.
    pub(crate) fn old_bytes(&self, path: &str, seen: &Seen) -> Result<Vec<u8>, Error> {
        let absolute = self.absolute(path);
        let bytes = match seen.stamp.kind {
            Kind::Link => {
                std::fs::read_link(&absolute).map(|target| target.into_os_string().into_encoded_bytes())
            }
            _ => read(&absolute),
        }
        .map_err(|why| match why.kind() {
            std::io::ErrorKind::NotFound => Error::Stale { path: path.to_owned() },
            _ => Error::Read { path: path.to_owned(), why },
        })?;
        if crate::Digest::of(&bytes) != seen.stamp.digest {
            return Err(Error::Stale { path: path.to_owned() });
        }
        Ok(bytes)
    }

    /// The bytes a file will have, made from what is on the disk now.
    pub(crate) fn new_bytes(&self, file: &FileChange, after: &After) -> Result<Vec<u8>, Error> {
        let (of, passes) = match &after.make {
            Make::Whole { content, .. } => return Ok(content.0.clone()),
            Make::Moved { of } => (of, &[][..]),
            Make::Edited { of, passes } => (of, &passes[..]),
        };
        let stale = || Error::Stale { path: of.clone() };
        let seen = self.find(of).and_then(|source| source.before.as_ref()).ok_or_else(stale)?;
        let mut bytes = self.old_bytes(of, seen)?;
        for pass in passes {
            bytes = applied(&bytes, pass).ok_or_else(stale)?;
        }
        if crate::Digest::of(&bytes) != after.stamp.digest {
            return Err(Error::Stale { path: file.path.clone() });
        }
        Ok(bytes)
    }

    pub(crate) fn find(&self, path: &str) -> Option<&FileChange> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }
}

/// One effect's files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) before: Option<&'a FileChange>,
    pub(crate) after: Option<&'a FileChange>,
}

impl Pair<'_> {
    pub(crate) fn old_bytes(&self, change: &Change) -> Result<Option<Vec<u8>>, Error> {
        let seen = self.before.and_then(|file| Some((file, file.before.as_ref()?)));
        seen.map(|(file, seen)| change.old_bytes(&file.path, seen)).transpose()
    }

    pub(crate) fn new_bytes(&self, change: &Change) -> Result<Option<Vec<u8>>, Error> {
        let made = self.after.and_then(|file| Some((file, file.after.as_ref()?)));
        made.map(|(file, after)| change.new_bytes(file, after)).transpose()
    }
}

impl FileChange {
    /// Every path it says something about.
    pub(crate) fn mentioned(&self) -> impl Iterator<Item = &str> {
        let source = self.after.as_ref().and_then(|after| after.make.source());
        std::iter::once(self.path.as_str()).chain(source)
    }
}

impl Make {
    /// The file whose old content, mode and owner it takes.
    pub(crate) fn source(&self) -> Option<&str> {
        match self {
            Self::Whole { like, .. } => like.as_deref(),
            Self::Edited { of, .. } | Self::Moved { of } => Some(of),
        }
    }

    fn replacements(&self) -> usize {
        match self {
            Self::Edited { passes, .. } => passes.iter().map(Vec::len).sum(),
            Self::Whole { .. } | Self::Moved { .. } => 0,
        }
    }
}
