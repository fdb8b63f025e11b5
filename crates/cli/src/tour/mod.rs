//! `outrigger tour`: every tool at work, on a small project that it makes, or the read tools on a folder of the
//! user's. Each step is checked, so that a tour without failures is a proof; the last line counts.

mod debugging;
mod language;
mod project;
mod show;
mod steps;

use std::process::ExitCode;

use anyhow::Result;
use outrigger::{AllowAll, Tier};

use crate::args::TourArgs;
use crate::setup;

/// Runs the tour.
pub(crate) async fn run(args: TourArgs) -> Result<ExitCode> {
    let mut show = show::Show::default();
    if let Some(folder) = &args.workspace {
        let run = setup::builder(folder)?.approver(AllowAll).build()?;
        let surface = run.surface(Tier::Read);
        steps::on_users_project(&surface, run.parts().workspace(), &mut show).await?;
        show.finish_tools(&surface);
        run.close().await;
    } else {
        let home = tempfile::Builder::new().prefix("outrigger-tour-").tempdir()?;
        let root = project::make(home.path())?;
        println(&format!("A small project in {}\n", root.display()));
        let run =
            setup::builder(&root)?.state_folder(home.path().join("state")).approver(AllowAll).build()?;
        steps::on_made_project(&run, &mut show).await;
        show.finish_tools(&run.surface(Tier::Exec));
        run.close().await;
    }
    Ok(show.summary(&args.require))
}

/// One line to standard output: the tour is what the command prints.
fn println(line: &str) {
    use std::io::Write;
    // A reader that went away ends the tour's output, not the tour.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
