//! Where an expression needs parentheses that its parser does not ask for, resolved from names once.
//! It must never list what the parser tells by itself: there the tree is the better witness.

use crate::data::NeededNames;
use crate::kinds::KindSet;
use tree_sitter::Language;

/// Some kinds of expression and the places where they need parentheses.
#[derive(Debug, Clone)]
pub struct Needed {
    /// The expressions.
    pub kinds: KindSet,
    /// The nodes in which they need them, unless they are delimited there.
    pub inside: KindSet,
    /// They need them only next to one of these tokens, if there are any.
    pub beside: Option<KindSet>,
    /// The nodes that they must not be the first thing of, on whatever level.
    pub starting: KindSet,
    /// They may be the first thing when they are all there is.
    pub continued: bool,
}

impl Needed {
    pub(crate) fn resolve(language: &Language, names: &NeededNames) -> Self {
        let named = |list: &[String]| KindSet::resolve(language, list, true);
        let beside = KindSet::resolve(language, &names.beside, false);
        Self {
            kinds: named(&names.kinds),
            inside: named(&names.inside),
            beside: (!names.beside.is_empty()).then_some(beside),
            starting: named(&names.starting),
            continued: names.continued,
        }
    }
}
