//! The shape of `grammar.toml`: what a language says about itself.
//! Field names are the file format; unknown keys are refused so that a misspelt one cannot be ignored.

use serde::Deserialize;

/// One context in which a fragment may be read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// The reading's name as results show it, such as `statement` or `match arm`.
    pub name: String,
    /// What kind of context this is; the four main ones are tried before the rest.
    #[serde(default)]
    pub role: Role,
    /// Text before the fragment.
    pub prefix: String,
    /// Text after the fragment and the terminator. Ends with a line break.
    pub suffix: String,
    /// The scaffold's own terminator right after the fragment; it does not belong to the pattern.
    #[serde(default)]
    pub terminator: String,
    /// A fragment with this text in it is read here before anywhere else.
    #[serde(default)]
    pub hint: Option<String>,
    /// Only a fragment with this text in it is read here.
    #[serde(default)]
    pub needs: Option<String>,
    /// Takes almost anything, so it is never the reading of a fragment and only counted beside one.
    #[serde(default)]
    pub aside: bool,
    /// Spellings of a variable that stands for one node, where they are not the language's own: what shows
    /// the parser a type where it would take a value.
    #[serde(default)]
    pub one: Vec<String>,
    /// The same for a variable that stands for a run of siblings.
    #[serde(default)]
    pub many: Vec<String>,
}

/// The place of a rung in the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A statement, where statements stand.
    Statement,
    /// An expression.
    Expression,
    /// A member of a class or the like.
    Member,
    /// A declaration at the top of a file.
    Declaration,
    /// What else the language needs: an argument, a match arm, a type.
    #[default]
    Extra,
}

/// A node whose raw tokens are often code after all, such as the arguments of a macro.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embedded {
    /// The kind of the node that the tokens belong to.
    pub parent: String,
    /// The kind of the node that holds the tokens, with a delimiter at each end unless they are one piece of text.
    pub tokens: String,
    /// Prefix and suffix that make a file of what is between the delimiters; the first that parses is used.
    pub scaffolds: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) extensions: Vec<String>,
    /// Programs that run a file whose first line names them, less the version at the end of their names.
    #[serde(default)]
    pub(crate) interpreters: Vec<String>,
    #[serde(default)]
    pub(crate) line_comment: Option<String>,
    /// Blocks are told by their indentation.
    #[serde(default)]
    pub(crate) offside: bool,
    /// What may stand before the code that opens a line and counts as its indentation, such as the dash of a list.
    #[serde(default)]
    pub(crate) line_openers: Vec<String>,
    /// Words that open a declaration: such a fragment is read as a member or declaration first.
    #[serde(default)]
    pub(crate) declaration_starts: Vec<String>,
    /// Words that are no name at the start of a fragment, whatever the parser makes of them there.
    #[serde(default)]
    pub(crate) reserved: Vec<String>,
    /// Names of variables that code in this language writes as a pattern does, such as the `HOME` of `$HOME`.
    #[serde(default)]
    pub(crate) own_variables: Vec<String>,
    /// Operations that the parser groups to the right, however strongly their operators bind.
    #[serde(default)]
    pub(crate) operators: Operators,
    /// The letter case of keywords does not count, although the parser names them in one.
    #[serde(default)]
    pub(crate) caseless: bool,
    /// What the kinds of keywords start with, where the parser names them and their letter case does not count.
    #[serde(default)]
    pub(crate) word_prefix: Option<String>,
    /// What a fragment that does not parse may be lacking at its end, in the order it is tried.
    #[serde(default)]
    pub(crate) completions: Vec<String>,
    pub(crate) spellings: Spellings,
    pub(crate) kinds: KindNames,
    #[serde(default)]
    pub(crate) parentheses: Option<ParenthesesNames>,
    /// Root kinds that are one concept in several contexts: a function and a method.
    #[serde(default)]
    pub(crate) families: Vec<Vec<String>>,
    /// Where code stands as raw tokens.
    #[serde(default)]
    pub(crate) embedded: Vec<Embedded>,
    #[serde(rename = "rung")]
    pub(crate) rungs: Vec<Rung>,
}

/// How a variable is spelt so that the parser takes it; `{}` is the placeholder. Cheapest first. A single letter is
/// tried where a variable is all of a character literal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spellings {
    pub(crate) one: Vec<String>,
    pub(crate) many: Vec<String>,
    /// What is tried first for a run of siblings right behind a text: `{text, spelling}`, such as the cases behind the
    /// `catch {` of a language in which that may also open a block.
    #[serde(default)]
    pub(crate) many_after: Vec<(String, String)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct KindNames {
    pub(crate) literal: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) comment: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) separators: Vec<String>,
    pub(crate) terminators: Vec<String>,
    pub(crate) counted_separators: Vec<String>,
    pub(crate) token_lists: Vec<String>,
    pub(crate) values: Vec<String>,
    pub(crate) holders: Vec<String>,
    pub(crate) sequences: Vec<String>,
    pub(crate) spliced: Vec<String>,
    pub(crate) fieldless: Vec<String>,
    pub(crate) unlikely: Vec<String>,
    pub(crate) distinct: Vec<String>,
    pub(crate) clauses: Vec<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) loose: Vec<String>,
    pub(crate) moving: Vec<String>,
    pub(crate) varied: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParenthesesNames {
    pub(crate) open: String,
    pub(crate) close: String,
    /// Kinds of expression that may be wrapped.
    pub(crate) expressions: Vec<String>,
    /// Those of them that bind so tightly that they never need it.
    pub(crate) atoms: Vec<String>,
    /// Where some need it though the parser takes them without.
    #[serde(default)]
    pub(crate) needed: Vec<NeededNames>,
}

/// Where some kinds of expression need parentheses that the parser does not ask for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NeededNames {
    pub(crate) kinds: Vec<String>,
    /// Directly in one of these, unless delimited there.
    #[serde(default)]
    pub(crate) inside: Vec<String>,
    /// Only next to one of these tokens.
    #[serde(default)]
    pub(crate) beside: Vec<String>,
    /// As the first thing of one of these, on whatever level.
    #[serde(default)]
    pub(crate) starting: Vec<String>,
    /// Only if something follows: alone it may be the first thing.
    #[serde(default)]
    pub(crate) continued: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Operators {
    pub(crate) kinds: Vec<String>,
    /// From the loosest to the tightest.
    pub(crate) levels: Vec<OperatorLevel>,
}

/// Operators that bind equally strongly.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperatorLevel {
    /// Whether a row of them is grouped to the right.
    #[serde(default)]
    pub(crate) right: bool,
    pub(crate) signs: Vec<String>,
}
