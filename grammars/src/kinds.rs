//! Sets of node kinds, resolved from names to the parser's numbers once.
//! A name that the parser does not know is a defect of the data; a test finds it.

use crate::data::{Data, KindNames, OperatorLevel};
use crate::needed::Needed;
use tree_sitter::Language;

/// A set of node kinds of one parser.
#[derive(Debug, Clone, Default)]
pub struct KindSet {
    members: Vec<bool>,
}

impl KindSet {
    /// Whether `kind`, as `tree_sitter::Node::kind_id` gives it, is in the set.
    pub fn contains(&self, kind: u16) -> bool {
        self.members.get(usize::from(kind)).copied().unwrap_or(false)
    }

    /// Adds `kind`.
    pub fn insert(&mut self, kind: u16) {
        let index = usize::from(kind);
        if self.members.len() <= index {
            self.members.resize(index + 1, false);
        }
        self.members[index] = true;
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(crate) fn resolve(language: &Language, names: &[String], named: bool) -> Self {
        let mut set = Self::default();
        for name in names {
            let id = language.id_for_node_kind(name, named);
            if id != 0 {
                set.insert(id);
            }
        }
        set
    }
}

/// What the kinds of one language mean to a search.
#[derive(Debug, Clone)]
pub struct Kinds {
    /// Strings, templates, characters, regular expressions: compared byte for byte, never re-indented.
    pub literal: KindSet,
    /// Raw text inside literals: never a node that a pattern may stand for.
    pub text: KindSet,
    /// Comments.
    pub comment: KindSet,
    /// Identifiers of every sort: equal when their text is.
    pub names: KindSet,
    /// Tokens between the elements of a list; optional at its end.
    pub separators: KindSet,
    /// Tokens that end a statement; optional everywhere.
    pub terminators: KindSet,
    /// Nodes in which a separator at the end has a meaning, such as a tuple of one.
    pub counted_separators: KindSet,
    /// Nodes whose children are raw tokens, such as the arguments of a macro.
    pub token_lists: KindSet,
    /// Bare tokens that stand where a node does, such as the `_` of a match arm.
    pub values: KindSet,
    /// Nodes that hold a name or an element and may hold more: a variable that stands for one node is what they
    /// hold, never all of it.
    pub holders: KindSet,
    /// Nodes that are nothing but others in a row, without delimiters: a file, an indented block.
    pub sequences: KindSet,
    /// Nodes whose children are of one sort, whatever their fields say.
    pub fieldless: KindSet,
    /// What a fragment is hardly meant to be when it can be anything else, such as a statement with a label.
    pub unlikely: KindSet,
    /// Nodes that are no other thing in another context, however alike the two are.
    pub distinct: KindSet,
    /// Parts of a construct that open with a word of their own, such as `else`, and stand among its statements: a
    /// run of siblings ends before one.
    pub clauses: KindSet,
    /// Names that hold the mark behind them, such as the `name: ` of a keyword argument.
    pub labels: KindSet,
    /// Nodes that continue the one before them, such as the `.b` of `a.b` where the two are siblings: a variable
    /// takes them with it.
    pub suffixes: KindSet,
    /// Operations whose last operand the parser cuts short: the suffixes behind them are still part of it.
    pub loose: KindSet,
    /// Literals whose lines are indented as the code around them.
    pub moving: KindSet,
    /// Nodes in which code may stand as raw tokens.
    pub embedding: KindSet,
    /// Nodes that only group their children, such as the statements of a block or the values of a `return`: the
    /// children count as those of the node around.
    pub spliced: KindSet,
    /// Blocks are told by their indentation.
    pub offside: bool,
    /// Bare tokens whose text is not always the one that their kind is named after, such as the `%w(` of `%w[a]`.
    pub varied: KindSet,
    /// Operations that the parser groups to the right, however strongly their operators bind.
    pub ungrouped: KindSet,
    /// How strongly their operators bind, and whether a row of one is grouped to the right.
    strengths: std::collections::BTreeMap<String, (usize, bool)>,
    /// Keywords that the parser names, in any letter case: tokens, not nodes that a variable stands for.
    pub words: KindSet,
    /// Expressions that parentheses may be put around.
    pub expressions: KindSet,
    /// Expressions that never need parentheses.
    pub atoms: KindSet,
    /// Where expressions need parentheses that the parser does not ask for.
    pub needed: Vec<Needed>,
    /// Words of the language that the parser knows as tokens.
    pub(crate) keywords: std::collections::BTreeSet<String>,
}

impl Kinds {
    pub(crate) fn resolve(language: &Language, data: &Data) -> Self {
        let KindNames {
            literal,
            text,
            comment,
            names,
            separators,
            terminators,
            counted_separators,
            token_lists,
            values,
            holders,
            sequences,
            spliced,
            fieldless,
            unlikely,
            distinct,
            clauses,
            labels,
            suffixes,
            loose,
            moving,
            varied,
        } = &data.kinds;
        let named = |list: &[String]| KindSet::resolve(language, list, true);
        let tokens = |list: &[String]| KindSet::resolve(language, list, false);
        let parentheses = data.parentheses.as_ref();
        Self {
            literal: named(literal),
            text: named(text),
            comment: named(comment),
            names: named(names),
            separators: tokens(separators),
            terminators: tokens(terminators),
            counted_separators: named(counted_separators),
            token_lists: named(token_lists),
            values: tokens(values),
            holders: named(holders),
            sequences: named(sequences),
            spliced: named(spliced),
            embedding: named(&data.embedded.iter().map(|it| it.parent.clone()).collect::<Vec<_>>()),
            fieldless: named(fieldless),
            unlikely: named(unlikely),
            distinct: named(distinct),
            clauses: named(clauses),
            labels: named(labels),
            suffixes: named(suffixes),
            loose: named(loose),
            moving: named(moving),
            offside: data.offside,
            varied: varied_tokens(language, data.caseless, tokens(varied)),
            ungrouped: named(&data.operators.kinds),
            strengths: strengths(&data.operators.levels),
            words: words(language, data.word_prefix.as_deref()),
            expressions: parentheses.map(|it| named(&it.expressions)).unwrap_or_default(),
            atoms: parentheses.map(|it| named(&it.atoms)).unwrap_or_default(),
            needed: parentheses
                .map(|it| it.needed.iter().map(|names| Needed::resolve(language, names)).collect())
                .unwrap_or_default(),
            keywords: keywords(language, data.word_prefix.as_deref()),
        }
    }

