//! Rewriting many files in memory: what would change, where, and what a reader must know before accepting it.
//! It must never write a file, and never propose a part of what was asked for as if it were the whole.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use edits::Digest;
use workspace::text::LineIndex;

use crate::cache::Trees;
use crate::error::Error;
use crate::generated::is_generated;
use crate::languages::Selection;
use crate::parse::{Limits, Unparsed};
use crate::prefilter::Prefilter;
use crate::rewrite::{self, Rewritten, Rule, Unwritten};
use crate::sweep::{Report, Sweep};
use crate::visit::{Mention, Named, Tally, Visited, errors, lines_of, visit};

/// The most replacements one edit may have.
pub(crate) const MAX_REPLACEMENTS: usize = 10_000;
/// The longest the rewrite of one file may take, with every parse of it.
const REWRITE_TIME: Duration = Duration::from_secs(20);

/// How to rewrite.
pub(crate) struct Propose<'a> {
    pub(crate) threads: NonZero<usize>,
    pub(crate) trees: Trees<'a>,
    pub(crate) cancelled: &'a (dyn Fn() -> bool + Sync),
    pub(crate) report: Report<'a>,
    pub(crate) max_replacements: usize,
}

/// What would change.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// The files that change, by path.
    pub(crate) files: Vec<FileProposal>,
    pub(crate) matches: usize,
    pub(crate) replacements: usize,
    /// Matches that overlap another one.
    pub(crate) nested: Vec<Place>,
    pub(crate) refused: Vec<Place>,
    pub(crate) comments: Vec<Place>,
    pub(crate) quoted: Vec<Place>,
    pub(crate) parenthesized: usize,
    /// New syntax errors: where, and the line.
    pub(crate) errors: Vec<(Place, String)>,
    /// Generated files with matches, which were left alone.
    pub(crate) generated: Named,
    pub(crate) tally: Tally,
}

/// The change of one file.
#[derive(Debug)]
pub(crate) struct FileProposal {
    pub(crate) path: String,
    /// Of the bytes that the edits refer to.
    pub(crate) base: Digest,
    pub(crate) edits: Vec<(Range<usize>, Vec<u8>)>,
    pub(crate) replacements: usize,
}

/// A file and a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) line: usize,
}

struct Page {
    mention: Mention,
    matches: usize,
    change: Option<Change>,
    generated: bool,
    /// Why the edit as a whole cannot be.
    failed: Option<Error>,
}

struct Change {
    base: Digest,
    rewritten: Rewritten,
    lines: Lines,
}

/// The lines of the places that are reported.
struct Lines {
    nested: Vec<usize>,
    refused: Vec<usize>,
    comments: Vec<usize>,
    quoted: Vec<usize>,
    error: Option<(usize, String)>,
}

