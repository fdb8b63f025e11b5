//! The written rules of each format, as checkers. Every rule has a definition that breaks it and nothing else, so that
//! a checker that sees nothing is found out.

use outrigger_tool::{
    About, Context, Error, ExecContext, Output, ReadContext, Registry, Spec, Tier, TypedTool, WriteContext,
    export, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The rules that a definition breaks.
type Faults = Vec<&'static str>;

type Checker = fn(&Value) -> Faults;

fn note(faults: &mut Faults, broken: bool, rule: &'static str) {
    if broken && !faults.contains(&rule) {
        faults.push(rule);
    }
}

/// Visits every schema with its depth: objects and lists count, the root is 1.
fn visit(schema: &Value, depth: usize, each: &mut impl FnMut(&Value, usize)) {
    each(schema, depth);
    for member in schema["properties"].as_object().into_iter().flatten().map(|(_, member)| member) {
        visit(member, depth + 1, each);
    }
    if let Some(items) = schema.get("items") {
        visit(items, depth + 1, each);
    }
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        visit(branch, depth, each);
    }
}

fn is(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"].as_array().is_some_and(|types| types.contains(&json!(kind)))
}

fn well_named(name: &Value, most: usize, more: &str) -> bool {
    name.as_str().is_some_and(|name| {
        (1..=most).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || more.contains(c))
    })
}

fn keywords_within(schema: &Value, known: &[&str]) -> bool {
    schema.as_object().is_some_and(|object| object.keys().all(|keyword| known.contains(&keyword.as_str())))
}

/// Structured outputs, "Supported schemas", and the limits of a function definition.
fn openai_faults(definition: &Value) -> Faults {
    const KNOWN: [&str; 11] = [
        "type",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "additionalProperties",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    ];
    let mut faults = Faults::new();
    let function = &definition["function"];
    let root = &function["parameters"];
    note(&mut faults, definition["type"] != "function", "type is function");
    note(&mut faults, function["strict"] != true, "strict is true");
    note(&mut faults, !well_named(&function["name"], 64, "-"), "name");
    let description = function["description"].as_str().map_or(usize::MAX, |text| text.chars().count());
    note(&mut faults, !(1..=1024).contains(&description), "description of 1 to 1024 characters");
    note(&mut faults, root["type"] != "object", "root is an object");
    note(&mut faults, root.get("anyOf").is_some(), "root is no anyOf");
    let (mut properties, mut values, mut text) = (0, 0, 0);
    visit(root, 1, &mut |schema, depth| {
        let members = schema["properties"].as_object();
        let names: Vec<&String> = members.into_iter().flatten().map(|(name, _)| name).collect();
        properties += names.len();
        text += names.iter().map(|name| name.len()).sum::<usize>();
        for value in schema["enum"].as_array().into_iter().flatten() {
            values += 1;
            text += value.as_str().map_or(0, str::len);
        }
        note(&mut faults, depth > 10 && (is(schema, "object") || is(schema, "array")), "10 levels");
        let known = keywords_within(schema, &KNOWN)
            || schema.get("anyOf").is_some() && keywords_within(schema, &["anyOf", "description"]);
        note(&mut faults, !known, "keywords of the subset");
        if is(schema, "object") {
            let all = names
                .iter()
                .all(|name| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name))));
            note(&mut faults, !all, "every property required");
            note(&mut faults, schema["additionalProperties"] != false, "objects closed");
        }
        note(&mut faults, schema.get("type").is_none() && schema.get("anyOf").is_none(), "a type everywhere");
        note(&mut faults, is(schema, "array") && !schema["items"].is_object(), "lists have items");
    });
    note(&mut faults, properties > 5000, "5000 properties");
    note(&mut faults, values > 1000, "1000 enum values");
    note(&mut faults, text > 120_000, "120000 characters of names and values");
    faults
}

