//! How many files of each bundled language a walk found. It counts by name and never reads a file.

use std::collections::BTreeMap;

use outrigger::Grammars;
use outrigger::workspace::Walk;

/// Every bundled language with its number of files, none included.
pub(crate) fn census(walk: &Walk) -> BTreeMap<&'static str, usize> {
    let grammars = Grammars::bundled();
    let mut files: BTreeMap<&str, usize> = grammars.ids().into_iter().map(|id| (id, 0)).collect();
    for language in walk.files.iter().filter_map(|file| grammars.of(&file.absolute)) {
        *files.entry(language).or_default() += 1;
    }
    files
}
