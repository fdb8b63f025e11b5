//! The data of every bundled language against its own parser.

use crate::Grammar;
use crate::bundled::KNOWN;
use crate::data::{Data, Role};
use std::collections::BTreeSet;
use std::path::Path;

fn unknown_kinds(grammar: &Grammar, data: &Data) -> Vec<String> {
    let language = grammar.language();
    let kinds = &data.kinds;
    let parentheses = data.parentheses.iter().flat_map(|it| [&it.expressions, &it.atoms]);
    let named = [
        &kinds.literal,
        &kinds.text,
        &kinds.comment,
        &kinds.names,
        &kinds.counted_separators,
        &kinds.token_lists,
        &kinds.holders,
        &kinds.sequences,
        &kinds.spliced,
        &kinds.fieldless,
        &kinds.unlikely,
        &kinds.clauses,
        &kinds.labels,
        &kinds.suffixes,
        &kinds.loose,
        &kinds.moving,
        &kinds.distinct,
    ];
    let needed = || data.parentheses.iter().flat_map(|it| &it.needed);
    let needed_kinds = needed().flat_map(|it| [&it.kinds, &it.inside, &it.starting]);
    let tokens = [&kinds.separators, &kinds.terminators, &kinds.values, &kinds.varied];
    let missing = |names: &Vec<String>, is_named: bool| {
        let absent = |name: &&String| language.id_for_node_kind(name, is_named) == 0;
        names.iter().filter(absent).cloned().collect::<Vec<_>>()
    };
    named
        .into_iter()
        .chain(parentheses)
        .chain(needed_kinds)
        .chain(&data.families)
        .flat_map(|names| missing(names, true))
        .chain(
            tokens.into_iter().chain(needed().map(|it| &it.beside)).flat_map(|names| missing(names, false)),
        )
        .collect()
}

#[test]
fn every_named_kind_exists_in_the_parser() {
    for grammar in Grammar::bundled() {
        assert_eq!(unknown_kinds(grammar, grammar.data()), Vec::<String>::new(), "of `{}`", grammar.id());
        let wordless = ["json", "yaml"].contains(&grammar.id());
        assert_eq!(grammar.kinds().keywords.is_empty(), wordless, "the keywords of `{}`", grammar.id());
    }
}

#[test]
fn every_parser_loads_and_every_ladder_is_whole() {
    for grammar in Grammar::bundled() {
        tree_sitter::Parser::new().set_language(&grammar.language()).unwrap();
        let roles: BTreeSet<_> = grammar.ladder().iter().map(|rung| rung.role as u8).collect();
        assert!(roles.contains(&(Role::Statement as u8)) || grammar.ladder().len() == 1);
        for rung in grammar.ladder() {
            // Some grammars report a missing terminator at the end of a file without a line break.
            assert!(rung.suffix.ends_with('\n'), "`{}` of `{}`", rung.name, grammar.id());
        }
        for spelling in grammar.one_spellings().iter().chain(grammar.many_spellings()) {
            // A character literal has no room for a placeholder.
            assert!(spelling.contains("{}") || spelling.len() == 1, "`{spelling}` of `{}`", grammar.id());
        }
    }
}

#[test]
fn languages_are_found_by_id_and_by_file() {
    let ids = Grammar::ids();
    assert!(ids.is_sorted(), "{ids:?}");
    let (mut extensions, mut interpreters) = (BTreeSet::new(), BTreeSet::new());
    for grammar in Grammar::bundled() {
        assert!(KNOWN.contains(&grammar.id()));
        assert_eq!(Grammar::by_id(grammar.id()).map(Grammar::id), Some(grammar.id()));
        for extension in grammar.extensions() {
            assert!(extensions.insert(extension), "`{extension}` belongs to two languages");
            let file = format!("a/b.{}", extension.to_uppercase());
            assert_eq!(Grammar::by_path(Path::new(&file)).map(Grammar::id), Some(grammar.id()));
        }
    }
    for grammar in Grammar::bundled() {
        for program in grammar.interpreters() {
            assert!(interpreters.insert(program), "`{program}` belongs to two languages");
        }
    }
    assert!(Grammar::by_id("cobol").is_none() && !Grammar::is_known("cobol"));
    assert!(Grammar::by_path(Path::new("Makefile")).is_none());
}

#[test]
fn scripts_are_found_by_their_first_line() {
    let language = |line: &str| Grammar::by_first_line(line.as_bytes()).map(Grammar::id);
    for line in [
        "#!/usr/bin/env python3\nx",
        "#!/usr/bin/python3.11 -u\r\n",
        "#! /usr/bin/env -S LANG=C python -u",
        "#!/usr/local/bin/pypy3",
    ] {
        assert_eq!(language(line), Some("python"), "{line}");
    }
    let bundled = |id: &'static str| Grammar::by_id(id).map(Grammar::id);
    assert_eq!(language("#!/bin/sh -e\nls"), bundled("bash"));
    assert_eq!(language("#!/usr/bin/env node"), bundled("javascript"));
    for line in [
        "",
        "#!",
        "#!/usr/bin/env",
        "#!/usr/bin/pythonista",
        "import python",
        "\n#!/usr/bin/python",
        "#!/\u{fe}",
    ] {
        assert_eq!(language(line), None, "{line}");
    }
}