impl Propose<'_> {
    pub(crate) fn run(&self, selection: &Selection<Vec<Rule>>) -> Result<Proposal, Error> {
        let filters: Vec<Vec<Prefilter>> = selection
            .programs
            .iter()
            .map(|(_, rules)| rules.iter().map(|rule| Prefilter::new(rule.pattern.literals())).collect())
            .collect();
        let counted = AtomicUsize::new(0);
        let sizes: Vec<u64> = selection.files.iter().map(|(file, _)| file.len).collect();
        let sweep = Sweep { threads: self.threads, stop: self.cancelled, report: self.report };
        let pages = sweep.run(&sizes, |index| {
            let page = self.page(selection, &filters, index, &counted);
            let replacements = page.change.as_ref().map_or(0, |change| change.rewritten.replacements);
            counted.fetch_add(replacements, Ordering::Relaxed);
            page
        });
        if (self.cancelled)() {
            return Err(Error::Cancelled);
        }
        self.gather(selection, pages)
    }

    fn page(
        &self,
        selection: &Selection<Vec<Rule>>,
        filters: &[Vec<Prefilter>],
        index: usize,
        counted: &AtomicUsize,
    ) -> Page {
        let (file, program) = &selection.files[index];
        let (grammar, rules) = &selection.programs[*program];
        let blank = |mention| Page { mention, matches: 0, change: None, generated: false, failed: None };
        let filters: Vec<&Prefilter> = filters[*program].iter().collect();
        let (source, tree) = match visit(file, grammar, &filters, &self.trees, self.cancelled) {
            Visited::Unread(unread) => return blank(Mention::Unread(unread)),
            Visited::TimedOut => return blank(Mention::TimedOut),
            Visited::Cancelled => return blank(Mention::Cancelled),
            Visited::CannotMatch => {
                return blank(Mention::Searched { errors: None, exhausted: false, raw: Vec::new() });
            }
            Visited::Parsed { source, tree } => (source, tree),
        };
        let (mut matches, mut exhausted, mut raw) = (Vec::new(), 0, BTreeSet::new());
        for rule in rules {
            let found = rule.pattern.find(&tree, &source, self.cancelled);
            exhausted += found.exhausted;
            raw.extend(found.raw);
            matches.push(found.matches);
        }
        let count = matches.iter().map(Vec::len).sum();
        let mention = Mention::Searched {
            errors: errors(&tree, &source),
            exhausted: exhausted > 0,
            raw: lines_of(&Vec::from_iter(raw), &source),
        };
        let mut page = Page { matches: count, ..blank(mention) };
        page.generated =
            count > 0 && selection.scope.file().is_none() && is_generated(&file.relative, &source);
        // Past the limit the edit is refused as a whole; only the number is still of interest.
        if page.generated || count == 0 || counted.load(Ordering::Relaxed) > self.max_replacements {
            return page;
        }
        let limits = Limits { stop: self.cancelled, time: REWRITE_TIME };
        let path = || file.relative.clone();
        match rewrite::rewrite(rules, &source, &tree, matches, &limits) {
            Ok(rewritten) => {
                page.change = Some(Change {
                    base: Digest::of(&source),
                    lines: Lines::new(&source, &rewritten),
                    rewritten,
                });
            }
            Err(Unwritten::Unparsed(Unparsed::TimedOut)) => {
                page.failed = Some(Error::TooSlow { path: path(), seconds: REWRITE_TIME.as_secs() });
            }
            Err(Unwritten::Unparsed(Unparsed::Cancelled)) => page.mention = Mention::Cancelled,
            Err(Unwritten::TooLong { size, unit, limit }) => {
                page.failed = Some(Error::TooLong { path: path(), size, unit, limit });
            }
        }
        page
    }

    fn gather(&self, selection: &Selection<Vec<Rule>>, pages: Vec<Option<Page>>) -> Result<Proposal, Error> {
        let mut proposal = Proposal::default();
        proposal.tally.skipped = selection.skipped.clone();
        for ((file, _), page) in selection.files.iter().zip(pages) {
            let Some(page) = page else { continue };
            let path = &file.relative;
            proposal.tally.add(path, &page.mention);
            proposal.matches += page.matches;
            if let Some(failed) = page.failed {
                return Err(failed);
            }
            if page.generated {
                proposal.generated.add(path);
            }
            if let Some(change) = page.change {
                proposal.add(path, change);
            }
        }
        if proposal.replacements > self.max_replacements {
            let (limit, matches) = (self.max_replacements, proposal.matches);
            return Err(Error::TooMany { matches, limit });
        }
        Ok(proposal)
    }
}

impl Proposal {
    fn add(&mut self, path: &str, change: Change) {
        let Change { base, rewritten, lines } = change;
        let place = |line| Place { path: path.to_owned(), line };
        self.replacements += rewritten.replacements;
        self.parenthesized += rewritten.parenthesized;
        self.nested.extend(lines.nested.into_iter().map(place));
        self.refused.extend(lines.refused.into_iter().map(place));
        self.comments.extend(lines.comments.into_iter().map(place));
        self.quoted.extend(lines.quoted.into_iter().map(place));
        self.errors.extend(lines.error.map(|(line, excerpt)| (place(line), excerpt)));
        if !rewritten.edits.is_empty() {
            let Rewritten { edits, replacements, .. } = rewritten;
            self.files.push(FileProposal { path: path.to_owned(), base, edits, replacements });
        }
    }
}

impl Lines {
    fn new(source: &[u8], rewritten: &Rewritten) -> Self {
        let index = LineIndex::new(source);
        let lines = |places: &[usize]| places.iter().map(|at| index.position(*at).line).collect();
        Self {
            nested: lines(&rewritten.nested),
            refused: lines(&rewritten.refused),
            comments: lines(&rewritten.comments),
            quoted: lines(&rewritten.quoted),
            error: rewritten
                .error
                .as_ref()
                .map(|error| (index.position(error.at).line, error.excerpt.clone())),
        }
    }
}
