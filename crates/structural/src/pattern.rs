//! A compiled pattern: the readings of a fragment that a language accepts, ready to be searched for.
//! A fragment that no scaffold accepts never becomes one.

use crate::family::same_family;
use crate::ladder::{MAX_DEPTH, Reading, Verdict, accepts, climb};
use crate::placeholder::binds;
use crate::program::{Program, Slots};
pub(crate) use crate::refusal::PatternError;
use crate::refusal::refuse;
use crate::scaffold::Fragment;
use crate::shape::{Body, Shape};
use crate::stopping::Effort;
use grammars::{Grammar, Kinds};
use std::collections::{BTreeMap, BTreeSet};

/// The longest pattern, in bytes.
pub(crate) const MAX_LENGTH: usize = 16 * 1024;

/// The most variables of a pattern, each use counted: the ways to spell them are what compiling costs.
pub(crate) const MAX_VARIABLES: usize = 100;

/// Bytes parsed to find what a pattern is read as.
const MAX_EFFORT: usize = 2 * 1024 * 1024;

/// A variable that binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Whether it stands for a run of siblings.
    pub(crate) many: bool,
}

/// A fragment, compiled for one language.
#[derive(Debug)]
pub(crate) struct Pattern {
    grammar: &'static Grammar,
    reading: String,
    /// Every variable by slot, also those that bind nothing.
    pub(crate) slots: Vec<Variable>,
    variables: Vec<Variable>,
    notes: Vec<String>,
    literals: Vec<Vec<u8>>,
    /// The reading and its family.
    pub(crate) programs: Vec<Program>,
    /// Readings that mean something else.
    pub(crate) others: Vec<(String, Program)>,
}

impl Pattern {
    /// Compiles `fragment` by the ladder of `grammar`.
    pub(crate) fn compile(grammar: &'static Grammar, fragment: &str) -> Result<Self, PatternError> {
        if fragment.trim().is_empty() {
            return Err(PatternError::Empty);
        }
        if fragment.len() > MAX_LENGTH {
            return Err(PatternError::TooLong { length: fragment.len(), limit: MAX_LENGTH });
        }
        let lexed = Fragment::lex(grammar, fragment);
        let count = lexed.variables.len();
        if count > MAX_VARIABLES {
            return Err(PatternError::TooManyVariables { count, limit: MAX_VARIABLES });
        }
        check_arity(&lexed)?;
        let effort = Effort::new(MAX_EFFORT);
        let mut verdict = climb(grammar, &lexed, &effort);
        if let (Verdict::Refused, Some(hanging)) = (&verdict, lexed.hanging(grammar)) {
            verdict = climb(grammar, &hanging, &effort);
        }
        match verdict {
            Verdict::Read(readings) => Ok(Self::assemble(grammar, &lexed, readings)),
            Verdict::TooDeep => Err(PatternError::TooDeep { limit: MAX_DEPTH }),
            Verdict::Bare => Err(PatternError::Bare { pattern: lexed.written() }),
            Verdict::Unfinished => Err(PatternError::TooManyWays { limit: MAX_EFFORT }),
            Verdict::Refused => Err(refuse(grammar, &lexed)),
        }
    }

    /// Whether `text` stands in the language somewhere.
    pub(crate) fn accepts(grammar: &'static Grammar, text: &str) -> bool {
        let effort = Effort::new(MAX_EFFORT);
        if text.len() > MAX_LENGTH {
            return false;
        }
        let fragment = Fragment::lex(grammar, text);
        fragment.variables.len() <= MAX_VARIABLES && accepts(grammar, &fragment, (usize::MAX, false), &effort)
    }

    pub(crate) fn grammar(&self) -> &'static Grammar {
        self.grammar
    }

    /// The rung of the ladder that accepted the fragment.
    pub(crate) fn reading(&self) -> &str {
        &self.reading
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// What the author of the fragment may not have meant.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Byte strings each of which occurs in every file that can match.
    pub(crate) fn literals(&self) -> &[Vec<u8>] {
        &self.literals
    }

    fn assemble(grammar: &'static Grammar, fragment: &Fragment, readings: Vec<Reading>) -> Self {
        let mut slots = Slots::default();
        let main = &readings[0];
        let mut family: Vec<&[Shape]> = vec![&main.shapes];
        let mut others: Vec<&Reading> = Vec::new();
        for reading in &readings[1..] {
            let known = family.iter().any(|shapes| *shapes == reading.shapes)
                || others.iter().any(|other| other.shapes == reading.shapes);
            if known {
                continue;
            }
            // A reading in which a variable is text would not bind what the rest of the family binds.
            if reading.buried == main.buried && same_family(grammar, &main.shapes, &reading.shapes) {
                family.push(&reading.shapes);
            } else {
                others.push(reading);
            }
        }
        let literals =
            literals(grammar, family.iter().copied().chain(others.iter().map(|it| &it.shapes[..])));
        let terminated = fragment.shown.ends_with([';', ',']);
        let programs = family.iter().map(|shapes| Program::new(shapes, terminated, &mut slots)).collect();
        let others = others
            .iter()
            .map(|it| (it.name.clone(), Program::new(&it.shapes, terminated, &mut slots)))
            .collect();
        let slots: Vec<Variable> =
            slots.names.into_iter().map(|(name, many)| Variable { name, many }).collect();
        let variables = slots.iter().filter(|variable| binds(&variable.name)).cloned().collect();
        let notes = notes(grammar, fragment, main);
        Self { grammar, reading: main.name.clone(), slots, variables, notes, literals, programs, others }
    }
}

