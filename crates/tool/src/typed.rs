//! How a tool is written ([`TypedTool`]) and what the registry holds ([`Tool`]). The adapter between them decodes
//! arguments and hands out the context; it never lets a call pass that was not granted the tool's tier.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{Context, ExecContext, ReadContext, WriteContext};
use crate::{About, Call, Error, Output, Spec, check, spec, tidy};

/// A tool as its author writes it. The context decides the tier.
pub trait TypedTool: Send + Sync + 'static {
    /// A flat struct of arguments; doc comments become the schema's descriptions.
    ///
    /// Every model's format must be able to say it, so a registry refuses to attach a tool whose arguments hold an
    /// open map (use a list of `{name, value}`), a `serde_json::Value`, a tuple, a type that contains itself, a list
    /// whose elements may be `null`, a nested struct without fields, an enum at the root, or more than 10 levels.
    /// `#[serde(default = …)]` makes an argument optional and its default known to the model; integers past ±(2^53-1)
    /// are refused as arguments, because JSON readers lose them.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// [`ReadContext`], [`WriteContext`] or [`ExecContext`].
    type Context: Context;

    /// Name, description, gate, preview. Asked once.
    fn about(&self) -> About;

    /// Does the work.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is cancelled or its resource is detached, unless a commit has begun: its
    /// own [`begin`](crate::WritePermit::begin), for good, or that of a call it made, until that call has ended. A
    /// tool that goes on after a commit watches [`ReadContext::cancellation`].
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
    let value = tidy::tidied(&spec.input_schema, sent);
    check::check(&spec.name, &spec.input_schema, &value)?;
    A::deserialize(&*value).map_err(|error| {
        let hint = format!("arguments of `{}`: {}", spec.name, check::signature(&spec.input_schema));
        Error::bad_arguments(format!("`{}`: {error}", spec.name)).with_hint(hint)
    })
}
