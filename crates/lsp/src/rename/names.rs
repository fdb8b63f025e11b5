//! An old name and a new one: how each may be written, where it stands in a text, and whether the new one can be a
//! name at all. Keywords and scopes are the server's to judge.

use std::ops::Range;

use super::refusal::Refusal;

/// Languages whose every name is letters, digits, `_` and perhaps `$`. Their servers do not all look at a new name.
const PLAIN: [&str; 16] = [
    "c",
    "cpp",
    "csharp",
    "dart",
    "go",
    "java",
    "javascript",
    "javascriptreact",
    "kotlin",
    "lua",
    "php",
    "python",
    "rust",
    "typescript",
    "typescriptreact",
    "zig",
];

/// The two names of a rename, each with the ways to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) old: Name,
    pub(crate) new: Name,
}

/// One name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// As it was given.
    pub(crate) text: String,
    /// Every way to write it, longest first.
    forms: Vec<String>,
}

impl Names {
    pub(crate) fn new(old: &str, new: &str, language: &str) -> Self {
        Self { old: Name::new(old, language), new: Name::new(new, language) }
    }
}

impl Name {
    pub(crate) fn new(text: &str, language: &str) -> Self {
        let (open, close) = match language {
            "rust" => ("r#", ""),
            "kotlin" | "scala" | "swift" => ("`", "`"),
            "csharp" => ("@", ""),
            "php" => ("$", ""),
            _ => return Self { text: text.to_owned(), forms: vec![text.to_owned()] },
        };
        let bare = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).unwrap_or(text);
        Self { text: text.to_owned(), forms: vec![format!("{open}{bare}{close}"), bare.to_owned()] }
    }

    /// Whether `text` is this name.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.forms.iter().any(|form| form == text)
    }

    /// How long the name that starts at byte `at` is; `None` where none does. What is a part of a longer name is no
    /// occurrence.
    pub(crate) fn at(&self, text: &str, at: usize) -> Option<usize> {
        self.forms.iter().find(|form| starts_with(text, at, form)).map(String::len)
    }

    /// Every place in a text where the name stands by itself, in order.
    pub(crate) fn occurrences(&self, text: &str) -> Vec<Range<usize>> {
        // The last form is the shortest and a part of the others.
        let Some(bare) = self.forms.last().filter(|bare| !bare.is_empty()) else { return Vec::new() };
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, _) in text.match_indices(bare.as_str()) {
            let longer = self.forms.iter().find_map(|form| {
                let start = at.checked_sub(form.find(bare.as_str())?)?;
                starts_with(text, start, form).then(|| start..start + form.len())
            });
            found.extend(longer.filter(|range| found.last().is_none_or(|last| range.start >= last.end)));
        }
        found
    }
}

fn starts_with(text: &str, at: usize, form: &str) -> bool {
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { return false };
    let Some(after) = rest.strip_prefix(form) else { return false };
    let joins = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(is_identifier) && outer.is_some_and(is_identifier)
    };
    !joins(form.chars().next(), before.chars().next_back())
        && !joins(form.chars().next_back(), after.chars().next())
}

/// A character that a name may hold: Unicode's own rule, and `$`.
pub(super) fn is_identifier(sign: char) -> bool {
    sign == '$' || unicode_ident::is_xid_continue(sign)
}

/// Whether `new` can be a name, as far as that can be told without the language's own rules.
pub(crate) fn check(old: &str, new: &str, language: &str) -> Result<(), Refusal> {
    let bad = |why: &str| Err(Refusal::BadName { name: new.to_owned(), why: why.to_owned() });
    if new.is_empty() {
        return bad("it is empty");
    }
    if new == old {
        return Err(Refusal::SameName { name: new.to_owned() });
    }
    if new.contains(char::is_control) {
        return bad("it holds a control character");
    }
    if new.contains(char::is_whitespace) {
        return bad("it holds white space");
    }
    if !PLAIN.contains(&language) || !old.chars().all(is_identifier) {
        return Ok(());
    }
    // Of the forms that a language knows the last one is without its signs.
    let name = Name::new(new, language);
    let bare = name.forms.last().map_or(new, String::as_str);
    if let Some(sign) = bare.chars().find(|sign| !is_identifier(*sign)) {
        return bad(&format!("no name of {language} holds `{sign}`"));
    }
    match bare.chars().next() {
        None => bad("nothing is left of it without its signs"),
        Some(first) if first == '_' || first == '$' || unicode_ident::is_xid_start(first) => Ok(()),
        Some(first) => bad(&format!("no name starts with `{first}`")),
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one place is one range")]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_by_itself() {
        let name = Name::new("foo", "rust");
        let text = "foo foobar _foo r#foo a.foo, foo\u{301} $foo foo";
        let found: Vec<&str> = name.occurrences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["foo", "r#foo", "foo", "foo"]);
        assert_eq!((name.at(text, 0), name.at(text, 4), name.at(text, 12)), (Some(3), None, None));
        assert_eq!(Name::new("'a", "rust").occurrences("&'a str, 'ab"), [1..3]);
        assert_eq!(Name::new("foo-bar", "css").occurrences("foo foo-bar foo-bars"), [4..11]);
        assert_eq!(Name::new("größe", "python").occurrences("größe = übergröße"), [0..7]);
    }

    #[test]
    fn signs_of_a_language_belong_to_the_name() {
        assert!(Name::new("type", "rust").is("r#type") && Name::new("r#type", "rust").is("type"));
        assert!(Name::new("is", "kotlin").is("`is`") && Name::new("x", "php").is("$x"));
        assert!(!Name::new("type", "python").is("r#type"));
        assert_eq!(Name::new("x", "php").occurrences("$x = $this->x"), [0..2, 12..13]);
    }

    #[test]
    fn what_cannot_be_a_name_is_said() {
        let said = |old: &str, new: &str, language: &str| {
            check(old, new, language).map_err(|refusal| refusal.to_string()).err()
        };
        for (old, new, language, message) in [
            ("foo", "", "rust", "`` is no name: it is empty"),
            ("foo", "foo", "rust", "`foo` is the name it has"),
            ("foo", "a b", "clojure", "`a b` is no name: it holds white space"),
            ("foo", "a\u{a0}b", "clojure", "`a\u{a0}b` is no name: it holds white space"),
            ("foo", "a\nb", "css", r"`a\nb` is no name: it holds a control character"),
            ("foo", "foo-bar", "typescript", "`foo-bar` is no name: no name of typescript holds `-`"),
            ("foo", "foo()", "python", "`foo()` is no name: no name of python holds `(`"),
            ("foo", "2foo", "go", "`2foo` is no name: no name starts with `2`"),
            ("foo", "r#", "rust", "`r#` is no name: nothing is left of it without its signs"),
        ] {
            assert_eq!(said(old, new, language).as_deref(), Some(message));
        }
        for (old, new, language) in [
            ("foo", "bar", "rust"),
            ("foo", "r#type", "rust"),
            ("'a", "'b", "rust"),
            ("foo", "größe", "python"),
            ("foo", "e\u{301}", "dart"),
            ("foo", "$bar", "javascript"),
            ("foo", "foo-bar", "clojure"),
            ("foo-bar", "foo-baz", "typescript"),
        ] {
            assert_eq!(said(old, new, language), None);
        }
    }
}