/// The `Schema` message of the Gemini API, and its function names.
fn gemini_faults(declaration: &Value) -> Faults {
    const KNOWN: [&str; 12] = [
        "type",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ];
    let mut faults = Faults::new();
    let name = &declaration["name"];
    note(&mut faults, !well_named(name, 64, ".-"), "name");
    let first = name.as_str().and_then(|name| name.chars().next());
    note(
        &mut faults,
        first.is_none_or(|c| !c.is_ascii_alphabetic() && c != '_'),
        "name begins with a letter",
    );
    note(&mut faults, declaration["description"].as_str().is_none_or(str::is_empty), "description");
    let Some(parameters) = declaration.get("parameters") else { return faults };
    note(&mut faults, parameters["type"] != "object", "root is an object");
    visit(parameters, 1, &mut |schema, _| {
        if schema.get("anyOf").is_some() {
            note(&mut faults, !keywords_within(schema, &["anyOf"]), "anyOf stands alone");
            return;
        }
        note(&mut faults, !keywords_within(schema, &KNOWN), "keywords of the subset");
        note(&mut faults, !schema["type"].is_string(), "one type");
        let members = schema["properties"].as_object();
        let empty = schema["type"] == "object" && members.is_none_or(serde_json::Map::is_empty);
        note(&mut faults, empty, "objects have properties");
        let texts = schema["enum"].as_array().is_none_or(|all| all.iter().all(Value::is_string));
        note(
            &mut faults,
            schema.get("enum").is_some() && !(texts && schema["type"] == "string"),
            "enums are text",
        );
        let declared = schema["required"].as_array().into_iter().flatten().all(|name| {
            name.as_str().is_some_and(|name| members.is_some_and(|members| members.contains_key(name)))
        });
        note(&mut faults, !declared, "required names are properties");
        note(&mut faults, schema["type"] == "array" && !schema["items"].is_object(), "lists have items");
    });
    faults
}

/// The Messages API's tool definitions.
fn anthropic_faults(definition: &Value) -> Faults {
    let mut faults = Faults::new();
    let root = &definition["input_schema"];
    note(&mut faults, !well_named(&definition["name"], 64, "-"), "name");
    note(&mut faults, definition["description"].as_str().is_none_or(str::is_empty), "description");
    note(&mut faults, root["type"] != "object", "root is an object");
    let combined = ["anyOf", "oneOf", "allOf"].iter().any(|keyword| root.get(keyword).is_some());
    note(&mut faults, combined, "root combines nothing");
    note(&mut faults, !jsonschema::draft202012::meta::is_valid(root), "JSON Schema 2020-12");
    visit(root, 1, &mut |schema, _| {
        let members = schema["properties"].as_object().into_iter().flatten();
        let named = members.map(|(name, _)| json!(name)).all(|name| well_named(&name, 64, ".-"));
        note(&mut faults, !named, "names of arguments");
    });
    faults
}

