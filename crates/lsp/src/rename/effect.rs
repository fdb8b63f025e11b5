//! What an edit does to a text, judged by its effect and not by its form: servers rename by whole words, by single
//! letters, or by handing the whole file back. Two texts are read side by side; wherever they part, the old name must
//! have become the new one, or a shorthand must have been written out (`{x}`, `{x: y}`) or drawn together.
//!
//! What comes out are the fewest bytes to change, so that line ends, marks and everything else stay as they are. It
//! must never let a difference pass that it cannot name.

use std::ops::Range;

use super::names::{Name, Names, is_identifier};

/// Between the two names of a written-out shorthand.
const GLUE: [&str; 4] = ["as", "=>", ":", "="];

/// Bytes that change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) bytes: Range<usize>,
    pub(crate) text: String,
    /// Whether the old name stands there.
    pub(crate) renames: bool,
}

/// Where two texts part in a way that is no rename: bytes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parted {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

/// What turns `before` into `after`, if a rename does.
pub(crate) fn effect(before: &str, after: &str, names: &Names) -> Result<Vec<Replaced>, Parted> {
    let (i, j) =
        if before.starts_with('\u{feff}') && !after.starts_with('\u{feff}') { (3, 0) } else { (0, 0) };
    let reading = Reading { before, after, i, j, names, last: Last::Other, found: Vec::new() };
    reading.read()
}

struct Reading<'a> {
    before: &'a str,
    after: &'a str,
    /// How far each has been read.
    i: usize,
    j: usize,
    names: &'a Names,
    last: Last,
    found: Vec<Replaced>,
}

/// The last thing that both texts had, white space apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The old name, which stayed.
    Old,
    /// The new name, which was there before.
    New,
    /// The old name became the new one.
    Renamed,
    Other,
}

impl Reading<'_> {
    fn read(mut self) -> Result<Vec<Replaced>, Parted> {
        while self.i < self.before.len() || self.j < self.after.len() {
            if !(self.renamed() || self.same() || self.shorthand() || self.only_a_final_line_end()) {
                return Err(Parted { before: self.i, after: self.j });
            }
        }
        Ok(self.found)
    }

    fn renamed(&mut self) -> bool {
        let (Some(old), Some(new)) =
            (self.names.old.at(self.before, self.i), self.names.new.at(self.after, self.j))
        else {
            return false;
        };
        let text = self.after[self.j..self.j + new].to_owned();
        self.found.push(Replaced { bytes: self.i..self.i + old, text, renames: true });
        (self.i, self.j, self.last) = (self.i + old, self.j + new, Last::Renamed);
        true
    }

    fn same(&mut self) -> bool {
        let (one, other) = (piece(self.before, self.i), piece(self.after, self.j));
        let ends_line = |piece: &str| piece == "\n" || piece == "\r\n";
        if one.is_empty() || !(one == other || ends_line(one) && ends_line(other)) {
            return false;
        }
        if !one.starts_with(char::is_whitespace) {
            let stands = |name: &Name| name.at(self.before, self.i).is_some();
            self.last = match (stands(&self.names.old), stands(&self.names.new)) {
                (true, _) => Last::Old,
                (false, true) => Last::New,
                (false, false) => Last::Other,
            };
        }
        (self.i, self.j) = (self.i + one.len(), self.j + other.len());
        true
    }

    /// `x` became `x: y` or `y: x`, or the other way round.
    fn shorthand(&mut self) -> bool {
        let Names { old, new } = self.names;
        let (written_out, drawn_together) = match self.last {
            Last::Old => (Some((new, Last::Renamed)), None),
            Last::Renamed => (Some((old, Last::Old)), Some(new)),
            Last::New => (None, Some(old)),
            Last::Other => return false,
        };
        if let Some((name, last)) = written_out
            && let Some(length) = glued(self.after, self.j, name)
        {
            let text = self.after[self.j..self.j + length].to_owned();
            self.found.push(Replaced { bytes: self.i..self.i, text, renames: last == Last::Renamed });
            (self.j, self.last) = (self.j + length, Last::Other);
            return true;
        }
        if let Some(name) = drawn_together
            && let Some(length) = glued(self.before, self.i, name)
        {
            let renames = self.last == Last::New;
            self.found.push(Replaced { bytes: self.i..self.i + length, text: String::new(), renames });
            (self.i, self.last) = (self.i + length, Last::Other);
            return true;
        }
        false
    }

    /// A file handed back whole may have gained or lost its last line end: it keeps what it had.
    fn only_a_final_line_end(&mut self) -> bool {
        let rest = (&self.before[self.i..], &self.after[self.j..]);
        if !matches!(rest, ("", "\n" | "\r\n") | ("\n" | "\r\n", "")) {
            return false;
        }
        (self.i, self.j) = (self.before.len(), self.after.len());
        true
    }
}

/// The length of `: name`, `as name` and the like, with the white space in it.
fn glued(text: &str, at: usize, name: &Name) -> Option<usize> {
    let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let rest = text.get(at..)?;
    let start = blank(rest);
    let glue = GLUE.iter().find(|glue| rest[start..].starts_with(**glue))?;
    let behind = start + glue.len();
    let end = behind + blank(&rest[behind..]);
    Some(end + name.at(rest, end)?)
}

