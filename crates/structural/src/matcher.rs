//! Finding a pattern in the tree of one file: which nodes are worth comparing, and what is made of the
//! outcome. It walks with a cursor, enters no syntax error, and skips subtrees that lack a text that
//! every match holds.

use crate::elements::{Element, elements, extent};
use crate::embedded::{Text, View};
use crate::machine::{Bound, Machine, Matched, Outcome, Strictness};
use crate::parse::{Descend, preorder};
use crate::pattern::Pattern;
use crate::placeholder::binds;
use crate::program::{Op, Program};
use grammars::{KindSet, Kinds};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::{Node, Tree, TreeCursor};

/// Nodes between two looks at `stop`.
const STOP_EVERY: usize = 1_024;
/// Near misses are looked for in a file with no more matches than this, at no more places than that.
const FEW_MATCHES: usize = 20;
const MAX_NEAR_PLACES: usize = 2_000;

/// What a search of one file found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By start, longer first; nested ones included; one for each range.
    pub(crate) matches: Vec<Match>,
    /// Places that differ from the pattern by one thing only: that thing, and how many.
    pub(crate) near: BTreeMap<String, usize>,
    /// Matches of other readings of the fragment.
    pub(crate) also: BTreeMap<String, usize>,
    /// Places of raw tokens that hold every text of the pattern and do not parse, so that they were not searched.
    pub(crate) raw: Vec<usize>,
    /// Places where the step budget ran out, so that a match may have been missed.
    pub(crate) exhausted: usize,
}

/// One place that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) range: Range<usize>,
    pub(crate) captures: Vec<Capture>,
}

/// What a variable stands for in a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) many: bool,
    /// An empty ellipsis has an empty range at its place.
    pub(crate) range: Range<usize>,
    /// The sibling nodes of a run, or the one node.
    pub(crate) items: Vec<Range<usize>>,
}

impl Pattern {
    /// Finds every match in `tree`, the tree of `source`, and in the code that the source holds as raw tokens.
    /// Ends early, with what it has, when `stop` says so.
    pub(crate) fn find(&self, tree: &Tree, source: &[u8], stop: &dyn Fn() -> bool) -> Found {
        let whole = View { tree, source, inside: 0..source.len(), at: 0, level: 0 };
        let mut embedded = Vec::new();
        let mut found = self.find_in(&whole, stop, &mut embedded);
        while let Some(text) = embedded.pop()
            && !stop()
        {
            found.add(self.find_in(&View::of(&text), stop, &mut embedded));
        }
        found.matches.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end)));
        found.matches.dedup_by(|later, earlier| later.range == earlier.range);
        found.raw.sort_unstable();
        found
    }

    fn find_in(&self, view: &View<'_>, stop: &dyn Fn() -> bool, embedded: &mut Vec<Text>) -> Found {
        let Some(landmark) = Landmark::rarest(self.literals(), view.source) else { return Found::default() };
        let mut search = Search::new(self, view);
        let (mut seen, mut raw) = (0_usize, Vec::new());
        let root = view.tree.root_node();
        let broken = root.has_error();
        preorder(root, |node| {
            seen += 1;
            if seen.is_multiple_of(STOP_EVERY) && stop() {
                return Descend::Stop;
            }
            if !landmark.is_in(|| extent(node, search.kinds))
                || broken && (node.is_error() || node.is_missing())
            {
                return Descend::No;
            }
            let kind = node.kind_id();
            search.visit(node, kind);
            if search.kinds.embedding.contains(kind) {
                match view.embedded(self, node) {
                    Ok(text) => embedded.extend(text),
                    Err(at) => raw.push(at),
                }
            }
            Descend::Yes
        });
        let mut found = search.finish(stop);
        found.raw = raw;
        for it in &mut found.matches {
            view.put_in_place(it);
        }
        found
    }
}

impl Found {
    fn add(&mut self, other: Self) {
        self.matches.extend(other.matches);
        self.raw.extend(other.raw);
        self.exhausted += other.exhausted;
        for (total, counts) in [(&mut self.near, other.near), (&mut self.also, other.also)] {
            for (name, count) in counts {
                *total.entry(name).or_default() += count;
            }
        }
    }
}

