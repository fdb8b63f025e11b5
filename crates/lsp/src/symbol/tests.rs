//! A line and a symbol: which place they name, and how it is told that they name none or several.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn aim(line: usize, symbol: &str, purpose: Purpose) -> Aim {
    Aim { file: "a.rs".to_owned(), line, symbol: symbol.to_owned(), purpose }
}

/// Comments are `//` to the end, strings between `"`; whatever stands between `{` and `}` in one is code.
fn code(text: &str) -> impl Fn(Range<usize>) -> Option<bool> {
    move |range| {
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[start..range.start];
        let string = before.matches('"').count() % 2 == 1 && !before.contains('{');
        Some(!string && !before.contains("//"))
    }
}

/// The places as `number@column→identifier`, and what the symbol was taken for.
fn said(text: &str, aim: &Aim) -> String {
    let lines = Lines::new(text);
    let one = |it: &Occurrence| {
        let taken = it.taken_for.as_ref().map(|whole| format!(" as `{whole}`")).unwrap_or_default();
        format!("{}@{}→{}{taken}", it.number, lines.place(it.at).column, &text[it.name.clone()])
    };
    match aim.find(text, code(text)) {
        Ok(Found::One(it)) => one(&it),
        Ok(Found::Several(them)) => them.iter().map(one).collect::<Vec<_>>().join(" | "),
        Err(error) => {
            format!("{error}{}", error.hint().map(|hint| format!("\n= {hint}")).unwrap_or_default())
        }
    }
}

#[track_caller]
fn reads(line: &str, symbol: &str, expected: &str) {
    assert_eq!(said(line, &aim(1, symbol, Purpose::Read)), expected, "{line} / {symbol}");
}

#[track_caller]
fn check(text: &str, line: usize, symbol: &str, purpose: Purpose, expected: Expect) {
    expected.assert_eq(&said(text, &aim(line, symbol, purpose)));
}

#[test]
fn whole_identifiers_come_first() {
    reads("foobar(foo, xfoo)", "foo", "1@8→foo");
    reads("let größe = größer;", "größe", "1@5→größe");
    reads("caf\u{e9} cafe\u{301}s cafe\u{301}", "cafe\u{301}", "1@13→cafe\u{301}");
    reads("a.foo_bar + foo", "foo", "1@13→foo");
    reads("\t\u{1f600} = \"\u{1f468}\u{200d}\u{1f469}\" + foo;", "foo", "1@14→foo");
}

#[test]
fn a_part_of_a_longer_name_is_told() {
    reads("x = foobar + 1", "foo", "1@5→foobar as `foobar`");
    reads("x = foobar + 1", "bar", "1@8→foobar as `foobar`");
    reads("call(argument)", "call(arg", "1@1→call as `call(argument`");
}

#[test]
fn a_sign_before_a_name_is_no_part_of_it() {
    reads("echo \"$name\"", "name", "1@8→name as `$name`");
    reads("echo $name", "$name", "1@7→name");
    reads("$name = name()", "name", "1@9→name");
    reads("_$name = 1", "name", "1@3→_$name as `_$name`");
    reads("$ = 1", "$", "1@1→$");
    reads("@decorated", "@decorated", "1@2→decorated");
    reads("a + b", "+", "1@3→+");
}

