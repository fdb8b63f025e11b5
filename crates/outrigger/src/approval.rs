//! The approval layer: asks before a call where the policy says so. It stands outside the gates, so nobody holds a
//! resource while a person thinks, and it never waits where nobody can answer.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tool::{
    Approver, Call, Card, Decision, Error, ErrorKind, Layer, Output, Policy, Spec, Tier, Tool, Verdict,
};

/// The default policy: read is never asked, write and exec are.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByTier;

impl Policy for ByTier {
    fn decide(&self, spec: &Spec, _call: &Call) -> Decision {
        if spec.tier == Tier::Read { Decision::Allow } else { Decision::Ask }
    }
}

/// Answers every question with `AllowOnce`: for hosts whose caller is the approver.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Approver for AllowAll {
    fn ask(&self, _card: Card) -> BoxFuture<'_, Result<Verdict, Error>> {
        std::future::ready(Ok(Verdict::AllowOnce)).boxed()
    }
}

/// One run's approvals, shared by every tool of the run.
pub(crate) struct Approval {
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// What a person allowed for the run.
    allowed: Mutex<HashSet<(String, Tier)>>,
}

impl Approval {
    pub(crate) fn new(policy: Arc<dyn Policy>, approver: Option<Arc<dyn Approver>>) -> Arc<Self> {
        Arc::new(Self { policy, approver, allowed: Mutex::default() })
    }

    /// Lets the call pass or says why not.
    async fn admit(&self, spec: &Spec, call: &Call) -> Result<(), Error> {
        match self.policy.decide(spec, call) {
            Decision::Allow => Ok(()),
            Decision::Deny(reason) => Err(denied(&spec.name, Some(reason))),
            _ => self.ask(spec, call).await,
        }
    }

    async fn ask(&self, spec: &Spec, call: &Call) -> Result<(), Error> {
        let key = (spec.name.clone(), spec.tier);
        if self.allowed.lock().unwrap_or_else(PoisonError::into_inner).contains(&key) {
            return Ok(());
        }
        let Some(approver) = &self.approver else {
            return Err(Error::refused(format!(
                "`{}` needs approval and nobody is there to give it",
                spec.name
            ))
            .with_hint("attach an approver to the run, or allow the tool by policy"));
        };
        let verdict = tokio::select! {
            verdict = put(approver, spec, call) => verdict.map_err(|error| unanswered(&spec.name, error))?,
            () = call.cancellation.cancelled() => {
                return Err(Error::cancelled(format!("`{}` was cancelled while it waited for approval", spec.name)));
            }
        };
        match verdict {
            Verdict::AllowOnce => Ok(()),
            Verdict::AllowForRun => {
                self.allowed.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
                Ok(())
            }
            Verdict::Deny { message } => Err(denied(&spec.name, message)),
            _ => Err(denied(&spec.name, None)),
        }
    }
}

/// Makes the card, whose preview may read files, where blocking is allowed, and shows it.
async fn put(approver: &Arc<dyn Approver>, spec: &Spec, call: &Call) -> Result<Verdict, Error> {
    let (spec, call) = (spec.clone(), call.clone());
    let card = tokio::task::spawn_blocking(move || Card::new(&spec, &call)).await;
    approver.ask(card.map_err(|error| Error::unavailable(format!("no card could be made: {error}")))?).await
}

fn denied(tool: &str, words: Option<String>) -> Error {
    let message = match words.filter(|words| !words.trim().is_empty()) {
        Some(words) => format!("`{tool}` was not allowed: {words}"),
        None => format!("`{tool}` was not allowed"),
    };
    Error::refused(message)
        .with_hint("do not repeat the call; go on another way or ask what would be allowed")
}

/// No answer, or one that cannot be read, is a refusal, whatever its reason.
fn unanswered(tool: &str, error: Error) -> Error {
    Error::new(ErrorKind::Refused, format!("`{tool}` needs approval, and none was given: {}", error.message))
}

/// Puts an [`Approval`] around every tool.
pub(crate) struct ApprovalLayer(pub(crate) Arc<Approval>);

impl Layer for ApprovalLayer {
    fn wrap(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Approved { inner, approval: Arc::clone(&self.0) })
    }
}

struct Approved {
    inner: Arc<dyn Tool>,
    approval: Arc<Approval>,
}

impl Tool for Approved {
    fn spec(&self) -> &Spec {
        self.inner.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        async move {
            // A name that no tool has does nothing, so nobody is asked about it.
            if !call.is_unknown() {
                self.approval.admit(self.inner.spec(), &call).await?;
            }
            self.inner.call(call).await
        }
        .boxed()
    }
}
