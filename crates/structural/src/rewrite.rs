//! Rewriting one file: matches are chosen, templates filled in, and the result is parsed again and compared with
//! what was meant. Parentheses are added where that helps; what still goes wrong is left out and counted.
//! It must never write a file, nor hand out a rewrite whose captures did not come through.

mod alignment;
mod assemble;
mod binding;
mod block;
mod integrity;
mod joining;
mod layout;
mod nesting;
mod pour;
mod separators;
mod shield;
mod template;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::HashSet;
use std::ops::Range;
use std::time::Instant;

use tree_sitter::Tree;

use crate::embedded::is_piece;
use crate::matcher::Match;
use crate::outline::{Node, Outline};
use crate::parse::{self, Limits, Unparsed};
use crate::pattern::Pattern;
use crate::spans::{self, Survey, Unit};
use assemble::{Assembled, Assembly, Care};
use integrity::Trees;
use layout::{Layout, Mark, Marked};
use nesting::Chosen;
use pour::Whole;
use shield::Shield;
pub(crate) use template::{Template, TemplateError};

/// How often a file is put together anew, with more parentheses or fewer replacements, before what is still wrong is
/// left out at once.
const MAX_ROUNDS: usize = 8;

/// A pattern and what is to stand in its place.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) pattern: Pattern,
    /// The pattern's text.
    pub(crate) fragment: String,
    pub(crate) template: Template,
}

/// A file's rewrite.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    /// Ranges of the source and what comes in their place, in order. Empty when nothing changes.
    pub(crate) edits: Vec<(Range<usize>, Vec<u8>)>,
    pub(crate) replacements: usize,
    /// Places of matches that overlap another one and were left as they are.
    pub(crate) nested: Vec<usize>,
    /// Places of the source where the result would not mean what the rewrite says.
    pub(crate) refused: Vec<usize>,
    /// Replacements that got parentheses.
    pub(crate) parenthesized: usize,
    /// Places of comments that go.
    pub(crate) comments: Vec<usize>,
    /// Places of replacements with a capture pasted into a string.
    pub(crate) quoted: Vec<usize>,
    /// The first new syntax error in the result, if there are more than before.
    pub(crate) error: Option<NewError>,
}

/// A syntax error that a rewrite brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewError {
    /// The replacement it belongs to, in the source.
    pub(crate) at: usize,
    /// The line of the result.
    pub(crate) excerpt: String,
}

/// Why a file was not rewritten.
#[derive(Debug)]
pub(crate) enum Unwritten {
    Unparsed(Unparsed),
    /// It would pass a limit: captures that are used twice in nested matches double each time.
    TooLong {
        size: u64,
        unit: &'static str,
        limit: u64,
    },
}

impl From<Unparsed> for Unwritten {
    fn from(unparsed: Unparsed) -> Self {
        Self::Unparsed(unparsed)
    }
}

/// Tells when to give a file up.
pub(crate) struct Watch<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    deadline: Instant,
}

impl<'a> Watch<'a> {
    fn new(limits: &Limits<'a>) -> Self {
        Self { stop: limits.stop, deadline: Instant::now() + limits.time }
    }

    fn check(&self) -> Result<(), Unparsed> {
        match () {
            () if (self.stop)() => Err(Unparsed::Cancelled),
            () if Instant::now() > self.deadline => Err(Unparsed::TimedOut),
            () => Ok(()),
        }
    }

    /// What is left of the limits.
    fn limits(&self) -> Limits<'a> {
        Limits { stop: self.stop, time: self.deadline.saturating_duration_since(Instant::now()) }
    }
}

/// Rewrites a file: `matches` are those of each rule; `limits` hold for all of it.
pub(crate) fn rewrite(
    rules: &[Rule],
    source: &[u8],
    tree: &Tree,
    matches: Vec<Vec<Match>>,
    limits: &Limits<'_>,
) -> Result<Rewritten, Unwritten> {
    let (chosen, nested) = nesting::choose(matches, &|rule, name| rules[rule].template.keeps(name));
    let Some(first) = rules.first().filter(|_| !chosen.is_empty()) else {
        return Ok(Rewritten { nested, ..Rewritten::default() });
    };
    let grammar = first.pattern.grammar();
    let survey = Survey::of(grammar, tree, source);
    let mut layout = Layout::new(source, survey.frozen, &survey.comments);
    layout.openers = grammar.line_openers();
    let cares = vec![Care::default(); chosen.len()];
    let outline = &Outline::of(tree, grammar.is_offside());
    let errors = parse::error_regions(tree).len();
    let watch = &Watch::new(limits);
    let mut work = Work {
        watch,
        outline,
        errors,
        layout: &layout,
        rules,
        cares,
        chosen: &chosen,
        shield: Shield::default(),
    };
    work.refuse_misplaced();
    let (assembled, error) = work.settle()?;
    let mut rewritten = work.report(assembled, &survey.comments);
    rewritten.nested = nested;
    rewritten.error = error;
    Ok(rewritten)
}

