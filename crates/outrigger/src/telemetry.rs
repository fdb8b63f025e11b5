//! A `tracing` span around every call, named as the `GenAI` semantic conventions name tool execution. The host
//! attaches a subscriber; without one a span costs a check. It never records arguments or results.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tool::{Call, Error, Layer, Output, Spec, Tool};
use tracing::field::Empty;
use tracing::{Instrument, info_span};

/// Opens the span `execute_tool` with `otel.name` = `execute_tool {name}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Telemetry;

impl Layer for Telemetry {
    fn wrap(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Spanned { inner })
    }
}

struct Spanned {
    inner: Arc<dyn Tool>,
}

impl Tool for Spanned {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        let span = info_span!(
            "execute_tool",
            otel.name = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = &*call.tool,
            gen_ai.tool.call.id = &*call.id,
            error.r#type = Empty,
        );
        if span.is_disabled() {
            return self.inner.call(call);
        }
        span.record("otel.name", format!("execute_tool {}", call.tool));
        let here = span.clone();
        async move {
            let answer = self.inner.call(call).await;
            if let Err(error) = &answer {
                here.record("error.type", error.kind.name());
            }
            answer
        }
        .instrument(span)
        .boxed()
    }
}
