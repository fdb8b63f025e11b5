//! Runs a pattern's program at one place of a tree: complete backtracking on explicit stacks.
//! Among the solutions it finds the one whose ellipses are shortest, from left to right. It never
//! recurses, and it never gives up silently: a spent step budget is an outcome of its own.

mod state;

use state::{Alternative, Choice, Dead, Frame, Separator, State, Value, separator_fits};
pub(crate) use state::{Bound, Matched, Outcome, Strictness};

use crate::elements::{Element, atom_text, elements_into, end_without_terminator, extent};
use crate::embedded::is_piece;
use crate::grouping::is_misgrouped;
use crate::margin;
use crate::program::{Op, Program, Step};
use crate::same_text::same_text;
use grammars::{Grammar, Kinds};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// Steps at one place before the search of that place is given up.
const MAX_STEPS: usize = 1_000_000;
/// Steps at one place in search of a near miss.
const MAX_NEAR_STEPS: usize = 4_000;
/// Entries of scratch tables that are kept for the next place.
const MAX_KEPT: usize = 1_024;
/// Lists whose room is kept for the next place.
const MAX_SPARE: usize = 64;
/// The most neighbouring children a near miss may have too many, except at the end of a node.
const MAX_NEAR_GROUP: usize = 3;

/// Reused from place to place in one file.
pub(crate) struct Machine<'a, 'tree> {
    source: &'a [u8],
    grammar: &'static Grammar,
    kinds: &'a Kinds,
    cursor: TreeCursor<'tree>,
    /// The list that programs are compared with, and those below it that were entered.
    lists: Vec<Vec<Element<'tree>>>,
    /// Room of lists that are done with.
    spare: Vec<Vec<Element<'tree>>>,
    list_of: HashMap<usize, usize>,
    frames: Vec<Frame>,
    choices: Vec<Choice>,
    values: Vec<Option<Value>>,
    trail: Vec<usize>,
    failed: HashSet<Dead>,
    /// The element that names what was passed over, by list and index.
    surplus: Option<(usize, usize)>,
}

impl<'a, 'tree> Machine<'a, 'tree> {
    pub(crate) fn new(root: Node<'tree>, source: &'a [u8], grammar: &'static Grammar) -> Self {
        Self {
            source,
            grammar,
            kinds: grammar.kinds(),
            cursor: root.walk(),
            lists: Vec::new(),
            spare: Vec::new(),
            list_of: HashMap::new(),
            frames: Vec::new(),
            choices: Vec::new(),
            values: Vec::new(),
            trail: Vec::new(),
            failed: HashSet::new(),
            surplus: None,
        }
    }

    /// Takes the siblings that programs are then compared with.
    pub(crate) fn load(&mut self, list: &[Element<'tree>]) {
        self.put_away(0);
        let mut first = self.spare.pop().unwrap_or_default();
        first.extend_from_slice(list);
        self.lists.push(first);
    }

    /// Empties the lists from `first` on; room that a hard place has blown up is given back.
    fn put_away(&mut self, first: usize) {
        for mut list in self.lists.drain(first..) {
            if list.capacity() <= MAX_KEPT && self.spare.len() < MAX_SPARE {
                list.clear();
                self.spare.push(list);
            }
        }
    }

    /// Compares `program` with the siblings that were loaded, from `start` on.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        start: usize,
        slots: usize,
        strictness: Strictness,
    ) -> Outcome {
        self.reset(slots);
        let budget = if strictness == Strictness::Strict { MAX_STEPS } else { MAX_NEAR_STEPS };
        let mut state = State { step: 0, frame: 0, index: start, separator: Separator::Any };
        for _ in 0..budget {
            let next = match program.steps.get(state.step) {
                Some(step) => {
                    if strictness == Strictness::Near {
                        self.offer_surplus(program, state, step);
                    }
                    self.advance(program, step, state)
                }
                None if self.stops_short(program, state) => None,
                None => return Outcome::Matched(self.matched(program, start, state.index)),
            };
            state = match next.or_else(|| self.backtrack(program)) {
                Some(next) => next,
                None => return Outcome::No,
            };
        }
        Outcome::Exhausted
    }