/// A name, a line end, or one sign; empty at the end.
fn piece(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    if rest.starts_with("\r\n") {
        return &rest[..2];
    }
    let Some(first) = rest.chars().next() else { return rest };
    let end = if is_identifier(first) {
        rest.find(|sign| !is_identifier(sign)).unwrap_or(rest.len())
    } else {
        first.len_utf8()
    };
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn applied(before: &str, found: &[Replaced]) -> String {
        let (mut out, mut done) = (String::new(), 0);
        for Replaced { bytes, text, .. } in found {
            out += &before[done..bytes.start];
            out += text;
            done = bytes.end;
        }
        out + &before[done..]
    }

    /// The number of occurrences, and the text that comes of it.
    fn judged(before: &str, after: &str, old: &str, new: &str) -> Result<(usize, String), (usize, usize)> {
        effect(before, after, &Names::new(old, new, "rust"))
            .map(|found| (found.iter().filter(|one| one.renames).count(), applied(before, &found)))
            .map_err(|parted| (parted.before, parted.after))
    }

    #[test]
    fn the_old_name_becomes_the_new_one() {
        let whole = |after: &str, count| Ok((count, after.to_owned()));
        assert_eq!(
            judged("foo(foo, foobar)", "bar(bar, foobar)", "foo", "bar"),
            whole("bar(bar, foobar)", 2)
        );
        assert_eq!(judged("foo; foo", "foo; bar", "foo", "bar"), whole("foo; bar", 1));
        assert_eq!(judged("r#type + 1", "kind + 1", "type", "kind"), whole("kind + 1", 1));
        assert_eq!(judged("kind + 1", "r#type + 1", "kind", "type"), whole("r#type + 1", 1));
        assert_eq!(
            judged("\u{1f600} é foo\t", "\u{1f600} é größe\t", "foo", "größe"),
            whole("\u{1f600} é größe\t", 1)
        );
        assert_eq!(judged("'a 'b", "'c 'b", "'a", "'c"), whole("'c 'b", 1));
        assert_eq!(judged("", "", "a", "b"), whole("", 0));
    }

    #[test]
    fn a_shorthand_is_written_out_and_drawn_together() {
        for (before, after, count) in [
            ("P { x }", "P { x: y }", 1),
            ("P { x }", "P { y: x }", 1),
            ("P { y: x }", "P { y }", 1),
            ("P { x: y }", "P { y }", 1),
            ("{x, z}", "{x: y, z}", 1),
            ("import {x} from", "import {x as y} from", 1),
            ("P { x, ..x }", "P { x: y, ..y }", 2),
        ] {
            assert_eq!(judged(before, after, "x", "y"), Ok((count, after.to_owned())), "{before}");
        }
    }

    #[test]
    fn line_ends_marks_and_the_end_of_the_file_stay() {
        let before = "\u{feff}foo\r\nfoo\nend";
        assert_eq!(
            judged(before, "bar\nbar\nend\n", "foo", "bar"),
            Ok((2, "\u{feff}bar\r\nbar\nend".to_owned())),
            "a whole file handed back"
        );
        assert_eq!(judged("foo\n", "bar", "foo", "bar"), Ok((1, "bar\n".to_owned())));
    }

    #[test]
    fn anything_else_is_where_the_texts_part() {
        assert_eq!(judged("a foo", "b foo", "foo", "bar"), Err((0, 0)));
        assert_eq!(judged("foo x", "bar y", "foo", "bar"), Err((4, 4)));
        assert_eq!(judged("foobar", "barbar", "foo", "bar"), Err((0, 0)));
        assert_eq!(judged("foo", "bar2", "foo", "bar"), Err((0, 0)));
        assert_eq!(judged("foo\n\n", "bar\n", "foo", "bar"), Ok((1, "bar\n\n".to_owned())));
        assert_eq!(judged("foo\n\n\n", "bar\n", "foo", "bar"), Err((4, 4)));
        assert_eq!(judged("foo", "bar // and more", "foo", "bar"), Err((3, 3)));
        assert_eq!(judged("z", "z: bar", "foo", "bar"), Err((1, 1)));
        assert_eq!(judged("foo  x", "bar x", "foo", "bar"), Err((4, 4)), "white space counts");
        assert_eq!(judged("a\rfoo", "a\nbar", "foo", "bar"), Err((1, 1)), "a lone return is text");
    }

    proptest! {
        /// However a text is made of names and signs, renaming any of its occurrences is seen for what it is.
        #[test]
        fn every_choice_of_occurrences_is_a_rename(
            pieces in prop::collection::vec(("(foo|bar|foobar|x)[ .,(\n\u{e9}\u{1f600}-]", any::<bool>()), 0..20),
        ) {
            let before: String = pieces.iter().map(|(piece, _)| piece.as_str()).collect();
            let names = Names::new("foo", "quux", "python");
            let mut after = before.clone();
            let mut count = 0;
            for (at, range) in names.old.occurrences(&before).into_iter().enumerate().collect::<Vec<_>>().into_iter().rev() {
                if pieces.get(at).is_some_and(|(_, chosen)| *chosen) {
                    after.replace_range(range, "quux");
                    count += 1;
                }
            }
            let found = effect(&before, &after, &names);
            prop_assert!(found.is_ok(), "{:?} {:?}", before, after);
            let found = found.unwrap_or_default();
            prop_assert_eq!(found.len(), count);
            prop_assert_eq!(applied(&before, &found), after);
        }

        /// Whatever the texts are, what is let through turns one into the other, line ends apart.
        #[test]
        fn what_is_let_through_is_the_whole_difference(
            before in "[fobar:x \n]{0,24}", after in "[fobar:x \n]{0,24}",
        ) {
            let names = Names::new("foo", "bar", "python");
            if let Ok(found) = effect(&before, &after, &names) {
                let made = applied(&before, &found);
                prop_assert_eq!(made.strip_suffix('\n').unwrap_or(&made), after.strip_suffix('\n').unwrap_or(&after));
            }
        }
    }
}
