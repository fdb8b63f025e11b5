//! An approver that a test plays, and the tools it is asked about. It never answers by itself.

use std::future::pending;

use futures_util::FutureExt;
use outrigger::tool::BoxFuture;
use outrigger::workspace::Workspace;
use outrigger::{
    About, Approver, Card, Error, Output, ReadContext, Run, RunBuilder, TypedTool, Verdict, WriteContext,
};
use schemars::JsonSchema;
use serde::Deserialize;
use test_support::Fixture;
use tokio::sync::{mpsc, oneshot};

/// A question and the way to answer it.
pub(crate) type Question = (Card, oneshot::Sender<Result<Verdict, Error>>);

/// Hands each question to the test.
pub(crate) struct Asked(mpsc::UnboundedSender<Question>);

impl Approver for Asked {
    fn ask(&self, card: Card) -> BoxFuture<'_, Result<Verdict, Error>> {
        let (answer, answered) = oneshot::channel();
        let _ = self.0.send((card, answer));
        async move {
            match answered.await {
                Ok(verdict) => verdict,
                Err(_) => pending().await,
            }
        }
        .boxed()
    }
}

/// The approver, and where its questions arrive.
pub(crate) fn asked() -> (Asked, mpsc::UnboundedReceiver<Question>) {
    let (questions, arrive) = mpsc::unbounded_channel();
    (Asked(questions), arrive)
}

/// A run to be, whose state lies beside the fixture's workspace.
pub(crate) fn builder(fixture: &Fixture) -> RunBuilder {
    Run::builder(Workspace::open(fixture.root()).unwrap()).state_folder(fixture.outside().join("state"))
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// A read tool that answers its name, or never.
pub(crate) struct Look {
    pub(crate) name: &'static str,
    pub(crate) answers: bool,
}

/// A read tool that answers.
pub(crate) fn look(name: &'static str) -> Look {
    Look { name, answers: true }
}

impl TypedTool for Look {
    type Args = Nothing;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new(self.name, "Looks.")
    }

    async fn call(&self, _: Nothing, _: ReadContext) -> Result<Output, Error> {
        if !self.answers {
            pending::<()>().await;
        }
        Ok(Output::text(self.name))
    }
}

/// A write tool that writes nothing.
pub(crate) struct Write(pub(crate) &'static str);

impl TypedTool for Write {
    type Args = Nothing;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(self.0, "Writes.")
    }

    async fn call(&self, _: Nothing, _: WriteContext) -> Result<Output, Error> {
        Ok(Output::text("written"))
    }
}
