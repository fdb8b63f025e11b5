//! The answer to names that no visible tool has. It never tells a hidden name from one that does not exist: what it says
//! depends on the name asked and the visible names alone.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::{About, Call, Error, Output, Spec, Tier, Tool, nearest};

/// Answers every name that is not visible, in the same layers as real tools, so that they see those calls too.
pub(crate) struct Unknown {
    spec: Spec,
}

impl Unknown {
    pub(crate) fn new() -> Self {
        let schema = serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false});
        let about = About::new("unknown", "Answers names that no visible tool has.");
        Self { spec: Spec::new(about, Tier::Read, schema) }
    }
}

impl Tool for Unknown {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        let visible = call.origin.visible.as_deref().unwrap_or_default();
        let near = nearest(&call.tool, visible.iter().map(String::as_str), 3);
        let error = Error::unknown_tool(format!("there is no tool named `{}`", call.tool));
        let quoted =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let hint = if !near.is_empty() {
            format!("did you mean {}?", quoted(&near))
        } else if visible.is_empty() {
            "no tool is attached here".to_owned()
        } else {
            let names: Vec<&str> = visible.iter().map(String::as_str).collect();
            format!("the tools here are {}", quoted(&names))
        };
        std::future::ready(Err(error.with_hint(hint))).boxed()
    }
}
