//! Where a text that is not in a file nearly is, so that the next attempt can be right.
//! It must never be taken for a match: nothing is replaced on its word.

use std::collections::HashMap;
use std::fmt;

/// Lines longer than this are compared by their start; files with more lines are compared up to here.
const MAX_COMPARED: usize = 400;
const MAX_LINES: usize = 20_000;
/// Below this percentage of common pairs of characters two lines have nothing to do with each other.
const LIKE: usize = 50;
/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 120;

/// The place that comes nearest.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Nearest {
    /// The lines are there, but their white space differs.
    WhiteSpace { first: usize, last: usize },
    /// The first lines are there; then the file goes on otherwise.
    Diverges { first: usize, line: usize, wanted: String, found: Option<String> },
    /// One line looks like the first wanted line.
    Like { line: usize, found: String },
}

/// Looks for `old` (its line ends `\n`) in a text of such lines.
pub(super) fn nearest(text: &[u8], old: &str) -> Option<Nearest> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    let wanted: Vec<&str> = old.trim_matches('\n').split('\n').collect();
    white_space(&lines, &wanted).or_else(|| diverges(&lines, &wanted)).or_else(|| like(&lines, &wanted))
}

fn white_space(lines: &[&str], wanted: &[&str]) -> Option<Nearest> {
    let squeezed = |line: &str| line.split_whitespace().collect::<String>();
    let wanted: Vec<String> = wanted.iter().map(|line| squeezed(line)).collect();
    if wanted.iter().all(String::is_empty) {
        return None;
    }
    let lines: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    let at = match wanted.as_slice() {
        [only] => lines.iter().position(|line| line.contains(only.as_str()))?,
        several => lines.windows(several.len()).position(|window| window == several)?,
    };
    Some(Nearest::WhiteSpace { first: at + 1, last: at + wanted.len() })
}

/// The place where most wanted lines follow each other; the first may be the end of a line.
fn diverges(lines: &[&str], wanted: &[&str]) -> Option<Nearest> {
    let agreeing = |at: usize| {
        let first = usize::from(lines[at].ends_with(wanted[0]) && !wanted[0].trim().is_empty());
        let rest =
            lines[at + 1..].iter().zip(&wanted[1..]).take_while(|(line, wanted)| line == wanted).count();
        if first == 0 { 0 } else { 1 + rest }
    };
    let (count, at) = (0..lines.len())
        .map(|at| (agreeing(at), at))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let wanted = wanted.get(count).filter(|_| count > 0)?;
    let found = lines.get(at + count).map(|line| quoted(line));
    Some(Nearest::Diverges { first: at + 1, line: at + count + 1, wanted: quoted(wanted), found })
}

fn like(lines: &[&str], wanted: &[&str]) -> Option<Nearest> {
    let wanted = Pairs::of(start(wanted.iter().map(|line| line.trim()).find(|line| !line.is_empty())?));
    let (share, at) = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (wanted.share(start(line.trim())), at))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (share >= LIKE).then(|| Nearest::Like { line: at + 1, found: quoted(lines[at]) })
}

/// The pairs of neighbouring characters of a line: what two lines have in common is counted in one pass over each.
struct Pairs {
    index: HashMap<(char, char), usize>,
    counts: Vec<usize>,
    total: usize,
}

impl Pairs {
    fn of(line: &str) -> Self {
        let mut pairs = Self { index: HashMap::new(), counts: Vec::new(), total: 0 };
        for pair in neighbours(line) {
            let at = *pairs.index.entry(pair).or_insert(pairs.counts.len());
            pairs.counts.resize(pairs.index.len(), 0);
            pairs.counts[at] += 1;
            pairs.total += 1;
        }
        pairs
    }

    /// The percentage of both lines' pairs that the other has too.
    fn share(&self, line: &str) -> usize {
        let (mut left, mut total, mut common) = (self.counts.clone(), self.total, 0_usize);
        for pair in neighbours(line) {
            total += 1;
            if let Some(at) = self.index.get(&pair)
                && left[*at] > 0
            {
                left[*at] -= 1;
                common += 2;
            }
        }
        (common * 100).checked_div(total).unwrap_or_default()
    }
}

fn neighbours(line: &str) -> impl Iterator<Item = (char, char)> {
    line.chars().zip(line.chars().skip(1))
}

fn start(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_COMPARED)]
}

fn quoted(line: &str) -> String {
    match line.char_indices().nth(MAX_QUOTED) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WhiteSpace { first, last } if first == last => {
                write!(f, "line {first} differs only in white space")
            }
            Self::WhiteSpace { first, last } => write!(f, "lines {first}-{last} differ only in white space"),
            Self::Diverges { first, line, wanted, found: Some(found) } => write!(
                f,
                "it begins like line {first}, but line {line} is `{found}` where `old` has `{wanted}`"
            ),
            Self::Diverges { first, wanted, found: None, .. } => {
                write!(f, "it begins like line {first}, but the file ends where `old` has `{wanted}`")
            }
            Self::Like { line, found } => write!(f, "the nearest is line {line}: `{found}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn main() {\n    let answer = compute(1, 2);\n    print(answer);\n}\n";

    fn said(old: &str) -> Option<String> {
        nearest(FILE.as_bytes(), old).map(|nearest| nearest.to_string())
    }

    #[test]
    fn the_nearest_place_is_told_by_kind() {
        let cases = [
            ("  print(answer) ;", Some("line 3 differs only in white space")),
            ("let answer = compute(1, 2);\nprint(answer);", Some("lines 2-3 differ only in white space")),
            (
                "fn main() {\n    let answer = compute(1, 2);\n    println(answer);",
                Some(
                    "it begins like line 1, but line 3 is `    print(answer);` where `old` has `    println(answer);`",
                ),
            ),
            (
                "}\nfn next() {}",
                Some("it begins like line 4, but the file ends where `old` has `fn next() {}`"),
            ),
            ("let answer = compute(1, 3);", Some("the nearest is line 2: `    let answer = compute(1, 2);`")),
            ("nothing like it here", None),
            ("\n\n\n\n\n", None),
        ];
        for (old, expected) in cases {
            assert_eq!(said(old).as_deref(), expected, "{old:?}");
        }
        assert_eq!(nearest(b"", "x"), None);
        let first = nearest(b"a\nb\na\nc\n", "a\nx").unwrap().to_string();
        assert_eq!(
            first, "it begins like line 1, but line 2 is `b` where `old` has `x`",
            "the first of equals"
        );
    }

    #[test]
    fn a_pair_is_in_common_as_often_as_both_lines_have_it() {
        assert_eq!(nearest(b"ababababab", "abc"), None);
    }

    #[test]
    fn long_lines_are_quoted_by_their_start() {
        let line = "é".repeat(500);
        let Some(Nearest::Like { found, .. }) = nearest(line.as_bytes(), &format!("{line}x")) else {
            panic!("it is like the line");
        };
        assert_eq!(found, format!("{}…", "é".repeat(MAX_QUOTED)));
    }
}