/// The places of a text that every match holds.
enum Landmark {
    Anywhere,
    At { places: Vec<usize>, len: usize },
}

impl Landmark {
    /// Of the pattern's texts the rarest in this source; `None` when one does not occur.
    fn rarest(literals: &[Vec<u8>], source: &[u8]) -> Option<Self> {
        let mut best: Option<(Vec<usize>, usize)> = None;
        for literal in literals {
            let most = best.as_ref().map_or(usize::MAX, |(places, _)| places.len());
            let places: Vec<usize> =
                memchr::memmem::find_iter(source, literal).take(most.saturating_add(1)).collect();
            if places.is_empty() {
                return None;
            }
            if places.len() < most {
                best = Some((places, literal.len()));
            }
        }
        Some(best.map_or(Self::Anywhere, |(places, len)| Self::At { places, len }))
    }

    fn is_in(&self, range: impl FnOnce() -> Range<usize>) -> bool {
        match self {
            Self::Anywhere => true,
            Self::At { places, len } => {
                let range = range();
                let first = places.partition_point(|&place| place < range.start);
                places.get(first).is_some_and(|place| place + len <= range.end)
            }
        }
    }
}

/// A program and the kinds of node its first step can stand for.
struct Candidate<'p> {
    program: &'p Program,
    kinds: KindSet,
    any: bool,
}

impl<'p> Candidate<'p> {
    fn new(program: &'p Program, kinds: &Kinds) -> Self {
        let mut set = KindSet::default();
        let mut any = false;
        match program.steps.first().map(|step| &step.op) {
            Some(Op::Name(_)) => set = kinds.names.clone(),
            Some(
                Op::Enter { kind } | Op::Leaf { kind, .. } | Op::Token { kind } | Op::Quoted { kind, .. },
            ) => {
                set.insert(*kind);
            }
            Some(Op::One { .. } | Op::Many { .. } | Op::Leave) | None => any = true,
        }
        Self { program, kinds: set, any }
    }

    fn may_start(&self, kind: u16) -> bool {
        self.any || self.kinds.contains(kind)
    }

    fn roots(&self) -> Roots {
        if self.program.roots > 1 { Roots::Several } else { Roots::One }
    }
}

struct Search<'p, 'tree> {
    pattern: &'p Pattern,
    kinds: &'p Kinds,
    family: Vec<Candidate<'p>>,
    others: Vec<(&'p str, Candidate<'p>)>,
    runs: bool,
    machine: Machine<'p, 'tree>,
    inside: Range<usize>,
    cursor: TreeCursor<'tree>,
    found: Found,
    ranges: BTreeSet<(usize, usize)>,
    /// What other readings match, by range: a range counts for the first of them only.
    also: BTreeMap<(usize, usize), usize>,
    misses: Vec<Node<'tree>>,
}

impl<'p, 'tree> Search<'p, 'tree> {
    fn new(pattern: &'p Pattern, view: &View<'tree>) -> Self
    where
        'tree: 'p,
    {
        let root = view.tree.root_node();
        let kinds = pattern.grammar().kinds();
        let family: Vec<_> = pattern.programs.iter().map(|it| Candidate::new(it, kinds)).collect();
        let others: Vec<_> =
            pattern.others.iter().map(|(name, it)| (name.as_str(), Candidate::new(it, kinds))).collect();
        let mut all = family.iter().chain(others.iter().map(|(_, it)| it));
        let runs = all.any(|it| it.roots() == Roots::Several);
        Self {
            pattern,
            kinds,
            family,
            others,
            runs,
            machine: Machine::new(root, view.source, pattern.grammar()),
            inside: view.inside.clone(),
            cursor: root.walk(),
            found: Found::default(),
            ranges: BTreeSet::new(),
            also: BTreeMap::new(),
            misses: Vec::new(),
        }
    }