    fn reset(&mut self, slots: usize) {
        self.put_away(1);
        clear(&mut self.list_of, HashMap::capacity, HashMap::clear);
        self.frames.clear();
        self.choices.clear();
        self.trail.clear();
        clear(&mut self.failed, HashSet::capacity, HashSet::clear);
        self.surplus = None;
        self.values.clear();
        self.values.resize(slots, None);
        self.frames.push(Frame { list: 0, parent: None });
    }

    /// Whether an ellipsis at the end of a run of siblings could go on: there it means all the rest.
    fn stops_short(&self, program: &Program, state: State) -> bool {
        program.open_end
            && self.lists[0].get(state.index).is_some_and(|next| next.value && !next.node.has_error())
    }

    /// Takes one step; `None` when the code does not fit.
    fn advance(&mut self, program: &Program, step: &Step, state: State) -> Option<State> {
        match &step.op {
            Op::Leave => self.leave(state),
            Op::Many { slot } => {
                let list = self.frames[state.frame].list;
                if !program.repeats && self.failed.contains(&self.key(state)) {
                    return None;
                }
                self.choose(state, Alternative::Longer(1));
                self.bind(*slot, Value::Run { list, start: state.index, end: state.index })?;
                let separator = match state.separator {
                    Separator::Own => Separator::Instead(step.separator),
                    inherited if step.separator == 0 && inherited != Separator::Any => Separator::Instead(0),
                    inherited => inherited,
                };
                Some(State { step: state.step + 1, separator, ..state })
            }
            _ => self.consume(step, state),
        }
    }

    fn leave(&mut self, state: State) -> Option<State> {
        let frame = self.frames[state.frame];
        let (parent, index) = frame.parent?;
        (state.index == self.lists[frame.list].len()).then_some(State {
            step: state.step + 1,
            frame: parent,
            index,
            separator: Separator::Own,
        })
    }

    fn consume(&mut self, step: &Step, state: State) -> Option<State> {
        let list = self.frames[state.frame].list;
        let element = *self.lists[list].get(state.index)?;
        let top = self.frames[state.frame].parent.is_none();
        if element.node.has_error() && top
            || !separator_fits(step, state.separator, &element)
            || !(top || element.field == step.field)
        {
            return None;
        }
        let after =
            State { step: state.step + 1, index: state.index + 1, separator: Separator::Own, ..state };
        let node = element.node;
        let kind = node.kind_id();
        let fits = match &step.op {
            Op::Enter { kind: wanted } => {
                if kind != *wanted || !element.value || is_misgrouped(node, self.source, self.kinds) {
                    return None;
                }
                let inner = self.list(node);
                self.frames.push(Frame { list: inner, parent: Some((state.frame, state.index + 1)) });
                let frame = self.frames.len() - 1;
                return Some(State { step: state.step + 1, frame, index: 0, separator: Separator::Own });
            }
            Op::Name(text) => {
                self.kinds.names.contains(kind) && atom_text(node, self.source, self.kinds) == text
            }
            Op::Leaf { kind: wanted, text } => {
                kind == *wanted && atom_text(node, self.source, self.kinds) == text
            }
            Op::Token { kind: wanted } => kind == *wanted && !element.value,
            Op::Quoted { kind: wanted, open, close, slot } => {
                let content = (kind == *wanted).then(|| self.content(node, open, close)).flatten()?;
                self.bind(*slot, Value::Content { start: content.start, end: content.end })?;
                true
            }
            Op::One { slot } => {
                let argument = self.argument(state);
                if argument > 1 {
                    self.choose(state, Alternative::Longer(argument));
                }
                let barred = self.kinds.holders.contains(kind) || self.kinds.suffixes.contains(kind);
                if !element.value || node.start_byte() == node.end_byte() || barred {
                    return None;
                }
                if self.is_suffix(list, state.index + 1) {
                    self.choose(state, Alternative::Longer(2));
                }
                self.bind(*slot, Value::Node { list, index: state.index })?;
                true
            }
            Op::Leave | Op::Many { .. } => false,
        };
        fits.then_some(after)
    }

