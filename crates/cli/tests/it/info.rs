//! `outrigger tools` and `outrigger doctor`.

use serde_json::Value;
use test_support::Fixture;

use crate::command::outrigger;

#[test]
fn a_tier_hides_higher_tools_from_the_schema() {
    let fixture = Fixture::empty();
    let names = |tier: &str| -> Vec<String> {
        let ran = outrigger(&fixture, &["tools", "--tier", tier, "--format", "mcp"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let tools: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("read"), ["ast_grep", "lsp", "read"]);
    assert_eq!(
        names("write"),
        [
            "apply_patch",
            "ast_edit",
            "ast_grep",
            "edit",
            "lsp",
            "lsp_rename",
            "lsp_rename_file",
            "read",
            "resolve",
            "write"
        ]
    );
    assert_eq!(
        names("exec"),
        [
            "apply_patch",
            "ast_edit",
            "ast_grep",
            "debug",
            "edit",
            "lsp",
            "lsp_rename",
            "lsp_rename_file",
            "read",
            "resolve",
            "shell",
            "write"
        ]
    );
    assert_eq!(outrigger(&fixture, &["tools", "--tier", "all"]).code, 2);
}

#[test]
fn every_format_prints_every_tool() {
    let fixture = Fixture::empty();
    for format in ["text", "anthropic", "openai", "gemini", "mcp"] {
        let ran = outrigger(&fixture, &["tools", "--format", format]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for name in [
            "apply_patch",
            "ast_edit",
            "ast_grep",
            "debug",
            "edit",
            "lsp",
            "lsp_rename",
            "lsp_rename_file",
            "read",
            "resolve",
            "shell",
            "write",
        ] {
            assert!(ran.stdout.contains(name), "{format} lacks {name}");
        }
    }
}

#[test]
fn doctor_counts_the_files_of_each_grammar() {
    let fixture = Fixture::new("//- /a.dart\n//- /b.dart\n//- /c.py\n");
    let ran = outrigger(&fixture, &["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let files = |language: &str| {
        let grammars = report["grammars"].as_array().unwrap();
        grammars.iter().find(|grammar| grammar["language"] == language).expect("a bundled grammar")["files"]
            .clone()
    };
    assert_eq!((files("dart"), files("python"), files("rust")), (2.into(), 1.into(), 0.into()));
    assert!(outrigger(&fixture, &["doctor"]).stdout.contains("usable, 2 files"));
}
