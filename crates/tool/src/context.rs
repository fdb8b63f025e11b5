//! What a running tool may ask for. Each context derefs to the one below it; only `WriteContext` and above hand out
//! a [`WritePermit`]. Contexts are made by the adapter alone, for calls that were granted the tool's tier.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Call, Cancellation, Dispatch, Error, Spec, Tier, WritePermit};

mod sealed {
    /// A call whose grant was compared with the tier. Outside this crate nobody can make one, so that a generic
    /// function over `Context` cannot forge a context either.
    #[derive(Debug)]
    pub struct Admitted(pub(super) std::sync::Arc<crate::Call>);

    pub trait Sealed {
        fn admitted(call: Admitted) -> Self;
    }
}

use sealed::Admitted;

/// The three contexts; sealed.
#[diagnostic::on_unimplemented(
    message = "a tool's context is `ReadContext`, `WriteContext` or `ExecContext`"
)]
pub trait Context: sealed::Sealed + Send + 'static {
    /// The tier of tools written against this context.
    const TIER: Tier;

    /// Makes the context for a call that a surface has granted this tier.
    #[doc(hidden)]
    fn admit(call: Call, spec: &Spec) -> Result<Self, Error>
    where
        Self: Sized,
    {
        if call.origin.grant < Self::TIER {
            return Err(Error::refused(format!(
                "`{}` is a {} tool and this call was not granted that tier",
                spec.name,
                Self::TIER
            ))
            .with_hint("call it through a surface whose ceiling allows it"));
        }
        Ok(Self::admitted(Admitted(Arc::new(call))))
    }
}

/// The context of a tool without side effects.
#[derive(Clone, Debug)]
pub struct ReadContext(Arc<Call>);

/// The context of a tool that changes files.
#[derive(Clone, Debug)]
pub struct WriteContext(ReadContext);

/// The context of a tool that starts or steers processes.
#[derive(Clone, Debug)]
pub struct ExecContext(WriteContext);

impl sealed::Sealed for ReadContext {
    fn admitted(call: Admitted) -> Self {
        Self(call.0)
    }
}

impl sealed::Sealed for WriteContext {
    fn admitted(call: Admitted) -> Self {
        Self(ReadContext::admitted(call))
    }
}

impl sealed::Sealed for ExecContext {
    fn admitted(call: Admitted) -> Self {
        Self(WriteContext::admitted(call))
    }
}

impl Context for ReadContext {
    const TIER: Tier = Tier::Read;
}

impl Context for WriteContext {
    const TIER: Tier = Tier::Write;
}

impl Context for ExecContext {
    const TIER: Tier = Tier::Exec;
}

impl ReadContext {
    /// The host's id of this call.
    pub fn call_id(&self) -> &str {
        &self.0.id
    }

    /// The conversation it belongs to.
    pub fn conversation(&self) -> Option<&str> {
        self.0.conversation.as_deref()
    }

    /// The highest tier of the surface this call came through: what a worker it starts may have.
    pub fn ceiling(&self) -> Tier {
        self.0.origin.ceiling
    }

    /// Cancelled when the caller cancels or goes away, and when the call has ended.
    pub fn cancellation(&self) -> &Cancellation {
        &self.0.cancellation
    }

    /// Tells the caller how far the call is, if it listens.
    pub fn progress(&self, text: &str) {
        if let Some(progress) = &self.0.progress {
            progress(text);
        }
    }

    /// Re-enters the registry: capped at the lower of the surface's ceiling and this tool's own tier.
    pub fn dispatch(&self) -> Dispatch {
        Dispatch::new(&self.0)
    }

    /// Runs `work` where blocking is allowed (tokio's blocking pool).
    ///
    /// # Errors
    /// `Unavailable` when the runtime is shutting down.
    ///
    /// # Panics
    /// With the panic of `work`.
    ///
    /// # Cancel safety
    /// Dropping the future does not stop `work`; long work asks [`ReadContext::cancellation`] as it goes.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        match tokio::task::spawn_blocking(work).await {
            Ok(value) => Ok(value),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Error::unavailable("the runtime is shutting down")),
            },
        }
    }
}

impl WriteContext {
    /// Permission to change `paths` (absolute). The watchers of this call, and of the calls it was made from, hear
    /// of it before this returns, so before any byte changes.
    ///
    /// # Errors
    /// `Cancelled` where the call has ended.
    pub fn permit(&self, paths: impl IntoIterator<Item = PathBuf>) -> Result<WritePermit, Error> {
        WritePermit::new(paths.into_iter().collect(), &self.0.0.origin)
    }
}

impl Deref for WriteContext {
    type Target = ReadContext;

    fn deref(&self) -> &ReadContext {
        &self.0
    }
}

impl Deref for ExecContext {
    type Target = WriteContext;

    fn deref(&self) -> &WriteContext {
        &self.0
    }
}
