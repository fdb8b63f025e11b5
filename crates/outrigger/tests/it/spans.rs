//! What a tracing subscriber is told of each call: a span named after the tool, and the kind of an error. Never what
//! was sent or answered.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use outrigger::Tier;
use outrigger::tool::Request;
use serde_json::json;
use test_support::Fixture;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::asked::{Write, builder, look};

type Fields = Vec<(String, String)>;

/// Keeps the fields of every span `execute_tool`, in the order they were recorded.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Fields>>>);

struct Into<'a>(&'a mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned()));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() == "execute_tool"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let mut fields = Fields::new();
        span.record(&mut Into(&mut fields));
        spans.push(fields);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let place = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Into(&mut self.0.lock().unwrap()[place]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_call_is_a_span_with_the_tools_name_and_the_kind_of_its_error() {
    let recorder = Recorder::default();
    let _here = tracing::subscriber::set_default(recorder.clone());
    let fixture = Fixture::empty();
    let run = builder(&fixture).tool(look("look")).tool(Write("write")).build().unwrap();
    let surface = run.surface(Tier::Write);
    for (tool, arguments) in [("look", json!({})), ("write", json!({})), ("nothing", json!({"secret": "s3"}))]
    {
        let _ = surface.request(Request::new(tool, arguments).id(format!("id_{tool}"))).await;
    }
    let spans = recorder.0.lock().unwrap();
    let expected = [("look", None), ("write", Some("refused")), ("nothing", Some("unknown_tool"))];
    assert_eq!(spans.len(), expected.len());
    for (fields, (tool, error)) in spans.iter().zip(expected) {
        let field =
            |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        assert_eq!(field("otel.name"), Some(&*format!("execute_tool {tool}")));
        assert_eq!(field("gen_ai.operation.name"), Some("execute_tool"));
        assert_eq!(field("gen_ai.tool.name"), Some(tool));
        assert_eq!(field("gen_ai.tool.call.id"), Some(&*format!("id_{tool}")));
        assert_eq!(field("error.type"), error);
        assert!(!format!("{fields:?}").contains("s3"), "what was sent is not recorded: {fields:?}");
    }
}
