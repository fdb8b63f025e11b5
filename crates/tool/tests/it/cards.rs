//! That no argument and no preview can pass for another line of an approval card, or steer the terminal it is shown on.

use outrigger_tool::{About, Call, Card, Error, Output, ReadContext, TypedTool, tool};
use serde_json::{Value, json};

/// A tool whose preview is its argument.
struct Runs;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {
    /// What to run.
    command: String,
}

impl TypedTool for Runs {
    type Args = Args;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("run", "Runs.").preview(|args: &Args| format!("runs `{}`", args.command))
    }

    async fn call(&self, _: Args, _: ReadContext) -> Result<Output, Error> {
        Ok(Output::text("ran"))
    }
}

fn card(arguments: Value) -> Card {
    Card::new(tool(Runs).spec(), &Call::new("run", arguments))
}

#[test]
fn a_value_cannot_pass_for_another_argument() {
    let card = card(json!({"command": "rm -r /\ncommand: ls\r\u{1b}[2K\u{202e}x", "a\nb: c": "\td"}));
    assert_eq!(
        card.arguments, "command: rm -r /\n    command: ls\\r\\u{1b}[2K\\u{202e}x\na\\nb: c: \td",
        "only the arguments stand at the margin"
    );
    let card = self::card(json!({"command": "a\ncommand: b\u{9b}31m"}));
    assert_eq!(card.preview.unwrap(), "runs `a\n    command: b\\u{9b}31m`");
}

#[test]
fn what_is_cut_is_counted() {
    let card = card(json!({"command": "é".repeat(203), "n".repeat(70): 1}));
    let named =
        format!("command: {}… (+3 characters)\n{}… (+6 characters): 1", "é".repeat(200), "n".repeat(64));
    assert_eq!(card.arguments, named);
    let many: serde_json::Map<String, Value> = (0..66).map(|n| (format!("a{n}"), json!(n))).collect();
    let card = self::card(Value::Object(many));
    assert!(card.arguments.ends_with("a63: 63\n… (+2 arguments)"), "{}", card.arguments);
    let card = self::card(json!({"command": "x".repeat(100_000)}));
    assert!(card.preview.unwrap().ends_with("x… (+7 characters)"));
    assert_eq!(self::card(json!(["a\nb"])).arguments, r#"["a\nb"]"#);
}
