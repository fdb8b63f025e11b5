//! Searches must not depend on how many threads take part, nor on which is first.

use std::sync::LazyLock;

use grammars::Grammar;
use test_support::Fixture;
use workspace::Workspace;

use super::*;
use crate::cache::Cache;
use crate::languages::Where;
use crate::render;

/// Python files of uneven size with one match a line.
fn uneven(files: usize) -> Fixture {
    let fixture = Fixture::empty();
    for file in 0..files {
        fixture.write(&format!("f{file:03}.py"), "f(1)\n".repeat(file % 7));
    }
    fixture
}

fn selection(fixture: &Fixture) -> Selection<Pattern> {
    let workspace = Workspace::open(fixture.root()).unwrap();
    let place = Where { workspace: &workspace, path: None, language: Some("python") };
    let compile = |grammar: &'static Grammar| Ok(Pattern::compile(grammar, "f($X)").unwrap());
    Selection::new(place, &|| false, &compile).unwrap()
}

/// Keeps nothing.
static NONE: LazyLock<Cache> = LazyLock::new(|| Cache::new(0));

fn search(threads: usize, max_counted: usize) -> Search<'static> {
    Search {
        trees: NONE.begin(),
        max_results: 10,
        context: 0,
        max_counted,
        threads: NonZero::new(threads).unwrap(),
        cancelled: &|| false,
        report: &|_, _| {},
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let fixture = uneven(60);
    let selection = selection(&fixture);
    let answer = |threads| render::found(&selection, &search(threads, MAX_COUNTED).run(&selection).unwrap());
    let alone = answer(1);
    assert!(alone.to_text().starts_with("174 matches in 51 files; the first 10 by path\nf001.py:1:1: f(1)"));
    for threads in [2, 3, 16] {
        assert_eq!(answer(threads), alone, "{threads} threads");
    }
}

#[test]
fn the_first_matches_are_shown_even_after_an_early_stop() {
    let fixture = uneven(60);
    // Begun first, since it is large, and over the limit alone.
    fixture.write("z.py", format!("{}#{}", "f(1)\n".repeat(200), "x".repeat(1 << 20)));
    let selection = selection(&fixture);
    for threads in [1, 2, 16] {
        let answer = search(threads, 100).run(&selection).unwrap();
        assert!(answer.stopped);
        let shown: Vec<&str> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
        let first = ["f001.py", "f002.py", "f002.py", "f003.py", "f003.py", "f003.py"];
        assert_eq!(shown[..6], first, "{threads} threads");
        assert_eq!(shown.len(), 10);
    }
}

#[test]
fn a_cancelled_search_is_no_answer() {
    let fixture = uneven(60);
    let selection = selection(&fixture);
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::SeqCst) > 20;
    let cut_off = Search { cancelled: &cancelled, ..search(2, MAX_COUNTED) }.run(&selection);
    assert!(matches!(cut_off, Err(Error::Cancelled)));
}

#[test]
fn a_long_match_is_kept_in_part_and_measured() {
    let excerpt = Excerpt::new("ü".repeat(MAX_EXCERPT + 5).as_bytes());
    assert_eq!((excerpt.text.chars().count(), excerpt.characters), (MAX_EXCERPT, MAX_EXCERPT + 5));
}
