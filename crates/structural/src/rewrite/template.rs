//! A rewrite, compiled against the pattern whose variables it uses.
//! It must never let a variable through that the pattern does not bind, nor one used as what it is not.

use std::time::Duration;

use grammars::{Grammar, Role, Rung};

use super::alignment::{self, Shared};
use crate::outline::Outline;
use crate::parse::{self, Limits};
use crate::pattern::Pattern;
use crate::placeholder::{self, Piece};
use crate::spans;

/// A name that stands where a capture will.
const STAND_IN: &str = "xq";

/// A rewrite: `texts[0] holes[0] texts[1] … texts[n]`.
#[derive(Debug)]
pub(crate) struct Template {
    pub(super) texts: Vec<Text>,
    pub(super) holes: Vec<Hole>,
    /// For each text: what it shares with the pattern's text between the same two variables.
    pub(super) shared: Vec<Shared>,
    /// Whether it is nothing but a statement, or several: no parentheses go around it.
    pub(super) is_statement: bool,
    /// The smallest indentation a line of the rewrite has, in spaces; 0 when it has none.
    pub(super) step: usize,
    /// Whether it is the pattern itself, with a variable that stands in several places of the source.
    pub(super) is_identity: bool,
}

/// Fixed text: its lines, each with what the layout must know.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// For each line of the text but its first: whether it starts inside a string of the rewrite.
    pub(super) frozen: Vec<bool>,
}

/// A place for a capture.
#[derive(Debug)]
pub(super) struct Hole {
    pub(super) name: String,
    pub(super) many: bool,
    pub(super) place: Place,
}

/// What a hole's surroundings make of the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A node of its own.
    Node,
    /// Part of a longer name.
    Glued,
    /// Text in a string.
    Quoted,
}

/// Why a rewrite does not fit its pattern.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TemplateError {
    /// A variable that the pattern does not bind.
    #[error("the rewrite uses `{variable}`, which the pattern does not bind; it binds {}", listed(bound))]
    Unbound {
        /// As it is written in the rewrite.
        variable: String,
        /// The pattern's variables, as they are written.
        bound: Vec<String>,
    },
    /// `$_` or `$$$`.
    #[error("the rewrite uses `{variable}`, which binds nothing; name the variable in the pattern and here")]
    Wildcard {
        /// As it is written in the rewrite.
        variable: String,
    },
    /// `$X` for `$$$X` or the other way round.
    #[error("the rewrite uses `{used}`, but the pattern binds `{bound}`; write `{bound}`")]
    Arity {
        /// As it is written in the rewrite.
        used: String,
        /// As it is written in the pattern.
        bound: String,
    },
    /// No scaffold of the language accepts it.
    #[error("the rewrite `{rewrite}` does not parse as {language}")]
    Unparsable {
        /// The rewrite.
        rewrite: String,
        /// The language's id.
        language: &'static str,
    },
}

