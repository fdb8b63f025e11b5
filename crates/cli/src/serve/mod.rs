//! `outrigger serve`: a run behind JSON-RPC 2.0, one message a line, for hosts in any language. `message.rs` reads
//! and writes messages, `outbox.rs` owns standard output, `host.rs` asks the host, `session.rs` answers it.
//! Nothing but messages ever reaches standard output, and the end of input ends the run.

mod approver;
mod host;
mod message;
mod outbox;
mod session;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::ServeArgs;
use crate::setup;

/// Serves until the input ends.
pub(crate) async fn run(args: ServeArgs) -> Result<ExitCode> {
    let (outbox, writer) = outbox::Outbox::start(tokio::io::stdout());
    let host = host::Host::new(outbox.clone());
    let asker = approver::HostApprover(host.clone());
    let run = setup::approving(setup::builder(&args.workspace)?, args.approve, asker).build()?;
    let mut surface = run.surface(args.tier);
    if let Some(conversation) = args.conversation {
        surface = surface.conversation(conversation);
    }
    session::Session::new(run, surface, host, outbox).serve(tokio::io::stdin()).await;
    writer.finish(session::END_GRACE).await;
    Ok(ExitCode::SUCCESS)
}
