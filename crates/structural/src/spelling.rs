//! The ways to spell a fragment's variables so that a parser takes them for what they stand for.
//! A spelling that cannot stand between a variable's neighbours is left out, whatever the language: each
//! way costs a parse in every scaffold.

use crate::scaffold::{Fragment, VariableUse};
use grammars::Grammar;

/// The most variables that are spelt other than by the cheapest spelling.
const MAX_RESPELT: usize = 3;
/// The most ways kept.
const MAX_WAYS: usize = 256;

/// One spelling for each variable of a fragment.
#[derive(Debug, Clone)]
pub(crate) struct Way<'a> {
    pub(crate) cost: usize,
    pub(crate) spellings: Vec<&'a str>,
    respelt: usize,
}

/// All ways worth a parse, cheapest first.
pub(crate) fn ways<'a>(grammar: &'a Grammar, fragment: &Fragment) -> Vec<Way<'a>> {
    ways_by(grammar, fragment, grammar.one_spellings(), grammar.many_spellings())
}

/// All ways worth a parse by these spellings of a variable for one node and for a run of siblings.
pub(crate) fn ways_by<'a>(
    grammar: &'a Grammar,
    fragment: &Fragment,
    one: &'a [String],
    many: &'a [String],
) -> Vec<Way<'a>> {
    let mut ways = vec![Way { cost: 0, spellings: Vec::new(), respelt: 0 }];
    for variable in &fragment.variables {
        let all = if variable.many { many } else { one };
        let mut options = options(all, fragment, variable);
        let before = fragment.shown[..variable.range.start].trim_end();
        let after = grammar.many_after().iter().filter(|(text, _)| variable.many && before.ends_with(text));
        options.splice(0..0, after.map(|(_, spelling)| spelling.as_str()));
        let mut longer = Vec::new();
        for way in &ways {
            for (index, option) in options.iter().enumerate() {
                let respelt = way.respelt + usize::from(index > 0);
                if respelt <= MAX_RESPELT {
                    let spellings = way.spellings.iter().copied().chain([*option]).collect();
                    longer.push(Way { cost: way.cost + index, spellings, respelt });
                }
            }
        }
        longer.sort_by_key(|way| way.cost);
        longer.truncate(MAX_WAYS);
        ways = longer;
    }
    ways
}

/// Those spellings that the variable's neighbours admit.
fn options<'a>(all: &'a [String], fragment: &Fragment, variable: &VariableUse) -> Vec<&'a str> {
    let place = Neighbours::of(fragment, variable);
    let fits = |spelling: &&str| match Class::of(spelling) {
        Class::Name => true,
        Class::Statement => place.admit_statement(),
        Class::Item => place.admit_item(),
        Class::Quoted => place.follows_word() || all.first().is_some_and(|usual| usual == spelling),
        Class::Markup => place.admit_markup(),
        Class::Character => place.before == Some('\'') && place.after == Some('\''),
    };
    all.iter().map(String::as_str).filter(fits).collect()
}

/// What sort of thing a spelling looks like.
enum Class {
    /// The placeholder, alone or behind words or a sign of names: `struct {}`, `T{}`, `${}`. Also what ends its
    /// own line, and so fits before anything.
    Name,
    /// It ends like a statement or opens with a keyword.
    Statement,
    /// An element of a list.
    Item,
    /// A string, such as the target of an import.
    Quoted,
    /// A piece between markup: `{{}}`, `<{}/>`.
    Markup,
    /// A single character, for literals that hold no more; no placeholder is that short.
    Character,
}

impl Class {
    fn of(spelling: &str) -> Self {
        let words = spelling.strip_suffix("{}");
        let is_word =
            |words: &str| words.bytes().all(|byte| byte.is_ascii_alphabetic() || b" $".contains(&byte));
        if !spelling.contains("{}") {
            Self::Character
        } else if spelling.ends_with('\n') || words.is_some_and(is_word) {
            Self::Name
        } else if spelling == "{{}}" || spelling.starts_with('<') {
            Self::Markup
        } else if spelling.starts_with(['"', '\'']) && spelling.ends_with(['"', '\'']) {
            Self::Quoted
        } else if spelling.ends_with([';', ':'])
            || spelling.ends_with(" }")
            || spelling.starts_with(char::is_alphanumeric)
        {
            Self::Statement
        } else {
            Self::Item
        }
    }
}

/// What stands before and after a variable: the nearest character, and whether a line break is between.
struct Neighbours {
    before: Option<char>,
    after: Option<char>,
    opens_line: bool,
    closes_line: bool,
    follows_variable: bool,
}

impl Neighbours {
    fn of(fragment: &Fragment, variable: &VariableUse) -> Self {
        let before = &fragment.shown[..variable.range.start];
        let after = &fragment.shown[variable.range.end..];
        let broken = |text: &str, rest: &str| text[..text.len() - rest.len()].contains('\n');
        let blank_before = &before[before.trim_end().len()..];
        Self {
            before: before.trim_end().chars().next_back(),
            after: after.trim_start().chars().next(),
            // The dash of a list stands before what opens its line.
            opens_line: blank_before.contains('\n')
                || before.lines().last().is_some_and(|it| it.trim() == "-"),
            closes_line: broken(after, after.trim_start()),
            follows_variable: fragment.variables.iter().any(|it| it.range.end == before.trim_end().len()),
        }
    }

    fn follows_word(&self) -> bool {
        self.before.is_some_and(char::is_alphanumeric) && !self.opens_line
    }

    fn admit_markup(&self) -> bool {
        let opens = self.opens_line || self.follows_variable || matches!(self.before, Some('>' | '}' | '='));
        let closes = self.closes_line || matches!(self.after, Some('<' | '>' | '/' | '{' | '$'));
        opens && closes
    }

    fn admit_statement(&self) -> bool {
        let word_before = self.follows_word();
        let opens =
            self.opens_line || word_before || matches!(self.before, None | Some('{' | '}' | ';' | ':' | ')'));
        let closes = self.closes_line
            || matches!(self.after, None | Some('}'))
            || !word_before
                && self.after.is_some_and(|next| next.is_alphanumeric() || matches!(next, '$' | '@'));
        opens && closes
    }

    fn admit_item(&self) -> bool {
        let opens =
            self.opens_line || matches!(self.before, None | Some('(' | '[' | '{' | ',' | '|' | '<' | ';'));
        let closes = self.closes_line
            || matches!(self.after, None | Some(')' | ']' | '}' | ',' | '|' | '>' | '=' | '$'));
        opens && closes
    }
}
