//! Every exported schema is valid JSON Schema, and an independent validator accepts through it exactly what a call
//! accepts.

use std::sync::LazyLock;

use jsonschema::Validator;
use outrigger_tool::{
    About, Error, ErrorKind, Output, ReadContext, Registry, Spec, Tier, TypedTool, export, tool,
};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Every feature that a canonical schema may have.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "decoded, and never read")]
pub(super) struct Everything {
    /// Which way.
    mode: Mode,
    plain: Option<Plain>,
    /// Any text.
    name: String,
    note: Option<String>,
    #[schemars(length(min = 1, max = 5))]
    short: Option<String>,
    count: u32,
    signed: Option<i32>,
    big: Option<u64>,
    wide: Option<i64>,
    size: Option<usize>,
    small: u8,
    ratio: f64,
    flag: bool,
    /// The most results.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
    #[serde(default)]
    quiet: bool,
    nested: Nested,
    many: Option<Vec<Nested>>,
    words: Vec<String>,
    pair: Option<[u8; 2]>,
    /// One or several.
    either: Option<OneOrMany>,
    /// What to draw.
    shape: Option<Shape>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// At once.
    Fast,
    /// With care.
    VeryGood,
    Undocumented,
}

#[derive(Deserialize, JsonSchema)]
enum Plain {
    A,
    B,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "decoded, and never read")]
struct Nested {
    label: String,
    depth: Option<i16>,
    tags: Option<Vec<String>>,
    mode: Option<Mode>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "decoded, and never read")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "decoded, and never read")]
enum Shape {
    Circle { radius: f64 },
    Square { side: u32, label: Option<String> },
}

fn fifty() -> u32 {
    50
}

struct Taker;

impl TypedTool for Taker {
    type Args = Everything;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("take", "Takes everything.")
    }

    async fn call(&self, _: Everything, _: ReadContext) -> Result<Output, Error> {
        Ok(Output::text("taken"))
    }
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let registry = Registry::builder().build();
    registry.attach("bench", vec![tool(Taker)]).expect("everything can be described");
    registry
});

pub(super) fn specs() -> Vec<Spec> {
    REGISTRY.surface(Tier::Read).specs()
}

/// Whether a call takes these arguments; any failure but `BadArguments` is a defect.
fn takes(arguments: &Value) -> bool {
    let call = async { REGISTRY.surface(Tier::Read).call("take", arguments.clone()).await };
    match tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(call) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::BadArguments, "{error}");
            assert!(!error.message.contains("line ") && error.message.starts_with("`take`: "), "{error}");
            false
        }
    }
}

static ANTHROPIC: LazyLock<Value> = LazyLock::new(|| export::anthropic(&specs())[0]["input_schema"].clone());
static MCP: LazyLock<Value> = LazyLock::new(|| export::mcp(&specs())[0]["inputSchema"].clone());
static OPENAI: LazyLock<Value> =
    LazyLock::new(|| export::openai(&specs())[0]["function"]["parameters"].clone());
static GEMINI: LazyLock<Value> =
    LazyLock::new(|| export::gemini(&specs())["functionDeclarations"][0]["parameters"].clone());

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("a valid schema")
}

static ANTHROPIC_VALIDATOR: LazyLock<Validator> = LazyLock::new(|| validator(&ANTHROPIC));
static OPENAI_VALIDATOR: LazyLock<Validator> = LazyLock::new(|| validator(&OPENAI));
static GEMINI_VALIDATOR: LazyLock<Validator> = LazyLock::new(|| validator(&GEMINI));

#[test]
fn every_exported_schema_is_valid_by_the_meta_schema() {
    for schema in [&*ANTHROPIC, &*MCP, &*OPENAI, &*GEMINI] {
        jsonschema::draft202012::meta::validate(schema).expect("valid");
    }
    assert_eq!(*ANTHROPIC, *MCP);
    assert!(!jsonschema::draft202012::meta::is_valid(&json!({"type": "text"})), "the judge can say no");
}

