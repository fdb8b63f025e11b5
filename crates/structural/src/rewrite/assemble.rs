//! The text of a rewritten file, put together once from left to right: source, templates, captures.
//! It must never change a byte outside the replacements, nor write two replacements over each other.

use std::ops::Range;

use grammars::Grammar;

use super::alignment::{self, Shared};
use super::block::{Block, Extent};
use super::joining::DIVIDER;
use super::layout::{Layout, Marked};
use super::nesting::Chosen;
use super::pour::{Pour, Whole};
use super::separators::{self, Edge};
use super::template::{Hole, Place, Template};
use super::writer::Writer;
use super::{Rule, Unwritten, Watch};
use crate::matcher::{Capture, Match};
use crate::outline::Node;

/// The longest text a rewritten file may have, in bytes: a capture that is used twice in nested matches doubles each
/// time.
const MAX_RESULT: u64 = 32 << 20;
/// The most captures and replacements that are followed through one file.
const MAX_MARKS: u64 = 500_000;

/// What a replacement was given beside its template, after looking at how it parses.
#[derive(Debug, Clone, Default)]
pub(super) struct Care {
    /// The holes whose capture is put in parentheses.
    pub(super) holes: Vec<usize>,
    /// Whether the whole replacement is.
    pub(super) whole: bool,
    /// Whether its layout is the template's everywhere.
    pub(super) plain: bool,
    /// Whether it takes the place of the terminator behind the match too, being a statement of its own.
    pub(super) terminated: bool,
    /// Whether a terminator parts it from what stands before it.
    pub(super) opened: bool,
    /// Whether one parts it from what stands behind it.
    pub(super) closed: bool,
    /// Whether it is left out.
    pub(super) refused: bool,
}

/// One replacement as it will be written.
#[derive(Debug)]
pub(super) struct Replacement<'s> {
    pub(super) block: Block<'s>,
    /// The parts of the source that came through, in no order.
    pub(super) kept: Vec<Range<usize>>,
    /// Whether it changes anything, beside what was rewritten inside it.
    pub(super) changes: bool,
}

/// What the replacements of one file are made from.
pub(super) struct Assembly<'a, 'c> {
    pub(super) grammar: &'static Grammar,
    pub(super) root: Node<'a>,
    pub(super) layout: &'a Layout<'a>,
    pub(super) rules: &'a [Rule],
    pub(super) chosen: &'a [Chosen],
    pub(super) cares: &'c [Care],
    pub(super) watch: &'a Watch<'a>,
}

/// A file with its replacements.
#[derive(Debug)]
pub(super) struct Assembled<'s> {
    pub(super) whole: Whole,
    /// The outermost replacements: which bytes go and what comes.
    pub(super) edits: Vec<(Range<usize>, Vec<u8>)>,
    /// For each chosen match; `None` where it was refused.
    pub(super) replacements: Vec<Option<Replacement<'s>>>,
}

