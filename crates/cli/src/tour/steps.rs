//! The steps of the tour: what is called, and what the answer must hold. Steps call tools as a model would, and use
//! no other door.

use anyhow::Result;
use outrigger::workspace::Workspace;
use outrigger::{Grammars, Output, Run, Surface, Tier};
use serde_json::{Value, json};

use super::show::Show;
use super::{debugging, language, println};
use crate::census::census;

/// The read tools on somebody's own code.
pub(crate) async fn on_users_project(
    surface: &Surface,
    workspace: &Workspace,
    show: &mut Show,
) -> Result<()> {
    let _ = show.step(surface, "What is here", ("read", json!({"path": "."})), &[]).await;
    let walk = workspace.walk(&workspace.scope(None)?, &|_| true, &|| false)?;
    let files = census(&walk).into_iter().filter(|(_, count)| *count > 0);
    let about = "Which language servers run here, which could, and what the others lack";
    let _ = show.step(surface, about, ("lsp", json!({"action": "status"})), &["could be started"]).await;
    let Some((language, _)) = files.max_by_key(|(_, count)| *count) else {
        let ids = Grammars::bundled().ids().join(", ");
        show.skip("ast_grep", &format!("no file here is in a bundled language ({ids})"));
        return Ok(());
    };
    let pattern = if language == "python" { "$CALLED($$$ARGS)" } else { "$X.$METHOD($$$ARGS)" };
    let arguments = json!({"pattern": pattern, "language": language, "max_results": 5});
    let about = "Calls in the language most used here";
    let _ = show.step(surface, about, ("ast_grep", arguments), &[]).await;
    Ok(())
}

/// Every tool, on the project made for the tour.
pub(crate) async fn on_made_project(run: &Run, show: &mut Show) {
    let surface = run.surface(Tier::Exec);
    search(&surface, show).await;
    plan_mode(run, show).await;
    rewrite(&surface, show).await;
    host_tools(&surface, show).await;
    language::tour(&surface, show).await;
    debugging::tour(&surface, show).await;
}

async fn search(surface: &Surface, show: &mut Show) {
    let guard = json!({"pattern": "if ($X != null) $X.dispose()", "language": "dart"});
    let about = "A guard that disposes what it checked, and not its neighbour that disposes something else";
    if let Ok(found) = show.step(surface, about, ("ast_grep", guard), &["lib/guard.dart:2:3"]).await
        && found.to_text().contains("guard.dart:3")
    {
        show.fail("ast_grep", "the guard that disposes something else was matched");
    }
    let unwrap = json!({"pattern": "$X.unwrap()", "path": "src/main.rs"});
    let _ = show
        .step(
            surface,
            "Calls, not the same characters in a string",
            ("ast_grep", unwrap),
            &["src/main.rs:2:16"],
        )
        .await;
    let same = json!({"pattern": "$A == $A", "language": "python"});
    let _ = show.step(surface, "The same text on both sides", ("ast_grep", same), &["tool.py:4:4"]).await;
    let broken = json!({"pattern": "if ($X != null {", "language": "dart"});
    let _ = show
        .step(
            surface,
            "A pattern that does not parse is an error, never \"no matches\"",
            ("ast_grep", broken),
            &["bad_arguments"],
        )
        .await;
}

/// A surface limited to read does not know that higher tools exist.
async fn plan_mode(run: &Run, show: &mut Show) {
    let plan = run.surface(Tier::Read);
    let names: Vec<String> = plan.specs().into_iter().map(|spec| spec.name).collect();
    println(&format!("# Plan mode lists {}\n", names.join(", ")));
    let hidden = ("resolve", json!({"edit_id": "edit_1", "action": "accept"}));
    let _ = show
        .step(&plan, "… and answers a hidden name as one that never existed", hidden, &["unknown_tool"])
        .await;
}

async fn rewrite(surface: &Surface, show: &mut Show) {
    let rewrite = json!({"pattern": "dispose($X)", "rewrite": "$X.dispose()", "language": "dart"});
    let proposed = &["(proposed) 12 replacements in 4 files", "edit_1"];
    let staged =
        show.step(surface, "A rewrite is staged, not written", ("ast_edit", rewrite.clone()), proposed).await;
    let Some(first) = staged.ok().as_ref().and_then(edit_id) else { return };

    let touch = json!({"path": "lib/menu.dart", "old": "return 0", "new": "return 1"});
    let _ =
        show.step(surface, "Meanwhile one of the files changes", ("edit", touch), &["lib/menu.dart"]).await;
    let accept = |id: &str| ("resolve", json!({"edit_id": id, "action": "accept"}));
    let about = "Accepting it now changes nothing at all";
    let _ = show.step(surface, about, accept(&first), &["conflict", "lib/menu.dart"]).await;
    let discard = json!({"edit_id": first, "action": "discard"});
    let _ = show.step(surface, "It is discarded", ("resolve", discard), &["discarded"]).await;

    let again = show
        .step(
            surface,
            "Proposed again on what is there now",
            ("ast_edit", rewrite),
            &["12 replacements in 4 files"],
        )
        .await;
    let Some(second) = again.ok().as_ref().and_then(edit_id) else { return };
    let _ = show.step(surface, "… and accepted: all four files or none", accept(&second), &["4 files"]).await;
    let read = json!({"path": "lib/menu.dart"});
    let _ = show
        .step(
            surface,
            "The file after it",
            ("read", read),
            &["menu.dispose()", "dispose(icon) stays a string", "return 1"],
        )
        .await;
}

async fn host_tools(surface: &Surface, show: &mut Show) {
    let write = json!({"path": "notes.txt", "content": "one\ntwo\n"});
    let _ = show
        .step(surface, "The host's own tools go through the same door", ("write", write), &["notes.txt"])
        .await;
    let patch = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    let _ = show
        .step(surface, "A patch, all or nothing", ("apply_patch", json!({"patch": patch})), &["notes.txt"])
        .await;
    let shell = json!({"command": "cat notes.txt && exit 3"});
    let _ = show.step(surface, "A command, with its exit code", ("shell", shell), &["one\n2", "3"]).await;
}

fn edit_id(output: &Output) -> Option<String> {
    output.data.as_ref()?.get("edit_id").and_then(Value::as_str).map(str::to_owned)
}
