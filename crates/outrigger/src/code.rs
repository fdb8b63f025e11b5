//! Tells code from comments and strings for the language servers' tools, by the bundled grammars: what stands on a line
//! twice is meant where it is code. It keeps the tree of one file, and must never hold up a question: what it cannot
//! tell in time it does not know.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grammars::Grammar;
use tree_sitter::{ParseOptions, Parser, Tree};

/// The longest that a file may take to parse.
const PARSE_TIME: Duration = Duration::from_millis(200);

/// The grammars that were compiled in, and the file they were last asked about.
#[derive(Default)]
pub(crate) struct Code {
    last: Mutex<Option<Parsed>>,
}

struct Parsed {
    grammar: &'static Grammar,
    text: String,
    tree: Tree,
}

impl lsp::Syntax for Code {
    fn is_code(&self, path: &Path, text: &str, range: Range<usize>) -> Option<bool> {
        let grammar = Grammar::by_path(path).or_else(|| Grammar::by_first_line(text.as_bytes()))?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let parsed = last.take().filter(|it| it.grammar.id() == grammar.id() && it.text == text);
        let parsed = match parsed {
            Some(parsed) => parsed,
            None => Parsed { grammar, text: text.to_owned(), tree: parse(grammar, text)? },
        };
        let answer = is_code(grammar, &parsed.tree, range);
        *last = Some(parsed);
        answer
    }
}

/// A comment is one with all that its parser finds in it; a string is one except for the code in it.
fn is_code(grammar: &Grammar, tree: &Tree, range: Range<usize>) -> Option<bool> {
    let kinds = grammar.kinds();
    let node = tree.root_node().descendant_for_byte_range(range.start, range.end)?;
    // What recovers from an error may have lost where a string began.
    if node.is_error() || node.parent().is_some_and(|parent| parent.is_error()) {
        return None;
    }
    if kinds.literal.contains(node.kind_id()) || kinds.text.contains(node.kind_id()) {
        return Some(false);
    }
    let above = std::iter::successors(Some(node), tree_sitter::Node::parent);
    let mut comments = above.filter(|node| kinds.comment.contains(node.kind_id()));
    Some(comments.next().is_none())
}

fn parse(grammar: &Grammar, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let deadline = Instant::now() + PARSE_TIME;
    let mut watch = |_: &tree_sitter::ParseState| {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

#[cfg(test)]
mod tests {
    use lsp::Syntax as _;

    use super::*;

    /// For each `foo` of the text: `c` where it is code, `-` where it is not, `?` where that is not known.
    fn read(code: &Code, file: &str, text: &str) -> String {
        let each = text.match_indices("foo").map(|(at, foo)| {
            match code.is_code(Path::new(file), text, at..at + foo.len()) {
                Some(true) => 'c',
                Some(false) => '-',
                None => '?',
            }
        });
        each.collect()
    }

    #[test]
    fn comments_and_strings_are_no_code_and_what_is_put_into_a_string_is() {
        let code = Code::default();
        for (file, text, expected) in [
            (
                "a.rs",
                "/// foo [`foo`]\nfn foo() { p!(\"foo {foo}\", foo); /* foo */ 'f'; r#\"foo\"#; }",
                "--c--c--",
            ),
            (
                "a.py",
                "def f(foo):\n  \"\"\"foo\"\"\"\n  return f\"foo {foo} {'foo'}\" + foo # foo\n",
                "c--c-c-",
            ),
            ("a.ts", "foo(`foo ${foo}`, 'foo', /foo/); // foo", "c-c---"),
            ("a.tsx", "let x = <foo a='foo'>foo {foo}</foo>;", "c--cc"),
            ("a.js", "foo(`foo ${`foo ${foo}`}`)", "c--c"),
            ("a.dart", "f(foo) => 'foo $foo ${foo} ${a('foo')}'; /// foo\n", "c-cc--"),
            ("a.go", "package p\nfunc foo() { f(\"foo\", `foo`) } // foo\n", "c---"),
            ("a.cpp", "int foo = f(\"foo\", R\"(foo)\"); // foo\n", "c---"),
            ("a.sh", "foo \"foo $foo ${foo}\" 'foo' # foo\n", "c-cc--"),
        ] {
            assert_eq!(read(&code, file, text), expected, "{file}: {text}");
        }
    }

    #[test]
    fn what_has_no_grammar_or_does_not_parse_is_not_known() {
        let code = Code::default();
        assert_eq!(read(&code, "a.unknown", "foo"), "?");
        assert_eq!(read(&code, "tool", "#!/bin/sh\nfoo 'foo'\n"), "c-");
        assert_eq!(read(&code, "a.rs", "fn f( { ) foo \""), "?");
    }

    #[test]
    fn a_file_that_changed_is_read_again() {
        let code = Code::default();
        assert_eq!(read(&code, "a.rs", "fn foo() {}"), "c");
        assert_eq!(read(&code, "a.rs", "//n foo() {}"), "-");
        assert_eq!(read(&code, "a.py", "def foo(): 'foo'"), "c-");
    }
}
