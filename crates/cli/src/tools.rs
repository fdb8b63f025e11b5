//! `outrigger tools`: the schemas, as text or in a provider's format. It opens no workspace of the user's.

use std::process::ExitCode;

use anyhow::Result;
use outrigger::tool::{Spec, export};

use crate::args::{Format, ToolsArgs};
use crate::printing::print;
use crate::setup;

/// Prints the tools up to a tier.
pub(crate) fn run(args: &ToolsArgs) -> Result<ExitCode> {
    let nowhere = tempfile::tempdir()?;
    let run = setup::builder(nowhere.path())?.state_folder(nowhere.path().join("state")).build()?;
    let specs = run.surface(args.tier).specs();
    let json = match args.format {
        Format::Text => {
            print(&text(&specs))?;
            return Ok(ExitCode::SUCCESS);
        }
        Format::Anthropic => export::anthropic(&specs),
        Format::Openai => export::openai(&specs),
        Format::Gemini => export::gemini(&specs),
        Format::Mcp => export::mcp(&specs),
    };
    print(&serde_json::to_string_pretty(&json)?)?;
    Ok(ExitCode::SUCCESS)
}

/// A paragraph a tool: name, tier, description, and a line an argument.
fn text(specs: &[Spec]) -> String {
    let mut text = String::new();
    for spec in specs {
        text.push_str(&format!(
            "{} ({})\n  {}\n",
            spec.name,
            spec.tier,
            spec.description.replace('\n', "\n  ")
        ));
        for (name, schema) in spec.input_schema["properties"].as_object().into_iter().flatten() {
            let mark = if spec.requires(name) { "" } else { "?" };
            let about = schema["description"].as_str().unwrap_or_default().replace('\n', "\n      ");
            text.push_str(&format!("    {name}{mark}: {about}\n"));
        }
        text.push('\n');
    }
    text
}
