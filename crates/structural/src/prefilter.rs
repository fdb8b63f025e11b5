//! Decides from bytes alone whether a file can match: each literal of the pattern must occur in it.
//! It must never refuse a file that could match: leaves are compared byte by byte, so an absent literal is proof.

use memchr::memmem;

/// The pattern's literals, the rarest first.
#[derive(Debug)]
pub(crate) struct Prefilter {
    finders: Vec<memmem::Finder<'static>>,
}

impl Prefilter {
    /// Literals that are part of another one add nothing and are left out.
    pub(crate) fn new(literals: &[Vec<u8>]) -> Self {
        let mut kept: Vec<&[u8]> = literals.iter().map(Vec::as_slice).filter(|one| !one.is_empty()).collect();
        kept.sort_unstable_by_key(|literal| (std::cmp::Reverse(rarity(literal)), *literal));
        kept.dedup();
        let needed: Vec<&[u8]> = kept
            .iter()
            .filter(|literal| {
                !kept.iter().any(|other| other != *literal && memmem::find(other, literal).is_some())
            })
            .copied()
            .collect();
        Self {
            finders: needed.into_iter().map(|literal| memmem::Finder::new(literal).into_owned()).collect(),
        }
    }

    /// Whether every literal occurs.
    pub(crate) fn admits(&self, source: &[u8]) -> bool {
        self.finders.iter().all(|finder| finder.find(source).is_some())
    }
}

/// About four times the bits that a literal's bytes carry in source code.
fn rarity(literal: &[u8]) -> u32 {
    literal.iter().map(|byte| u32::from(BITS[usize::from(*byte)])).sum()
}

/// `-4 log2` of each byte's share in 112 MB of Rust and Python source, 99 at most.
#[rustfmt::skip]
const BITS: [u8; 256] = [
    99, 99, 99, 99, 99, 99, 99, 99, 99, 87, 21, 99, 86, 55, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 94, 99, 99, 99, 99,
    9, 36, 27, 34, 43, 45, 37, 33, 26, 26, 39, 46, 24, 34, 29, 26,
    30, 30, 29, 30, 34, 37, 34, 38, 35, 39, 21, 28, 37, 27, 33, 41,
    56, 28, 34, 30, 31, 27, 32, 35, 37, 28, 50, 40, 31, 33, 29, 29,
    31, 47, 29, 28, 27, 33, 36, 39, 40, 38, 48, 34, 41, 34, 55, 21,
    35, 21, 26, 23, 24, 17, 25, 27, 28, 21, 44, 33, 23, 25, 20, 21,
    23, 39, 20, 20, 18, 22, 32, 31, 32, 29, 38, 32, 44, 32, 64, 99,
    56, 64, 64, 63, 63, 64, 65, 66, 65, 66, 65, 66, 65, 66, 65, 65,
    56, 58, 64, 65, 60, 64, 62, 67, 65, 63, 65, 63, 63, 58, 59, 60,
    62, 66, 67, 66, 64, 65, 64, 65, 64, 64, 64, 65, 64, 65, 65, 65,
    62, 64, 61, 63, 65, 64, 65, 66, 62, 60, 61, 63, 63, 63, 65, 62,
    99, 99, 69, 67, 68, 68, 71, 69, 69, 75, 80, 76, 91, 74, 68, 68,
    74, 70, 69, 69, 69, 76, 81, 79, 77, 77, 95, 76, 82, 87, 85, 79,
    57, 54, 54, 67, 81, 82, 88, 91, 89, 81, 57, 70, 70, 73, 99, 63,
    51, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn prefilter(literals: &[&str]) -> Prefilter {
        let literals: Vec<Vec<u8>> = literals.iter().map(|literal| literal.as_bytes().to_vec()).collect();
        Prefilter::new(&literals)
    }

    #[test]
    fn every_literal_must_occur() {
        let filter = prefilter(&["dispose", "!="]);
        assert!(filter.admits(b"if (x != null) x.dispose();"));
        assert!(!filter.admits(b"x.dispose();"));
        assert!(!filter.admits(b"x != null"));
        assert!(prefilter(&[]).admits(b"anything"));
    }

    #[test]
    fn the_rarest_is_looked_for_first_and_parts_of_others_not_at_all() {
        let filter = prefilter(&["else", "unwrap_unchecked", "unwrap", "==", "=="]);
        let needles: Vec<&[u8]> = filter.finders.iter().map(memmem::Finder::needle).collect();
        assert_eq!(needles, [&b"unwrap_unchecked"[..], b"else", b"=="]);
    }
}
