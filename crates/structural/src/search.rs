//! Searching files: bytes first, then the parser, then the matcher, on every core.
//! It must never let timing show in what is found, nor call a file searched that was not.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use workspace::text::{LineIndex, Position};

use crate::cache::Trees;
use crate::error::Error;
use crate::generated::is_generated;
use crate::languages::Selection;
use crate::matcher::{Found, Match};
use crate::pattern::Pattern;
use crate::prefilter::Prefilter;
use crate::sweep::{Report, Sweep};
use crate::visit::{Mention, Tally, Visited, errors, lines_of, visit};

/// Matches are counted up to this many; past it the search stops.
pub(crate) const MAX_COUNTED: usize = 100_000;

/// Characters of a match's or variable's text that are kept.
const MAX_EXCERPT: usize = 8_000;

/// How to search.
pub(crate) struct Search<'a> {
    /// How many matches are shown.
    pub(crate) max_results: usize,
    /// How many lines around each.
    pub(crate) context: usize,
    /// Matches are counted up to this many.
    pub(crate) max_counted: usize,
    pub(crate) threads: NonZero<usize>,
    pub(crate) trees: Trees<'a>,
    pub(crate) cancelled: &'a (dyn Fn() -> bool + Sync),
    pub(crate) report: Report<'a>,
}

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The first matches, by path and place.
    pub(crate) hits: Vec<Hit>,
    /// How many lines around each were asked for.
    pub(crate) context: usize,
    pub(crate) total: usize,
    pub(crate) files_with_matches: usize,
    /// The count passed the limit and the search stopped: everything but `hits` is a part of the truth.
    pub(crate) stopped: bool,
    pub(crate) tally: Tally,
    /// Files searched, for each language.
    pub(crate) searched: Vec<usize>,
    /// What else differs, and how often, where that one thing alone kept a place from matching.
    pub(crate) near: BTreeMap<String, usize>,
    /// Other readings of the fragment, with their matches.
    pub(crate) also: BTreeMap<String, usize>,
}

/// A match to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) generated: bool,
    pub(crate) range: Range<usize>,
    pub(crate) start: Position,
    pub(crate) end: Position,
    pub(crate) text: Excerpt,
    /// As they are written in the pattern, with their text.
    pub(crate) variables: Vec<(String, Excerpt)>,
    /// The white space before the match in its line, when nothing else is there.
    pub(crate) indent: String,
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

/// The first characters of a piece of source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// How many characters there are in all.
    pub(crate) characters: usize,
}

impl Excerpt {
    fn new(source: &[u8]) -> Self {
        let whole = String::from_utf8_lossy(source);
        let text = match whole.char_indices().nth(MAX_EXCERPT) {
            Some((end, _)) => whole[..end].to_owned(),
            None => whole.clone().into_owned(),
        };
        Self { text, characters: whole.chars().count() }
    }
}

/// What one file gave.
struct Page {
    mention: Mention,
    hits: Vec<Hit>,
    count: usize,
    near: BTreeMap<String, usize>,
    also: BTreeMap<String, usize>,
}

