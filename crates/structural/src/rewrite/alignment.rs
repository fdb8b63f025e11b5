//! Which part of the source between two captures can stay as it is, layout and comments included: all of it where
//! pattern and rewrite have the same text there, else the tokens at its ends that they share.
//! It must never keep source that the rewrite does not ask for.

use std::ops::Range;

/// Where they open a string, white space counts.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What a text of the rewrite shares with the pattern's text between the same two variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shared {
    Nothing,
    /// Everything but white space.
    All,
    /// Tokens at its ends, and the part of the rewrite's text between them.
    Ends {
        before: Vec<String>,
        after: Vec<String>,
        middle: Range<usize>,
        tight: Tight,
    },
}

/// Where neither pattern nor rewrite has white space between the shared tokens and the others: what the source has
/// there is its own and stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tight {
    /// Behind the first shared tokens.
    pub(super) before: bool,
    /// In front of the last ones.
    pub(super) after: bool,
}

/// Compares a text of the rewrite with one of the pattern. A rewrite that has line breaks which the pattern has not is
/// about layout: then it is the rewrite's that counts.
pub(super) fn shared(text: &str, old: &str) -> Shared {
    if text.matches('\n').count() > old.matches('\n').count() {
        return Shared::Nothing;
    }
    let (tokens, old_tokens) = (tokens(text), tokens(old));
    let words = |of: &str, ranges: &[Range<usize>]| -> Vec<String> {
        ranges.iter().map(|range| of[range.clone()].to_owned()).collect()
    };
    let (new, old_words) = (words(text, &tokens), words(old, &old_tokens));
    let quoted = text.contains(QUOTES) || old.contains(QUOTES);
    if if quoted { text == old } else { new == old_words } {
        return Shared::All;
    }
    let same = |(new, old): &(&String, &String)| new == old && !new.contains(QUOTES);
    let before = new.iter().zip(&old_words).take_while(same).count();
    let left = new.len().min(old_words.len()) - before;
    let after = new.iter().rev().zip(old_words.iter().rev()).take(left).take_while(same).count();
    if before + after == 0 {
        return Shared::Nothing;
    }
    let middle = |of: &str, ranges: &[Range<usize>]| {
        let start = before.checked_sub(1).map_or(0, |last| ranges[last].end);
        start..if after == 0 { of.len() } else { ranges[ranges.len() - after].start }
    };
    let (old_middle, middle) = (&old[middle(old, &old_tokens)], middle(text, &tokens));
    let both = |is_tight: &dyn Fn(&str) -> bool| is_tight(old_middle) && is_tight(&text[middle.clone()]);
    let tight = Tight {
        before: both(&|middle| !middle.is_empty() && !middle.starts_with(char::is_whitespace)),
        after: both(&|middle| !middle.is_empty() && !middle.ends_with(char::is_whitespace)),
    };
    let (before, after) = (new[..before].to_vec(), new[new.len() - after..].to_vec());
    Shared::Ends { before, after, middle, tight }
}

/// Names and numbers whole, other signs one by one.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut in_name = false;
    for (at, sign) in text.char_indices() {
        let end = at + sign.len_utf8();
        let is_name = sign.is_alphanumeric() || sign == '_';
        match tokens.last_mut() {
            Some(last) if is_name && in_name && last.end == at => last.end = end,
            _ if !sign.is_whitespace() => tokens.push(at..end),
            _ => {}
        }
        in_name = is_name;
    }
    tokens
}

/// How much of the source's `gap` the tokens take at its start, each with the white space and comments before it.
/// `None` when something else stands there.
pub(super) fn from_start(gap: &[u8], tokens: &[String], comments: &[Range<usize>]) -> Option<usize> {
    let mut at = 0;
    for token in tokens {
        loop {
            at = gap.len() - gap[at..].trim_ascii_start().len();
            let Some(comment) = comments.iter().find(|comment| comment.start == at) else { break };
            at = comment.end;
        }
        at = gap.len() - gap[at..].strip_prefix(token.as_bytes())?.len();
    }
    Some(at)
}

/// Where the tokens at its end start, each with the white space and comments behind it.
pub(super) fn from_end(gap: &[u8], tokens: &[String], comments: &[Range<usize>]) -> Option<usize> {
    let mut end = gap.len();
    for token in tokens.iter().rev() {
        loop {
            end = gap[..end].trim_ascii_end().len();
            let Some(comment) = comments.iter().find(|comment| comment.start < end && end <= comment.end)
            else {
                break;
            };
            end = comment.start;
        }
        end = gap[..end].strip_suffix(token.as_bytes())?.len();
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, old: &str) -> (String, String, String) {
        match shared(text, old) {
            Shared::Ends { before, after, middle, .. } => {
                (before.join(" "), text[middle].to_owned(), after.join(" "))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn white_space_counts_only_where_it_separates() {
        assert_eq!(shared("if  ( ", "if("), Shared::All);
        assert_eq!(shared(": ", ":\n    "), Shared::All);
        assert_eq!(shared("", ""), Shared::All);
        assert_ne!(shared("return x", "returnx"), Shared::All);
        assert_ne!(shared("f(\"a  b\")", "f(\"a b\")"), Shared::All);
    }

    #[test]
    fn tokens_at_the_ends_are_shared() {
        assert_eq!(ends(".expect(\"x\")", ".unwrap()"), (".".into(), "expect(\"x\"".into(), ")".into()));
        assert_eq!(ends("bar(", "foo("), (String::new(), "bar".into(), "(".into()));
        assert_eq!(ends(", 1)", ")"), (String::new(), ", 1".into(), ")".into()));
        assert_eq!(shared("bar(", "foo"), Shared::Nothing);
        assert_eq!(shared("bar(\n  ", "foo("), Shared::Nothing);
        assert_eq!(shared("foo(\n  ", "foo("), Shared::Nothing);
        assert_eq!(ends("f()()", "f()"), ("f ( )".into(), "()".into(), String::new()));
    }

    #[test]
    fn the_source_may_have_white_space_and_comments_but_nothing_else() {
        let tokens = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(from_start(b"\n  .unwrap()", &tokens(". unwrap"), &[]), Some(10));
        assert_eq!(from_start(b" /* */ .unwrap()", &tokens("."), std::slice::from_ref(&(1..6))), Some(8));
        assert_eq!(from_start(b"/* */.unwrap()", &tokens("."), &[]), None);
        assert_eq!(from_end(b"foo (\n  ", &tokens("("), &[]), Some(4));
        assert_eq!(from_end(b"foo ( # why\n  ", &tokens("("), std::slice::from_ref(&(6..12))), Some(4));
        assert_eq!(from_end(b"a ,\n)", &tokens(") )"), &[]), None);
    }
}
