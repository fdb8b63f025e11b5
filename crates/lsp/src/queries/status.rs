//! The servers of a run as a list: which run, which could, and what the others lack; and their restart.
//! It must never start one to find out.

use serde_json::{Value, json};
use tool::Output;
use workspace::{Located, Workspace};

use super::Queries;
use crate::Error;
use crate::render::{Page, counted, named};
use crate::supervisor::Status;

impl Queries {
    pub(crate) async fn status(&self) -> Output {
        write(&self.workspace, &self.servers.statuses().await, self.servers.notes())
    }

    pub(crate) async fn reload(&self, file: Option<&Located>) -> Result<Output, Error> {
        let stopped = self.servers.reload(file.map(|file| file.absolute.as_path())).await;
        let stopped: Vec<String> = stopped.into_iter().map(|it| it.server).collect();
        let text = match stopped.as_slice() {
            [] => "no server was running; earlier failures are forgotten".to_owned(),
            stopped => {
                format!(
                    "stopped {}; the next question starts what it needs, failures are forgotten",
                    named(stopped)
                )
            }
        };
        Ok(Output::text(text).with_data(json!({ "stopped": stopped })))
    }
}

/// Those that run first, then those that could, then the rest.
fn write(workspace: &Workspace, statuses: &[Status], notes: &[String]) -> Output {
    let running = statuses.iter().filter(|it| it.running.is_some()).count();
    let usable = statuses.iter().filter(|it| it.running.is_none() && it.missing.is_none()).count();
    let mut page = Page::new(format!(
        "{} running, {usable} more could be started, {} could not",
        counted(running, "server"),
        statuses.len() - running - usable
    ));
    let mut ordered: Vec<&Status> = statuses.iter().collect();
    ordered.sort_by_key(|it| (it.running.is_none(), it.missing.is_some(), !it.concerned));
    let mut data = Vec::new();
    for status in ordered {
        let root = workspace.relative(&status.root).unwrap_or_else(|| status.root.display().to_string());
        if status.concerned {
            page.line(line(status, &root));
        }
        data.push(entry(status, &root));
    }
    let others: Vec<&str> = statuses.iter().filter(|it| !it.concerned).map(|it| it.server.as_str()).collect();
    if !others.is_empty() {
        page.line(format!("no files here for {}: {}", counted(others.len(), "other"), others.join(", ")));
    }
    page.data("servers", data);
    for note in notes {
        page.note(note.as_str());
    }
    page.output()
}

fn line(status: &Status, root: &str) -> String {
    let root = workspace::shown(root);
    let mut line = format!("{}: {}", status.server, status.state);
    if let Some(running) = status.running {
        let memory = running.memory.map(|bytes| format!(", {} MiB", bytes >> 20)).unwrap_or_default();
        let documents = counted(running.open_documents, "open document");
        line.push_str(&format!("; root `{root}`, pid {}{memory}, {documents}", running.pid));
    }
    if let Some(missing) = &status.missing {
        line.push_str(&format!("; {missing}"));
    }
    line
}

fn entry(status: &Status, root: &str) -> Value {
    let running = status
        .running
        .map(|it| json!({ "pid": it.pid, "memory": it.memory, "open_documents": it.open_documents }));
    json!({
        "server": status.server, "state": status.state, "root": root, "process": running,
        "missing": status.missing,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use test_support::Fixture;

    use super::*;
    use crate::supervisor::Running;

    #[test]
    fn what_runs_comes_first_and_what_is_missing_is_said() {
        let fixture = Fixture::new("//- /web/a.ts\n");
        let status = |server: &str, state: &str, running, missing: Option<&str>| Status {
            server: server.to_owned(),
            root: fixture.path("web"),
            state: state.to_owned(),
            running,
            missing: missing.map(str::to_owned),
            concerned: server != "zls",
        };
        let running = Running { pid: 7, memory: Some(120 << 20), open_documents: 1 };
        let statuses = [
            status("gopls", "not detected", None, Some("no `go.mod` from here up to the workspace's root")),
            status("vtsls", "not started", None, None),
            status("tsc", "ready", Some(running), None),
            status("zls", "no files of its languages here", None, Some("no `build.zig`")),
        ];
        let notes = ["in `a`: b".to_owned()];
        let output = write(&Workspace::open(fixture.root()).unwrap(), &statuses, &notes);
        expect![[r"
            1 server running, 1 more could be started, 2 could not
            tsc: ready; root `web`, pid 7, 120 MiB, 1 open document
            vtsls: not started
            gopls: not detected; no `go.mod` from here up to the workspace's root
            no files here for 1 other: zls
            note: in `a`: b"]]
        .assert_eq(&output.to_text());
    }
}
