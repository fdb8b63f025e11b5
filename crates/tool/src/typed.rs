//! How a tool is written ([`TypedTool`]) and what the registry holds ([`Tool`]). The adapter between them decodes
//! arguments and hands out the context; it never lets a call pass that was not granted the tool's tier.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{Context, ExecContext, ReadContext, WriteContext};
use crate::{About, Call, Error, Output, Spec, check, spec};

/// A tool as its author writes it. The context decides the tier.
pub trait TypedTool: Send + Sync + 'static {
    /// A flat struct of arguments; doc comments become the schema's descriptions.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// [`ReadContext`], [`WriteContext`] or [`ExecContext`].
    type Context: Context;

    /// Name, description, gate, preview. Asked once.
    fn about(&self) -> About;

    /// Does the work.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is cancelled, unless a commit has begun.
    fn call(&self, args: Self::Args, cx: Self::Context)
    -> impl Future<Output = Result<Output, Error>> + Send;
}

/// A tool without side effects.
pub trait ReadTool: TypedTool<Context = ReadContext> {}
impl<T: TypedTool<Context = ReadContext>> ReadTool for T {}

/// A tool that changes files.
pub trait WriteTool: TypedTool<Context = WriteContext> {}
impl<T: TypedTool<Context = WriteContext>> WriteTool for T {}

/// A tool that starts or steers processes.
pub trait ExecTool: TypedTool<Context = ExecContext> {}
impl<T: TypedTool<Context = ExecContext>> ExecTool for T {}

/// A tool as the registry holds it and as a [`Layer`](crate::Layer) wraps it: two methods, and it stays two.
pub trait Tool: Send + Sync {
    /// What it is.
    fn spec(&self) -> &Spec;

    /// Answers one call.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>>;
}

/// Makes a typed tool fit for a registry.
pub fn tool<T: TypedTool>(author: T) -> Arc<dyn Tool> {
    let spec = spec::spec::<T::Args>(author.about(), T::Context::TIER);
    Arc::new(Adapter { author, spec })
}

struct Adapter<T> {
    author: T,
    spec: Spec,
}

impl<T: TypedTool> Tool for Adapter<T> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            let args = decode(&self.spec, call.arguments.value())?;
            let cx = T::Context::admit(call, &self.spec)?;
            self.author.call(args, cx).await
        }
        .boxed()
    }
}

/// Arguments of type `A` from what was sent: checked against the schema first, so that the answer names the place.
fn decode<A: DeserializeOwned>(spec: &Spec, sent: &Value) -> Result<A, Error> {
    let empty = Value::Object(serde_json::Map::new());
    let sent = if sent.is_null() { &empty } else { sent };
    let pruned = check::without_nulls(&spec.input_schema, sent);
    let value = pruned.as_ref().unwrap_or(sent);
    check::check(&spec.name, &spec.input_schema, value)?;
    A::deserialize(value).map_err(|error| {
        let hint = format!("arguments of `{}`: {}", spec.name, check::signature(&spec.input_schema));
        Error::bad_arguments(format!("`{}`: {error}", spec.name)).with_hint(hint)
    })
}
