//! What holds for random code, patterns cut out of it, and rewrites of them: nothing panics, hangs or needs a deep
//! stack, a match is what its pattern says token for token, a rewrite to itself changes no byte, one to a new name can
//! be undone, and what is not said to be broken parses.

use crate::matcher::Match;
use crate::parse::{Limits, error_regions, parse};
use crate::pattern::Pattern;
use crate::placeholder::{Piece, scan};
use crate::rewrite::{Rewritten, Rule, Template, rewrite};
use grammars::Grammar;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const LIMITS: Limits<'static> = Limits { stop: &|| false, time: Duration::from_mins(1) };
/// A comment, which may stand wherever white space may.
const COMMENT: &str = "/*c*/";
/// A name that no random code has.
const FRESH: &str = "zfresh";
/// Sources that one pattern is tried on.
const SOURCES: usize = 10;
/// The same, in the long run: compiling a pattern takes longer than searching for it.
const MANY_SOURCES: usize = 60;

/// Pseudo-random numbers: the same seed, the same code.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }
}

/// How a language writes statements: `E` is an expression, `N` a name, `S` a block, `L` a list of arguments.
struct Flavor {
    language: &'static str,
    /// Around a file's statements.
    around: (&'static str, &'static str),
    statements: &'static [&'static str],
    expressions: &'static [&'static str],
    /// Whether blocks are lines that are indented, and comments do not stand between tokens.
    offside: bool,
}

const FLAVORS: &[Flavor] = &[
    Flavor {
        language: "rust",
        around: ("fn f() {\n", "}\n"),
        statements: &[
            "E;",
            "L;",
            "let N = E;",
            "if E S",
            "if E S else S",
            "return E;",
            "while E S",
            "for N in E S",
            "match E { N => E, _ => E }",
            "println!(\"{}\", E);",
            "assert_eq!(E, E);",
            "S",
        ],
        expressions: &["E + E", "E == E", "-E", "&E", "E?", "(E)", "N[E]", "|N| E", "E as N", "vec![E; E]"],
        offside: false,
    },
    Flavor {
        language: "dart",
        around: ("f() {\n", "}\n"),
        statements: &[
            "E;",
            "L;",
            "var N = E;",
            "if (E) S",
            "if (E) S else S",
            "return E;",
            "while (E) S",
            "for (final N in E) S",
            "S",
            "if (E) E; else E;",
        ],
        expressions: &["E + E", "E == E", "-E", "!E", "(E)", "N[E]", "(N) => E", "E ? E : E", "[E, E]"],
        offside: false,
    },
    Flavor {
        language: "python",
        around: ("", ""),
        statements: &[
            "E",
            "L",
            "N = E",
            "if E:S",
            "if E:Selse:S",
            "return E",
            "while E:S",
            "for N in E:S",
            "with E as N:S",
            "assert E, E",
        ],
        expressions: &[
            "E + E",
            "E == E",
            "-E",
            "not E",
            "(E)",
            "N[E]",
            "lambda N: E",
            "E if E else E",
            "[E, E]",
        ],
        offside: true,
    },
    Flavor {
        language: "javascript",
        around: ("", ""),
        statements: &[
            "E;",
            "L;",
            "const N = E;",
            "if (E) S",
            "if (E) S else S",
            "return E;",
            "while (E) S",
            "for (const N of E) S",
            "S",
            "if (E) E; else E;",
            "E\n",
        ],
        expressions: &[
            "E + E",
            "E === E",
            "-E",
            "!E",
            "(E)",
            "N[E]",
            "(N) => E",
            "E ? E : E",
            "[E, E]",
            "`${E}`",
        ],
        offside: false,
    },
    Flavor {
        language: "c",
        around: ("void f(void) {\n", "}\n"),
        statements: &[
            "E;",
            "L;",
            "int N = E;",
            "if (E) S",
            "if (E) S else S",
            "return E;",
            "while (E) S",
            "for (N = E; E; E) S",
            "S",
            "if (E) E; else E;",
            "do S while (E);",
        ],
        expressions: &["E + E", "E == E", "-E", "!E", "(E)", "N[E]", "*E", "E ? E : E", "(int) E"],
        offside: false,
    },
];