/// Numbers to choose by; a shorter tape means plainer arguments, so that failures shrink.
struct Tape<'a> {
    numbers: std::slice::Iter<'a, u16>,
    /// One node in so many is replaced by something odd; 0 for never.
    odd: usize,
    unknown_fields: bool,
}

impl Tape<'_> {
    fn next(&mut self, below: usize) -> usize {
        usize::from(*self.numbers.next().unwrap_or(&0)) % below
    }

    /// Arguments for `schema`, more or less.
    fn value(&mut self, schema: &Value) -> Value {
        if self.odd > 0 && self.next(self.odd) == 1 {
            return self.odd_value();
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let branch = self.next(branches.len());
            return self.value(&branches[branch]);
        }
        if let Some(allowed) = schema["enum"].as_array() {
            return allowed[self.next(allowed.len())].clone();
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema),
            Some("array") => {
                let least =
                    schema["minItems"].as_u64().map_or(0, |least| usize::try_from(least).unwrap_or(0));
                let count = least + self.next(3) * usize::from(least == 0);
                (0..count).map(|_| self.value(&schema["items"])).collect()
            }
            Some("string") => ["a", "€uro", "fast"][self.next(3)].into(),
            Some("boolean") => (self.next(2) == 1).into(),
            Some("number") => [json!(0.5), json!(-3), json!(1e20)][self.next(3)].clone(),
            Some("integer") => [json!(1), json!(7.0), json!(100)][self.next(3)].clone(),
            other => panic!("no feature we emit: {other:?}"),
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object().expect("an object has properties") {
            let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
            let left_out =
                if required { self.odd > 0 && self.next(self.odd * 2) == 1 } else { self.next(2) == 0 };
            if !left_out {
                members.insert(name.clone(), self.value(member));
            }
        }
        if self.unknown_fields && self.odd > 0 && self.next(self.odd) == 1 {
            members.insert("unheard_of".to_owned(), json!(1));
        }
        members.into()
    }

    fn odd_value(&mut self) -> Value {
        let odd = [
            json!(true),
            json!(-1),
            json!(0),
            json!(1.5),
            json!(-0.0),
            json!(256),
            json!(501),
            json!(-2_147_483_649_i64),
            json!(4_294_967_296_u64),
            json!(9_007_199_254_740_991_u64),
            json!(9_007_199_254_740_992_u64),
            json!(18_446_744_073_709_551_615_u64),
            json!(1e20),
            json!(""),
            json!("Fast"),
            json!("too long"),
            json!([]),
            json!(["x", "y"]),
            json!([1, 2, 3]),
            json!({}),
            json!({"kind": "circle", "radius": 1, "side": 2}),
        ];
        odd[self.next(odd.len())].clone()
    }
}

/// The same arguments as a model in strict mode has to send them: `null` for everything that was left out.
fn filled(schema: &Value, value: &Value) -> Value {
    if let Some(branches) = schema["anyOf"].as_array() {
        let fits = |branch: &&Value| match value {
            Value::Object(_) if !value["kind"].is_null() => branch["properties"]["kind"]["enum"]
                .as_array()
                .is_some_and(|tags| tags.contains(&value["kind"])),
            _ => false,
        };
        return branches.iter().find(fits).map_or_else(|| value.clone(), |branch| filled(branch, value));
    }
    match value {
        Value::Array(items) => items.iter().map(|item| filled(&schema["items"], item)).collect(),
        Value::Object(members) => {
            let mut all = Map::new();
            for (name, member) in members {
                all.insert(name.clone(), filled(&schema["properties"][name], member));
            }
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                let nullable = member["type"].as_array().is_some_and(|types| types.contains(&json!("null")))
                    || member["anyOf"].as_array().is_some_and(|all| all.contains(&json!({"type": "null"})));
                if nullable && !all.contains_key(name) {
                    all.insert(name.clone(), Value::Null);
                }
            }
            all.into()
        }
        other => other.clone(),
    }
}

