//! A compiled pattern: the readings of a fragment that a language accepts.

use grammars::Grammar;

/// A variable that binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Whether it stands for a run of siblings.
    pub(crate) many: bool,
}

/// Why a fragment is not a pattern.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct PatternError {
    pub(crate) message: String,
}

/// A fragment, compiled for one language.
#[derive(Debug)]
pub(crate) struct Pattern {
    grammar: &'static Grammar,
    reading: String,
    variables: Vec<Variable>,
    notes: Vec<String>,
    literals: Vec<Vec<u8>>,
}

impl Pattern {
    pub(crate) fn compile(_grammar: &'static Grammar, _fragment: &str) -> Result<Self, PatternError> {
        Err(PatternError { message: String::new() })
    }

    /// Whether `text` stands in the language somewhere.
    pub(crate) fn accepts(grammar: &'static Grammar, text: &str) -> bool {
        Self::compile(grammar, text).is_ok()
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

    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Byte strings each of which occurs in every file that can match.
    pub(crate) fn literals(&self) -> &[Vec<u8>] {
        &self.literals
    }
}
