//! A path as an answer shows it. A file's name may hold line breaks and other signs that steer a reader or a
//! terminal; shown raw they would forge lines of an answer. Only what is read is escaped: data and system calls keep
//! the exact name.

use std::borrow::Cow;

/// `path` with every control character, line separator and change of writing direction escaped as in a string
/// literal: `a\nb`, `\u{1b}`.
pub fn shown(path: &str) -> Cow<'_, str> {
    if !path.contains(steers) {
        return Cow::Borrowed(path);
    }
    let mut shown = String::with_capacity(path.len() + 8);
    for sign in path.chars() {
        if steers(sign) { shown.extend(sign.escape_default()) } else { shown.push(sign) }
    }
    Cow::Owned(shown)
}

fn steers(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_reader_is_escaped_and_nothing_else() {
        for (path, said) in [
            ("src/lib.rs", "src/lib.rs"),
            ("caf\u{e9} (1)/\u{1f40b}.rs", "caf\u{e9} (1)/\u{1f40b}.rs"),
            ("a\nnote: b", r"a\nnote: b"),
            ("a\rb\tc\u{1b}[2K", r"a\rb\tc\u{1b}[2K"),
            ("a\u{85}b\u{2028}c\u{202e}d\u{2066}e", r"a\u{85}b\u{2028}c\u{202e}d\u{2066}e"),
            (r"back\slash", r"back\slash"),
        ] {
            assert_eq!(shown(path), said);
        }
        assert!(matches!(shown("plain"), Cow::Borrowed("plain")));
    }
}
