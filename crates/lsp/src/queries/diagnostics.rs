//! The errors and warnings of one file, as its servers have them now, and how far that can be believed.
//! It must never say "none" of what has not settled, and leaves nothing out because it was shown before.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tool::Output;
use workspace::Located;
use workspace::text::Position;

use super::Queries;
use crate::client::Client;
use crate::diagnostic::{Diagnostic, Severity};
use crate::documents::{ChangeKind, FileChange};
use crate::position::{Encoding, Lines};
use crate::render::{Page, clip, counted, cut, flat};
use crate::servers::Settle;
use crate::settle::{Occasion, Patience, Settlement};
use crate::supervisor::Purpose;
use crate::{Error, limits};

/// Diagnostics that are listed.
const MAX_LISTED: usize = 50;
/// Characters of one message.
const MAX_MESSAGE: usize = 400;

/// What one server has of the file.
#[derive(Debug)]
pub(crate) struct Reported {
    pub(crate) server: String,
    pub(crate) encoding: Encoding,
    pub(crate) freshness: Settlement,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Queries {
    pub(crate) async fn diagnostics(&self, file: &Located) -> Result<Output, Error> {
        let clients = self.servers.clients(&file.absolute, Purpose::Diagnostics).await?;
        if clients.is_empty() {
            return Err(self.not_offered(&file.absolute, "textDocument/publishDiagnostics", &[]));
        }
        let asked = clients.iter().map(|client| async move {
            let reported = self.reported(client, &file.absolute, limits::EXPLICIT).await;
            reported.unwrap_or_else(|error| Reported {
                server: client.server().id.clone(),
                encoding: client.encoding(),
                freshness: Settlement::Unknown { why: error.to_string() },
                diagnostics: Vec::new(),
            })
        });
        let reported = futures_util::future::join_all(asked).await;
        if let Some(on_write) = &self.on_write {
            let settled = clients.iter().zip(&reported).filter(|(_, it)| it.freshness == Settlement::Settled);
            settled.for_each(|(client, _)| on_write.shown(client, &file.absolute));
        }
        // The text that the first of them has: the same as the others', unless the file changes just now.
        let text = clients[0].sync(&file.absolute).await?.text;
        Ok(write(&file.relative, &text, &reported))
    }

    /// What a server has of a file as it is on disk, waited for so long after it has loaded.
    pub(super) async fn reported(
        &self,
        client: &Client,
        path: &Path,
        limit: Duration,
    ) -> Result<Reported, Error> {
        let before = client.mark();
        let document = client.sync(path).await?;
        client.ready(limits::READINESS).await;
        let mark = match client.server().settle {
            Settle::Flycheck => client.mark(),
            _ => self.marks.of(client, path, document.version, before),
        };
        // Compilers read the disk, and some are started only by a save.
        let change = FileChange { path: path.to_owned(), kind: ChangeKind::Changed };
        client.written(&[change], true).await;
        let patience = Patience { quick: limit, check: limit };
        let freshness = client.settle(&mark, &[path.to_owned()], patience, Occasion::Saved).await;
        Ok(Reported {
            server: client.server().id.clone(),
            encoding: client.encoding(),
            freshness,
            diagnostics: client.diagnostics(path),
        })
    }
}

/// One line of the answer.
struct Line<'a> {
    at: Position,
    diagnostic: &'a Diagnostic,
}

/// Errors before warnings, by position; two that say the same of the same place are one.
fn write(file: &str, text: &str, reported: &[Reported]) -> Output {
    let lines = Lines::new(text);
    let mut found: Vec<Line<'_>> = Vec::new();
    for server in reported {
        for diagnostic in server.diagnostics.iter().filter(|it| it.severity <= Severity::Warning) {
            let (line, character) = diagnostic.start;
            let start = lsp_types::Position::new(line, character);
            found.push(Line { at: lines.place(lines.offset(start, server.encoding)), diagnostic });
        }
    }
    let key = |it: &Line<'_>| (it.diagnostic.severity, it.at.line, it.at.column);
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.diagnostic.message.cmp(&b.diagnostic.message)));
    found.dedup_by(|a, b| key(a) == key(b) && a.diagnostic.message == b.diagnostic.message);
    let echoes: Vec<bool> = found
        .iter()
        .map(|one| found.iter().any(|other| one.diagnostic.is_echo_of(other.diagnostic)))
        .collect();
    let mut echoes = echoes.into_iter();
    found.retain(|_| !echoes.next().unwrap_or(false));
    let shown = found.len().min(MAX_LISTED);
    let mut page = Page::new(headline(file, &found, reported, shown));
    for line in &found[..shown] {
        page.line(said(file, line));
    }
    for server in reported {
        if let Settlement::Partial { waiting_for: why } | Settlement::Unknown { why } = &server.freshness {
            page.note(format!("{} has not settled: {why}", server.server));
        }
    }
    page.data("diagnostics", found[..shown].iter().map(|line| data(file, line)).collect::<Vec<_>>());
    let count = |severity| found.iter().filter(|line| line.diagnostic.severity == severity).count();
    page.data("errors", count(Severity::Error));
    page.data("warnings", count(Severity::Warning));
    page.data("total", found.len());
    page.data("state", state(reported));
    let servers =
        reported.iter().map(|it| json!({ "server": it.server, "freshness": freshness(&it.freshness) }));
    page.data("servers", servers.collect::<Vec<_>>());
    page.output()
}

