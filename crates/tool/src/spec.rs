//! What a registry and its surfaces know about a tool without calling it. A spec is made once and never changes.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::innermost::panic_text;
use crate::{Gate, Tier, schema, tidy};

type Preview = Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>;

/// Name, tier, description, input schema and gate of a tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct Spec {
    /// The name a model calls: `[a-z_][a-z0-9_]*`, at most 64 characters.
    pub name: String,
    /// Who may see it.
    pub tier: Tier,
    /// Written for the model.
    pub description: String,
    /// The canonical schema of its arguments: closed objects, no argument nullable.
    pub input_schema: Value,
    /// What it must not run beside.
    pub gate: Gate,
    preview: Option<Preview>,
}

impl Spec {
    pub(crate) fn new(about: About, tier: Tier, input_schema: Value) -> Self {
        let About { name, description, gate, preview } = about;
        Self { name, tier, description, input_schema, gate, preview }
    }

    /// Whether a call must give the argument `name`.
    pub fn requires(&self, name: &str) -> bool {
        schema::requires(&self.input_schema, name)
    }

    /// What a call with these arguments would change, in words for an approval card; `None` when the tool has no
    /// preview or the arguments do not fit. A preview that panics says so. It may block: see [`About::preview`].
    pub fn preview(&self, arguments: &Value) -> Option<String> {
        let preview = self.preview.as_ref()?;
        let arguments = tidy::tidied(&self.input_schema, arguments);
        catch_unwind(AssertUnwindSafe(|| preview(&arguments)))
            .unwrap_or_else(|panic| Some(format!("no preview: it panicked: {}", panic_text(&*panic))))
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec").field("name", &self.name).field("tier", &self.tier).finish_non_exhaustive()
    }
}

/// What an author says about a tool; the tier comes from its context and the schema from its arguments.
pub struct About {
    name: String,
    description: String,
    gate: Gate,
    preview: Option<Preview>,
}

impl About {
    /// A tool that may run beside anything ([`Gate::Parallel`]).
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), gate: Gate::Parallel, preview: None }
    }

    /// What it must not run beside.
    #[must_use]
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// How an approval card says what a call will change. It may block, to read files: it is asked where blocking is
    /// allowed, and only when somebody is asked.
    #[must_use]
    pub fn preview<A: DeserializeOwned>(
        mut self,
        preview: impl Fn(&A) -> String + Send + Sync + 'static,
    ) -> Self {
        self.preview = Some(Arc::new(move |value| A::deserialize(value).ok().map(|args| preview(&args))));
        self
    }
}

impl fmt::Debug for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("About").field("name", &self.name).field("gate", &self.gate).finish_non_exhaustive()
    }
}

/// The spec of a tool whose arguments are `A`.
pub(crate) fn spec<A: JsonSchema>(about: About, tier: Tier) -> Spec {
    Spec::new(about, tier, schema::of::<A>())
}
