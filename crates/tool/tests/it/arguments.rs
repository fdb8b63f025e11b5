//! How arguments are read: what was sent stays as it was sent, `null` equals absent, mistakes are named with their
//! path, and arguments that some model's format cannot say are refused when the tool is attached.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_tool::{
    About, Arguments, BoxFuture, Call, Error, ErrorKind, Output, ReadContext, Registry, Tier, Tool,
    TypedTool, tool,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::scripted::{Answer, Around, Log, plain, registry, text};

/// Answers the arguments it was given, as it decoded them.
struct Echo<A>(std::marker::PhantomData<fn(A)>);

impl<A: DeserializeOwned + Serialize + JsonSchema + Send + 'static> TypedTool for Echo<A> {
    type Args = A;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("echo", "Answers its arguments.")
    }

    async fn call(&self, args: A, _: ReadContext) -> Result<Output, Error> {
        Ok(Output::text(serde_json::to_string(&args).unwrap()))
    }
}

fn echo<A: DeserializeOwned + Serialize + JsonSchema + Send + 'static>() -> Arc<dyn Tool> {
    tool(Echo::<A>(std::marker::PhantomData))
}

async fn send<A: DeserializeOwned + Serialize + JsonSchema + Send + 'static>(sent: Value) -> Answer {
    registry(vec![echo::<A>()]).surface(Tier::Read).call("echo", sent).await
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Search {
    pattern: String,
    #[serde(default = "fifty")]
    most: u32,
    inside: Option<Inside>,
    marks: Option<Vec<Inside>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Inside {
    folder: String,
    depth: Option<i8>,
}

fn fifty() -> u32 {
    50
}

#[tokio::test]
async fn null_equals_absent_at_any_depth_and_defaults_apply() {
    let sparse = send::<Search>(json!({"pattern": "x"})).await;
    let nulls = json!({"pattern": "x", "most": null, "inside": null, "marks": null});
    assert_eq!(text(&sparse), text(&send::<Search>(nulls).await));
    assert!(text(&sparse).contains("\"most\":50"));
    let deep = send::<Search>(json!({"pattern": "x", "marks": [{"folder": "a", "depth": null}]})).await;
    assert!(text(&deep).contains(r#""marks":[{"folder":"a","depth":null}]"#));
    let whole = send::<Search>(json!({"pattern": "x", "most": 3.0})).await;
    assert!(text(&whole).contains("\"most\":3,"));
}

#[tokio::test]
async fn mistakes_are_named_with_path_and_the_nearest_name() {
    let mistake = async |sent| {
        let error = send::<Search>(sent).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadArguments);
        assert_eq!(
            error.hint.as_deref(),
            Some("arguments of `echo`: pattern, most?, inside?, marks?"),
            "{error}"
        );
        error.message
    };
    assert_eq!(
        mistake(json!({"pattern": "x", "inside": {"folder": "a", "dept": 1}})).await,
        "`echo`: `inside.dept` is no argument here; did you mean `depth`?"
    );
    assert_eq!(
        mistake(json!({"pattern": "x", "marks": [{"folder": "a"}, {"folder": "b", "depth": 300}]})).await,
        "`echo`: `marks[1].depth` must be at most 127, found 300"
    );
    assert_eq!(mistake(json!({"pattern": null})).await, "`echo`: `pattern` must be a string, found null");
    assert_eq!(mistake(Value::Null).await, "`echo`: `pattern` is required (a string)");
    assert_eq!(mistake(json!("x")).await, "`echo`: the arguments must be an object, found \"x\"");
    assert_eq!(
        mistake(json!({"pattern": "x", "most": 18_446_744_073_709_551_615_u64})).await,
        "`echo`: `most` must be at most 4294967295, found 18446744073709551615"
    );
    let many = mistake(json!({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "pattern": "x"})).await;
    assert!(many.ends_with("`e` is no argument here; and 1 more"), "{many}");
}

#[tokio::test]
async fn layers_see_the_text_that_was_sent() {
    let log = Log::default();
    let seen = log.clone();
    let layer = move |inner| -> Arc<dyn Tool> {
        let seen = seen.clone();
        let body = move |call: Call, inner: Arc<dyn Tool>| -> BoxFuture<'static, Answer> {
            seen.add(call.arguments.raw());
            Box::pin(async move { inner.call(call).await })
        };
        Arc::new(Around { inner, body })
    };
    let registry = Registry::builder().layer(layer).build();
    registry.attach("bench", vec![plain::<ReadContext>("look")]).unwrap();
    let sent = "{ \"text\" : null,\n \"text\": \"\\u0041\" }";
    registry.surface(Tier::Read).call("look", Arguments::parse(sent).unwrap()).await.unwrap();
    registry.surface(Tier::Read).call("look", json!({"text": "A"})).await.unwrap();
    assert_eq!(log.take(), [sent, r#"{"text":"A"}"#]);
    let error = Arguments::parse("{text: 1}").unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadArguments);
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Holding<T> {
    field: T,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: u32, label: Option<String> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Odd {
    #[serde(rename = "päth")]
    path: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Mixed {
    name: String,
    #[serde(flatten)]
    shape: Shape,
}

type Deep<T> = Vec<Vec<Vec<T>>>;

fn refusal<A: DeserializeOwned + Serialize + JsonSchema + Send + 'static>() -> String {
    let attached = Registry::builder().build().attach("bench", vec![echo::<A>()]);
    attached.map_or_else(|error| error.to_string(), |()| "attached".to_owned())
}

#[test]
fn arguments_that_some_format_cannot_say_are_refused_when_the_tool_is_attached() {
    let field = |what: &str| format!("`echo` cannot be offered: its argument `field` {what}");
    let list = |what: &str| format!("`echo` cannot be offered: its argument `field[]` {what}");
    assert_eq!(
        refusal::<Holding<BTreeMap<String, u8>>>(),
        field("is an open map; use a list of {name, value}")
    );
    assert_eq!(
        refusal::<Holding<BTreeMap<u8, String>>>(),
        field("is an open map; use a list of {name, value}")
    );
    assert_eq!(refusal::<Holding<Value>>(), field("may be anything; give it a type"));
    assert_eq!(refusal::<Holding<Vec<Value>>>(), list("may be anything; give it a type"));
    assert_eq!(refusal::<Holding<(u8, String)>>(), field("is a tuple; use a struct with named fields"));
    assert_eq!(
        refusal::<Holding<Vec<Option<String>>>>(),
        list("may be null where nothing can be left out; use a type without null")
    );
    assert_eq!(
        refusal::<Holding<Vec<Option<Inside>>>>(),
        list("may be null where nothing can be left out; use a type without null")
    );
    assert_eq!(refusal::<Holding<Empty>>(), field("is a struct without fields; leave it out or use a bool"));
    assert_eq!(
        refusal::<Holding<Tree>>(),
        "`echo` cannot be offered: its argument `field.children[]` contains itself; use a flat list with references by id"
    );
    assert!(refusal::<Tree>().contains("contains itself"), "{}", refusal::<Tree>());
    let root = "`echo` cannot be offered: its arguments must be a struct with named fields";
    assert_eq!(refusal::<()>(), root);
    assert_eq!(refusal::<Shape>(), root);
    assert_eq!(refusal::<OneOrMany>(), root);
    assert_eq!(refusal::<Vec<String>>(), root);
    assert!(refusal::<BTreeMap<String, u8>>().contains("argument list is an open map"));
    assert!(refusal::<Mixed>().starts_with("`echo` cannot be offered"), "{}", refusal::<Mixed>());
    assert_eq!(
        refusal::<Odd>(),
        "`echo` cannot be offered: its argument `päth` needs a name of 1 to 64 of a-z, A-Z, 0-9 and _"
    );
    assert_eq!(refusal::<Holding<Deep<Deep<Deep<String>>>>>(), "attached");
    assert!(refusal::<Holding<Deep<Deep<Deep<Vec<String>>>>>>().ends_with("lies more than 10 levels deep"));
    assert_eq!(refusal::<Empty>(), "attached", "a tool may take no arguments");
    assert_eq!(refusal::<Holding<std::collections::HashSet<String>>>(), "attached");
}

#[tokio::test]
async fn enums_with_data_are_read_by_their_tag_or_type() {
    let circle = send::<Holding<Shape>>(json!({"field": {"kind": "circle", "radius": 1}})).await;
    assert_eq!(text(&circle), r#"{"field":{"kind":"circle","radius":1.0}}"#);
    let square = json!({"field": {"kind": "square", "side": 2.0, "label": null}});
    assert_eq!(
        text(&send::<Holding<Shape>>(square).await),
        r#"{"field":{"kind":"square","side":2,"label":null}}"#
    );
    let wrong = send::<Holding<Shape>>(json!({"field": {"kind": "square", "side": 2, "lable": "x"}})).await;
    assert_eq!(
        wrong.unwrap_err().message,
        "`echo`: `field.lable` is no argument here; did you mean `label`?"
    );
    let many = send::<Holding<OneOrMany>>(json!({"field": ["a", "b"]})).await;
    assert_eq!(text(&many), r#"{"field":["a","b"]}"#);
    let wrong = send::<Holding<OneOrMany>>(json!({"field": 3})).await;
    assert_eq!(wrong.unwrap_err().message, "`echo`: `field` must be a string or an array, found 3");
    let pair = send::<Holding<[u8; 2]>>(json!({"field": [1]})).await;
    assert_eq!(pair.unwrap_err().message, "`echo`: `field` must have at least 2 elements, found 1");
}