    fn visit(&mut self, node: Node<'tree>, kind: u16) {
        let inside =
            |node: Node<'_>, all: &Range<usize>| all.start <= node.start_byte() && node.end_byte() <= all.end;
        if self.may_start(kind) && !node.has_error() && inside(node, &self.inside) {
            let lone = [Element::lone(node, self.kinds)];
            self.machine.load(&lone);
            self.compare(&lone, 0, Roots::One);
        }
        if self.runs && node.child_count() > 0 {
            let mut siblings = elements(&mut self.cursor, node, self.kinds);
            siblings.retain(|sibling| inside(sibling.node, &self.inside));
            self.machine.load(&siblings);
            for start in 0..siblings.len() {
                self.compare(&siblings, start, Roots::Several);
            }
        }
    }

    /// Whether one of the programs for one node can stand for a node of this kind.
    fn may_start(&self, kind: u16) -> bool {
        let mut all = self.family.iter().chain(self.others.iter().map(|(_, it)| it));
        all.any(|it| it.roots() == Roots::One && it.may_start(kind))
    }

    /// Compares every program of this sort with the siblings from `start` on, which the machine has.
    fn compare(&mut self, list: &[Element<'tree>], start: usize, roots: Roots) {
        let slots = self.pattern.slots.len();
        let kind = list[start].node.kind_id();
        let fits = |it: &Candidate<'_>| {
            it.roots() == roots
                && it.may_start(kind)
                && !(it.program.open_start && start > 0 && list[start - 1].value)
        };
        let mut missed = false;
        for index in 0..self.family.len() {
            if !fits(&self.family[index]) {
                continue;
            }
            let program = self.family[index].program;
            match self.machine.run(program, start, slots, Strictness::Strict) {
                Outcome::Matched(matched) => self.keep(matched),
                Outcome::Exhausted => self.found.exhausted += 1,
                Outcome::No => missed = true,
            }
        }
        if missed && roots == Roots::One && self.misses.len() < MAX_NEAR_PLACES {
            self.misses.push(list[start].node);
        }
        for index in 0..self.others.len() {
            if !fits(&self.others[index].1) {
                continue;
            }
            let program = self.others[index].1.program;
            if let Outcome::Matched(matched) = self.machine.run(program, start, slots, Strictness::Strict) {
                let first = self.also.entry((matched.range.start, matched.range.end)).or_insert(index);
                *first = index.min(*first);
            }
        }
    }

    fn keep(&mut self, matched: Matched) {
        let Matched { range, bindings, .. } = matched;
        if range.is_empty() || !self.ranges.insert((range.start, range.end)) {
            return;
        }
        let captures = self
            .pattern
            .slots
            .iter()
            .zip(bindings)
            .filter(|(variable, _)| binds(&variable.name))
            .filter_map(|(variable, bound)| {
                let Bound { range, items } = bound?;
                Some(Capture { name: variable.name.clone(), many: variable.many, range, items })
            })
            .collect();
        self.found.matches.push(Match { range, captures });
    }

    fn finish(mut self, stop: &dyn Fn() -> bool) -> Found {
        for (range, index) in std::mem::take(&mut self.also) {
            if !self.ranges.contains(&range) {
                *self.found.also.entry(self.others[index].0.to_owned()).or_default() += 1;
            }
        }
        if self.found.matches.len() <= FEW_MATCHES {
            self.count_near_misses(stop);
        }
        self.found
    }

    fn count_near_misses(&mut self, stop: &dyn Fn() -> bool) {
        let slots = self.pattern.slots.len();
        for node in std::mem::take(&mut self.misses) {
            if stop() {
                return;
            }
            if self.ranges.contains(&(node.start_byte(), node.end_byte())) {
                continue;
            }
            self.machine.load(&[Element::lone(node, self.kinds)]);
            let kind = node.kind_id();
            let surplus = self.family.iter().filter(|it| it.may_start(kind)).find_map(|it| {
                match self.machine.run(it.program, 0, slots, Strictness::Near) {
                    Outcome::Matched(matched) => matched.surplus,
                    Outcome::No | Outcome::Exhausted => None,
                }
            });
            if let Some(surplus) = surplus {
                *self.found.near.entry(surplus).or_default() += 1;
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Roots {
    One,
    Several,
}

#[cfg(test)]
mod tests;
