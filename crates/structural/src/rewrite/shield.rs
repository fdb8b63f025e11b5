//! Parentheses against syntax errors: an operation that may not stand where it came to stand may do so in parentheses.
//! It must never leave parentheses that did not help.

use std::collections::HashSet;

use super::Work;
use super::layout::{Mark, Marked};
use crate::spans::{self, Unit};

impl Work<'_> {
    /// Tries parentheses for the replacements at new syntax errors, and takes them away from those that still lie at
    /// one. Whether anything changed.
    pub(super) fn shield(&mut self, marks: &[Mark], at_errors: &HashSet<usize>) -> bool {
        let mut changed = false;
        for mark in marks.iter().filter(|mark| mark.what == Marked::Replacement) {
            let care = &mut self.cares[mark.owner];
            if !at_errors.contains(&mark.owner) || care.refused {
                continue;
            }
            if care.shielded {
                if let Some((holes, whole)) = care.unshielded.take() {
                    (care.holes, care.whole) = (holes, whole);
                    changed = true;
                }
                continue;
            }
            care.shielded = true;
            changed |= self.raise(mark, marks);
        }
        changed
    }

    /// Puts parentheses around the captures of a replacement, or around all of it where it is but one.
    fn raise(&mut self, replacement: &Mark, marks: &[Mark]) -> bool {
        let owner = replacement.owner;
        let found = &self.chosen[owner].found.range;
        let mut holes = Vec::new();
        for mark in marks.iter().filter(|mark| mark.owner == owner && mark.range != replacement.range) {
            let Marked::Capture { hole, origin, .. } = &mark.what else { continue };
            if self.may_wrap(origin) && !self.is_atom(origin) {
                holes.push(*hole);
            }
        }
        let whole = holes.is_empty() && self.may_wrap(found);
        let care = &mut self.cares[owner];
        holes.retain(|hole| !care.holes.contains(hole));
        if holes.is_empty() && (!whole || care.whole) {
            return false;
        }
        care.unshielded = Some((care.holes.clone(), care.whole));
        care.holes.extend(holes);
        care.whole |= whole;
        true
    }

    fn is_atom(&self, origin: &std::ops::Range<usize>) -> bool {
        let kinds = self.rules[0].pattern.grammar().kinds();
        let Some(Unit::Node(node)) = spans::unit(self.tree.root_node(), origin) else { return false };
        spans::chain(node).any(|node| kinds.atoms.contains(node.kind_id()))
    }
}