fn listed(bound: &[String]) -> String {
    if bound.is_empty() {
        return "no variable".to_owned();
    }
    bound.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Template {
    /// Compiles `rewrite` for `pattern`, whose text is `fragment`.
    pub(crate) fn compile(pattern: &Pattern, fragment: &str, rewrite: &str) -> Result<Self, TemplateError> {
        let rewrite = dedent(rewrite);
        let (texts, holes) = split(&rewrite, Some(pattern))?;
        let shared = compared(pattern, fragment, &texts, &holes);
        let repeats = (1..holes.len()).any(|at| holes[..at].iter().any(|it| it.name == holes[at].name));
        let is_identity = repeats && rewrite.trim() == fragment.trim();
        let mut template =
            Self { step: step(&texts), texts, holes, shared, is_identity, is_statement: false };
        template.look_into_strings(pattern.grammar());
        if !rewrite.is_empty() && !template.parses(pattern.grammar()) {
            return Err(TemplateError::Unparsable { rewrite, language: pattern.grammar().id() });
        }
        template.is_statement = !rewrite.is_empty() && template.is_unenclosable(pattern.grammar());
        Ok(template)
    }

    /// Whether some context of the language takes the rewrite: with variables where they stand for nodes, else with
    /// a name in their places (a variable alone is no pattern, but it is a rewrite). Of several statements the last
    /// may lack its terminator, which the match has.
    fn parses(&self, grammar: &'static Grammar) -> bool {
        let node = |hole: &Hole| hole.place == Place::Node;
        let plain = self.fragment(|_| false);
        let is_ended = |rung: &&Rung| !rung.terminator.is_empty();
        Pattern::accepts(grammar, &self.fragment(node))
            || Pattern::accepts(grammar, &plain)
            || grammar
                .ladder()
                .iter()
                .find(is_ended)
                .is_some_and(|rung| Pattern::accepts(grammar, &format!("{plain}{}", rung.terminator)))
    }

    /// Whether the language takes a name in parentheses, but not the rewrite.
    fn is_unenclosable(&self, grammar: &'static Grammar) -> bool {
        grammar.parentheses().is_some_and(|(open, close)| {
            // Not just anywhere: the arguments of a macro may be anything.
            let is_main = |reading: &str| {
                grammar.ladder().iter().any(|rung| rung.name == reading && rung.role != Role::Extra)
            };
            let accepts = |text: &str| {
                let enclosed = Pattern::compile(grammar, &format!("{open}{text}{close}"));
                enclosed.is_ok_and(|pattern| is_main(pattern.reading()))
            };
            let node = |hole: &Hole| hole.place == Place::Node;
            accepts(STAND_IN) && !accepts(&self.fragment(|_| false)) && !accepts(&self.fragment(node))
        })
    }

    fn fragment(&self, is_variable: impl Fn(&Hole) -> bool) -> String {
        let mut fragment = String::new();
        for (index, text) in self.texts.iter().enumerate() {
            fragment.push_str(&text.text.replace('$', "\\$"));
            match self.holes.get(index) {
                Some(hole) if is_variable(hole) => fragment.push_str(&written(&hole.name, hole.many)),
                Some(_) => fragment.push_str(STAND_IN),
                None => {}
            }
        }
        fragment
    }

    /// Whether the capture of that name is used.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.holes.iter().any(|hole| hole.name == name)
    }

    /// Whether a capture is pasted into a string.
    pub(super) fn quotes(&self) -> bool {
        self.holes.iter().any(|hole| hole.place == Place::Quoted)
    }

    /// Finds which lines and holes stand inside strings, by parsing the rewrite with names for its holes. A rewrite
    /// that the bare grammar reads with errors still has its strings where they are.
    fn look_into_strings(&mut self, grammar: &'static Grammar) {
        let mut stand_in = String::new();
        let mut places = Vec::new();
        for (index, text) in self.texts.iter().enumerate() {
            let base = stand_in.len();
            stand_in.push_str(&text.text);
            places.push((base, stand_in.len()));
            if index < self.holes.len() {
                stand_in.push_str(STAND_IN);
            }
        }
        let limits = Limits { stop: &|| false, time: Duration::from_secs(5) };
        let Ok(tree) = parse::parse(grammar, stand_in.as_bytes(), &limits) else { return };
        let outline = Outline::of(&tree, grammar.is_offside());
        let quoted = |at: usize| spans::inside_string(grammar, outline.root_node(), at);
        for (text, (base, _)) in self.texts.iter_mut().zip(&places) {
            let starts = text.text.match_indices('\n').map(|(at, _)| base + at + 1);
            text.frozen = starts.map(|at| spans::is_frozen(grammar, outline.root_node(), at)).collect();
        }
        for (index, hole) in self.holes.iter_mut().enumerate() {
            let name_before = self.texts[index].text.ends_with(is_name);
            let joined = index > 0 && self.texts[index].text.is_empty();
            let next = &self.texts[index + 1].text;
            let joins = index + 2 < self.texts.len() && next.is_empty();
            if quoted(places[index].1) {
                hole.place = Place::Quoted;
            } else if name_before || joined || joins || next.starts_with(is_name) {
                hole.place = Place::Glued;
            }
        }
    }
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Without the white space around it, later lines moved as far left as the first.
fn dedent(rewrite: &str) -> String {
    let body = rewrite.trim_start_matches(['\n', '\r']).trim_end().replace("\r\n", "\n");
    let content = body.trim_start();
    let indent = &body[..body.len() - content.len()];
    if indent.is_empty() || indent.contains('\n') {
        return content.to_owned();
    }
    let lines: Vec<&str> = body.split('\n').map(|line| line.strip_prefix(indent).unwrap_or(line)).collect();
    lines.join("\n")
}

fn written(name: &str, many: bool) -> String {
    format!("{}{name}", if many { "$$$" } else { "$" })
}

/// Texts and holes in turn. With a pattern, each variable is looked up in it.
fn split(text: &str, pattern: Option<&Pattern>) -> Result<(Vec<Text>, Vec<Hole>), TemplateError> {
    let (mut texts, mut holes) = (vec![Text::default()], Vec::new());
    let pieces = placeholder::scan(text);
    for (index, piece) in pieces.iter().enumerate() {
        let (name, many) = match piece {
            Piece::Text(text) => {
                push_text(&mut texts, text);
                continue;
            }
            Piece::One { name, .. } => (name.as_str(), false),
            Piece::Many { name, .. } => (name.as_str(), true),
        };
        let goes_on = matches!(pieces.get(index + 1), Some(Piece::Text(text)) if text.starts_with(is_name));
        let (name, rest) = match pattern {
            Some(pattern) => resolve(pattern, name, many, goes_on)?,
            None => (name, ""),
        };
        holes.push(Hole { name: name.to_owned(), many, place: Place::Node });
        texts.push(Text::default());
        push_text(&mut texts, rest);
    }
    Ok((texts, holes))
}

fn push_text(texts: &mut [Text], text: &str) {
    if let Some(last) = texts.last_mut() {
        last.text.push_str(text);
    }
}

/// The variable that `name` means. `$VARName` is `$VAR` and `Name`: where a name goes on in lower case, the longest
/// bound variable is meant. Anything else must be bound as it stands.
fn resolve<'n>(
    pattern: &Pattern,
    name: &'n str,
    many: bool,
    goes_on: bool,
) -> Result<(&'n str, &'n str), TemplateError> {
    let bound = pattern.variables();
    let shortest = if goes_on { 1 } else { name.len() };
    for end in (shortest..=name.len()).rev() {
        if let Some(variable) = bound.iter().find(|variable| variable.name == name[..end]) {
            if variable.many != many {
                let (used, bound) = (written(&name[..end], many), written(&name[..end], variable.many));
                return Err(TemplateError::Arity { used, bound });
            }
            return Ok(name.split_at(end));
        }
    }
    if name.is_empty() || name.starts_with('_') {
        return Err(TemplateError::Wildcard { variable: written(name, many) });
    }
    let bound = bound.iter().map(|variable| written(&variable.name, variable.many)).collect();
    Err(TemplateError::Unbound { variable: written(name, many), bound })
}

