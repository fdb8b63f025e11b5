//! What `ast_grep` shows around a match, and which files it takes for whose.

use expect_test::expect;
use serde_json::json;
use tool::ErrorKind;

use crate::bench::Bench;

#[tokio::test]
async fn lines_around_matches_are_shown_once_and_end_with_the_file() {
    let bench = Bench::new("//- /a.py\nzero\nf(1)\ntwo\nf(3)\nf(4)\nfive\n");
    let arguments = json!({"pattern": "f($X)", "path": "a.py", "context": 2});
    bench
        .check(
            "ast_grep",
            arguments.clone(),
            expect![[r#"
                3 matches in 1 file
                    1- zero
                a.py:2:1: f(1)
                    $X = 1
                    3- two
                a.py:4:1: f(3)
                    $X = 3
                a.py:5:1: f(4)
                    $X = 4
                    6- five
                searched 1 python file (read as `statement`) in `a.py`
            "#]],
        )
        .await;
    let data = bench.data("ast_grep", arguments).await;
    assert_eq!(data["matches"][0]["context_before"], json!(["zero"]));
    assert_eq!(data["matches"][0]["context_after"], json!(["two", "f(3)"]));
    assert_eq!(data["matches"][2]["context_before"], json!(["two", "f(3)"]));
    assert_eq!(data["matches"][2]["context_after"], json!(["five"]));
    let bare = bench.data("ast_grep", json!({"pattern": "f($X)", "path": "a.py"})).await;
    assert!(bare["matches"][0].get("context_after").is_none(), "{bare}");
}

#[tokio::test]
async fn at_least_one_match_is_asked_for() {
    let bench = Bench::new("//- /a.py\nf(1)\n");
    let error = bench.output("ast_grep", json!({"pattern": "f($X)", "max_results": 0})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadArguments, "{error:?}");
    assert!(error.message.contains("max_results"), "{error:?}");
}

#[tokio::test]
async fn scripts_are_known_by_their_first_line() {
    let bench = Bench::new(
        "//- /c.pyw\nold(1)\n//- /bin/run\n#!/usr/bin/env python3\nold(2)\n//- /bin/notes\nold(3)\n\
         //- /bin/deploy\n#!/bin/sh\nold 4\n",
    );
    for arguments in [
        json!({"pattern": "old($X)", "language": "python"}),
        json!({"pattern": "old($X)"}),
        json!({"pattern": "old($X)", "language": "python", "path": "bin/run"}),
    ] {
        let data = bench.data("ast_grep", arguments.clone()).await;
        let paths: Vec<&str> =
            data["matches"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
        let expected: &[&str] =
            if arguments.get("path").is_some() { &["bin/run"] } else { &["bin/run", "c.pyw"] };
        assert_eq!(paths, expected, "{data}");
    }
    let named = bench.data("ast_grep", json!({"pattern": "old($X)", "path": "bin/run"})).await;
    assert_eq!(named["total"], 1, "{named}");
}
