//! Which scaffolds of a language accept a fragment, and as what.
//! A scaffold accepts only if its whole tree is free of errors and the fragment is one node, or a run of
//! whole siblings, of it. Nothing is searched here.

use crate::elements::{Element, elements};
use crate::parse::{Descend, preorder};
use crate::scaffold::{Fragment, Scaffolded};
use crate::shape::{Findings, Shape, build};
use crate::spelling::{Way, ways_by};
use crate::stopping::{Effort, Parsed, parse_clean, parse_logged};
use grammars::{Grammar, Kinds, Role, Rung};
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// The most bytes that are parsed for one fragment in one scaffold.
const MAX_PARSED: usize = 128 * 1024;
/// With no more ways than these, asking where each stops does not pay.
const FEW_WAYS: usize = 4;
/// The deepest pattern; building and matching recurse on it.
pub(crate) const MAX_DEPTH: usize = 200;

/// A fragment as one scaffold takes it.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) name: String,
    /// One node, or a run of siblings.
    pub(crate) shapes: Vec<Shape>,
    /// Variables that are literal text here, by their place in the fragment's list.
    pub(crate) buried: Vec<usize>,
    keyword_as_name: bool,
    pub(crate) commented: bool,
    unlikely: bool,
    aside: bool,
    cost: (bool, usize),
}

impl Reading {
    fn new(rung: &Rung, hinted: bool, way: &Way<'_>, shapes: Vec<Shape>, findings: Findings) -> Self {
        Self {
            name: rung.name.clone(),
            shapes,
            buried: findings.buried,
            keyword_as_name: findings.keyword_as_name,
            commented: findings.commented,
            unlikely: findings.unlikely,
            aside: rung.aside,
            cost: (rung.role == Role::Extra && !hinted, way.cost),
        }
    }

    /// Why another spelling may be better.
    fn doubts(&self) -> (bool, bool) {
        (self.keyword_as_name, !self.buried.is_empty())
    }
}

/// What the ladder says of a fragment.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Accepted by these rungs, the best first.
    Read(Vec<Reading>),
    /// Accepted, but nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// The fragment is nothing but variables.
    Bare,
    Refused,
    /// The effort was spent before every rung had been tried.
    Unfinished,
}

/// Tries every rung.
pub(crate) fn climb(grammar: &'static Grammar, fragment: &Fragment, effort: &Effort) -> Verdict {
    let mut readings: Vec<Reading> = Vec::new();
    let (mut too_deep, mut bare) = (false, false);
    let ways = Ways::of(grammar, fragment);
    for rung in ordered(grammar, fragment) {
        let mut best: Option<Reading> = None;
        try_rung((grammar, fragment, rung), &ways.at(rung), effort, |outcome, way| {
            match outcome {
                Outcome::Accepted(shapes, findings) => {
                    let reading = Reading::new(rung, is_hinted(rung, fragment), way, shapes, findings);
                    // A dearer spelling may read a keyword as one, or dig a variable out of a text.
                    let sound = reading.doubts() == (false, false);
                    if best.as_ref().is_none_or(|best| reading.doubts() < best.doubts()) {
                        best = Some(reading);
                    }
                    return sound;
                }
                Outcome::TooDeep => too_deep = true,
                Outcome::Bare => bare = true,
                Outcome::Refused => {}
            }
            false
        });
        readings.extend(best);
    }
    if effort.is_spent() {
        return Verdict::Unfinished;
    }
    if readings.iter().any(|reading| !reading.keyword_as_name && !reading.aside) {
        // Where a keyword is one, what takes it for a name is no reading of its own.
        readings.retain(|reading| !reading.keyword_as_name || reading.aside);
    }
    // Stable: among equals the order of the ladder stands.
    readings.sort_by_key(|reading| {
        (reading.aside, reading.keyword_as_name, reading.unlikely, !reading.buried.is_empty(), reading.cost)
    });
    let unread = readings.iter().all(|reading| reading.aside);
    match (unread, too_deep, bare) {
        (false, ..) => Verdict::Read(readings),
        (true, true, _) => Verdict::TooDeep,
        (true, false, true) => Verdict::Bare,
        (true, false, false) => Verdict::Refused,
    }
}

/// Whether any rung accepts the fragment with its variables spelt in one of the `most` cheapest ways; cheaper than
/// [`climb`] when one does. Once the effort is spent, none does. `strictly`: with no keyword for a name.
pub(crate) fn accepts(
    grammar: &'static Grammar,
    fragment: &Fragment,
    (most, strictly): (usize, bool),
    effort: &Effort,
) -> bool {
    let ways = Ways::of(grammar, fragment);
    ordered(grammar, fragment).into_iter().filter(|rung| !rung.aside).any(|rung| {
        let mut accepted = false;
        let ways = ways.at(rung);
        try_rung((grammar, fragment, rung), &ways[..ways.len().min(most)], effort, |outcome, _| {
            accepted |= match outcome {
                Outcome::Accepted(_, findings) => !(strictly && findings.keyword_as_name),
                _ => false,
            };
            accepted
        });
        accepted
    })
}