    /// The content of a literal with exactly these delimiters.
    fn content(&self, node: Node<'tree>, open: &[u8], close: &[u8]) -> Option<Range<usize>> {
        let start = node.start_byte();
        let text = atom_text(node, self.source, self.kinds);
        let end = start + text.len();
        if text.len() < open.len() + close.len() || !text.starts_with(open) || !text.ends_with(close) {
            return None;
        }
        let content = start + open.len()..end - close.len();
        // Parts that straddle the border show that the delimiters are others: `"` against `"""`.
        let parts: Vec<Range<usize>> = node.children(&mut node.walk()).map(|it| it.byte_range()).collect();
        let is_border = |at| parts.iter().all(|part| at <= part.start || part.end <= at);
        // Where a literal has no parts, its text shows it.
        let inner = &self.source[content.clone()];
        let is_tripled = parts.is_empty()
            && inner.starts_with(&open.repeat(2))
            && inner.ends_with(&close.repeat(2))
            && !close.is_empty();
        (is_border(content.start) && is_border(content.end) && !is_tripled).then_some(content)
    }

    fn choose(&mut self, state: State, kind: Alternative) {
        let (trail, frames, surplus) = (self.trail.len(), self.frames.len(), self.surplus.is_some());
        self.choices.push(Choice { state, trail, frames, surplus, kind });
    }

