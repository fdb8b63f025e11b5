//! Rewriting one file: matches are chosen, templates filled in, and the result is parsed again and compared with
//! what was meant. Parentheses are added where that helps; what still goes wrong is left out and counted.
//! It must never write a file, nor hand out a rewrite whose captures did not come through.

mod alignment;
mod assemble;
mod binding;
mod integrity;
mod layout;
mod nesting;
mod separators;
mod shield;
mod template;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::embedded::is_piece;
use crate::matcher::Match;
use crate::parse::{self, Limits, Unparsed};
use crate::pattern::Pattern;
use crate::spans::{self, Survey, Unit};
use assemble::{Assembled, Assembly, Care};
use integrity::Trees;
use layout::{Block, Layout, Mark, Marked};
use nesting::Chosen;
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
    /// Captures that are used twice in nested matches would make it too long.
    TooLong,
}

impl From<Unparsed> for Unwritten {
    fn from(unparsed: Unparsed) -> Self {
        Self::Unparsed(unparsed)
    }
}

impl From<assemble::TooLong> for Unwritten {
    fn from(_: assemble::TooLong) -> Self {
        Self::TooLong
    }
}

/// Rewrites a file: `matches` are those of each rule.
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
    let layout = Layout::new(source, survey.frozen, &survey.comments);
    let cares = vec![Care::default(); chosen.len()];
    let mut work = Work { tree, layout: &layout, rules, cares, chosen: &chosen, shield: Shield::default() };
    work.refuse_misplaced();
    let (assembled, error) = work.settle(limits)?;
    let mut rewritten = work.report(assembled, &survey.comments);
    rewritten.nested = nested;
    rewritten.error = error;
    Ok(rewritten)
}

struct Work<'a> {
    tree: &'a Tree,
    layout: &'a Layout<'a>,
    rules: &'a [Rule],
    chosen: &'a [Chosen],
    cares: Vec<Care>,
    shield: Shield,
}

impl Work<'_> {
    fn assemble(&self) -> Result<Assembled, Unwritten> {
        let Self { layout, rules, chosen, cares, .. } = self;
        let (grammar, root) = (self.rules[0].pattern.grammar(), self.tree.root_node());
        Ok(Assembly { grammar, root, layout, rules, chosen, cares }.assemble()?)
    }

    /// Assembles and parses until every mark holds or lies at a new syntax error.
    fn settle(&mut self, limits: &Limits<'_>) -> Result<(Assembled, Option<NewError>), Unwritten> {
        let grammar = self.rules[0].pattern.grammar();
        let before = parse::error_regions(self.tree).len();
        let mut round = 0;
        loop {
            round += 1;
            let assembled = self.assemble()?;
            let whole = &assembled.whole;
            if whole.bytes == self.layout.source {
                return Ok((assembled, None));
            }
            let after = parse::parse(grammar, &whole.bytes, limits)?;
            let errors = parse::error_regions(&after);
            let errors = if errors.len() > before { errors } else { Vec::new() };
            let trees = Trees { grammar, before: self.tree, after: &after, bytes: &whole.bytes };
            let broken = trees.broken(&whole.marks, self.chosen);
            let at_errors = touched(whole, &errors);
            // An error upsets what is read around it, so what lies at one comes first.
            let (first, others): (Vec<&Mark>, Vec<&Mark>) =
                broken.iter().copied().partition(|mark| at_errors.contains(&mark.owner));
            let tired = round > MAX_ROUNDS;
            let changed = self.care_for(&first, &at_errors, tired)
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
        broken.iter().fold(false, |changed, mark| self.care(mark, at_errors, tired) || changed)
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
        let (grammar, root) = (self.rules[0].pattern.grammar(), self.tree.root_node());
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
        match spans::unit(self.tree.root_node(), origin) {
            Some(Unit::Node(node)) => is_expression(node),
            // What a macro holds as raw tokens.
            Some(Unit::Run { .. }) => is_piece(grammar, &self.layout.source[origin.clone()], is_expression),
            None => false,
        }
    }

    fn report(&self, assembled: Assembled, comments: &[Range<usize>]) -> Rewritten {
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
            let first = comments.partition_point(|comment| comment.start < found.start);
            let inside = comments[first..].iter().take_while(|comment| comment.end <= found.end);
            let gone = inside.filter(|comment| {
                !replacement.kept.iter().any(|kept| kept.start <= comment.start && comment.end <= kept.end)
            });
            rewritten.comments.extend(gone.map(|comment| comment.start));
        }
        let source = self.layout.source;
        rewritten.edits = assembled.edits;
        rewritten.edits.retain(|(range, bytes)| source[range.clone()] != **bytes);
        rewritten
    }
}

/// The replacements that a new syntax error lies in or beside.
fn touched(whole: &Block, errors: &[Range<usize>]) -> HashSet<usize> {
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
fn new_error(assembled: &Assembled, errors: &[Range<usize>], chosen: &[Chosen]) -> Option<NewError> {
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