/// What the texts of the rewrite share with those of the pattern between the same two variables. A variable that the
/// pattern repeats counts where it stands first, which is where its capture is.
fn compared(pattern: &Pattern, fragment: &str, texts: &[Text], holes: &[Hole]) -> Vec<Shared> {
    let nothing = || vec![Shared::Nothing; texts.len()];
    let Ok((old_texts, old_holes)) = split(fragment.trim(), None) else { return nothing() };
    let bound = |name: &str| pattern.variables().iter().any(|variable| variable.name == name);
    let known = |index: usize| {
        let name = &old_holes[index].name;
        bound(name) && old_holes[..index].iter().all(|earlier| earlier.name != *name)
    };
    // The variables on both sides of a text; the ends of the whole count as such.
    let sides = |holes: &[Hole], index: usize| {
        let name =
            |index: Option<usize>| index.and_then(|index| holes.get(index)).map(|hole| hole.name.clone());
        (name(index.checked_sub(1)), name(Some(index)))
    };
    let usable = |old: &usize| (*old == 0 || known(old - 1)) && (*old == old_holes.len() || known(*old));
    let candidates: Vec<usize> = (0..old_texts.len()).filter(usable).collect();
    (0..texts.len())
        .map(|index| {
            let mut same = candidates.iter().filter(|old| sides(holes, index) == sides(&old_holes, **old));
            same.next()
                .map_or(Shared::Nothing, |old| alignment::shared(&texts[index].text, &old_texts[*old].text))
        })
        .collect()
}

fn step(texts: &[Text]) -> usize {
    let lines = texts.iter().flat_map(|text| text.text.split('\n').skip(1));
    let spaces = lines.map(|line| line.len() - line.trim_start_matches(' ').len());
    spaces.filter(|spaces| *spaces > 0).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewrite_loses_the_indentation_it_has_as_a_whole() {
        assert_eq!(dedent("\n    if (a) {\n      b;\n    }\n"), "if (a) {\n  b;\n}");
        assert_eq!(dedent("if a:\r\n    b\r\n"), "if a:\n    b");
        assert_eq!(dedent("  \n"), "");
    }
}