    /// Whether an operation may stand right of an operator without parentheses, as the language knows the two.
    pub fn groups_right(&self, outer: &str, inner: &str) -> bool {
        let strength = |sign: &str| self.strengths.get(sign).copied();
        match (strength(outer), strength(inner)) {
            (Some((outer, right)), Some((inner, _))) => inner > outer || inner == outer && right,
            _ => false,
        }
    }

    /// Whether `word` is a keyword of the language.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.keywords.contains(word)
            || !self.words.is_empty() && self.keywords.contains(&word.to_ascii_lowercase())
    }
}

/// The tokens listed, and every word where letter case does not count.
fn varied_tokens(language: &Language, caseless: bool, listed: KindSet) -> KindSet {
    let mut set = listed;
    let is_word = |id: &u16| language.node_kind_for_id(*id).is_some_and(is_word);
    for id in visible(language).filter(|id| caseless && !language.node_kind_is_named(*id)).filter(is_word) {
        set.insert(id);
    }
    set
}

fn strengths(levels: &[OperatorLevel]) -> std::collections::BTreeMap<String, (usize, bool)> {
    let level = |(strength, level): (usize, &OperatorLevel)| {
        let entry = (strength, level.right);
        level.signs.iter().map(|sign| (sign.clone(), entry)).collect::<Vec<_>>()
    };
    levels.iter().enumerate().flat_map(level).collect()
}

fn words(language: &Language, prefix: Option<&str>) -> KindSet {
    let mut set = KindSet::default();
    for id in visible(language) {
        if named_word(language, id, prefix).is_some() {
            set.insert(id);
        }
    }
    set
}

fn keywords(language: &Language, prefix: Option<&str>) -> std::collections::BTreeSet<String> {
    let token = |id: u16| {
        let kind = language.node_kind_for_id(id).filter(|_| !language.node_kind_is_named(id));
        kind.filter(|kind| kind.len() > 1 && is_word(kind))
    };
    visible(language)
        .filter_map(|id| token(id).or_else(|| named_word(language, id, prefix)))
        .map(str::to_owned)
        .collect()
}

fn visible(language: &Language) -> impl Iterator<Item = u16> {
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    (0..count).filter(|&id| language.node_kind_is_visible(id))
}

/// The keyword that a named kind is.
fn named_word<'l>(language: &'l Language, id: u16, prefix: Option<&str>) -> Option<&'l str> {
    language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id))?.strip_prefix(prefix?)
}

fn is_word(kind: &str) -> bool {
    kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && kind.bytes().any(|byte| byte != b'_')
}
