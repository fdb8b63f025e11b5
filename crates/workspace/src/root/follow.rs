//! Following a path name by name, as the kernel does, so that each failure can be told apart: outside, missing, a link
//! to nothing, a circle. Where a look ends outside the root, the answer is "leaves", whatever is or is not there.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Kind, show};
use crate::Error;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Where a path leads.
pub(super) struct Place {
    /// The part that exists, without links.
    pub(super) absolute: PathBuf,
    /// The part that does not: plain names only.
    pub(super) missing: PathBuf,
    /// What the whole names.
    pub(super) kind: Kind,
    /// Whether a link below the root was followed.
    pub(super) through_link: bool,
}

enum Step {
    /// Start again from here: a root directory (or a drive).
    From(PathBuf),
    Up,
    Down(OsString),
}

struct Link {
    at: PathBuf,
    target: PathBuf,
    /// How many steps were still to go behind the link: more than that are the link's own.
    rest: usize,
}

struct Follower<'a> {
    root: &'a Path,
    given: &'a str,
    at: PathBuf,
    at_folder: bool,
    steps: VecDeque<Step>,
    link: Option<Link>,
    links: usize,
    through_link: bool,
}

/// Follows `given` from `root`.
pub(super) fn follow(root: &Path, given: &str) -> Result<Place, Error> {
    let mut follower = Follower {
        root,
        given,
        at: root.to_owned(),
        at_folder: true,
        steps: steps(Path::new(given)).into(),
        link: None,
        links: 0,
        through_link: false,
    };
    while let Some(step) = follower.steps.pop_front() {
        if !follower.at_folder && !matches!(step, Step::From(_)) {
            return Err(follower.below_a_file());
        }
        match step {
            Step::From(start) => (follower.at, follower.at_folder) = (start, true),
            Step::Up => _ = follower.at.pop(),
            Step::Down(name) => {
                if let Some(place) = follower.down(name)? {
                    return Ok(place);
                }
            }
        }
    }
    follower.arrived()
}

fn steps(path: &Path) -> Vec<Step> {
    let mut steps = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => steps.push(Step::From(component.as_os_str().into())),
            Component::CurDir => {}
            Component::ParentDir => steps.push(Step::Up),
            Component::Normal(name) => steps.push(Step::Down(name.to_owned())),
        }
    }
    steps
}

impl Follower<'_> {
    /// One name down. A `Place` when it is missing, which ends the way.
    fn down(&mut self, name: OsString) -> Result<Option<Place>, Error> {
        let next = self.at.join(&name);
        let metadata = match fs::symlink_metadata(&next) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(name).map(Some),
            Err(source) => return Err(self.failed(source)),
        };
        if metadata.is_symlink() {
            self.through(next)?;
        } else {
            self.at_folder = metadata.is_dir();
            self.at = next;
        }
        Ok(None)
    }

    fn through(&mut self, link: PathBuf) -> Result<(), Error> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(if self.inside(&self.at) {
                Error::LinkLoop { path: self.given.to_owned(), limit: MAX_LINKS }
            } else {
                self.leaves()
            });
        }
        let target = fs::read_link(&link).map_err(|source| self.failed(source))?;
        let rest = self.steps.len();
        for step in steps(&target).into_iter().rev() {
            self.steps.push_front(step);
        }
        if self.inside(&link) {
            self.through_link = true;
            self.link = Some(Link { at: link, target, rest });
        }
        Ok(())
    }

    fn missing(&self, name: OsString) -> Result<Place, Error> {
        if !self.inside(&self.at) {
            return Err(self.leaves());
        }
        if let Some(link) = self.link.as_ref().filter(|link| self.steps.len() >= link.rest) {
            return Err(Error::Dangling {
                path: self.given.to_owned(),
                link: self.shown(&link.at),
                target: link.target.to_string_lossy().into_owned(),
            });
        }
        let (mut end, mut up) = (self.at.join(name), false);
        for step in &self.steps {
            match step {
                Step::Down(name) => end.push(name),
                Step::Up | Step::From(_) => up = end.pop() || up,
            }
        }
        if !self.inside(&end) {
            return Err(Error::Leaves { path: self.given.to_owned() });
        }
        // `..` behind a name that is not there means nothing, as for the kernel.
        if up {
            return Err(Error::NotFound { path: self.given.to_owned(), near: None });
        }
        let missing = end.strip_prefix(&self.at).unwrap_or(&end).to_owned();
        let (absolute, through_link) = (self.at.clone(), self.through_link);
        Ok(Place { absolute, missing, kind: Kind::Absent, through_link })
    }

    fn arrived(self) -> Result<Place, Error> {
        if !self.inside(&self.at) {
            return Err(self.leaves());
        }
        let kind = if self.at_folder {
            Kind::Folder
        } else if self.at.is_file() {
            Kind::File
        } else {
            return Err(Error::Special { path: self.given.to_owned() });
        };
        Ok(Place { absolute: self.at, missing: PathBuf::new(), kind, through_link: self.through_link })
    }

    fn inside(&self, path: &Path) -> bool {
        path.starts_with(self.root)
    }

    fn leaves(&self) -> Error {
        let path = self.given.to_owned();
        match &self.link {
            Some(link) => Error::LinkLeaves { path, link: self.shown(&link.at) },
            None => Error::Leaves { path },
        }
    }

    fn below_a_file(&self) -> Error {
        if self.inside(&self.at) {
            Error::NotAFolder { path: self.given.to_owned(), file: self.shown(&self.at) }
        } else {
            self.leaves()
        }
    }

    fn failed(&self, why: io::Error) -> Error {
        if self.inside(&self.at) {
            Error::Unreadable { path: self.given.to_owned(), why }
        } else {
            self.leaves()
        }
    }

    fn shown(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        show(relative).unwrap_or_else(|| relative.to_string_lossy().into_owned())
    }
}
