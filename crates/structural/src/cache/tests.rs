//! What is kept, for how long, and that it never answers for other bytes.
#![expect(clippy::disallowed_methods, reason = "tests build their own fixtures")]

use std::convert::Infallible;
use std::fs::{File, FileTimes};
use std::num::NonZero;
use std::time::Duration;

use grammars::Grammar;
use test_support::Fixture;
use workspace::Workspace;

use super::*;
use crate::languages::{Selection, Where};
use crate::parse::{self, Limits};
use crate::pattern::Pattern;
use crate::render;
use crate::search::{MAX_COUNTED, Search};

fn parsed(source: &str) -> Tree {
    let limits = Limits { stop: &|| false, time: Duration::from_mins(1) };
    parse::parse(grammar(), source.as_bytes(), &limits).unwrap()
}

fn grammar() -> &'static Grammar {
    Grammar::by_id("python").unwrap()
}

/// Asks for the tree of each source; which of them had to be parsed.
fn ask<'s>(trees: &Trees<'_>, sources: &[&'s str]) -> Vec<&'s str> {
    let mut missed = Vec::new();
    for source in sources {
        let tree = trees.tree(grammar(), source.as_bytes(), || {
            missed.push(*source);
            Ok::<_, Infallible>(parsed(source))
        });
        assert_eq!(tree.unwrap().root_node().to_sexp(), parsed(source).root_node().to_sexp());
    }
    missed
}

#[test]
fn a_tree_is_made_once_and_shared_by_clones() {
    let cache = Cache::default();
    assert_eq!(ask(&cache.begin(), &["f(1)", "f(1)", "f(2)"]), ["f(1)", "f(2)"]);
    assert!(ask(&cache.clone().begin(), &["f(2)", "f(1)"]).is_empty());
    let none = Cache::new(0);
    assert_eq!(ask(&none.begin(), &["f(1)", "f(1)"]), ["f(1)", "f(1)"]);
}

#[test]
fn the_same_bytes_in_another_language_are_another_tree() {
    let cache = Cache::default();
    ask(&cache.begin(), &["f(1)"]);
    let mut parses = 0;
    let rust = Grammar::by_id("rust").unwrap();
    let tree = cache.begin().tree(rust, b"f(1)", || {
        parses += 1;
        Ok::<_, Infallible>(parsed("other"))
    });
    assert_eq!((parses, tree.unwrap().root_node().end_byte()), (1, 5));
}

#[test]
fn what_was_used_last_stays_within_the_limit() {
    let three = 3 * cost(&parsed("f(1)"));
    let cache = Cache::new(three);
    ask(&cache.begin(), &["f(1)", "f(2)", "f(3)"]);
    ask(&cache.begin(), &["f(1)"]);
    // The one of longest ago goes: not the first that came, but the first that nobody used again.
    assert_eq!(ask(&cache.begin(), &["f(4)"]), ["f(4)"]);
    assert!(ask(&cache.begin(), &["f(1)", "f(3)", "f(4)"]).is_empty());
    assert_eq!(ask(&cache.begin(), &["f(2)"]), ["f(2)"]);
    let shelf = cache.0.shelf();
    assert_eq!((shelf.trees.len(), shelf.order.len(), shelf.bytes), (3, 3, three));
}

#[test]
fn a_walk_over_more_than_fits_does_not_push_out_itself() {
    let cache = Cache::new(2 * cost(&parsed("f(1)")));
    let sources = ["f(1)", "f(2)", "f(3)", "f(4)"];
    assert_eq!(ask(&cache.begin(), &sources), sources);
    assert_eq!(ask(&cache.begin(), &sources), ["f(3)", "f(4)"]);
}

#[test]
fn a_tree_larger_than_the_limit_is_not_kept() {
    let cache = Cache::new(cost(&parsed("f(1)")));
    ask(&cache.begin(), &["f(1)"]);
    ask(&cache.begin(), &["f(1, 2, 3)"]);
    assert!(ask(&cache.begin(), &["f(1)"]).is_empty());
}

#[test]
fn what_cannot_be_parsed_is_not_kept() {
    let cache = Cache::default();
    assert_eq!(cache.begin().tree(grammar(), b"f(1)", || Err("stopped")).unwrap_err(), "stopped");
    assert_eq!(ask(&cache.begin(), &["f(1)"]), ["f(1)"]);
}

/// How much memory the process has.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_is_one_of_memory() {
    const LIMIT: usize = 32 << 20;
    let cache = Cache::new(LIMIT);
    let before = resident();
    for number in 0..100 {
        let source = format!("x{number} = [f(a, b), g(c)]\n").repeat(600);
        let parse = || Ok::<_, Infallible>(parsed(&source));
        cache.begin().tree(grammar(), source.as_bytes(), parse).unwrap();
    }
    let bytes = cache.0.shelf().bytes;
    let grown = resident().saturating_sub(before);
    assert!(bytes > LIMIT / 10 * 9, "it fills: {bytes}");
    // What the allocator and one parser hold beside.
    assert!(grown < LIMIT + (16 << 20), "{grown} bytes for a limit of {LIMIT}");
}

fn answer(fixture: &Fixture, cache: &Cache, threads: usize) -> tool::Output {
    let workspace = Workspace::open(fixture.root()).unwrap();
    let place = Where { workspace: &workspace, path: None, language: Some("python") };
    let compile = |grammar: &'static Grammar| Ok(Pattern::compile(grammar, "f($X)").unwrap());
    let selection = Selection::new(place, &|| false, &compile).unwrap();
    let search = Search {
        max_results: 10,
        context: 0,
        max_counted: MAX_COUNTED,
        threads: NonZero::new(threads).unwrap(),
        trees: cache.begin(),
        cancelled: &|| false,
        report: &|_, _| {},
    };
    render::found(&selection, &search.run(&selection).unwrap())
}

#[test]
fn answers_are_the_same_with_and_without() {
    let fixture = Fixture::empty();
    for file in 0..40 {
        fixture.write(&format!("f{file:02}.py"), format!("f({file})\nf(1, 2)\nf(\n").repeat(file % 4 + 1));
    }
    let without = answer(&fixture, &Cache::new(0), 1);
    for cache in [Cache::default(), Cache::new(4_000)] {
        for threads in [1, 2, 8] {
            assert_eq!(answer(&fixture, &cache, threads), without, "{threads} threads");
        }
    }
}

#[test]
fn a_file_that_changed_with_its_size_and_time_kept_is_searched_anew() {
    let fixture = Fixture::new("//- /a.py\nf(1)\n");
    let cache = Cache::default();
    assert!(answer(&fixture, &cache, 1).to_text().contains("a.py:1:1: f(1)"));
    let path = fixture.path("a.py");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "g(1)\n").unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
    assert!(answer(&fixture, &cache, 1).to_text().starts_with("0 matches"));
    std::fs::write(&path, "f(2)\n").unwrap();
    assert!(answer(&fixture, &cache, 1).to_text().contains("a.py:1:1: f(2)"));
}