/// Random code. What becomes a variable of a pattern is decided while it is written.
struct Writer<'a> {
    flavor: &'a Flavor,
    dice: &'a mut Dice,
    out: String,
    /// One in how many nodes is a variable; 0 for code without.
    variables: usize,
    indent: usize,
}

impl Writer<'_> {
    fn gap(&mut self) {
        // A pattern is written plainly, code in any way.
        let ways = if self.variables > 0 { 2 } else { 12 };
        match self.dice.roll(ways) {
            0 => {}
            11 if !self.flavor.offside => self.out.push_str(COMMENT),
            10 if !self.flavor.offside => self.out.push_str("\n  "),
            _ => self.out.push(' '),
        }
    }

    fn variable(&mut self, many: bool) -> bool {
        let is_one = self.variables > 0 && self.dice.roll(self.variables) == 0;
        if is_one {
            let name = self.dice.pick(if many { &["$$$A", "$$$B"] } else { &["$X", "$Y", "$Z", "$_"] });
            self.out.push_str(name);
        }
        is_one
    }

    fn name(&mut self) {
        let name = self.dice.pick(&["a", "b", "foo", "bar"]);
        self.out.push_str(name);
    }

    fn list(&mut self, depth: usize) {
        self.out.push('(');
        if !self.variable(true) {
            let count = self.dice.roll(4);
            for index in 0..count {
                self.gap();
                self.expression(depth);
                if index + 1 < count || self.dice.roll(8) == 0 {
                    self.out.push(',');
                }
            }
        }
        self.out.push(')');
    }

    fn expression(&mut self, depth: usize) {
        if self.variable(false) {
            return;
        }
        match self.dice.roll(if depth == 0 { 4 } else { 10 }) {
            0..=1 => self.name(),
            2 => self.out.push('1'),
            3 => self.out.push_str("\"s\""),
            4..=6 => {
                self.name();
                self.list(depth - 1);
            }
            7 => {
                self.name();
                self.out.push('.');
                self.name();
                self.list(depth - 1);
            }
            _ => {
                let shape = self.dice.pick(self.flavor.expressions);
                self.shape(shape, depth - 1);
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        let all = self.flavor.statements;
        let shape = self.dice.pick(if depth == 0 { &all[..3] } else { all });
        self.shape(shape, depth.saturating_sub(1));
    }

    fn shape(&mut self, shape: &str, depth: usize) {
        for part in shape.split_inclusive([' ', 'E', 'N', 'S', 'L']) {
            let (text, last) = part.split_at(part.len() - part.chars().next_back().map_or(0, char::len_utf8));
            self.out.push_str(text);
            match last {
                " " => {
                    self.out.push(' ');
                    self.gap();
                }
                "E" => self.expression(depth),
                "N" => self.name(),
                "S" => self.block(depth),
                "L" => {
                    self.name();
                    self.list(depth);
                }
                other => self.out.push_str(other),
            }
        }
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        self.out.push_str(if self.flavor.offside { "\n" } else { "{\n" });
        if self.variables > 0 && self.dice.roll(2) == 0 {
            self.line("$$$S");
        } else {
            self.statements(depth);
        }
        self.indent -= 1;
        let margin = "  ".repeat(self.indent);
        self.out.push_str(&margin);
        if !self.flavor.offside {
            self.out.push('}');
        }
    }

    fn statements(&mut self, depth: usize) {
        let count = self.dice.roll(3) + usize::from(self.flavor.offside);
        for _ in 0..count.max(1) {
            self.line("");
            self.out.pop();
            self.statement(depth);
            self.out.push('\n');
        }
    }

    fn line(&mut self, text: &str) {
        let margin = "  ".repeat(self.indent);
        self.out.push_str(&format!("{margin}{text}\n"));
    }
}

fn written(
    flavor: &Flavor,
    dice: &mut Dice,
    variables: usize,
    write: impl FnOnce(&mut Writer<'_>),
) -> String {
    let mut writer = Writer { flavor, dice, out: String::new(), variables, indent: 0 };
    write(&mut writer);
    writer.out
}

fn source(flavor: &Flavor, dice: &mut Dice) -> String {
    let body = written(flavor, dice, 0, |writer| (0..3).for_each(|_| writer.statements(3)));
    format!("{}{body}{}", flavor.around.0, flavor.around.1)
}

fn fragment(flavor: &Flavor, dice: &mut Dice) -> String {
    let statement = dice.roll(2) == 0;
    written(flavor, dice, 4, |writer| if statement { writer.statement(2) } else { writer.expression(2) })
}

/// What is the same in a match and in its pattern: all but white space, comments, separators, terminators.
fn squeezed(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(COMMENT, "").replace([',', ';'], "")
}

/// The pattern with what its variables stand for; `None` when some of it is not bound.
fn filled(fragment: &str, source: &str, found: &Match) -> Option<String> {
    let mut text = String::new();
    for piece in scan(fragment) {
        match piece {
            Piece::Text(literal) => text.push_str(&literal),
            Piece::One { name, .. } | Piece::Many { name, .. } => {
                let capture = found.captures.iter().find(|capture| capture.name == name)?;
                text.push_str(&source[capture.range.clone()]);
            }
        }
    }
    Some(text)
}

/// The fragment with every name in it that is `foo` or `bar` a new one.
fn renamed(fragment: &str) -> String {
    fragment.replace("foo", FRESH)
}

/// What the trials of one run came to.
#[derive(Debug, Default)]
struct Tally {
    trials: usize,
    refused: usize,
    matches: usize,
    replacements: usize,
    undone: usize,
}

impl Tally {
    fn trial(&mut self, seed: u64, sources: usize) {
        let mut dice = Dice(seed);
        let bundled: Vec<(&Flavor, &'static Grammar)> =
            FLAVORS.iter().filter_map(|it| Some((it, Grammar::by_id(it.language)?))).collect();
        let (flavor, grammar) = bundled[dice.roll(bundled.len())];
        let fragment = fragment(flavor, &mut dice);
        let Ok(pattern) = Pattern::compile(grammar, &fragment) else {
            self.refused += 1;
            self.trials += 1;
            return;
        };
        let identity = Template::compile(&pattern, &fragment, &fragment);
        let odd = written(flavor, &mut dice, 3, |writer| writer.expression(2));
        let odd = Template::compile(&pattern, &fragment, &odd).ok();
        let fresh = Some(renamed(&fragment)).filter(|fresh| *fresh != fragment);
        let there = fresh.as_ref().and_then(|fresh| Template::compile(&pattern, &fragment, fresh).ok());
        let back = fresh.filter(|_| there.is_some()).and_then(|fresh| {
            let pattern = Pattern::compile(grammar, &fresh).ok()?;
            let template = Template::compile(&pattern, &fresh, &fragment).ok()?;
            Some([Rule { pattern, fragment: fresh, template }])
        });
        // What binds nothing cannot be repeated.
        let repeats = identity.is_ok();
        assert!(repeats || fragment.contains("$_"), "`{fragment}` is no rewrite of itself");
        let template = identity.or_else(|_| Template::compile(&pattern, &fragment, "")).unwrap();
        let mut rule = [Rule { pattern, fragment, template }];
        let sources: Vec<String> = (0..sources).map(|_| source(flavor, &mut dice)).collect();
        for source in &sources {
            self.trials += 1;
            let found = matches(&rule[0].pattern, source);
            self.matches += found.len();
            if found.is_empty() {
                continue;
            }
            for it in &found {
                check_match(&rule[0].fragment, source, it);
            }
            let (result, rewritten) = applied(&rule, source);
            let same = !repeats || result == *source;
            assert!(same, "`{}` to itself: {rewritten:?}\n{source}\n{result}", rule[0].fragment);
        }
        if let Some(odd) = odd {
            rule[0].template = odd;
            for source in &sources {
                self.replacements += applied(&rule, source).1.replacements;
            }
        }
        if let (Some(there), Some(back)) = (there, &back) {
            rule[0].template = there;
            for source in &sources {
                self.there_and_back(&rule, back, source);
            }
        }
    }

    fn there_and_back(&mut self, there: &[Rule; 1], back: &[Rule; 1], source: &str) {
        let (changed, rewritten) = applied(there, source);
        self.replacements += rewritten.replacements;
        let plain = rewritten.refused.is_empty()
            && rewritten.nested.is_empty()
            && rewritten.comments.is_empty()
            && rewritten.error.is_none()
            && rewritten.parenthesized == 0;
        if plain && rewritten.replacements > 0 {
            let (restored, rewritten) = applied(back, &changed);
            let (one, other) = (&there[0].fragment, &back[0].fragment);
            // Where the rewrite repeats fixed text of the pattern, the spaces in it are those of the rewrite.
            let same = squeezed(&restored) == squeezed(source);
            assert!(same, "`{one}` to `{other}` and back: {rewritten:?}\n{source}\n{changed}\n{restored}");
            self.undone += 1;
        }
    }
}

/// Whether a match is what its pattern says, token for token.
fn check_match(fragment: &str, source: &str, found: &Match) {
    if let Some(filled) = filled(fragment, source, found) {
        let text = &source[found.range.clone()];
        assert_eq!(squeezed(text), squeezed(&filled), "`{fragment}` on\n{source}");
    }
}

fn matches(pattern: &Pattern, source: &str) -> Vec<Match> {
    let tree = parse(pattern.grammar(), source.as_bytes(), &LIMITS).unwrap();
    let found = pattern.find(&tree, source.as_bytes(), &|| false);
    for it in &found.matches {
        for capture in &it.captures {
            let within = it.range.start <= capture.range.start && capture.range.end <= it.range.end;
            assert!(within, "{capture:?} lies in {:?}", it.range);
        }
    }
    found.matches
}

/// The source after the rewrite, which has no more errors than before unless that is said.
fn applied(rules: &[Rule; 1], source: &str) -> (String, Rewritten) {
    let grammar = rules[0].pattern.grammar();
    let tree = parse(grammar, source.as_bytes(), &LIMITS).unwrap();
    let found = matches(&rules[0].pattern, source);
    let rewritten = rewrite(rules, source.as_bytes(), &tree, vec![found], &LIMITS).unwrap();
    let mut result = source.as_bytes().to_vec();
    for (range, text) in rewritten.edits.iter().rev() {
        result.splice(range.clone(), text.iter().copied());
    }
    let after = parse(grammar, &result, &LIMITS).unwrap();
    let more = error_regions(&after).len() > error_regions(&tree).len();
    let result = String::from_utf8(result).unwrap();
    assert!(rewritten.error.is_some() || !more, "`{}` on\n{source}\n{result}", rules[0].fragment);
    (result, rewritten)
}

/// Runs `work` on a thread with the stack of an async worker.
fn on_small_stack(work: impl FnOnce() -> Tally + Send + 'static) -> Tally {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn random_code_is_found_and_rewritten_as_it_says(seed in any::<u64>()) {
        on_small_stack(move || {
            let mut tally = Tally::default();
            tally.trial(seed, SOURCES);
            tally
        });
    }
}

#[test]
fn random_patterns_do_match_and_can_be_undone() {
    let tally = on_small_stack(|| {
        let mut tally = Tally::default();
        (0..120).for_each(|seed| tally.trial(seed, SOURCES));
        tally
    });
    println!("{tally:?}");
    assert!(tally.refused * 4 < tally.trials, "most fragments are patterns: {tally:?}");
    assert!(tally.matches > 300 && tally.replacements > 100 && tally.undone > 20, "{tally:?}");
}

#[test]
#[ignore = "long"]
fn long_a_million_random_patterns_and_sources() {
    const TRIALS: usize = 1_000_000;
    const MOST: Duration = Duration::from_mins(25);
    let started = Instant::now();
    let halves: Vec<_> = (0..2_u64)
        .map(|half| {
            std::thread::spawn(move || {
                on_small_stack(move || {
                    let mut tally = Tally::default();
                    let mut seed = half;
                    while tally.trials < TRIALS / 2 && started.elapsed() < MOST {
                        tally.trial(seed, MANY_SOURCES);
                        seed += 2;
                        if seed / 2 % 1_000 == 0 {
                            println!("{} trials of one half in {:?}", tally.trials, started.elapsed());
                        }
                    }
                    tally
                })
            })
        })
        .collect();
    let tallies: Vec<Tally> = halves.into_iter().map(|it| it.join().unwrap()).collect();
    let trials: usize = tallies.iter().map(|tally| tally.trials).sum();
    println!("{trials} trials in {:?}: {tallies:?}", started.elapsed());
    assert!(trials >= TRIALS, "{trials} of {TRIALS} in {MOST:?}");
}
