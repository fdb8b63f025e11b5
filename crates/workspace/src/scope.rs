//! Where to look: a `path` argument read as the whole workspace, a folder, a file or a glob.
//! It must never guess: a path that exists is that path, whatever signs its name holds.

use std::fmt;

use ignore::overrides::{Override, OverrideBuilder};

use crate::{Error, Kind, Located, Workspace, shown};

const GLOB_SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// The files a search looks at.
#[derive(Debug, Clone)]
pub struct Scope {
    pub(crate) start: Located,
    glob: Option<Glob>,
}

#[derive(Debug, Clone)]
struct Glob {
    given: String,
    matcher: Override,
}

impl Workspace {
    /// Reads a `path` argument: nothing (the whole workspace), a folder, a file, or a glob such as `lib/**/*.dart` or
    /// `*.rs` (any depth, as for ripgrep). The fixed folders in front of a glob must exist.
    pub fn scope(&self, path: Option<&str>) -> Result<Scope, Error> {
        let path = path.unwrap_or(".");
        match self.resolve(path) {
            Ok(start) => Ok(Scope { start, glob: None }),
            Err(Error::NotFound { .. } | Error::NotAFolder { .. }) if path.contains(GLOB_SIGNS) => {
                self.glob(path)
            }
            Err(error) => Err(error),
        }
    }

    fn glob(&self, given: &str) -> Result<Scope, Error> {
        let invalid = |reason: String| Error::Glob { glob: given.to_owned(), reason };
        let names: Vec<&str> = given.split('/').collect();
        let first_sign = names.iter().position(|name| name.contains(GLOB_SIGNS)).unwrap_or(names.len());
        let mut fixed = first_sign;
        // A name such as `[id]` may stand for itself.
        while fixed + 1 < names.len() && self.resolve(&names[..=fixed].join("/")).is_ok() {
            fixed += 1;
        }
        let (folder, rest) = (names[..fixed].join("/"), names[fixed..].join("/"));
        if names[fixed..].contains(&"..") {
            return Err(invalid("`..` cannot follow a wildcard".to_owned()));
        }
        let start = match (fixed, folder.as_str()) {
            (0, _) => self.resolve(".")?,
            (_, "") => return Err(Error::Leaves { path: given.to_owned() }),
            (_, folder) => self.resolve(folder)?,
        };
        if start.kind != Kind::Folder {
            return Err(Error::NotAFolder { path: given.to_owned(), file: start.relative });
        }
        let anchored = if fixed == 0 { rest } else { format!("/{rest}") };
        let matcher = OverrideBuilder::new(&start.absolute)
            .add(&anchored)
            .and_then(|builder| builder.build())
            .map_err(|error| invalid(reason(error)))?;
        Ok(Scope { start, glob: Some(Glob { given: given.to_owned(), matcher }) })
    }
}

/// What is wrong with a glob, without the rewritten glob that the error carries.
fn reason(error: ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err,
        other => other.to_string(),
    }
}

impl Scope {
    /// The file, when the scope is one file that was named: it is searched whatever the ignore files say.
    pub fn file(&self) -> Option<&Located> {
        (self.start.kind == Kind::File).then_some(&self.start)
    }

    /// The glob as it was given, when the scope is one.
    pub fn glob(&self) -> Option<&str> {
        self.glob.as_ref().map(|glob| glob.given.as_str())
    }

    pub(crate) fn includes(&self, absolute: &std::path::Path) -> bool {
        self.glob.as_ref().is_none_or(|glob| !glob.matcher.matched(absolute, false).is_ignore())
    }
}

/// As a sentence names it: `the workspace`, `` `lib` ``.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.glob() {
            Some(glob) => write!(f, "`{}`", shown(glob)),
            None if self.start.relative == "." => f.write_str("the workspace"),
            None => write!(f, "`{}`", shown(&self.start.relative)),
        }
    }
}