struct Work<'a> {
    watch: &'a Watch<'a>,
    outline: &'a Outline,
    /// Syntax errors of the source.
    errors: usize,
    layout: &'a Layout<'a>,
    rules: &'a [Rule],
    chosen: &'a [Chosen],
    cares: Vec<Care>,
    shield: Shield,
}

impl<'a> Work<'a> {
    fn assemble(&self) -> Result<Assembled<'a>, Unwritten> {
        let Self { watch, layout, rules, chosen, .. } = *self;
        let (grammar, root) = (rules[0].pattern.grammar(), self.outline.root_node());
        Assembly { grammar, root, layout, rules, chosen, cares: &self.cares, watch }.assemble()
    }

    /// Assembles and parses until every mark holds or lies at a new syntax error.
    fn settle(&mut self) -> Result<(Assembled<'a>, Option<NewError>), Unwritten> {
        let grammar = self.rules[0].pattern.grammar();
        let mut round = 0;
        loop {
            round += 1;
            let assembled = self.assemble()?;
            let whole = &assembled.whole;
            if whole.bytes == self.layout.source {
                return Ok((assembled, None));
            }
            let after = parse::parse(grammar, &whole.bytes, &self.watch.limits())?;
            let errors = parse::error_regions(&after);
            let errors = if errors.len() > self.errors { errors } else { Vec::new() };
            let (before, bytes) = (self.outline, &whole.bytes);
            let after_outline = &Outline::of(&after, grammar.is_offside());
            let source = self.layout.source;
            let trees = Trees { grammar, before, after: after_outline, tree: &after, source, bytes };
            let mut broken = trees.broken(&whole.marks, self.chosen, self.watch)?;
            if round <= MAX_ROUNDS / 2 {
                broken = integrity::innermost(broken);
            }
            let at_errors = touched(whole, &errors);
            // An error upsets what is read around it, so what lies at one comes first.
            let (first, others): (Vec<&Mark>, Vec<&Mark>) =
                broken.iter().copied().partition(|mark| at_errors.contains(&mark.owner));
            let tired = round > MAX_ROUNDS;
            let changed = self.part(&trees, &whole.marks, &at_errors)
                || self.care_for(&first, &at_errors, tired)
                || self.shield(&whole.marks, &at_errors)
                || self.care_for(&others, &at_errors, tired)
                || self.end_statements(&trees, &whole.marks);
            if !changed {
                let error = new_error(&assembled, &errors, self.chosen);
                return Ok((assembled, error));
            }
        }
    }

    /// Lets replacements that are statements of their own take the terminators that would be left behind them.
    fn end_statements(&mut self, trees: &Trees<'_>, marks: &[Mark]) -> bool {
        let mut changed = false;
        for mark in marks.iter().filter(|mark| mark.what == Marked::Replacement) {
            let care = &mut self.cares[mark.owner];
            if !care.terminated && trees.leaves_terminator(&mark.range, &self.chosen[mark.owner].found.range)
            {
                care.terminated = true;
                changed = true;
            }
        }
        changed
    }

    fn care_for(&mut self, broken: &[&Mark], at_errors: &HashSet<usize>, tired: bool) -> bool {
        let mut changed = false;
        for mark in broken {
            changed |= self.care(mark, at_errors, tired);
        }
        changed
    }

    /// Helps a mark that did not come through: parentheses, else its replacement is refused. One that lies at a new
    /// syntax error in spite of them is tried with the template's own layout; then the error is reported as such, and
    /// `false`.
    fn care(&mut self, mark: &Mark, at_errors: &HashSet<usize>, tired: bool) -> bool {
        let found = &self.chosen[mark.owner].found.range;
        let origin = match &mark.what {
            Marked::Replacement => Some((None, found.clone())),
            Marked::Capture { hole, origin, .. } => Some((Some(*hole), origin.clone())),
            Marked::Run { hole, origins } if origins.len() == 1 => Some((Some(*hole), origins[0].clone())),
            _ => None,
        };
        let wraps = origin.filter(|(hole, origin)| match hole {
            _ if tired => false,
            Some(_) => self.may_wrap(origin),
            None => self.may_enclose(mark.owner),
        });
        let care = &mut self.cares[mark.owner];
        match wraps {
            Some((Some(hole), _)) if !care.holes.contains(&hole) => care.holes.push(hole),
            Some((None, _)) if !care.whole && !care.plain => care.whole = true,
            _ if at_errors.contains(&mark.owner) => {
                care.whole = false;
                return !std::mem::replace(&mut care.plain, true);
            }
            _ => care.refused = true,
        }
        true
    }

    /// Leaves out the replacements of expressions by statements where no statement stands.
    fn refuse_misplaced(&mut self) {
        let (grammar, root) = (self.rules[0].pattern.grammar(), self.outline.root_node());
        for index in 0..self.chosen.len() {
            let Chosen { rule, found } = &self.chosen[index];
            let is_statement = self.rules[*rule].template.is_statement;
            if is_statement
                && self.may_wrap(&found.range)
                && !separators::is_statement(grammar, root, &found.range)
            {
                self.cares[index].refused = true;
            }
        }
    }

    /// Whether parentheses may be put around a replacement.
    fn may_enclose(&self, owner: usize) -> bool {
        let Chosen { rule, found } = &self.chosen[owner];
        !self.rules[*rule].template.is_statement && self.may_wrap(&found.range)
    }

    /// Whether what stands at a range of the source is an expression that parentheses may be put around.
    fn may_wrap(&self, origin: &Range<usize>) -> bool {
        let grammar = self.rules[0].pattern.grammar();
        let is_expression = |node: Node<'_>| {
            spans::chain(node).any(|node| grammar.kinds().expressions.contains(node.kind_id()))
        };
        match spans::unit(self.outline.root_node(), origin) {
            Some(Unit::Node(node)) => is_expression(node),
            // What a macro holds as raw tokens.
            Some(Unit::Run { .. }) => is_piece(grammar, &self.layout.source[origin.clone()], is_expression),
            None => false,
        }
    }

    fn report(&self, assembled: Assembled<'_>, comments: &[Range<usize>]) -> Rewritten {
        let mut rewritten = Rewritten::default();
        for (index, one) in self.chosen.iter().enumerate() {
            let found = &one.found.range;
            let Some(replacement) = &assembled.replacements[index] else {
                rewritten.refused.push(found.start);
                continue;
            };
            if !replacement.changes {
                continue;
            }
            rewritten.replacements += 1;
            let care = &self.cares[index];
            rewritten.parenthesized += usize::from(care.whole || !care.holes.is_empty());
            if self.rules[one.rule].template.quotes() {
                rewritten.quoted.push(found.start);
            }
            rewritten.comments.extend(dropped(found, &replacement.kept, comments));
        }
        let source = self.layout.source;
        rewritten.edits = assembled.edits;
        rewritten.edits.retain(|(range, bytes)| source[range.clone()] != **bytes);
        rewritten
    }
}

