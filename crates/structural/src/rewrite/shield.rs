//! Parentheses against syntax errors: an operation that may not stand where it came to stand may do so in parentheses.
//! It must never leave parentheses that did not help.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::Work;
use super::assemble::Care;
use super::layout::{Mark, Marked};
use crate::spans::{self, Unit};

/// How far it has got with one file.
#[derive(Debug, Default)]
pub(super) enum Shield {
    #[default]
    Untried,
    /// What everything had before.
    Tried(Vec<Care>),
    Dropped,
}

impl Work<'_> {
    /// Tries parentheses for the replacements at new syntax errors; if there still are errors then, takes them away
    /// again. Whether anything changed.
    pub(super) fn shield(&mut self, marks: &[Mark], at_errors: &HashSet<usize>) -> bool {
        if at_errors.is_empty() {
            return false;
        }
        match std::mem::replace(&mut self.shield, Shield::Dropped) {
            Shield::Untried => {
                let before = self.cares.clone();
                let mut changed = false;
                let mut owned: BTreeMap<usize, Vec<&Mark>> = BTreeMap::new();
                for mark in marks.iter().filter(|mark| at_errors.contains(&mark.owner)) {
                    owned.entry(mark.owner).or_default().push(mark);
                }
                for (owner, marks) in owned {
                    changed |= self.raise(owner, &marks);
                }
                self.shield = Shield::Tried(before);
                changed
            }
            Shield::Tried(before) => {
                self.cares = before;
                true
            }
            Shield::Dropped => false,
        }
    }

    /// Puts parentheses around the captures of a replacement, or around all of it where it is but one.
    fn raise(&mut self, owner: usize, marks: &[&Mark]) -> bool {
        let all =
            |mark: &Mark| marks.iter().any(|it| it.what == Marked::Replacement && it.range == mark.range);
        let mut holes = Vec::new();
        for mark in marks.iter().filter(|mark| !all(mark)) {
            let Marked::Capture { hole, origin, .. } = &mark.what else { continue };
            if !self.cares[owner].holes.contains(hole) && self.may_wrap(origin) && !self.is_atom(origin) {
                holes.push(*hole);
            }
        }
        let whole = holes.is_empty() && !self.cares[owner].whole && self.may_enclose(owner);
        let changed = whole || !holes.is_empty();
        let care = &mut self.cares[owner];
        care.holes.extend(holes);
        care.whole |= whole;
        changed
    }

    fn is_atom(&self, origin: &Range<usize>) -> bool {
        let kinds = self.rules[0].pattern.grammar().kinds();
        let Some(Unit::Node(node)) = spans::unit(self.outline.root_node(), origin) else { return false };
        spans::chain(node).any(|node| kinds.atoms.contains(node.kind_id()))
    }
}
