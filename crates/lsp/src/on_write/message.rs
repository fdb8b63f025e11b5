//! A message without the positions in it, so that an error that only moved is the same error. Other numbers stay: they
//! are what the message is about.

/// `path:line:col`, `line N` and the places of closures, their numbers taken out.
pub(super) fn without_positions(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(found) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(found);
        kept.push_str(before);
        let digits = digits(number);
        let after = &number[digits..];
        if ends_with_path(&kept)
            && let Some(column) = after.strip_prefix(':').map(self::digits).filter(|column| *column > 0)
        {
            kept.push_str("_:_");
            rest = &after[1 + column..];
            if let Some(end) = span_end(rest) {
                kept.push_str(": _:_");
                rest = &rest[end..];
            }
        } else if follows_line(&kept) && !after.starts_with(|c: char| c.is_alphanumeric() || c == '.') {
            kept.push('_');
            rest = after;
        } else {
            kept.push_str(&number[..digits]);
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Whether `text` ends with a path and a colon.
fn ends_with_path(text: &str) -> bool {
    let Some(path) = text.strip_suffix(':') else { return false };
    let breaks = |c: char| c.is_whitespace() || "'\"`()[]{}<>,;@=".contains(c);
    let name = path.rsplit(breaks).next().unwrap_or_default();
    name.contains(['.', '/', '\\']) && name.chars().any(char::is_alphabetic)
}

/// Whether `text` ends with the word `line` or `lines`.
fn follows_line(text: &str) -> bool {
    let Some(text) = text.strip_suffix(' ') else { return false };
    let word = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    word.eq_ignore_ascii_case("line") || word.eq_ignore_ascii_case("lines")
}

/// The length of `: line:col`, the end of a closure's place.
fn span_end(rest: &str) -> Option<usize> {
    let line = rest.strip_prefix(": ")?;
    let digits_of_line = digits(line);
    let column = line[digits_of_line..].strip_prefix(':')?;
    let digits_of_column = digits(column);
    (digits_of_line > 0 && digits_of_column > 0).then_some(2 + digits_of_line + 1 + digits_of_column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_taken_out() {
        for (message, without) in [
            (
                "closure `{closure@src/x.rs:3:5: 3:8}` differs",
                "closure `{closure@src/x.rs:_:_: _:_}` differs",
            ),
            ("other declaration at lib/ä.go:12:2", "other declaration at lib/ä.go:_:_"),
            ("defined on line 12", "defined on line _"),
            ("Line 3, and lines 4", "Line _, and lines _"),
            ("C:\\x\\a.c:1:2: note", "C:\\x\\a.c:_:_: note"),
        ] {
            assert_eq!(without_positions(message), without);
        }
    }

    #[test]
    fn other_numbers_stay() {
        for message in [
            "expected 2 arguments, found 3",
            "at 12:30:15",
            "line 3rd",
            "outline 3",
            "[1:2:3] is no slice",
            "version 1.2.3 of a.b:7",
            "E0308",
            "deadline 5",
            "ratio x:1:2",
            "",
        ] {
            assert_eq!(without_positions(message), message);
        }
    }
}
