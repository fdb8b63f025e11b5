//! Which of the matches are rewritten when they nest or overlap: outermost first, and what lies inside a capture
//! within it. It must never choose two matches of which one would destroy the other's text.

use std::cmp::Reverse;
use std::ops::Range;

use crate::matcher::Match;

/// A match that is to be rewritten.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) rule: usize,
    pub(super) found: Match,
}

/// Whether the rewrite of a rule keeps the capture of that name.
pub(super) type Keeps<'a> = &'a dyn Fn(usize, &str) -> bool;

/// Chooses among the matches of each rule (each by start, longer first). An earlier rule wins over a later one.
/// Comes back by start, longer first, with the places of the matches left out.
pub(super) fn choose(matches: Vec<Vec<Match>>, keeps: Keeps<'_>) -> (Vec<Chosen>, Vec<usize>) {
    let (mut chosen, mut left): (Vec<Chosen>, Vec<usize>) = (Vec::new(), Vec::new());
    for (rule, found) in matches.into_iter().enumerate() {
        let admitted = admit(&chosen, rule, &found, keeps);
        for (found, admitted) in found.into_iter().zip(admitted) {
            if admitted {
                chosen.push(Chosen { rule, found });
            } else {
                left.push(found.range.start);
            }
        }
        chosen.sort_by_key(|one| key(&one.found.range));
    }
    (chosen, left)
}

/// One pass from left to right. `open` are the chosen matches around the place, the innermost last.
fn admit(fixed: &[Chosen], rule: usize, found: &[Match], keeps: Keeps<'_>) -> Vec<bool> {
    let mut open: Vec<(usize, &Match)> = Vec::new();
    let mut next = 0;
    let enter = |open: &mut Vec<(usize, &Match)>, start: usize| {
        while open.last().is_some_and(|(_, around)| around.range.end <= start && !around.range.is_empty()) {
            open.pop();
        }
    };
    let mut admitted = Vec::with_capacity(found.len());
    for candidate in found {
        while let Some(earlier) = fixed.get(next).filter(|one| key(&one.found.range) <= key(&candidate.range))
        {
            enter(&mut open, earlier.found.range.start);
            open.push((earlier.rule, &earlier.found));
            next += 1;
        }
        enter(&mut open, candidate.range.start);
        let outside = open.last().is_none_or(|(rule, around)| holds(*rule, around, &candidate.range, keeps));
        let inside = fixed[next..]
            .iter()
            .take_while(|earlier| earlier.found.range.start < candidate.range.end)
            .all(|earlier| holds(rule, candidate, &earlier.found.range, keeps));
        admitted.push(outside && inside);
        if outside && inside {
            open.push((rule, candidate));
        }
    }
    admitted
}

/// Whether a range lies in a capture that the match's rewrite keeps.
fn holds(rule: usize, around: &Match, range: &Range<usize>, keeps: Keeps<'_>) -> bool {
    *range != around.range
        && around.captures.iter().any(|capture| {
            capture.range.start <= range.start && range.end <= capture.range.end && keeps(rule, &capture.name)
        })
}

fn key(range: &Range<usize>) -> (usize, Reverse<usize>) {
    (range.start, Reverse(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Capture;

    fn found(range: Range<usize>, captures: &[(&str, Range<usize>)]) -> Match {
        let capture = |(name, range): &(&str, Range<usize>)| Capture {
            name: (*name).to_owned(),
            many: false,
            range: range.clone(),
            items: vec![range.clone()],
        };
        Match { range, captures: captures.iter().map(capture).collect() }
    }

    fn ranges(matches: Vec<Vec<Match>>) -> (Vec<(usize, Range<usize>)>, usize) {
        let (chosen, left) = choose(matches, &|_, name| name != "GONE");
        (chosen.into_iter().map(|one| (one.rule, one.found.range)).collect(), left.len())
    }

    #[test]
    fn what_lies_in_a_kept_capture_is_chosen_too() {
        let nested = vec![found(0..20, &[("X", 4..18)]), found(5..17, &[("X", 7..9)]), found(19..20, &[])];
        assert_eq!(ranges(vec![nested]), (vec![(0, 0..20), (0, 5..17)], 1));
        let dropped = vec![found(0..20, &[("GONE", 4..18)]), found(5..17, &[])];
        assert_eq!(ranges(vec![dropped]), (vec![(0, 0..20)], 1));
    }

    #[test]
    fn overlapping_runs_are_never_both_chosen() {
        assert_eq!(
            ranges(vec![vec![found(0..10, &[]), found(5..15, &[]), found(10..12, &[])]]),
            (vec![(0, 0..10), (0, 10..12)], 1)
        );
    }

    #[test]
    fn an_earlier_rule_wins() {
        let inner = vec![found(5..10, &[])];
        let around = || found(0..20, &[("X", 4..18)]);
        assert_eq!(ranges(vec![inner.clone(), vec![around()]]), (vec![(1, 0..20), (0, 5..10)], 0));
        assert_eq!(ranges(vec![inner.clone(), vec![found(0..20, &[])]]), (vec![(0, 5..10)], 1));
        assert_eq!(ranges(vec![inner.clone(), vec![found(5..10, &[("X", 5..10)])]]), (vec![(0, 5..10)], 1));
        assert_eq!(ranges(vec![vec![around()], inner]), (vec![(0, 0..20), (1, 5..10)], 0));
    }
}