impl Search<'_> {
    pub(crate) fn run(&self, selection: &Selection<Pattern>) -> Result<Answer, Error> {
        let filters: Vec<Prefilter> =
            selection.programs.iter().map(|(_, pattern)| Prefilter::new(pattern.literals())).collect();
        let front = Front { wanted: self.max_results, counts: Mutex::default() };
        let counted = AtomicUsize::new(0);
        let full = || counted.load(Ordering::Relaxed) > self.max_counted;
        let stop = || (self.cancelled)() || full();
        let sizes: Vec<u64> = selection.files.iter().map(|(file, _)| file.len).collect();
        let sweep = Sweep { threads: self.threads, stop: &stop, report: self.report };
        let mut pages = sweep.run(&sizes, |index| {
            let page = self.page(selection, &filters, &front, index);
            counted.fetch_add(page.count, Ordering::Relaxed);
            page
        });
        if (self.cancelled)() {
            return Err(Error::Cancelled);
        }
        if full() {
            self.fill_front(selection, &filters, &front, &mut pages);
        }
        Ok(self.answer(selection, pages, full()))
    }

    /// After an early stop: searches what was left out in front, so that the matches shown are the first ones.
    fn fill_front(
        &self,
        selection: &Selection<Pattern>,
        filters: &[Prefilter],
        front: &Front,
        pages: &mut [Option<Page>],
    ) {
        let mut shown = 0;
        for (index, page) in pages.iter_mut().enumerate() {
            if shown >= self.max_results || (self.cancelled)() {
                break;
            }
            shown += page.get_or_insert_with(|| self.page(selection, filters, front, index)).count;
        }
    }

    fn page(
        &self,
        selection: &Selection<Pattern>,
        filters: &[Prefilter],
        front: &Front,
        index: usize,
    ) -> Page {
        let (file, program) = &selection.files[index];
        let (grammar, pattern) = &selection.programs[*program];
        let blank = |mention| Page {
            mention,
            hits: Vec::new(),
            count: 0,
            near: BTreeMap::new(),
            also: BTreeMap::new(),
        };
        match visit(file, grammar, &[&filters[*program]], &self.trees, self.cancelled) {
            Visited::Unread(unread) => blank(Mention::Unread(unread)),
            Visited::TimedOut => blank(Mention::TimedOut),
            Visited::Cancelled => blank(Mention::Cancelled),
            Visited::CannotMatch => {
                blank(Mention::Searched { errors: None, exhausted: false, raw: Vec::new() })
            }
            Visited::Parsed { source, tree } => {
                let Found { matches, near, also, raw, exhausted } =
                    pattern.find(&tree, &source, self.cancelled);
                let errors = errors(&tree, &source);
                let mention =
                    Mention::Searched { errors, exhausted: exhausted > 0, raw: lines_of(&raw, &source) };
                let may_show = front.enter(index, matches.len());
                let hits = if may_show { self.hits(&file.relative, &source, &matches) } else { Vec::new() };
                Page { mention, hits, count: matches.len(), near, also }
            }
        }
    }

    fn hits(&self, path: &str, source: &[u8], matches: &[Match]) -> Vec<Hit> {
        let lines = LineIndex::new(source);
        let generated = is_generated(path, source);
        let shown = matches.iter().take(self.max_results);
        shown.map(|found| hit(path, generated, source, &lines, found, self.context)).collect()
    }

    fn answer(&self, selection: &Selection<Pattern>, pages: Vec<Option<Page>>, stopped: bool) -> Answer {
        let context = self.context;
        let mut answer =
            Answer { stopped, context, searched: vec![0; selection.programs.len()], ..Answer::default() };
        answer.tally.skipped = selection.skipped.clone();
        for ((file, program), page) in selection.files.iter().zip(pages) {
            let Some(page) = page else { continue };
            answer.searched[*program] += usize::from(matches!(page.mention, Mention::Searched { .. }));
            answer.tally.add(&file.relative, &page.mention);
            answer.total += page.count;
            answer.files_with_matches += usize::from(page.count > 0);
            add(&mut answer.near, page.near);
            add(&mut answer.also, page.also);
            let room = self.max_results - answer.hits.len();
            answer.hits.extend(page.hits.into_iter().take(room));
        }
        answer
    }
}

/// How many matches the files have that are done: where enough stand in front of a file, its own are only counted.
struct Front {
    wanted: usize,
    counts: Mutex<BTreeMap<usize, usize>>,
}

impl Front {
    /// Notes a file's matches; whether one of them may be among the first.
    fn enter(&self, index: usize, count: usize) -> bool {
        if count == 0 {
            return false;
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = 0;
        let enough = counts.range(..index).any(|(_, count)| {
            before += count;
            before >= self.wanted
        });
        if !enough {
            counts.insert(index, count);
        }
        !enough && self.wanted > 0
    }
}

fn add(sums: &mut BTreeMap<String, usize>, more: BTreeMap<String, usize>) {
    for (name, count) in more {
        *sums.entry(name).or_default() += count;
    }
}

fn hit(
    path: &str,
    generated: bool,
    source: &[u8],
    lines: &LineIndex<'_>,
    found: &Match,
    context: usize,
) -> Hit {
    let text = |range: &Range<usize>| Excerpt::new(&source[range.clone()]);
    let (start, end) = (lines.position(found.range.start), lines.position(found.range.end));
    let line = |number: usize| {
        // What follows the last line end is no line when nothing is there.
        let line = lines.range(number).filter(|range| !range.is_empty()).and_then(|_| lines.line(number));
        line.map(|line| String::from_utf8_lossy(line).into_owned())
    };
    let variables = found.captures.iter().map(|capture| {
        let sign = if capture.many { "$$$" } else { "$" };
        (format!("{sign}{}", capture.name), text(&capture.range))
    });
    let first = line(start.line).unwrap_or_default();
    let indent: String = first.chars().take(start.column - 1).collect();
    Hit {
        path: path.to_owned(),
        generated,
        range: found.range.clone(),
        start,
        end,
        text: text(&found.range),
        variables: variables.collect(),
        indent: if indent.trim().is_empty() { indent } else { String::new() },
        before: (start.line.saturating_sub(context).max(1)..start.line).filter_map(line).collect(),
        after: (end.line + 1..=end.line.saturating_add(context)).map_while(line).collect(),
    }
}