/// A name stands for one node or for a run, not for both.
fn check_arity(fragment: &Fragment) -> Result<(), PatternError> {
    let mut arity = BTreeMap::new();
    for variable in fragment.variables.iter().filter(|variable| binds(&variable.name)) {
        if *arity.entry(&variable.name).or_insert(variable.many) != variable.many {
            return Err(PatternError::Arity { name: variable.name.clone() });
        }
    }
    Ok(())
}

fn notes(grammar: &Grammar, fragment: &Fragment, reading: &Reading) -> Vec<String> {
    let mut notes = Vec::new();
    for glued in &fragment.glued {
        notes.push(format!(
            "`{glued}` is literal text: a variable must be a whole node, not a part of a word"
        ));
    }
    for &index in &reading.buried {
        let text = &fragment.shown[fragment.variables[index].range.clone()];
        notes.push(format!(
            "`{text}` is literal text: a variable must be a whole node, not a part of a longer text"
        ));
    }
    if reading.shapes.iter().any(|shape| holds_operation(shape, grammar.kinds())) {
        notes.push(
            "where operators stand in a row that bind differently, the operation is passed over".to_owned(),
        );
    }
    let own: BTreeSet<&str> = (0..)
        .zip(&fragment.variables)
        .filter(|(index, variable)| {
            !variable.many
                && !reading.buried.contains(index)
                && grammar.own_variables().contains(&variable.name)
        })
        .map(|(_, variable)| variable.name.as_str())
        .collect();
    for name in own {
        notes.push(format!(
            "`${name}` is a variable of the pattern and stands for any node; `\\${name}` is the one of the code"
        ));
    }
    if reading.commented {
        notes.push("comments in the pattern are ignored".to_owned());
    }
    // Where code has dollars of its own, a lower-case one is no slip.
    let words = lower_case_variables(&fragment.written());
    for word in words.into_iter().filter(|_| grammar.own_variables().is_empty()) {
        notes.push(format!("`{word}` is literal text: variables are upper case, `{}`", word.to_uppercase()));
    }
    notes
}

/// Whether the pattern asks for an operation that a parser may have grouped wrongly.
fn holds_operation(shape: &Shape, kinds: &Kinds) -> bool {
    match &shape.body {
        Body::Inner { kind, children } => {
            kinds.ungrouped.contains(*kind) || children.iter().any(|child| holds_operation(child, kinds))
        }
        _ => false,
    }
}

/// Words such as `$x` that look like a variable and are not. A dollar that is escaped is meant.
pub(crate) fn lower_case_variables(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('$') {
        let rest = text[at..].trim_start_matches('$');
        let name: String =
            rest.chars().take_while(|next| next.is_ascii_alphanumeric() || *next == '_').collect();
        let starts = text[..at].ends_with(|before: char| "$\\".contains(before) || before.is_alphanumeric());
        if !starts && name.starts_with(|first: char| first.is_ascii_lowercase()) {
            let dollars = text.len() - at - rest.len();
            words.push(format!("{}{name}", &text[at..at + dollars]));
        }
    }
    words.dedup();
    words
}

/// The bytes that are worth looking for where they stand alone.
const MARKS: [char; 17] =
    ['+', '-', '*', '/', '%', '^', '&', '|', '~', '!', '?', '<', '>', '=', '(', '[', '{'];

/// Texts that every one of the readings holds.
fn literals<'a>(grammar: &Grammar, readings: impl Iterator<Item = &'a [Shape]>) -> Vec<Vec<u8>> {
    let mut shared: Option<BTreeSet<Vec<u8>>> = None;
    for shapes in readings {
        let mut found = BTreeSet::new();
        for shape in shapes {
            collect_literals(grammar, shape, &mut found);
        }
        shared = Some(match shared {
            Some(earlier) => earlier.intersection(&found).cloned().collect(),
            None => found,
        });
    }
    shared.unwrap_or_default().into_iter().collect()
}

fn collect_literals(grammar: &Grammar, shape: &Shape, found: &mut BTreeSet<Vec<u8>>) {
    match &shape.body {
        Body::Inner { children, .. } => {
            for child in children {
                collect_literals(grammar, child, found);
            }
        }
        Body::Name(text) | Body::Leaf { text, .. } => {
            found.insert(text.clone());
        }
        Body::Token { kind } => found.extend(token_text(grammar, *kind).map(String::into_bytes)),
        Body::Quoted { .. } | Body::One { .. } | Body::Many { .. } => {}
    }
}

/// What is looked for in the bytes of a file for a bare token: its text, where that is always the same and worth it.
pub(crate) fn token_text(grammar: &Grammar, kind: u16) -> Option<String> {
    let language = grammar.language();
    let text = language.node_kind_for_id(kind).filter(|_| !language.node_kind_is_named(kind))?;
    // A token of several words, such as `not in`, may be spaced in any way.
    let is_sought = (text.len() > 1 || text.contains(MARKS)) && !text.contains(char::is_whitespace);
    (is_sought && !grammar.kinds().varied.contains(kind)).then(|| text.to_owned())
}