/// The comments of a match that no part that is kept holds. Of a kept part none is looked at.
fn dropped(found: &Range<usize>, kept: &[Range<usize>], comments: &[Range<usize>]) -> Vec<usize> {
    let (mut at, mut dropped) = (found.start, Vec::new());
    while let Some(next) = comments.get(comments.partition_point(|comment| comment.start < at)) {
        if next.end > found.end {
            break;
        }
        let around = kept.iter().filter(|part| part.start <= next.start && next.end <= part.end);
        if let Some(end) = around.map(|part| part.end).max() {
            at = end;
        } else {
            dropped.push(next.start);
            at = next.end;
        }
    }
    dropped
}

/// The replacements that a new syntax error lies in or beside.
fn touched(whole: &Whole, errors: &[Range<usize>]) -> HashSet<usize> {
    let near = |mark: &Mark| {
        let start = whole.bytes[..mark.range.start].trim_ascii_end().len();
        let end = whole.bytes.len() - whole.bytes[mark.range.end..].trim_ascii_start().len();
        // The errors are in order and do not overlap.
        let first = errors.partition_point(|error| error.end < start);
        errors.get(first).is_some_and(|error| error.start <= end)
    };
    let own = whole.marks.iter().filter(|mark| mark.what == Marked::Replacement);
    own.filter(|mark| near(mark)).map(|mark| mark.owner).collect()
}

/// The first error that lies at a replacement, else the first one.
fn new_error(assembled: &Assembled<'_>, errors: &[Range<usize>], chosen: &[Chosen]) -> Option<NewError> {
    let whole = &assembled.whole;
    let mut own = whole.marks.iter().filter(|mark| mark.what == Marked::Replacement);
    let touched = own.find_map(|mark| {
        let near = |error: &&Range<usize>| error.start <= mark.range.end && mark.range.start <= error.end;
        errors.iter().find(near).map(|error| (error, chosen[mark.owner].found.range.start))
    });
    let first_edit = assembled.edits.first().map_or(0, |(range, _)| range.start);
    let (error, at) = touched.or_else(|| errors.first().map(|error| (error, first_edit)))?;
    let start =
        whole.bytes[..error.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let line = whole.bytes[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    Some(NewError { at, excerpt: String::from_utf8_lossy(line).trim().to_owned() })
}