/// The ways to spell the variables of a fragment, as many as a long one may be parsed.
struct Ways<'a> {
    fragment: &'a Fragment,
    usual: Vec<Way<'a>>,
    grammar: &'a Grammar,
}

impl<'a> Ways<'a> {
    fn of(grammar: &'a Grammar, fragment: &'a Fragment) -> Self {
        let usual = affordable(grammar, fragment, grammar.one_spellings(), grammar.many_spellings());
        Self { fragment, usual, grammar }
    }

    /// Those of a rung.
    fn at<'r>(&'r self, rung: &'r Rung) -> Cow<'r, [Way<'r>]> {
        if rung.one.is_empty() && rung.many.is_empty() {
            return Cow::Borrowed(&self.usual);
        }
        let or = |own: &'r [String], usual: &'r [String]| if own.is_empty() { usual } else { own };
        let one = or(&rung.one, self.grammar.one_spellings());
        let many = or(&rung.many, self.grammar.many_spellings());
        Cow::Owned(affordable(self.grammar, self.fragment, one, many))
    }
}

fn affordable<'a>(
    grammar: &'a Grammar,
    fragment: &Fragment,
    one: &'a [String],
    many: &'a [String],
) -> Vec<Way<'a>> {
    let mut ways = ways_by(grammar, fragment, one, many);
    ways.truncate((MAX_PARSED / fragment.shown.len().max(1)).max(1));
    ways
}

/// The rungs in the order they count: a fragment that opens like a declaration is one first.
pub(crate) fn ordered<'a>(grammar: &'a Grammar, fragment: &Fragment) -> Vec<&'a Rung> {
    let mut rungs: Vec<&Rung> = grammar.ladder().iter().filter(|rung| !lacks(rung, fragment)).collect();
    let opens = |word: &String| {
        fragment.shown.strip_prefix(word.as_str()).is_some_and(|rest| {
            !word.ends_with(char::is_alphanumeric)
                || !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    };
    let declares = grammar.declaration_starts().iter().any(opens);
    rungs.sort_by_key(|rung| match (rung.role, declares) {
        _ if is_hinted(rung, fragment) => 0,
        (Role::Extra, _) => 2,
        (Role::Member | Role::Declaration, true) => 0,
        _ => 1,
    });
    rungs
}

/// Whether the fragment has nothing of what the rung is there for.
fn lacks(rung: &Rung, fragment: &Fragment) -> bool {
    rung.needs.as_ref().is_some_and(|text| !fragment.shown.contains(text.as_str()))
}

fn is_hinted(rung: &Rung, fragment: &Fragment) -> bool {
    rung.hint.as_ref().is_some_and(|hint| fragment.shown.contains(hint.as_str()))
}

enum Outcome {
    Accepted(Vec<Shape>, Findings),
    TooDeep,
    Bare,
    Refused,
}

/// Tries the ways to spell the variables in one rung, until `enough` says so. A way that begins like one that
/// stopped early is not tried: it would stop there too.
fn try_rung(
    (grammar, fragment, rung): (&'static Grammar, &Fragment, &Rung),
    ways: &[Way<'_>],
    effort: &Effort,
    mut enough: impl FnMut(Outcome, &Way<'_>) -> bool,
) {
    let mut dead: Vec<&[&str]> = Vec::new();
    for way in ways {
        if effort.is_spent() {
            return;
        }
        if dead.iter().any(|start| way.spellings.starts_with(start)) {
            continue;
        }
        let scaffolded = fragment.lay_out(grammar, rung, &way.spellings);
        let parsed = if ways.len() > FEW_WAYS {
            parse_logged(grammar, &scaffolded.text)
        } else {
            Parsed { tree: parse_clean(grammar, &scaffolded.text), stopped: None }
        };
        effort.charge(&parsed, &scaffolded.text);
        if let Some(stopped) = parsed.stopped {
            // One more: the lexer may have looked a little beyond the token at which it stopped.
            let reached = scaffolded.occurrences.iter().take_while(|it| it.range.start <= stopped).count();
            dead.push(&way.spellings[..(reached + 1).min(way.spellings.len())]);
        }
        let outcome = parsed.tree.map_or(Outcome::Refused, |tree| judge(grammar, &scaffolded, &tree));
        if enough(outcome, way) {
            return;
        }
    }
}

fn judge(grammar: &'static Grammar, scaffolded: &Scaffolded<'_>, tree: &Tree) -> Outcome {
    let kinds = grammar.kinds();
    let Some(nodes) = place(tree, scaffolded, kinds) else { return Outcome::Refused };
    if nodes.iter().any(|element| is_deeper_than(element.node, MAX_DEPTH)) {
        return Outcome::TooDeep;
    }
    if nodes.first().is_some_and(|first| opens_with_reserved_name(grammar, scaffolded, first.node)) {
        return Outcome::Refused;
    }
    match build(&nodes, scaffolded, kinds) {
        Some((shapes, _)) if shapes.iter().all(Shape::is_bare) => Outcome::Bare,
        Some((shapes, mut findings)) => {
            let within = |node: Node<'_>| {
                scaffolded.fragment.start <= node.start_byte() && node.end_byte() <= scaffolded.fragment.end
            };
            findings.commented = has_comment(tree.root_node(), kinds, within);
            Outcome::Accepted(shapes, findings)
        }
        None => Outcome::Refused,
    }
}

/// Whether a word that opens a statement was taken for a name, as in a call of a function named `if`.
fn opens_with_reserved_name(grammar: &Grammar, scaffolded: &Scaffolded<'_>, node: Node<'_>) -> bool {
    let leaf = std::iter::successors(Some(node), |node| node.child(0)).last().unwrap_or(node);
    grammar.kinds().names.contains(leaf.kind_id()) && grammar.is_reserved(&scaffolded.text[leaf.byte_range()])
}

/// The node, or the run of whole siblings, that the fragment is.
fn place<'tree>(
    tree: &'tree Tree,
    scaffolded: &Scaffolded<'_>,
    kinds: &Kinds,
) -> Option<Vec<Element<'tree>>> {
    let wanted = scaffolded.fragment.clone();
    let node = innermost(tree.root_node(), &wanted);
    if kinds.text.contains(node.kind_id()) || kinds.comment.contains(node.kind_id()) {
        return None;
    }
    let range = node.start_byte()..scaffolded.end_of(node);
    let sequence = kinds.sequences.contains(node.kind_id());
    if range == wanted && !sequence {
        return node.is_named().then(|| vec![Element::lone(node, kinds)]);
    }
    if range == (wanted.start..scaffolded.terminator_end)
        && !sequence
        && !completes_empty_statement(node, &wanted)
    {
        return Some(vec![Element::lone(node, kinds)]);
    }
    // Siblings that reach one end of their parent and not the other are a piece torn from it.
    let within = range.start < wanted.start && wanted.end < range.end;
    let nodes = (sequence || within).then(|| run(node, scaffolded, kinds)).flatten()?;
    match nodes[..] {
        // Beside a comment the fragment is what it would be alone.
        [only] if only.node.start_byte() != wanted.start || scaffolded.end_of(only.node) != wanted.end => {
            let node = innermost(only.node, &only.node.byte_range());
            node.is_named().then(|| vec![Element::lone(node, kinds)])
        }
        _ => Some(nodes),
    }
}

/// The innermost named node that encloses `wanted`.
fn innermost<'tree>(root: Node<'tree>, wanted: &Range<usize>) -> Node<'tree> {
    let encloses = |node: &Node<'_>| node.start_byte() <= wanted.start && wanted.end <= node.end_byte();
    let mut node = root;
    let mut cursor = root.walk();
    loop {
        cursor.reset(node);
        if !cursor.goto_first_child() {
            return node;
        }
        while !(cursor.node().is_named() && encloses(&cursor.node())) {
            if !cursor.goto_next_sibling() {
                return node;
            }
        }
        node = cursor.node();
    }
}