    /// Takes up the latest alternative that is left.
    fn backtrack(&mut self, program: &Program) -> Option<State> {
        while let Some(choice) = self.choices.pop() {
            while self.trail.len() > choice.trail {
                if let Some(slot) = self.trail.pop() {
                    self.values[slot] = None;
                }
            }
            self.frames.truncate(choice.frames);
            if !choice.surplus {
                self.surplus = None;
            }
            let next = match choice.kind {
                Alternative::Longer(count) => self.lengthen(program, choice.state, count),
                Alternative::Surplus(count) => Some(self.pass_over(choice.state, count)),
            };
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Lets the variable at `state` stand for `count` elements.
    fn lengthen(&mut self, program: &Program, state: State, count: usize) -> Option<State> {
        let step = &program.steps[state.step];
        let slot = match &step.op {
            Op::Many { slot } => slot,
            Op::One { slot } if self.is_token_list(self.frames[state.frame]) => {
                return self.take_argument(*slot, state, count);
            }
            Op::One { slot } => return self.extend(*slot, state, count),
            _ => return None,
        };
        let frame = self.frames[state.frame];
        let last = state.index + count - 1;
        let takes = self.lists[frame.list].get(last).is_some_and(|element| {
            (element.value || self.is_token_list(frame) && last + 1 < self.lists[frame.list].len())
                && (frame.parent.is_none() || element.field == step.field)
                && (count > 1 || separator_fits(step, state.separator, element))
                && !(frame.parent.is_none() && element.node.has_error())
                && !self.kinds.clauses.contains(element.node.kind_id())
        });
        if !takes {
            let dead = self.key(state);
            self.failed.insert(dead);
            return None;
        }
        self.choose(state, Alternative::Longer(count + 1));
        let end = state.index + count;
        // A run that differs from its namesake may still be the start of one that does not.
        self.bind(*slot, Value::Run { list: frame.list, start: state.index, end })?;
        Some(State { step: state.step + 1, index: end, separator: Separator::Own, ..state })
    }

    /// Lets the variable for one node at `state` stand for it and the suffixes behind it, `count` elements in all.
    fn extend(&mut self, slot: usize, state: State, count: usize) -> Option<State> {
        let list = self.frames[state.frame].list;
        let end = state.index + count;
        if self.is_suffix(list, end) {
            self.choose(state, Alternative::Longer(count + 1));
        }
        self.bind(slot, Value::Run { list, start: state.index, end })?;
        Some(State { step: state.step + 1, index: end, separator: Separator::Own, ..state })
    }

    /// How many elements an argument has that starts at `state`, where code stands as raw tokens; 0 elsewhere.
    fn argument(&self, state: State) -> usize {
        let frame = self.frames[state.frame];
        if !self.is_token_list(frame) || !self.is_raw(frame) {
            return 0;
        }
        let list = &self.lists[frame.list];
        let divided = |index: usize| {
            let between = list[index - 1].node.end_byte()..list[index].node.start_byte();
            // The delimiters are the first and the last.
            index == 1
                || index + 1 == list.len()
                || self.source[between].iter().any(|byte| matches!(byte, b',' | b';'))
        };
        if state.index == 0 || !divided(state.index) {
            return 0;
        }
        let end = (state.index + 1..list.len()).find(|&index| divided(index));
        end.map_or(0, |end| end - state.index)
    }

    fn is_raw(&self, frame: Frame) -> bool {
        frame.parent.is_some_and(|(parent, index)| {
            let kind = self.lists[self.frames[parent].list][index - 1].node.kind();
            self.grammar.embedded().iter().any(|rule| rule.tokens == kind)
        })
    }

    /// Lets the variable at `state` stand for an argument of `count` raw tokens, if they are one piece of code.
    fn take_argument(&mut self, slot: usize, state: State, count: usize) -> Option<State> {
        let (list, end) = (self.frames[state.frame].list, state.index + count);
        let value = Value::Run { list, start: state.index, end };
        if !is_piece(self.grammar, &self.source[self.bound(value).range], |_| true) {
            return None;
        }
        self.bind(slot, value)?;
        Some(State { step: state.step + 1, index: end, separator: Separator::Own, ..state })
    }

    fn is_suffix(&self, list: usize, index: usize) -> bool {
        self.lists[list].get(index).is_some_and(|it| self.kinds.suffixes.contains(it.node.kind_id()))
    }

    fn is_token_list(&self, frame: Frame) -> bool {
        frame.parent.is_some_and(|(parent, index)| {
            let node = self.lists[self.frames[parent].list][index - 1].node;
            self.kinds.token_lists.contains(node.kind_id())
        })
    }

    /// Remembers to try again with elements passed over, where the code has more than the pattern.
    fn offer_surplus(&mut self, program: &Program, state: State, step: &Step) {
        let frame = self.frames[state.frame];
        if self.surplus.is_some() || frame.parent.is_none() || matches!(step.op, Op::Many { .. }) {
            return;
        }
        let list = &self.lists[frame.list];
        let left = list.len() - state.index;
        // What the ellipsis before could take is none of what is too much.
        let before = state.step.checked_sub(1).map(|before| &program.steps[before]);
        let takes = |before: &Step, next: &Element<'_>| {
            matches!(before.op, Op::Many { .. })
                && next.value
                && next.field == before.field
                && !self.kinds.clauses.contains(next.node.kind_id())
        };
        let open = matches!(step.op, Op::Leave)
            && before.zip(list.get(state.index)).is_some_and(|(before, next)| takes(before, next));
        if open {
            return;
        }
        let most = if matches!(step.op, Op::Leave) { left } else { left.min(MAX_NEAR_GROUP) };
        let counts = if matches!(step.op, Op::Leave) { most..=most } else { 1..=most };
        for count in counts.rev().filter(|count| *count > 0) {
            self.choose(state, Alternative::Surplus(count));
        }
    }

    fn pass_over(&mut self, state: State, count: usize) -> State {
        let list = self.frames[state.frame].list;
        let group = &self.lists[list][state.index..state.index + count];
        let clause = |element: &Element<'_>| self.kinds.clauses.contains(element.node.kind_id());
        let first = group.iter().position(clause).or_else(|| group.iter().position(|element| element.value));
        self.surplus = Some((list, state.index + first.unwrap_or(0)));
        State { index: state.index + count, separator: Separator::Any, ..state }
    }

    /// What was passed over: its field's name, else its kind.
    fn surplus(&self) -> Option<String> {
        let (list, index) = self.surplus?;
        let element = self.lists[list].get(index)?;
        let language = element.node.language();
        Some(language.field_name_for_id(element.field).unwrap_or(element.node.kind()).to_owned())
    }

    fn bind(&mut self, slot: usize, value: Value) -> Option<()> {
        if let Some(earlier) = self.values[slot] {
            return self.same(earlier, value).then_some(());
        }
        self.values[slot] = Some(value);
        self.trail.push(slot);
        Some(())
    }

    fn same(&mut self, left: Value, right: Value) -> bool {
        match (left, right) {
            (Value::Content { .. }, _) | (_, Value::Content { .. }) => {
                self.source[self.bound(left).range] == self.source[self.bound(right).range]
            }
            _ => {
                let (lefts, rights) = (self.nodes(left), self.nodes(right));
                lefts.len() == rights.len()
                    && lefts.into_iter().zip(rights).all(|(left, right)| {
                        same_text(left, right, self.source, self.kinds, &mut self.cursor)
                    })
            }
        }
    }

    fn nodes(&self, value: Value) -> Vec<Node<'tree>> {
        match value {
            Value::Node { list, index } => vec![self.lists[list][index].node],
            Value::Run { list, start, end } => {
                self.lists[list][start..end].iter().map(|it| it.node).collect()
            }
            Value::Content { .. } => Vec::new(),
        }
    }

