//! `outrigger call`: one call, typed by a person who is its approver. Exit code 0 for an answer, 1 for a tool's
//! error, 2 for a call that could not be made.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use outrigger::tool::{Cancellation, Part, Request, Spec};
use outrigger::{Output, Tier};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::args::CallArgs;
use crate::printing::{complain, print};
use crate::progress::ProgressLine;
use crate::setup;
use crate::terminal::TerminalApprover;

/// The exit code of a second interrupt, for a call that does not end at the first: what a shell gives SIGINT.
const INTERRUPTED: u8 = 130;

/// Makes the call and prints its answer.
pub(crate) async fn run(args: CallArgs) -> Result<ExitCode> {
    let builder = setup::once(&args.workspace)?.keep_staged_edits();
    let run = setup::approving(builder, args.approve, TerminalApprover).build()?;
    let mut surface = run.surface(Tier::Exec);
    if let Some(conversation) = args.conversation {
        surface = surface.conversation(conversation);
    }
    let specs = surface.specs();
    let spec = specs.iter().find(|spec| spec.name == args.tool);
    let arguments = arguments(spec, &args.arguments)?;
    let cancellation = Cancellation::new();
    let line = ProgressLine::default();
    let request =
        Request::new(args.tool.as_str(), arguments).cancellation(cancellation.clone()).progress(line.sink());
    let call = surface.request(request);
    let mut call = std::pin::pin!(call);
    let answer = tokio::select! {
        answer = &mut call => answer,
        _ = tokio::signal::ctrl_c() => {
            cancellation.cancel();
            tokio::select! {
                answer = &mut call => answer,
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::from(INTERRUPTED)),
            }
        }
    };
    drop(line);
    let failed = answer.is_err();
    let shown = show(answer, args.json);
    run.close().await;
    if let Err(error) = &shown {
        complain(&format!("outrigger: the call was made, and its answer cannot be written: {error:#}"));
    }
    Ok(if failed || shown.is_err() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The arguments as typed: one JSON object, `-` for one on standard input, or pairs.
fn arguments(spec: Option<&Spec>, typed: &[String]) -> Result<Value> {
    if let [only] = typed {
        if only == "-" {
            return object(
                &std::io::read_to_string(std::io::stdin()).context("standard input cannot be read")?,
            );
        }
        if only.trim_start().starts_with('{') {
            return object(only);
        }
    }
    let mut members = Map::new();
    for pair in typed {
        if pair.trim_start().starts_with('{') {
            bail!("a JSON object stands alone: put `{pair}` and the other arguments into one");
        }
        let Some((key, value)) = pair.split_once('=') else {
            bail!("`{pair}` is neither `key=value` nor one JSON object");
        };
        if members.insert(key.to_owned(), typed_value(spec, key, value)).is_some() {
            bail!("`{key}` is given twice");
        }
    }
    Ok(Value::Object(members))
}

fn object(json: &str) -> Result<Value> {
    serde_json::from_str(json).context("the arguments are not JSON")
}

/// Text where the schema takes text, else JSON, else text: the tool itself says what it expected.
fn typed_value(spec: Option<&Spec>, key: &str, value: &str) -> Value {
    let kind = spec.map(|spec| &spec.input_schema["properties"][key]["type"]);
    if kind.is_some_and(|kind| kind == "string") {
        return Value::from(value);
    }
    serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))
}

/// Prints an answer to standard output and an error to standard error, or either as JSON.
fn show(answer: Result<Output, outrigger::Error>, json: bool) -> Result<()> {
    if json {
        return Ok(print(&serde_json::to_string(&Answer::from(answer))?)?);
    }
    match answer {
        Ok(output) => Ok(print(&text(output))?),
        Err(error) => {
            complain(&error.to_string());
            Ok(())
        }
    }
}

/// The parts of an answer as a terminal can show them, one a line.
fn text(output: Output) -> String {
    let part = |part| match part {
        Part::Text { text } => text,
        Part::Image { mime_type, data } => format!("[{mime_type}, {} bytes in base64]", data.len()),
        _ => "[a part this command cannot print; use --json]".to_owned(),
    };
    output.content.into_iter().map(part).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &[&str]) -> Result<Value> {
        arguments(None, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_one_object_or_pairs() {
        assert_eq!(typed(&[r#"{"a": 1}"#]).unwrap(), serde_json::json!({"a": 1}));
        assert_eq!(
            typed(&["a=1", "b=x=y", "c=[1]"]).unwrap(),
            serde_json::json!({"a": 1, "b": "x=y", "c": [1]})
        );
        assert_eq!(typed(&[]).unwrap(), serde_json::json!({}));
        assert!(typed(&["a"]).unwrap_err().to_string().contains("neither `key=value`"));
        assert!(typed(&["a=1", "a=2"]).unwrap_err().to_string().contains("given twice"));
        assert!(typed(&["{a"]).unwrap_err().to_string().contains("not JSON"));
    }
}
