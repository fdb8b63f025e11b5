//! The language servers' part of the tour, with whichever server of Python is installed; without one it is skipped, and
//! said what to install.

use outrigger::Surface;
use serde_json::{Value, json};

use super::show::Show;

/// Servers of Python that navigate, and rename.
const SERVERS: [&str; 4] = ["pyright", "basedpyright", "ty", "pyrefly"];

pub(super) async fn tour(surface: &Surface, show: &mut Show) {
    let about = "Which language servers run here, which could, and what the others lack";
    let status = show.step(surface, about, ("lsp", json!({"action": "status"})), &["could be started"]).await;
    let usable = status.ok().and_then(|output| output.data).is_some_and(|data| has_server(&data));
    if !usable {
        let why = "no language server of Python is installed, such as `pip install ty`";
        show.skip("lsp_rename", why);
        show.skip("lsp_rename_file", why);
        return;
    }
    ask(surface, show).await;
    write(surface, show).await;
    rename(surface, show).await;
}

fn has_server(data: &Value) -> bool {
    let servers = data["servers"].as_array().into_iter().flatten();
    servers
        .filter(|row| row["missing"].is_null())
        .any(|row| row["server"].as_str().is_some_and(|id| SERVERS.contains(&id)))
}

async fn ask(surface: &Surface, show: &mut Show) {
    let place = |action: &str| json!({"action": action, "file": "app.py", "line": 3, "symbol": "shout"});
    let about = "Where a name is defined: a line and the name on it, never a column";
    let _ = show.step(surface, about, ("lsp", place("definition")), &["voice.py:1:5"]).await;
    let about = "Every use of it, and neither the comment nor the string";
    let _ = show.step(surface, about, ("lsp", place("references")), &["app.py:3:7"]).await;
    let guess = json!({"action": "definition", "file": "app.py", "line": 3});
    let about = "Without the symbol it is asked for, not guessed";
    let _ = show.step(surface, about, ("lsp", guess), &["bad_arguments", "`symbol`"]).await;
}

async fn write(surface: &Surface, show: &mut Show) {
    let broken = json!({"path": "app.py", "old": "shout(\"hello\")", "new": "shout(missing)"});
    let about = "A write is told what it broke, and only that";
    let _ = show.step(surface, about, ("edit", broken), &["New diagnostics", "missing"]).await;
    let mended = json!({"path": "app.py", "old": "shout(missing)", "new": "shout(\"hello\")"});
    let _ = show.step(surface, "… and when it is mended", ("edit", mended), &["No new diagnostics"]).await;
}

async fn rename(surface: &Surface, show: &mut Show) {
    let arguments = json!({"file": "voice.py", "line": 1, "symbol": "shout", "new_name": "cry"});
    let about = "A rename in every file or in none; comments are left alone, and listed";
    let expected = &["3 occurrences in 2 files", "left alone"];
    let _ = show.step(surface, about, ("lsp_rename", arguments), expected).await;
    let about = "A file moves with the imports that name it, where the server can follow them";
    let arguments = json!({"file": "voice.py", "new_path": "throat.py"});
    let moved = show.step(surface, about, ("lsp_rename_file", arguments), &["throat.py"]).await;
    if let Err(error) = moved
        && error.kind == outrigger::ErrorKind::Unavailable
    {
        show.forgive("lsp_rename_file", "the server here follows no imports, and says so");
    }
}
