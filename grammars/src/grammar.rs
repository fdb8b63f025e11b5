//! One language: its parser and its data, each loaded the first time it is asked for.
//! It hands out facts only; what to do with them is the caller's business.

use crate::bundled::{BUNDLED, KNOWN};
use crate::data::{Data, Embedded, Rung};
use crate::kinds::Kinds;
use std::path::Path;
use std::sync::OnceLock;
use tree_sitter::Language;

/// A bundled language.
#[derive(Debug)]
pub struct Grammar {
    id: &'static str,
    text: &'static str,
    parser: fn() -> Language,
    language: OnceLock<Language>,
    data: OnceLock<Data>,
    kinds: OnceLock<Kinds>,
}

impl Grammar {
    /// A language of the caller's own: its id, the text of its `grammar.toml`, its parser.
    ///
    /// The text is read when it is first needed; text that is not the data of a grammar is a defect and panics then.
    pub const fn new(id: &'static str, text: &'static str, parser: fn() -> Language) -> Self {
        Self { id, text, parser, language: OnceLock::new(), data: OnceLock::new(), kinds: OnceLock::new() }
    }

    /// Every language that was compiled in, in id order.
    pub fn bundled() -> &'static [Grammar] {
        &BUNDLED
    }

    /// The ids of [`Grammar::bundled`].
    pub fn ids() -> Vec<&'static str> {
        BUNDLED.iter().map(Grammar::id).collect()
    }

    /// The language of this id, if it was compiled in.
    pub fn by_id(id: &str) -> Option<&'static Grammar> {
        BUNDLED.iter().find(|grammar| grammar.id == id)
    }

    /// The language of a file, by its extension (letter case ignored).
    pub fn by_path(path: &Path) -> Option<&'static Grammar> {
        let extension = path.extension()?.to_str()?;
        BUNDLED
            .iter()
            .find(|grammar| grammar.extensions().iter().any(|known| known.eq_ignore_ascii_case(extension)))
    }

    /// The language of a file, by its first line: `#!/usr/bin/env python3`, `#!/bin/sh -e`.
    pub fn by_first_line(line: &[u8]) -> Option<&'static Grammar> {
        let line =
            std::str::from_utf8(line.split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?).ok()?;
        let mut words = line.split_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            let command = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
            program = command.rsplit('/').next()?;
        }
        let program = program.trim_end_matches(|sign: char| sign.is_ascii_digit() || ".-".contains(sign));
        BUNDLED.iter().find(|grammar| grammar.interpreters().iter().any(|known| known == program))
    }

    /// Whether this crate has the language at all, even when it was compiled out.
    pub fn is_known(id: &str) -> bool {
        KNOWN.contains(&id)
    }

    /// The id that callers name, such as `dart`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// File extensions, without the dot.
    pub fn extensions(&self) -> &[String] {
        &self.data().extensions
    }

    /// Programs that run a file whose first line names them, without a version.
    pub fn interpreters(&self) -> &[String] {
        &self.data().interpreters
    }

    /// The same parser under other data: how the data of a language is tried out.
    #[must_use]
    pub const fn with_data(&self, text: &'static str) -> Self {
        Self::new(self.id, text, self.parser)
    }

    /// The parser.
    pub fn language(&self) -> Language {
        self.loaded().clone()
    }

    /// The contexts in which a fragment is tried, in order.
    pub fn ladder(&self) -> &[Rung] {
        &self.data().rungs
    }

    /// Spellings of a variable that stands for one node; `{}` is the placeholder.
    pub fn one_spellings(&self) -> &[String] {
        &self.data().spellings.one
    }

    /// Spellings of a variable that stands for a run of siblings; `{}` is the placeholder.
    pub fn many_spellings(&self) -> &[String] {
        &self.data().spellings.many
    }

    /// Texts, and the spelling that is tried first for a run of siblings right behind each.
    pub fn many_after(&self) -> &[(String, String)] {
        &self.data().spellings.many_after
    }

    /// Words that open a declaration.
    pub fn declaration_starts(&self) -> &[String] {
        &self.data().declaration_starts
    }

    /// Whether `word` is no name at the start of a fragment.
    pub fn is_reserved(&self, word: &str) -> bool {
        self.data().reserved.iter().any(|reserved| reserved == word)
    }

    /// Names of variables that code in this language writes as a pattern does.
    pub fn own_variables(&self) -> &[String] {
        &self.data().own_variables
    }

    /// What a fragment that does not parse may be lacking at its end.
    pub fn completions(&self) -> &[String] {
        &self.data().completions
    }

    /// Groups of root kinds (names) that are one concept in several contexts.
    pub fn families(&self) -> &[Vec<String>] {
        &self.data().families
    }

    /// Where code stands as raw tokens.
    pub fn embedded(&self) -> &[Embedded] {
        &self.data().embedded
    }

    /// What the node kinds of this language mean.
    pub fn kinds(&self) -> &Kinds {
        self.kinds.get_or_init(|| Kinds::resolve(self.loaded(), self.data()))
    }

    /// How an expression is parenthesised: `(open, close)`, if the language can.
    pub fn parentheses(&self) -> Option<(&str, &str)> {
        self.data().parentheses.as_ref().map(|it| (it.open.as_str(), it.close.as_str()))
    }

    /// The token that opens a comment to the end of the line.
    pub fn line_comment(&self) -> Option<&str> {
        self.data().line_comment.as_deref()
    }

    /// What counts as indentation before the code that opens a line, such as the dash of a list.
    pub fn line_openers(&self) -> &[String] {
        &self.data().line_openers
    }

    /// Whether blocks are told by their indentation.
    pub fn is_offside(&self) -> bool {
        self.data().offside
    }

    fn loaded(&self) -> &Language {
        self.language.get_or_init(self.parser)
    }

    pub(crate) fn data(&self) -> &Data {
        self.data.get_or_init(|| match toml::from_str(self.text) {
            Ok(data) => data,
            // The text is compiled in and every bundled language is loaded by a test.
            Err(error) => panic!("the data of `{}` is malformed: {error}", self.id),
        })
    }
}
