//! Rewrites of whole corpora to themselves: not one byte changes. The corpora are those of the structural bench
//! (`benches/corpora.sh`); one that this machine lacks is named as skipped.

use std::path::PathBuf;
use std::time::Instant;

use grammars::Grammar;
use serde_json::json;

use crate::bench::Bench;

/// A language, the folder of its corpus, patterns, and how many matches there are at least.
type Corpus = (&'static str, &'static str, &'static [&'static str], u64);

const CORPORA: &[Corpus] = &[
    (
        "dart",
        "dart",
        &[
            "$F($$$A)",
            "$X.$M($$$A)",
            "if ($C) { $$$B }",
            "if ($C) { $$$A } else { $$$B }",
            "return $X;",
            "class $C { $$$M }",
            "$A == $B",
            "var $X = $Y;",
            "[$$$X]",
        ],
        50_000,
    ),
    (
        "rust",
        "rust",
        &[
            "$F($$$A)",
            "$X.$M($$$A)",
            "if $C { $$$B }",
            "fn $F($$$P) { $$$B }",
            "match $X { $$$A }",
            "let $P = $V;",
            "$A == $B",
            "impl $T { $$$M }",
            "use $P;",
            "$M!($$$A)",
        ],
        50_000,
    ),
    (
        "python",
        "python",
        &[
            "$F($$$A)",
            "if $C:\n    $$$B",
            "if $C: $$$B",
            "def $F($$$P):\n    $$$B",
            "for $X in $Y:\n    $$$B",
            "[$$$X]",
            "$A == $B",
            "return $X",
            "class $C($$$B):\n    $$$M",
        ],
        50_000,
    ),
    (
        "typescript",
        "typescript/node_modules",
        &[
            "$F($$$A)",
            "$X.$M($$$A)",
            "if ($C) { $$$B }",
            "const $X = $V",
            "import { $$$N } from $S",
            "return $X",
            "{ $$$P }",
            "$A === $B",
        ],
        10_000,
    ),
    (
        "c",
        "c",
        &["$F($$$A)", "if ($C) $B", "if ($C) { $$$B }", "return $X;", "$T $X = $V;", "$A == $B", "$A->$B"],
        50_000,
    ),
];

fn corpora() -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/outrigger/corpora"))
}

#[tokio::test]
#[ignore = "long"]
async fn long_whole_corpora_rewritten_to_themselves_change_no_byte() {
    for (language, folder, patterns, least) in CORPORA {
        let folder = corpora().map(|home| home.join(folder)).filter(|folder| folder.is_dir());
        let (Some(folder), Some(_)) = (folder, Grammar::by_id(language)) else {
            println!("skipped: no corpus of {language}, or its grammar is compiled out");
            continue;
        };
        let bench = Bench::at(&folder);
        let (started, mut total, mut files) = (Instant::now(), 0, 0);
        for pattern in *patterns {
            let arguments = json!({"pattern": pattern, "rewrite": pattern, "language": language});
            let output = bench.output("ast_edit", arguments).await.unwrap();
            let data = output.data.clone().unwrap();
            let head = format!("{language} `{pattern}`: {}", output.to_text());
            assert_eq!(data["replacements"], 0, "{head}");
            assert_eq!(data["refused"], json!([]), "{head}");
            assert_eq!(data["would_not_parse"], json!([]), "{head}");
            let matches = data["matches"].as_u64().unwrap();
            assert!(matches > 0, "{head}");
            println!("{language} `{}`: {matches} matches", pattern.replace('\n', " "));
            total += matches;
            files = data["files_searched"].as_u64().unwrap();
        }
        println!("{language}: {total} matches in {files} files, {:?}", started.elapsed());
        assert!(total >= *least, "{total} matches are too few to show anything");
    }
}