#[test]
fn a_qualified_name_aims_at_its_last_part() {
    reads("let x = std::fs::read(p);", "std::fs::read", "1@18→read");
    reads("a.b.c(d)", "a.b", "1@3→b");
    reads("p->next->next = q", "p->next", "1@4→next");
    reads("fn add(&self) {", "Calculator::add", "1@4→add as `add`");
    reads("vec![1]; println!(\"x\")", "println!", "1@10→println");
    check(
        "other.add(1)",
        1,
        "Calculator.add",
        Purpose::Read,
        expect![[r"
        line 1 of `a.rs` has no `Calculator.add`; it reads `other.add(1)`
        = read the file again: it may have changed"]],
    );
}

#[test]
fn code_comes_before_comments_and_strings() {
    reads("foo(\"foo\") // foo", "foo", "1@1→foo");
    reads("f(\"foo foo\")", "foo", "1@4→foo | 2@8→foo");
    reads("f(\"foo {foo}\")", "foo", "2@9→foo");
    reads("// see foo", "foo", "1@8→foo");
}

#[test]
fn several_are_numbered_as_a_reader_counts_them() {
    reads("x = x + x // x", "x", "1@1→x | 2@5→x | 3@9→x");
    reads("x = x + x // x", "x#2", "2@5→x");
    reads("x = x + x // x", "x#4", "4@14→x");
    reads("issue#2 is closed", "issue#2", "1@7→2");
    reads("a::b(b)", "b", "1@4→b | 2@6→b");
    check(
        "x = x",
        1,
        "x#3",
        Purpose::Read,
        expect![[r"
        line 1 of `a.rs` has `x` twice, so there is no `x#3`
        = `x#1` … `x#2`"]],
    );
    check(
        "x = x",
        1,
        "x#0",
        Purpose::Read,
        expect![[r"
        line 1 of `a.rs` has `x` twice, so there is no `x#0`
        = `x#1` … `x#2`"]],
    );
}

#[test]
fn a_number_sign_that_numbers_nothing_is_text() {
    reads("#define MAX 1", "#define", "1@2→define");
    reads("Foo#bar", "Foo#bar", "1@5→bar");
    reads("r#2", "#2", "1@3→2");
}

#[test]
fn what_a_rename_must_not_guess_is_refused() {
    check(
        "let foobar = 1;",
        1,
        "foo",
        Purpose::Rename,
        expect![[r"
        line 1 of `a.rs` has `foo` only as a part of `foobar`
        = to rename that, name it whole: `foobar`"]],
    );
    check(
        "fn add() {}",
        1,
        "Calculator::add",
        Purpose::Rename,
        expect![[r"
        line 1 of `a.rs` has `Calculator::add` only as a part of `add`
        = to rename that, name it whole: `add`"]],
    );
    check("print('$name')", 1, "name", Purpose::Rename, expect!["1@9→name as `$name`"]);
}

#[test]
fn a_line_without_the_symbol_is_quoted_with_the_nearest_that_has_it() {
    let text = "let foobar = 1;\nlet foo = 2;\n\nlet Bar = 3;\nfoo();\n";
    check(
        text,
        3,
        "foo",
        Purpose::Read,
        expect![[r"
        line 3 of `a.rs` has no `foo`; it reads ``; the nearest that has it:
          line 2: let foo = 2;
          line 5: foo();
        = name the line that has it; lines are counted from 1"]],
    );
    check(
        text,
        4,
        "bar",
        Purpose::Read,
        expect![[r"
        line 4 of `a.rs` has no `bar`; it reads `let Bar = 3;`; it has `Bar`; the nearest that has it:
          line 1: let foobar = 1;
        = letter case counts: `Bar`"]],
    );
    let far = format!("let far = 1;\n{}end\n", "\n".repeat(20));
    check(
        &far,
        22,
        "far",
        Purpose::Read,
        expect![[r"
        line 22 of `a.rs` has no `far`; it reads `end`; the nearest that has it:
          line 1: let far = 1;
        = name the line that has it; lines are counted from 1"]],
    );
}

#[test]
fn a_line_that_is_not_there_is_said() {
    check("a\r\nb\n", 0, "a", Purpose::Read, expect!["`a.rs` has no line 0: it has 2, counted from 1"]);
    check("a\r\nb\n", 3, "a", Purpose::Read, expect!["`a.rs` has no line 3: it has 2, counted from 1"]);
    check("", 1, "a", Purpose::Read, expect!["`a.rs` has no line 1: it has 0, counted from 1"]);
    check("a", 1, " ", Purpose::Read, expect!["`symbol` is empty; it is the name, as the line has it"]);
    check("a", 1, "a\nb", Purpose::Read, expect!["`symbol` spans lines; it is a name on the line `line`"]);
}

#[test]
fn one_of_several_is_found_again_by_its_number() {
    let text = "x = x";
    let several = aim(1, "x", Purpose::Read);
    let Ok(Found::Several(them)) = several.find(text, |_| None) else { panic!("two") };
    assert_eq!(several.numbered(2).find(text, |_| None), Ok(Found::One(them[1].clone())));
}

#[test]
fn a_long_line_is_cut_where_it_is_quoted() {
    let text = format!("let {} = 1;", "a".repeat(300));
    let error = aim(1, "b", Purpose::Read).find(&text, |_| None).unwrap_err();
    assert!(error.to_string().ends_with("… (+149 characters)`"), "{error}");
}

proptest! {
    /// Whatever is asked, what is found is on the line, holds the aim, and is what was named.
    #[test]
    fn a_place_is_on_its_line(
        text in "[ab$.: \u{e9}\u{1f600}\r\n\"]{0,40}", line in 0_usize..6, symbol in "[ab$.:#1\u{e9}]{1,4}",
    ) {
        let lines = Lines::new(&text);
        let places = match aim(line, &symbol, Purpose::Read).find(&text, |_| None) {
            Ok(Found::One(it)) => vec![it],
            Ok(Found::Several(them)) => them,
            Err(_) => return Ok(()),
        };
        let content = lines.content(line - 1).unwrap();
        for it in places {
            prop_assert!(content.start <= it.name.start && it.name.end <= content.end);
            prop_assert!(it.name.contains(&it.at) && text.is_char_boundary(it.at));
        }
    }
}
