//! `outrigger doctor`: what is usable here, and for what is not, which half is missing. It starts nothing and
//! changes nothing.

use std::process::ExitCode;

use anyhow::Result;
use outrigger::lsp::{Lsp, Supervisor};
use outrigger::tool::{self, Registry};
use outrigger::workspace::Workspace;
use outrigger::{Error, Tier};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::census::census;
use crate::printing::print;

#[derive(Debug, Serialize)]
struct Report {
    workspace: String,
    state_folder: Option<String>,
    /// What is wrong with it, and what helps.
    state_problem: Option<Error>,
    /// As `lsp` with the action `status` tells it.
    language_servers: LanguageServers,
    grammars: Vec<Grammar>,
    skipped: String,
}

#[derive(Debug, Serialize)]
struct LanguageServers {
    #[serde(skip)]
    text: String,
    servers: Value,
}

#[derive(Debug, Serialize)]
struct Grammar {
    language: &'static str,
    files: usize,
}

/// Prints the report.
pub(crate) async fn run(args: &DoctorArgs) -> Result<ExitCode> {
    let workspace = Workspace::open(&args.workspace)?;
    let report = report(&workspace, language_servers(&workspace).await?)?;
    print(&if args.json { serde_json::to_string_pretty(&report)? } else { text(&report) })?;
    Ok(ExitCode::SUCCESS)
}

/// Asked of the tool itself, which starts none to find out; a whole run would open its state folder.
#[expect(clippy::disallowed_methods, reason = "servers are looked for where a run would start them from")]
async fn language_servers(workspace: &Workspace) -> Result<LanguageServers> {
    let servers = outrigger::LanguageServers::default().environment(std::env::vars_os());
    let registry = Registry::builder().build();
    let lsp = tool::tool(Lsp::new(Supervisor::new(workspace.clone(), servers)));
    registry.attach("language_servers", vec![lsp])?;
    let status = registry.surface(Tier::Read).call("lsp", json!({"action": "status"})).await;
    Ok(match status {
        Ok(output) => LanguageServers {
            text: output.to_text(),
            servers: output.data.map(|mut data| data["servers"].take()).unwrap_or_default(),
        },
        Err(error) => LanguageServers { text: error.to_string(), servers: Value::Null },
    })
}

fn report(workspace: &Workspace, language_servers: LanguageServers) -> Result<Report> {
    let walk = workspace.walk(&workspace.scope(None)?, &|_| true, &|| false)?;
    let files = census(&walk);
    Ok(Report {
        workspace: workspace.root().display().to_string(),
        state_folder: outrigger::state_folder(workspace.root()).map(|folder| folder.display().to_string()),
        state_problem: outrigger::check_state_folder(workspace.root()).err(),
        language_servers,
        grammars: files.into_iter().map(|(language, files)| Grammar { language, files }).collect(),
        skipped: walk.skipped.to_string(),
    })
}

fn text(report: &Report) -> String {
    let mut text = format!("workspace     {}\n", report.workspace);
    let state = report.state_folder.as_deref().unwrap_or("none");
    match &report.state_problem {
        None => text.push_str(&format!("state folder  {state} (usable)\n\n")),
        Some(problem) => text.push_str(&format!("state folder  {state}\nNOT USABLE    {problem}\n\n")),
    }
    text.push_str(&format!("{}\n\n", report.language_servers.text));
    for grammar in &report.grammars {
        let files = match grammar.files {
            0 => "usable, no files here".to_owned(),
            1 => "usable, 1 file".to_owned(),
            count => format!("usable, {count} files"),
        };
        text.push_str(&format!("grammar {:<12} {files}\n", grammar.language));
    }
    if !report.skipped.is_empty() {
        text.push_str(&format!("\nnot searched: {}\n", report.skipped));
    }
    text
}
