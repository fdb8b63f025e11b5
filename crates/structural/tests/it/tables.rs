//! Tables of situations (`tests/tables/*.toml`): code that is searched or rewritten by the tools as a host calls them,
//! and what must come of it. A row of a language that was compiled out is named as skipped, never passed over.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use grammars::Grammar;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bench::Bench;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    search: Vec<SearchRow>,
    #[serde(default)]
    rewrite: Vec<RewriteRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRow {
    situation: String,
    language: String,
    pattern: String,
    code: String,
    /// The texts that match, in order.
    found: Option<Vec<String>>,
    /// How many match, where the texts do not matter.
    total: Option<u64>,
    /// For each match, what some of its variables stand for.
    #[serde(default)]
    captures: Vec<BTreeMap<String, String>>,
    /// What is counted as a near miss, and how often.
    near: Option<BTreeMap<String, u64>>,
    /// Matches of other readings.
    also: Option<BTreeMap<String, u64>>,
    /// Parts of the error, where the fragment is no pattern.
    #[serde(default)]
    refused: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RewriteRow {
    situation: String,
    language: String,
    pattern: String,
    rewrite: String,
    code: String,
    /// The code after the edit was accepted.
    result: Option<String>,
    /// Whether the edit would not parse, so that accepting it needs force.
    #[serde(default)]
    force: bool,
    /// Parts of the proposal.
    #[serde(default)]
    says: Vec<String>,
    /// What the proposal must not say.
    #[serde(default)]
    silent: Vec<String>,
    /// Parts of the error, where the rewrite does not fit.
    #[serde(default)]
    refused: Vec<String>,
}

/// Runs every row of `tests/tables/<name>.toml`, and tells all that fail at once.
pub(crate) async fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(format!("{name}.toml"));
    let table: Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut failures = String::new();
    let (mut run, mut skipped) = (0, 0);
    for row in &table.search {
        if is_bundled(&row.language, &row.situation) {
            run += 1;
            search(row, &mut failures).await;
        } else {
            skipped += 1;
        }
    }
    for row in &table.rewrite {
        if is_bundled(&row.language, &row.situation) {
            run += 1;
            rewrite(row, &mut failures).await;
        } else {
            skipped += 1;
        }
    }
    println!("{run} rows, {skipped} skipped");
    assert!(run > 5, "{run} rows are too few to show anything");
    assert!(failures.is_empty(), "{failures}");
}

fn is_bundled(language: &str, situation: &str) -> bool {
    assert!(Grammar::is_known(language), "`{language}` ({situation}) is no language");
    let bundled = Grammar::by_id(language).is_some();
    if !bundled {
        println!("skipped: {language} is compiled out: {situation}");
    }
    bundled
}

fn file(language: &str) -> String {
    format!("code.{}", Grammar::by_id(language).unwrap().extensions()[0])
}

/// A workspace with the row's code as its one file.
fn bench(language: &str, code: &str) -> Bench {
    let bench = Bench::new("");
    bench.fixture.write(&file(language), code);
    bench
}

async fn search(row: &SearchRow, failures: &mut String) {
    let head = format!("{}: {} `{}`", row.situation, row.language, row.pattern);
    let expects = row.found.is_some() || row.total.is_some();
    assert!(expects == row.refused.is_empty(), "{head}: finds or is refused, not both");
    let bench = bench(&row.language, &row.code);
    let arguments = json!({"pattern": row.pattern, "language": row.language});
    let data = match bench.output("ast_grep", arguments).await {
        Ok(output) => output.data.unwrap(),
        Err(error) => {
            let message = error.to_string();
            if expects || row.refused.iter().any(|part| !message.contains(part)) {
                let _ = writeln!(failures, "{head}: {message}");
            }
            return;
        }
    };
    if !expects {
        let _ = writeln!(failures, "{head}: read as {}", data["languages"][0]["reading"]);
        return;
    }
    let matches = data["matches"].as_array().unwrap();
    if let Some(found) = &row.found {
        let texts: Vec<&str> = matches.iter().map(|it| it["text"].as_str().unwrap()).collect();
        if texts != *found {
            let reading = &data["languages"][0]["reading"];
            let (near, also) = (&data["near_misses"], &data["other_readings"]);
            let _ = writeln!(failures, "{head}: read as {reading}: {texts:?}; near {near}, also {also}");
        }
    }
    if row.total.is_some_and(|total| data["total"] != total) {
        let _ = writeln!(failures, "{head}: {} matches", data["total"]);
    }
    for (wanted, it) in row.captures.iter().zip(matches) {
        if wanted.iter().any(|(name, text)| it["variables"][name] != **text) {
            let _ = writeln!(failures, "{head}: captured {}", it["variables"]);
        }
    }
    for (wanted, key) in [(&row.near, "near_misses"), (&row.also, "other_readings")] {
        let counts = |of: &Value| serde_json::from_value::<BTreeMap<String, u64>>(of.clone()).unwrap();
        if wanted.as_ref().is_some_and(|wanted| *wanted != counts(&data[key])) {
            let _ = writeln!(failures, "{head}: {key} {}", data[key]);
        }
    }
}

async fn rewrite(row: &RewriteRow, failures: &mut String) {
    let head = format!("{}: {} `{}` to `{}`", row.situation, row.language, row.pattern, row.rewrite);
    let bench = bench(&row.language, &row.code);
    let arguments = json!({"pattern": row.pattern, "rewrite": row.rewrite, "language": row.language});
    let output = match bench.output("ast_edit", arguments).await {
        Ok(output) => output,
        Err(error) => {
            let message = error.to_string();
            if row.refused.is_empty() || row.refused.iter().any(|part| !message.contains(part)) {
                let _ = writeln!(failures, "{head}: {message}");
            }
            return;
        }
    };
    let text = output.to_text();
    let unsaid = row.says.iter().any(|part| !text.contains(part));
    if !row.refused.is_empty() || unsaid || row.silent.iter().any(|part| text.contains(part)) {
        let _ = writeln!(failures, "{head}: {text}");
    }
    let data = output.data.unwrap();
    if let Some(id) = data["edit_id"].as_str() {
        let accepted = bench.output("resolve", json!({"edit_id": id, "action": "accept"})).await;
        if accepted.is_err() != row.force {
            let _ = writeln!(failures, "{head}: accepted: {accepted:?}\n{text}");
        }
        if row.force {
            let force = json!({"edit_id": id, "action": "accept", "force": true});
            bench.output("resolve", force).await.unwrap();
        }
    }
    let after = bench.fixture.read(&file(&row.language));
    if row.result.as_ref().is_some_and(|result| *result != after) {
        let (refused, parenthesized) = (&data["refused"], &data["parenthesized"]);
        let _ = writeln!(failures, "{head}: {after:?}, refused {refused}, parenthesized {parenthesized}");
    }
}
