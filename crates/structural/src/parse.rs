//! Parsing one file: a parser per thread and language, stopped by cancellation or by time.
//! It never decides what an error in a file means; it only says where the errors are.

use grammars::Grammar;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// What may end a parse early.
pub(crate) struct Limits<'a> {
    /// Asked now and then; true means the call was cancelled.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// The longest one file may take.
    pub(crate) time: Duration,
}

/// Why a file has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unparsed {
    /// The call was cancelled.
    Cancelled,
    /// The time for one file ran out.
    TimedOut,
}

thread_local! {
    static PARSERS: RefCell<HashMap<&'static str, Parser>> = RefCell::new(HashMap::new());
}

/// Runs `work` with this thread's parser of the language.
pub(crate) fn with_parser<T>(grammar: &'static Grammar, work: impl FnOnce(&mut Parser) -> T) -> T {
    PARSERS.with_borrow_mut(|parsers| {
        work(parsers.entry(grammar.id()).or_insert_with(|| {
            let mut parser = Parser::new();
            parser
                .set_language(&grammar.language())
                .expect("a bundled parser has a version that tree-sitter takes: a test loads each");
            parser
        }))
    })
}

/// Parses `source`.
pub(crate) fn parse(grammar: &'static Grammar, source: &[u8], limits: &Limits<'_>) -> Result<Tree, Unparsed> {
    let deadline = Instant::now() + limits.time;
    let mut cancelled = false;
    let mut watch = |_: &tree_sitter::ParseState| {
        cancelled = (limits.stop)();
        if cancelled || Instant::now() > deadline {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let tree = with_parser(grammar, |parser| {
        // A parse that was stopped would otherwise be resumed with the next file's text.
        parser.reset();
        let options = ParseOptions::new().progress_callback(&mut watch);
        parser.parse_with_options(
            &mut |offset, _| source.get(offset..).unwrap_or_default(),
            None,
            Some(options),
        )
    });
    tree.ok_or(if cancelled { Unparsed::Cancelled } else { Unparsed::TimedOut })
}

/// The ranges of ERROR and MISSING nodes, in source order, outermost only.
pub(crate) fn error_regions(tree: &Tree) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    preorder(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() {
            regions.push(node.byte_range());
            return Descend::No;
        }
        if node.has_error() { Descend::Yes } else { Descend::No }
    });
    regions
}

/// Whether a walk goes on into a node's children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descend {
    Yes,
    No,
    /// End the whole walk.
    Stop,
}

/// Visits `root` and what is below it, parents first, without recursion.
pub(crate) fn preorder<'tree>(root: Node<'tree>, mut visit: impl FnMut(Node<'tree>) -> Descend) {
    let mut cursor = root.walk();
    loop {
        match visit(cursor.node()) {
            Descend::Stop => return,
            Descend::Yes if cursor.goto_first_child() => continue,
            Descend::Yes | Descend::No => {}
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