fn tape() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(any::<u16>(), 0..160)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn what_fits_the_schema_is_taken(numbers in tape()) {
        let arguments = Tape { numbers: numbers.iter(), odd: 0, unknown_fields: false }.value(&ANTHROPIC);
        // `short` is the one text with a length; the rest fits by how it was made.
        prop_assert!(takes(&arguments) == ANTHROPIC_VALIDATOR.is_valid(&arguments), "{arguments}");
        let strict = filled(&OPENAI, &arguments);
        prop_assert_eq!(takes(&strict), OPENAI_VALIDATOR.is_valid(&strict), "{}", strict);
        prop_assert!(takes(&arguments), "{arguments}");
    }

    #[test]
    fn the_validator_and_a_call_agree_on_odd_arguments(numbers in tape(), odd in 8_usize..60) {
        let mut arguments = Tape { numbers: numbers.iter(), odd, unknown_fields: true }.value(&ANTHROPIC);
        prop_assume!(arguments.is_object());
        prop_assert_eq!(takes(&arguments), ANTHROPIC_VALIDATOR.is_valid(&arguments), "{}", arguments);
        // Strict mode has no lengths of text: they stand in the description.
        if arguments["short"].is_string() {
            arguments["short"] = json!("fits");
        }
        let strict = filled(&OPENAI, &arguments);
        prop_assert_eq!(takes(&strict), OPENAI_VALIDATOR.is_valid(&strict), "strict: {}", strict);
        prop_assert_eq!(takes(&strict), takes(&arguments), "null equals absent: {}", strict);
    }

    #[test]
    fn gemini_agrees_where_every_field_is_known(numbers in tape(), odd in 8_usize..60) {
        let mut arguments = Tape { numbers: numbers.iter(), odd, unknown_fields: false }.value(&ANTHROPIC);
        // The format has no closed objects, so the one odd value with a field too many says nothing about it.
        if arguments["shape"]["kind"] == "circle" && !arguments["shape"]["side"].is_null() {
            arguments["shape"] = json!(3);
        }
        let known = |value: &Value| !value.to_string().contains("\"side\":2}");
        prop_assume!(known(&arguments));
        prop_assert_eq!(takes(&arguments), GEMINI_VALIDATOR.is_valid(&arguments), "{}", arguments);
    }
}

#[test]
fn both_answers_occur_among_the_odd_arguments() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..400_u32 {
        let numbers: Vec<u16> = (1..160_u32)
            .map(|n| seed.wrapping_mul(2_654_435_761).wrapping_mul(n).to_be_bytes())
            .map(|[a, b, ..]| u16::from_be_bytes([a, b]))
            .collect();
        let arguments = Tape { numbers: numbers.iter(), odd: 40, unknown_fields: true }.value(&ANTHROPIC);
        if takes(&arguments) { yes += 1 } else { no += 1 }
    }
    assert!(yes > 40 && no > 40, "{yes} taken, {no} refused");
}

#[test]
fn what_a_format_has_no_keyword_for_is_said_in_the_description() {
    let strict = &OPENAI["properties"];
    assert_eq!(strict["limit"]["description"], "The most results.\nDefault: 50.");
    assert_eq!(strict["quiet"]["description"], "Default: false.");
    assert_eq!(strict["short"]["description"], "At least 1 characters. At most 5 characters.");
    assert_eq!(strict["limit"]["type"], json!(["integer", "null"]));
    assert_eq!(GEMINI["properties"]["limit"]["description"], "The most results.\nDefault: 50.");
    assert_eq!(GEMINI["properties"]["either"]["anyOf"][0]["description"], "One or several.");
    assert_eq!(ANTHROPIC["properties"]["limit"]["default"], 50);
    assert_eq!(
        ANTHROPIC["properties"]["mode"],
        json!({
            "type": "string", "enum": ["undocumented", "fast", "very_good"],
            "description": "Which way.\n`fast`: At once.\n`very_good`: With care.",
        })
    );
}