    fn bound(&self, value: Value) -> Bound {
        let items: Vec<Range<usize>> = match value {
            Value::Content { start, end } => std::iter::once(start..end).collect(),
            _ => self.nodes(value).into_iter().map(|node| extent(node, self.kinds)).collect(),
        };
        let range = match (items.first(), items.last(), value) {
            (Some(first), Some(last), _) => first.start..last.end,
            (_, _, Value::Run { list, start, .. }) => {
                let place = self.place(list, start);
                place..place
            }
            _ => 0..0,
        };
        Bound { range, items }
    }

    /// What decides whether the ellipsis at `state` can succeed, as long as no variable repeats.
    fn key(&self, state: State) -> Dead {
        let list = self.frames[state.frame].list;
        Dead {
            step: state.step,
            list,
            index: state.index,
            separator: state.separator,
            surplus: self.surplus.is_some(),
        }
    }

    /// Where an empty run at `index` lies: after what stands before it.
    fn place(&self, list: usize, index: usize) -> usize {
        let before = index.checked_sub(1).and_then(|before| self.lists[list].get(before));
        let after = self.lists[list].get(index);
        before
            .map(|it| margin::end(it.node, self.kinds.offside))
            .or(after.map(|it| it.node.start_byte()))
            .unwrap_or_default()
    }

    fn matched(&self, program: &Program, start: usize, end: usize) -> Matched {
        let top = &self.lists[0];
        let bindings: Vec<Option<Bound>> =
            self.values.iter().map(|it| it.map(|value| self.bound(value))).collect();
        let from = top.get(start).map_or(0, |first| first.node.start_byte());
        let mut to = from;
        if let Some(last) = end.checked_sub(1).and_then(|last| top.get(last)) {
            to = extent(last.node, self.kinds).end;
            // What a variable took with its terminator stays whole. Looking first also keeps this cheap:
            // below a variable the code may be as deep as it likes.
            let taken = bindings.iter().flatten().map(|bound| bound.range.end).max().unwrap_or(from);
            if program.unterminated && taken < to {
                to = end_without_terminator(last.node, self.kinds).max(taken);
                // A line of a preprocessor holds the line break that ends it.
                while to > taken && self.source[to - 1].is_ascii_whitespace() {
                    to -= 1;
                }
            }
        }
        Matched { range: from..to.max(from), bindings, surplus: self.surplus() }
    }

    fn list(&mut self, node: Node<'tree>) -> usize {
        if let Some(&known) = self.list_of.get(&node.id()) {
            return known;
        }
        let mut list = self.spare.pop().unwrap_or_default();
        elements_into(&mut list, &mut self.cursor, node, self.kinds);
        self.lists.push(list);
        let index = self.lists.len() - 1;
        self.list_of.insert(node.id(), index);
        index
    }
}

/// Empties a table; one that a hard place has blown up is given back, since clearing costs its capacity.
fn clear<T: Default>(table: &mut T, capacity: impl Fn(&T) -> usize, empty: impl Fn(&mut T)) {
    if capacity(table) > MAX_KEPT { *table = T::default() } else { empty(table) }
}