fn headline(file: &str, found: &[Line<'_>], reported: &[Reported], shown: usize) -> String {
    let file = workspace::shown(file);
    let servers: Vec<&str> = reported.iter().map(|it| it.server.as_str()).collect();
    let servers = servers.join(", ");
    let errors = found.iter().filter(|line| line.diagnostic.severity == Severity::Error).count();
    let warnings = found.len() - errors;
    match (state(reported), found.is_empty()) {
        ("settled", true) => format!("no errors or warnings in `{file}` (settled: {servers})"),
        (state, true) => {
            format!("{state}: no errors or warnings of `{file}` so far, which may change: ask again")
        }
        (state, false) => {
            let counts =
                format!("{}, {} in `{file}`", counted(errors, "error"), counted(warnings, "warning"));
            format!("{counts} ({state}: {servers}){}", cut(shown, found.len()))
        }
    }
}

/// The worst of all servers: what one has not settled, all have not.
fn state(reported: &[Reported]) -> &'static str {
    let heard = reported.iter().any(|it| it.freshness == Settlement::Settled || !it.diagnostics.is_empty());
    match reported.iter().all(|it| it.freshness == Settlement::Settled) {
        true if !reported.is_empty() => "settled",
        _ if heard || reported.iter().any(|it| matches!(it.freshness, Settlement::Partial { .. })) => {
            "partial"
        }
        _ => "unknown",
    }
}

fn freshness(settlement: &Settlement) -> &'static str {
    match settlement {
        Settlement::Settled => "settled",
        Settlement::Partial { .. } => "partial",
        Settlement::Unknown { .. } => "unknown",
    }
}

/// `src/a.rs:3:5: error[E0425]: cannot find value (rustc)`.
fn said(file: &str, line: &Line<'_>) -> String {
    let Diagnostic { severity, code, source, message, server, .. } = line.diagnostic;
    let code = code.as_ref().map(|code| format!("[{}]", flat(code))).unwrap_or_default();
    let source = source.as_deref().unwrap_or(server);
    let message = clip(&flat(message), MAX_MESSAGE);
    let (file, Position { line, column }) = (workspace::shown(file), line.at);
    format!("{file}:{line}:{column}: {severity}{code}: {message} ({})", flat(source))
}

fn data(file: &str, line: &Line<'_>) -> serde_json::Value {
    let Diagnostic { severity, code, source, message, server, .. } = line.diagnostic;
    json!({
        "path": file, "line": line.at.line, "column": line.at.column, "severity": severity.to_string(),
        "code": code, "source": source, "message": message, "server": server,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::diagnostic::Stream;

    fn one(start: (u32, u32), severity: Severity, message: &str) -> Diagnostic {
        Diagnostic {
            start,
            end: start,
            severity,
            code: Some("E1".to_owned()),
            source: None,
            message: message.to_owned(),
            server: "a".to_owned(),
            stream: Stream::Push,
            version: None,
        }
    }

    fn reported(server: &str, freshness: Settlement, diagnostics: Vec<Diagnostic>) -> Reported {
        Reported { server: server.to_owned(), encoding: Encoding::Utf16, freshness, diagnostics }
    }

    #[test]
    fn errors_come_first_and_each_once() {
        let list = vec![
            one((0, 0), Severity::Warning, "unused"),
            one((1, 3), Severity::Error, "not\nfound"),
            one((1, 3), Severity::Error, "not\nfound"),
            one((0, 0), Severity::Hint, "hint"),
        ];
        let output = write("a.rs", "a\n\u{1f600} b\n", &[reported("a", Settlement::Settled, list)]);
        expect![[r"
            1 error, 1 warning in `a.rs` (settled: a)
            a.rs:2:3: error[E1]: not found (a)
            a.rs:1:1: warning[E1]: unused (a)"]]
        .assert_eq(&output.to_text());
    }

    #[test]
    fn what_a_server_finds_itself_and_passes_on_is_one() {
        let from = |source: &str, message: &str| Diagnostic {
            source: Some(source.to_owned()),
            ..one((0, 0), Severity::Error, message)
        };
        let list =
            vec![from("a", "expected x, found y"), from("rustc", "mismatched types"), from("rustc", "more")];
        expect![[r"
            2 errors, 0 warnings in `a.rs` (settled: a)
            a.rs:1:1: error[E1]: mismatched types (rustc)
            a.rs:1:1: error[E1]: more (rustc)"]]
        .assert_eq(&write("a.rs", "a", &[reported("a", Settlement::Settled, list)]).to_text());
    }

    #[test]
    fn none_is_said_only_when_all_have_settled() {
        let text = |reported: &[Reported]| write("a.rs", "", reported).to_text();
        let settled = || reported("a", Settlement::Settled, Vec::new());
        assert_eq!(text(&[settled()]), "no errors or warnings in `a.rs` (settled: a)");
        let running = Settlement::Partial { waiting_for: "cargo check is running".to_owned() };
        expect![[r"
            partial: no errors or warnings of `a.rs` so far, which may change: ask again
            note: b has not settled: cargo check is running"]]
        .assert_eq(&text(&[settled(), reported("b", running, Vec::new())]));
        let silent = Settlement::Unknown { why: "no answer in 10 s".to_owned() };
        expect![[r"
            unknown: no errors or warnings of `a.rs` so far, which may change: ask again
            note: b has not settled: no answer in 10 s"]]
        .assert_eq(&text(&[reported("b", silent, Vec::new())]));
    }
}