/// Whether the scaffold's terminator became a statement of its own, so that the fragment was not whole.
fn completes_empty_statement(node: Node<'_>, wanted: &Range<usize>) -> bool {
    let mut empty = false;
    preorder(node, |inner| {
        empty |=
            inner.is_named() && inner.start_byte() >= wanted.end && inner.start_byte() < inner.end_byte();
        if empty { Descend::Stop } else { Descend::Yes }
    });
    empty
}

fn run<'tree>(
    parent: Node<'tree>,
    scaffolded: &Scaffolded<'_>,
    kinds: &Kinds,
) -> Option<Vec<Element<'tree>>> {
    let wanted = &scaffolded.fragment;
    let mut cursor = parent.walk();
    let mut inside = parent
        .children(&mut cursor)
        .filter(|child| child.start_byte() < wanted.end && child.end_byte() > wanted.start);
    let first = inside.next()?;
    let last = inside.last().unwrap_or(first);
    if first.start_byte() != wanted.start || scaffolded.end_of(last) != wanted.end {
        return None;
    }
    let mut nodes: Vec<Element<'tree>> = elements(&mut parent.walk(), parent, kinds)
        .into_iter()
        .filter(|element| {
            wanted.start <= element.node.start_byte() && scaffolded.end_of(element.node) <= wanted.end
        })
        .collect();
    nodes.first_mut()?.separator = 0;
    // Bare tokens between nodes show that a construct was cut in two.
    nodes.iter().all(|element| element.value).then_some(nodes)
}

fn has_comment(root: Node<'_>, kinds: &Kinds, within: impl Fn(Node<'_>) -> bool) -> bool {
    let mut found = false;
    preorder(root, |inner| {
        found |= kinds.comment.contains(inner.kind_id()) && within(inner);
        if found { Descend::Stop } else { Descend::Yes }
    });
    found
}

fn is_deeper_than(node: Node<'_>, limit: usize) -> bool {
    let mut cursor = node.walk();
    loop {
        if cursor.depth() as usize > limit {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}