/// `Tool` of the protocol's schema.
fn mcp_faults(definition: &Value) -> Faults {
    let mut faults = Faults::new();
    note(&mut faults, !definition["name"].is_string(), "name");
    note(&mut faults, !definition["description"].is_string(), "description");
    note(&mut faults, definition["inputSchema"]["type"] != "object", "inputSchema is an object");
    let valid = jsonschema::draft202012::meta::is_valid(&definition["inputSchema"]);
    note(&mut faults, !valid, "JSON Schema 2020-12");
    let hints = ["readOnlyHint", "openWorldHint", "destructiveHint", "idempotentHint"];
    let annotations = definition["annotations"].as_object();
    let known = annotations.is_some_and(|all| {
        all.iter().all(|(name, value)| hints.contains(&name.as_str()) && value.is_boolean())
    });
    note(&mut faults, !known, "annotations are known hints");
    faults
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

struct Wordy<C>(&'static str, std::marker::PhantomData<fn(C)>);

impl<C: Context> TypedTool for Wordy<C> {
    type Args = Nothing;
    type Context = C;

    fn about(&self) -> About {
        About::new(self.0, "many words ".repeat(400))
    }

    async fn call(&self, _: Nothing, _: C) -> Result<Output, Error> {
        Ok(Output::default())
    }
}

fn all_specs() -> Vec<Spec> {
    let registry = Registry::builder().build();
    let wordy = vec![
        tool(Wordy::<ReadContext>("_look", std::marker::PhantomData)),
        tool(Wordy::<WriteContext>("write_2", std::marker::PhantomData)),
        tool(Wordy::<ExecContext>("run", std::marker::PhantomData)),
    ];
    registry.attach("bench", wordy).expect("they fit");
    let mut specs = registry.surface(Tier::Exec).specs();
    specs.extend(super::schemas::specs());
    specs
}

#[test]
fn what_we_export_breaks_no_rule() {
    let specs = all_specs();
    let gemini = export::gemini(&specs)["functionDeclarations"].clone();
    let judged: [(Value, Checker); 4] = [
        (export::openai(&specs), openai_faults),
        (gemini, gemini_faults),
        (export::anthropic(&specs), anthropic_faults),
        (export::mcp(&specs), mcp_faults),
    ];
    for (definitions, faults) in judged {
        let definitions = definitions.as_array().expect("a list");
        assert_eq!(definitions.len(), specs.len());
        for definition in definitions {
            assert_eq!(faults(definition), Faults::new(), "{definition:#}");
        }
    }
}

#[test]
fn tiers_become_hints_and_long_descriptions_are_cut_where_they_must_be() {
    let specs = all_specs();
    let hints = |name: &str| {
        let all = export::mcp(&specs);
        let found = all.as_array().and_then(|all| all.iter().find(|tool| tool["name"] == name)).cloned();
        found.expect("exported")["annotations"].clone()
    };
    assert_eq!(hints("_look"), json!({"readOnlyHint": true, "openWorldHint": false}));
    assert_eq!(hints("write_2"), json!({"readOnlyHint": false, "openWorldHint": false}));
    assert_eq!(hints("run"), json!({"readOnlyHint": false, "openWorldHint": true}));
    let cut = export::openai(&specs)[0]["function"]["description"].as_str().map(str::to_owned).expect("text");
    assert!(cut.ends_with("words …") || cut.ends_with("many …"), "{cut}");
    assert_eq!(export::anthropic(&specs)[0]["description"], "many words ".repeat(400));
    let nothing = export::gemini(&specs)["functionDeclarations"][0].clone();
    assert!(nothing.get("parameters").is_none(), "{nothing}");
}

/// `definition` with `change` made at `pointer`.
fn with(definition: &Value, pointer: &str, change: Value) -> Value {
    let mut changed = definition.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let place = changed.pointer_mut(parent).expect("the place is there");
    if change.is_null() {
        place.as_object_mut().expect("an object").remove(key);
    } else {
        place[key] = change;
    }
    changed
}

/// Every case breaks its rule and no other, and every rule that the checker knows has a case.
fn each_rule_is_seen(sound: &Value, faults: Checker, cases: &[(&'static str, &str, Value)]) {
    assert_eq!(faults(sound), Faults::new(), "{sound:#}");
    for (rule, pointer, change) in cases {
        assert_eq!(faults(&with(sound, pointer, change.clone())), [*rule], "{pointer} = {change}");
    }
}

fn deep(levels: usize, object: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({"type": "string"}), |inner, _| object(inner))
}

#[test]
fn openai_rules_can_fail() {
    let object = |member: Value| json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": member}});
    let sound = json!({"type": "function", "function": {
        "name": "a-b_C1", "description": "d", "strict": true,
        "parameters": object(json!({"type": ["array", "null"], "items": {"type": "string"}})),
    }});
    let root = "/function/parameters";
    let member = "/function/parameters/properties/a";
    let many: Value = (0..1001).map(|n| n.to_string()).collect();
    let wide = {
        let names: Vec<String> = (0..5001).map(|n| format!("p{n}")).collect();
        let members: serde_json::Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
        json!({"type": "object", "additionalProperties": false, "required": names, "properties": members})
    };
    let mut cases = vec![
        ("type is function", "/type", json!("tool")),
        ("strict is true", "/function/strict", json!(false)),
        ("name", "/function/name", json!("a.b")),
        ("name", "/function/name", json!("x".repeat(65))),
        ("name", "/function/name", json!("")),
        ("description of 1 to 1024 characters", "/function/description", json!("d".repeat(1025))),
        ("description of 1 to 1024 characters", "/function/description", Value::Null),
        ("10 levels", member, deep(10, object)),
        ("10 levels", member, deep(10, |inner| json!({"type": "array", "items": inner}))),
        ("every property required", "/function/parameters/required", json!([])),
        ("objects closed", "/function/parameters/additionalProperties", json!(true)),
        ("a type everywhere", member, json!({"description": "anything"})),
        ("lists have items", member, json!({"type": "array"})),
        ("1000 enum values", member, json!({"type": "string", "enum": many})),
        (
            "120000 characters of names and values",
            member,
            json!({"type": "string", "enum": ["x".repeat(120_001)]}),
        ),
        ("5000 properties", root, wide),
        ("keywords of the subset", "/function/parameters/properties/a/anyOf", json!([{"type": "string"}])),
    ];
    let foreign = [
        "oneOf",
        "allOf",
        "not",
        "title",
        "format",
        "default",
        "if",
        "then",
        "$ref",
        "patternProperties",
        "minLength",
        "maxLength",
        "uniqueItems",
        "const",
    ];
    let pointers: Vec<String> = foreign.iter().map(|keyword| format!("{member}/{keyword}")).collect();
    cases.extend(pointers.iter().map(|pointer| ("keywords of the subset", pointer.as_str(), json!("x"))));
    each_rule_is_seen(&sound, openai_faults, &cases);
    let text_root = with(&sound, root, json!({"type": "string"}));
    assert_eq!(openai_faults(&text_root), ["root is an object"]);
    let any_root = with(&sound, root, json!({"anyOf": [object(json!({"type": "string"}))]}));
    assert_eq!(openai_faults(&any_root), ["root is an object", "root is no anyOf"]);
}

#[test]
fn gemini_rules_can_fail() {
    let sound = json!({"name": "a_b", "description": "d", "parameters": {
        "type": "object", "required": ["a"],
        "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"anyOf": [{"type": "string"}]}},
    }});
    let member = "/parameters/properties/a";
    each_rule_is_seen(
        &sound,
        gemini_faults,
        &[
            ("name", "/name", json!("a b")),
            ("name", "/name", json!("x".repeat(65))),
            ("name begins with a letter", "/name", json!("1st")),
            ("description", "/description", json!("")),
            ("root is an object", "/parameters/type", json!("string")),
            ("anyOf stands alone", "/parameters/properties/b/description", json!("x")),
            ("anyOf stands alone", "/parameters/properties/b/type", json!("string")),
            ("keywords of the subset", "/parameters/additionalProperties", json!(false)),
            ("keywords of the subset", "/parameters/properties/a/const", json!("x")),
            ("keywords of the subset", "/parameters/properties/a/oneOf", json!([])),
            ("keywords of the subset", "/parameters/properties/a/$ref", json!("#")),
            ("keywords of the subset", "/parameters/properties/a/default", json!("x")),
            ("one type", member, json!({"type": ["string", "null"]})),
            ("one type", member, json!({"description": "x"})),
            ("objects have properties", member, json!({"type": "object"})),
            ("objects have properties", member, json!({"type": "object", "properties": {}})),
            ("enums are text", member, json!({"type": "integer", "enum": [1]})),
            ("enums are text", member, json!({"type": "string", "enum": ["x", null]})),
            ("required names are properties", "/parameters/required", json!(["c"])),
            ("lists have items", member, json!({"type": "array"})),
        ],
    );
}

#[test]
fn anthropic_rules_can_fail() {
    let sound = json!({"name": "a-b", "description": "d", "input_schema": {
        "type": "object", "properties": {"a.b-c_1": {"type": "string"}},
    }});
    each_rule_is_seen(
        &sound,
        anthropic_faults,
        &[
            ("name", "/name", json!("a.b")),
            ("name", "/name", json!("x".repeat(65))),
            ("description", "/description", json!("")),
            ("root is an object", "/input_schema/type", json!("array")),
            ("root combines nothing", "/input_schema/anyOf", json!([{"type": "object"}])),
            ("root combines nothing", "/input_schema/oneOf", json!([{"type": "object"}])),
            ("root combines nothing", "/input_schema/allOf", json!([{"type": "object"}])),
            ("JSON Schema 2020-12", "/input_schema/required", json!("a")),
            ("JSON Schema 2020-12", "/input_schema/properties/a.b-c_1", json!({"type": "text"})),
            ("names of arguments", "/input_schema/properties", json!({"päth": {"type": "string"}})),
        ],
    );
}

#[test]
fn mcp_rules_can_fail() {
    let sound = json!({
        "name": "a", "description": "d", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
    });
    each_rule_is_seen(
        &sound,
        mcp_faults,
        &[
            ("name", "/name", Value::Null),
            ("description", "/description", Value::Null),
            ("inputSchema is an object", "/inputSchema", json!({})),
            ("JSON Schema 2020-12", "/inputSchema/required", json!("a")),
            ("annotations are known hints", "/annotations", Value::Null),
            ("annotations are known hints", "/annotations/readOnlyHint", json!("yes")),
            ("annotations are known hints", "/annotations/dangerous", json!(true)),
        ],
    );
}
