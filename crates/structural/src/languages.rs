//! Which files are looked at, and in which languages: the one that is named, the file's, or every language that has
//! files here and takes the fragment. It must never leave a language out without saying so.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use grammars::Grammar;
use workspace::{Found, Scope, Skipped, Workspace};

use crate::error::Error;

/// Bytes of a file without an extension that are read for the program its first line names.
const MAX_FIRST_LINE: u64 = 128;

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Where<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) path: Option<&'a str>,
    pub(crate) language: Option<&'a str>,
}

/// Files and, for each, which of the programs is for it.
#[derive(Debug)]
pub(crate) struct Selection<P> {
    pub(crate) scope: Scope,
    pub(crate) programs: Vec<(&'static Grammar, P)>,
    /// In path order.
    pub(crate) files: Vec<(Found, usize)>,
    /// Languages that have files here but do not take the fragment: why, and how many files.
    pub(crate) unfit: Vec<(&'static str, String, usize)>,
    pub(crate) skipped: Skipped,
}

impl<P> Selection<P> {
    /// Chooses files and compiles the fragment for their languages.
    pub(crate) fn new(
        place: Where<'_>,
        cancelled: &(dyn Fn() -> bool + Sync),
        compile: &dyn Fn(&'static Grammar) -> Result<P, Error>,
    ) -> Result<Self, Error> {
        let scope = place.workspace.scope(place.path)?;
        let only = match place.language {
            Some(id) => Some(by_id(id)?),
            None => scope.file().map(|file| by_name(&file.absolute, &file.relative)).transpose()?,
        };
        match only {
            Some(grammar) => Self::one(place.workspace, scope, grammar, cancelled, compile),
            None => Self::every(place.workspace, scope, cancelled, compile),
        }
    }

    fn one(
        workspace: &Workspace,
        scope: Scope,
        grammar: &'static Grammar,
        cancelled: &(dyn Fn() -> bool + Sync),
        compile: &dyn Fn(&'static Grammar) -> Result<P, Error>,
    ) -> Result<Self, Error> {
        let programs = vec![(grammar, compile(grammar)?)];
        let root = workspace.root();
        let wanted = |path: &str| match Path::new(path).extension() {
            None if grammar.interpreters().is_empty() => false,
            _ => language_of(&root.join(path)).is_some_and(|it| it.id() == grammar.id()),
        };
        let walk = workspace.walk(&scope, &wanted, cancelled)?;
        let files = walk.files.into_iter().map(|file| (file, 0)).collect();
        Ok(Self { scope, programs, files, unfit: Vec::new(), skipped: walk.skipped })
    }

    fn every(
        workspace: &Workspace,
        scope: Scope,
        cancelled: &(dyn Fn() -> bool + Sync),
        compile: &dyn Fn(&'static Grammar) -> Result<P, Error>,
    ) -> Result<Self, Error> {
        let root = workspace.root();
        let wanted = |path: &str| language_of(&root.join(path)).is_some();
        let walk = workspace.walk(&scope, &wanted, cancelled)?;
        let languages: Vec<Option<&str>> =
            walk.files.iter().map(|file| language_of(&file.absolute).map(Grammar::id)).collect();
        let (mut programs, mut refused, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for grammar in Grammar::bundled() {
            let files_and_languages = walk.files.iter().zip(&languages);
            let own: Vec<&Found> = files_and_languages
                .filter(|(_, language)| **language == Some(grammar.id()))
                .map(|(file, _)| file)
                .collect();
            // A fragment that no language takes is an error even where there are no files.
            if own.is_empty() && !walk.files.is_empty() {
                continue;
            }
            match compile(grammar) {
                Ok(program) => {
                    files.extend(own.into_iter().map(|file| (file.clone(), programs.len())));
                    programs.push((grammar, program));
                }
                Err(error) => refused.push((grammar.id(), error, own.len())),
            }
        }
        if programs.is_empty() {
            return Err(refusal(refused));
        }
        if files.is_empty() {
            programs.clear();
            refused.clear();
        }
        let unfit = refused.into_iter().map(|(id, error, count)| (id, error.to_string(), count)).collect();
        files.sort_by(|(left, _), (right, _)| left.relative.cmp(&right.relative));
        Ok(Self { scope, programs, files, unfit, skipped: walk.skipped })
    }
}

/// One reason as it is, several as a list.
fn refusal(mut reasons: Vec<(&'static str, Error, usize)>) -> Error {
    if reasons.len() == 1 {
        return reasons.remove(0).1;
    }
    Error::NoLanguageTakes {
        reasons: reasons.into_iter().map(|(id, error, _)| (id, error.to_string())).collect(),
    }
}

fn by_id(id: &str) -> Result<&'static Grammar, Error> {
    let wanted = id.trim().to_ascii_lowercase();
    if let Some(grammar) = Grammar::by_id(&wanted) {
        return Ok(grammar);
    }
    let (id, bundled) = (id.to_owned(), Grammar::ids());
    if Grammar::is_known(&wanted) {
        return Err(Error::LeftOut { id, bundled });
    }
    // `rs` and `py` are what files are called.
    let by_extension = Grammar::by_path(Path::new(&format!("x.{wanted}"))).map(Grammar::id);
    let near = by_extension.or_else(|| tool::nearest(&wanted, bundled.iter().copied(), 1).first().copied());
    Err(Error::UnknownLanguage { id, near: near.map(str::to_owned), bundled })
}

/// The language of a file by its extension, or by its first line when its name has none.
fn language_of(file: &Path) -> Option<&'static Grammar> {
    match file.extension() {
        Some(_) => Grammar::by_path(file),
        None => Grammar::by_first_line(&first_bytes(file).ok()?),
    }
}

/// The first bytes of a regular file: a script's first line is in them. Nothing else is opened: a pipe would wait.
fn first_bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    if fs::symlink_metadata(file)?.is_file() {
        fs::File::open(file)?.take(MAX_FIRST_LINE).read_to_end(&mut first)?;
    }
    Ok(first)
}

fn by_name(file: &Path, path: &str) -> Result<&'static Grammar, Error> {
    language_of(file).ok_or_else(|| Error::NoLanguageFor { path: path.to_owned(), bundled: Grammar::ids() })
}
