//! Proposals must not depend on how many threads take part.

use std::sync::LazyLock;

use grammars::Grammar;
use test_support::Fixture;
use workspace::Workspace;

use super::*;
use crate::cache::Cache;
use crate::languages::Where;
use crate::pattern::Pattern;
use crate::render;
use crate::rewrite::Template;

fn selection(fixture: &Fixture) -> Selection<Vec<Rule>> {
    let workspace = Workspace::open(fixture.root()).unwrap();
    let place = Where { workspace: &workspace, path: None, language: None };
    let compile = |grammar: &'static Grammar| {
        let pattern = Pattern::compile(grammar, "f($X)").unwrap();
        let template = Template::compile(&pattern, "f($X)", "g($X)").unwrap();
        Ok(vec![Rule { pattern, fragment: "f($X)".to_owned(), template }])
    };
    Selection::new(place, &|| false, &compile).unwrap()
}

/// Keeps nothing.
static NONE: LazyLock<Cache> = LazyLock::new(|| Cache::new(0));

fn propose(threads: usize, max_replacements: usize) -> Propose<'static> {
    let threads = NonZero::new(threads).unwrap();
    Propose { threads, trees: NONE.begin(), cancelled: &|| false, report: &|_, _| {}, max_replacements }
}

fn files() -> Fixture {
    let fixture = Fixture::empty();
    for file in 0..40 {
        let content = if file == 7 { "# DO NOT EDIT\nf(1)\n".to_owned() } else { "f(1)\n".repeat(file % 5) };
        fixture.write(&format!("f{file:03}.{}", ["py", "rs", "dart"][file % 3]), content);
    }
    fixture
}

#[test]
fn the_number_of_threads_does_not_show() {
    let fixture = files();
    let selection = selection(&fixture);
    let answer = |threads| {
        let proposal = propose(threads, MAX_REPLACEMENTS).run(&selection).unwrap();
        assert!(proposal.replacements > 20);
        render::proposed(&selection, &proposal, None)
    };
    let alone = answer(1);
    for threads in [2, 16] {
        assert_eq!(answer(threads), alone, "{threads} threads");
    }
}

#[test]
fn one_replacement_too_many_refuses_them_all() {
    let fixture = files();
    let selection = selection(&fixture);
    let all = propose(2, MAX_REPLACEMENTS).run(&selection).unwrap().replacements;
    assert!(propose(2, all).run(&selection).is_ok());
    for threads in [1, 2] {
        let refused = propose(threads, all - 1).run(&selection);
        assert!(matches!(refused, Err(Error::TooMany { limit, .. }) if limit == all - 1));
    }
}

#[test]
fn a_cancelled_proposal_is_none() {
    let fixture = files();
    let selection = selection(&fixture);
    let cut_off = Propose { cancelled: &|| true, ..propose(2, MAX_REPLACEMENTS) }.run(&selection);
    assert!(matches!(cut_off, Err(Error::Cancelled)));
}