impl<'a> Assembly<'a, '_> {
    /// Puts the file together. Inner replacements come before the ones around them.
    pub(super) fn assemble(&self) -> Result<Assembled<'a>, Unwritten> {
        let (roots, children) = self.nest();
        let mut done: Vec<Option<Replacement<'a>>> = Vec::new();
        done.resize_with(self.chosen.len(), || None);
        for index in (0..self.chosen.len()).rev().filter(|index| !self.cares[*index].refused) {
            self.watch.check()?;
            done[index] = Some(self.replacement(index, &children[index], &done));
        }
        let all = 0..self.layout.source.len();
        check_size(&self.compose(all.clone(), &roots, &done).extent)?;
        let inner = |index: usize| done[index].as_ref().map(|replacement| &replacement.block);
        let mut pour = Pour::new(self.layout, self.watch, &inner);
        let (mut at, mut edits) = (0, Vec::new());
        for (taken, index) in self.placed(all.clone(), &roots, &done) {
            pour.source(at..taken.start);
            at = taken.end;
            if let Some(block) = inner(index) {
                edits.push((taken, pour.block(block)?));
            }
        }
        pour.source(at..all.end);
        let whole = pour.finish();
        let edits = edits.into_iter().map(|(taken, place)| (taken, whole.bytes[place].to_vec())).collect();
        Ok(Assembled { whole, edits, replacements: done })
    }

    /// The outermost matches, and for each match those directly inside it.
    fn nest(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let (mut roots, mut children) = (Vec::new(), vec![Vec::new(); self.chosen.len()]);
        let mut open: Vec<usize> = Vec::new();
        for (index, one) in self.chosen.iter().enumerate().filter(|(index, _)| !self.cares[*index].refused) {
            while open
                .last()
                .is_some_and(|around| self.chosen[*around].found.range.end <= one.found.range.start)
            {
                open.pop();
            }
            match open.last() {
                Some(around) => children[*around].push(index),
                None => roots.push(index),
            }
            open.push(index);
        }
        (roots, children)
    }

    /// The replacements directly inside a range of the source, with the bytes that each takes the place of. Deletions
    /// side by side may claim the same separator: the first has it.
    fn placed(
        &self,
        range: Range<usize>,
        inside: &[usize],
        done: &[Option<Replacement<'_>>],
    ) -> Vec<(Range<usize>, usize)> {
        let first = inside.partition_point(|index| self.chosen[*index].found.range.start < range.start);
        let mut at = range.start;
        let mut placed = Vec::new();
        for index in &inside[first..] {
            let found = &self.chosen[*index].found.range;
            if found.end > range.end {
                break;
            }
            let Some(replacement) = &done[*index] else { continue };
            let mut taken = found.clone();
            let extent = &replacement.block.extent;
            if extent.len == 0 {
                taken = separators::deletion(self.grammar, self.root, self.layout, found, at);
            } else if self.cares[*index].terminated {
                taken = separators::statement(self.grammar, self.root, found).unwrap_or(taken);
            } else if extent.last == Some(b'}') {
                taken = separators::terminated(self.grammar, self.root, self.layout.source, found);
            }
            taken = taken.start.max(at)..taken.end.clamp(at, range.end);
            at = taken.end;
            placed.push((taken, *index));
        }
        placed
    }

    /// Source text with the replacements in it.
    fn compose(&self, range: Range<usize>, inside: &[usize], done: &[Option<Replacement<'_>>]) -> Block<'a> {
        let mut out = Block::default();
        let mut at = range.start;
        for (taken, index) in self.placed(range.clone(), inside, done) {
            let Some(replacement) = &done[index] else { continue };
            out.append(Block::source(self.layout, at..taken.start));
            at = taken.end;
            out.append(Block::inner(index, taken, &replacement.block.extent));
        }
        out.append(Block::source(self.layout, at..range.end));
        out
    }

    fn replacement(
        &self,
        index: usize,
        inside: &[usize],
        done: &[Option<Replacement<'a>>],
    ) -> Replacement<'a> {
        let Chosen { rule, found } = &self.chosen[index];
        if self.rules[*rule].template.is_identity {
            // What a variable stands for need not be spaced alike in all its places.
            let block = self.compose(found.range.clone(), inside, done);
            return Replacement { block, kept: vec![found.range.clone()], changes: false };
        }
        let filling =
            Filling { assembly: self, index, template: &self.rules[*rule].template, found, inside, done };
        let (block, kept) = filling.fill();
        let changes = !block.is_source(self.layout, &found.range);
        Replacement { block, kept, changes }
    }
}

/// One template being filled in.
struct Filling<'f, 'a> {
    assembly: &'f Assembly<'a, 'f>,
    index: usize,
    template: &'a Template,
    found: &'a Match,
    inside: &'f [usize],
    done: &'f [Option<Replacement<'a>>],
}

impl<'a> Filling<'_, 'a> {
    fn fill(&self) -> (Block<'a>, Vec<Range<usize>>) {
        let layout = self.assembly.layout;
        let care = &self.assembly.cares[self.index];
        let parentheses = self.assembly.grammar.parentheses().filter(|_| care.whole);
        let mut writer = Writer::at(layout, self.found.range.start, self.template.step);
        let mut kept = Vec::new();
        let gaps = self.gaps();
        writer.raw(parentheses.map_or("", |(open, _)| open));
        for (index, gap) in gaps.iter().enumerate() {
            self.between(&mut writer, index, gap.as_ref(), &mut kept);
            if let Some((hole, capture)) = self.hole(index) {
                self.capture(&mut writer, index, hole, capture);
                kept.push(capture.range.clone());
            }
        }
        writer.raw(parentheses.map_or("", |(_, close)| close));
        let divider = |wanted: bool| Block::text(if wanted { DIVIDER.into() } else { Vec::new() }, false);
        let mut block = divider(care.opened);
        block.append(writer.finish(self.index));
        block.append(divider(care.closed));
        (block, kept)
    }

    fn hole(&self, index: usize) -> Option<(&Hole, &Capture)> {
        let hole = self.template.holes.get(index)?;
        Some((hole, self.found.captures.iter().find(|capture| capture.name == hole.name)?))
    }

    /// For each text of the template: the bytes of the source that stand in its place, where the pattern has a text
    /// there that shares something with it. Around an ellipsis that stands for nothing it is both texts, and the
    /// whole of them, or neither, since the separator that is missing could be on either side.
    fn gaps(&self) -> Vec<Option<Range<usize>>> {
        if self.assembly.cares[self.index].plain {
            return vec![None; self.template.texts.len()];
        }
        let whole = &self.found.range;
        // The place of an ellipsis that stands for nothing is not always known: then it is where the text before it
        // starts, so that this text is empty and the one behind it all there is.
        let mut ends = vec![whole.start];
        for index in 0..self.template.holes.len() {
            let known = self.hole(index).map(|(_, capture)| capture.range.end);
            let known = known.filter(|end| (whole.start..=whole.end).contains(end));
            ends.push(known.unwrap_or(ends[index]));
        }
        let start = |index: usize| match self.hole(index) {
            Some((_, capture)) => ends[index + 1] - capture.range.len(),
            None => whole.end,
        };
        let mut gaps: Vec<Option<Range<usize>>> = (0..self.template.texts.len())
            .map(|index| (ends[index] <= start(index)).then(|| ends[index]..start(index)))
            .zip(&self.template.shared)
            .map(|(gap, shared)| gap.filter(|_| *shared != Shared::Nothing))
            .collect();
        let empty = |index: usize| self.hole(index).is_some_and(|(_, capture)| capture.range.is_empty());
        let holes: Vec<usize> = (0..self.template.holes.len()).filter(|index| empty(*index)).collect();
        let whole = |gaps: &[Option<Range<usize>>], index: usize| {
            gaps[index].is_some() && self.template.shared[index] == Shared::All
        };
        for index in holes.iter().chain(holes.iter().rev()) {
            if !whole(&gaps, *index) || !whole(&gaps, *index + 1) {
                gaps[*index] = None;
                gaps[*index + 1] = None;
            }
        }
        gaps
    }

    /// Writes a text of the template, or what the source has in its place.
    fn between(
        &self,
        writer: &mut Writer<'a>,
        index: usize,
        gap: Option<&Range<usize>>,
        kept: &mut Vec<Range<usize>>,
    ) {
        let layout = self.assembly.layout;
        let mut keep = |writer: &mut Writer<'a>, range: Range<usize>| {
            writer.block(Block::source(layout, range.clone()), layout.indent(range.start));
            kept.push(range);
        };
        let mut part = self.joined(index);
        let (gap, shared) = match (gap, &self.template.shared[index]) {
            (Some(gap), Shared::All) => return keep(writer, gap.clone()),
            (Some(gap), shared @ Shared::Ends { .. }) => (gap.clone(), shared),
            _ => (0..0, &Shared::Nothing),
        };
        let (mut first, mut last) = (None, None);
        if let Shared::Ends { before, after, middle, tight } = shared {
            let source = &layout.source[gap.clone()];
            let comments = layout.comments_in(&gap);
            first = alignment::from_start(source, before, &comments).filter(|end| *end > 0);
            last = alignment::from_end(source, after, &comments)
                .filter(|start| *start < source.len() && *start >= first.unwrap_or(0));
            if tight.before {
                first = first.map(|first| source.len() - source[first..].trim_ascii_start().len());
            }
            if tight.after {
                last = last.map(|last| source[..last].trim_ascii_end().len());
            }
            part.start = if first.is_some() { middle.start } else { part.start };
            part.end = if last.is_some() { middle.end } else { part.end };
        }
        if let Some(end) = first {
            keep(writer, gap.start..gap.start + end);
        }
        let goes_on = last.is_some() || index + 1 < self.template.texts.len();
        writer.template(&self.template.texts[index], part.start..part.end.max(part.start), goes_on);
        if let Some(start) = last {
            keep(writer, gap.start + start..gap.end);
        }
    }

    /// The part of a text of the template that is written, separators at its ends considered.
    fn joined(&self, index: usize) -> Range<usize> {
        let texts = &self.template.texts;
        let after = texts.get(index + 1).map_or("", |text| text.text.as_str());
        let left = index.checked_sub(1).map(|left| self.edge(left)).unwrap_or_default();
        let mut range = separators::joined(&texts[index].text, after, left, self.edge(index));
        if index + 1 == texts.len() && self.is_ended_otherwise(&texts[index].text) {
            range.end = range.end.max(range.start + 1) - 1;
        }
        range
    }

    /// Whether a text ends with a terminator that stands behind the match already, or that the pattern has and the
    /// match has not: it may have a meaning there, as in a block that ends with a value.
    fn is_ended_otherwise(&self, text: &str) -> bool {
        let Assembly { layout, rules, chosen, .. } = self.assembly;
        let outside = layout.source[self.found.range.end..].trim_ascii_start().starts_with(b";");
        let asked = rules[chosen[self.index].rule].fragment.trim_end().ends_with(';');
        let missing = asked && !layout.source[self.found.range.clone()].ends_with(b";");
        text.ends_with(';') && (outside && !asked || missing)
    }

    fn edge(&self, index: usize) -> Edge<'_> {
        let Some((_, capture)) = self.hole(index) else { return Edge::default() };
        let Assembly { grammar, root, layout, .. } = self.assembly;
        let empty = capture.many && capture.range.is_empty();
        let ends_with = separators::trailing(grammar, *root, layout.source, capture.range.end);
        Edge { empty, ends_with: ends_with.filter(|_| !empty) }
    }

    fn capture(&self, writer: &mut Writer<'a>, index: usize, hole: &Hole, capture: &Capture) {
        let layout = self.assembly.layout;
        let opens_suite = self.assembly.grammar.is_offside()
            && (layout.begins_line(capture.range.start)
                || layout.opens_line(capture.range.start) && layout.extent(&capture.range).broken);
        let wrapped = self.assembly.cares[self.index].holes.contains(&index)
            || self.is_number_before_dot(index, capture);
        let parentheses = self.assembly.grammar.parentheses().filter(|_| wrapped);
        if opens_suite {
            let (own, around) = (layout.indent(capture.range.start), layout.indent(self.found.range.start));
            writer.open_suite(own.strip_prefix(around).filter(|step| !step.is_empty()));
        }
        writer.raw(parentheses.map_or("", |(open, _)| open));
        writer.block(self.captured(index, hole, capture), layout.indent(capture.range.start));
        writer.raw(parentheses.map_or("", |(_, close)| close));
    }

    /// `1.bar()` is no method of a number in every language whose parser takes it for one; `(1).bar()` is.
    fn is_number_before_dot(&self, index: usize, capture: &Capture) -> bool {
        let text = &self.assembly.layout.source[capture.range.clone()];
        let number =
            text.first().is_some_and(u8::is_ascii_digit) && text.iter().all(u8::is_ascii_alphanumeric);
        let dot = self.template.texts[index + 1].text.strip_prefix('.');
        number && dot.is_some_and(|rest| rest.starts_with(|sign: char| sign.is_alphabetic() || sign == '_'))
    }

    /// A capture as a block, marked.
    fn captured(&self, index: usize, hole: &Hole, capture: &Capture) -> Block<'a> {
        let compose = |range: Range<usize>| self.assembly.compose(range, self.inside, self.done);
        let mut block = Block::default();
        if capture.many && !self.straddled(capture) {
            let mut at = capture.range.start;
            for item in &capture.items {
                block.append(compose(at..item.start));
                block.append(compose(item.clone()).item());
                at = item.end;
            }
            block.append(compose(at..capture.range.end));
        } else {
            block.append(compose(capture.range.clone()));
        }
        let exact = self.inside.iter().all(|inner| self.assembly.chosen[*inner].found.range != capture.range);
        let what = match hole.place {
            Place::Quoted => Marked::Quoted { hole: index },
            Place::Glued => Marked::Glued { hole: index },
            Place::Node if capture.many => Marked::Run { hole: index, origins: capture.items.clone() },
            Place::Node => Marked::Capture { hole: index, origin: capture.range.clone(), exact },
        };
        block.marked(what, self.index)
    }

    /// Whether a match inside a run lies across two of its siblings.
    fn straddled(&self, capture: &Capture) -> bool {
        let inside = self.inside.iter().map(|inner| &self.assembly.chosen[*inner].found.range);
        let mut inside =
            inside.filter(|range| capture.range.start <= range.start && range.end <= capture.range.end);
        inside.any(|range| {
            let after = capture.items.partition_point(|item| item.start <= range.start);
            after.checked_sub(1).is_none_or(|last| capture.items[last].end < range.end)
        })
    }
}

fn check_size(extent: &Extent) -> Result<(), Unwritten> {
    let too_long = |size, unit, limit| Err(Unwritten::TooLong { size, unit, limit });
    match extent {
        Extent { len, .. } if *len > MAX_RESULT => too_long(*len, "bytes", MAX_RESULT),
        Extent { marks, .. } if *marks > MAX_MARKS => too_long(*marks, "captured parts", MAX_MARKS),
        _ => Ok(()),
    }
}
