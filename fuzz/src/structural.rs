//! Random patterns on random code, through the tools as a model calls them: an input is a byte for the language, the
//! pattern, a zero byte, and the code. Nothing may panic or hang, and a rewrite to itself changes nothing.
//! It must never use another door than the tools'. Run it with `cargo xtask fuzz`.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool::{Registry, Surface, Tier};

/// Languages, and the file each is written to.
const LANGUAGES: [(&str, &str); 3] = [("rust", "code.rs"), ("dart", "code.dart"), ("python", "code.py")];

struct Bench {
    runtime: Runtime,
    root: PathBuf,
    surface: Surface,
    // A registry that is dropped takes its tools with it.
    _registry: Registry,
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let root = tempfile::tempdir().expect("a folder").keep().canonicalize().expect("its path");
    std::fs::create_dir(root.join("code")).expect("a folder");
    let workspace = workspace::Workspace::open(root.join("code")).expect("a workspace");
    let registry = Registry::builder().build();
    let state = edits::State::memory(root.join("state"));
    let edits = edits::Edits::open(workspace.clone(), registry.authority(), state).expect("edits");
    let tools = vec![tool::tool(structural::AstGrep::new(workspace)), tool::tool(structural::AstEdit::new(edits))];
    registry.attach("syntax", tools).expect("tools");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    Bench { runtime, root: root.join("code"), surface: registry.surface(Tier::Write), _registry: registry }
});

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let Some(at) = rest.iter().position(|byte| *byte == 0) else { return };
    let (Ok(pattern), source) = (std::str::from_utf8(&rest[..at]), &rest[at + 1..]) else { return };
    let (language, file) = LANGUAGES[usize::from(*first) % LANGUAGES.len()];
    let bench = &*BENCH;
    std::fs::write(bench.root.join(file), source).expect("the code is written");
    bench.runtime.block_on(async {
        let search = json!({"pattern": pattern, "path": file, "language": language});
        check(bench.surface.call("ast_grep", search).await, |_| ());
        let rewrite = json!({"pattern": pattern, "rewrite": pattern, "path": file, "language": language});
        check(bench.surface.call("ast_edit", rewrite).await, |data| {
            assert_eq!(data["replacements"], 0, "a rewrite to itself changed something");
        });
    });
});

/// An error is an answer, but for the two that mean a defect here.
fn check(answer: Result<tool::Output, tool::Error>, whole: impl FnOnce(&Value)) {
    match answer {
        Ok(output) => whole(&output.data.expect("data")),
        Err(error) => {
            let defect = matches!(error.kind, tool::ErrorKind::Bug | tool::ErrorKind::TimedOut);
            assert!(!defect, "{error}");
        }
    }
}
