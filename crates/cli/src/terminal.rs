//! The person at the terminal as approver: a numbered card on standard error, an answer on standard input.
//! It never waits where standard input is no terminal, and gives up the read when the call is cancelled.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use outrigger::{Approver, Card, Error, Verdict};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Asks whoever typed the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TerminalApprover;

impl Approver for TerminalApprover {
    fn ask(&self, card: Card) -> BoxFuture<'_, Result<Verdict, Error>> {
        async move {
            if !std::io::stdin().is_terminal() {
                return Err(Error::unavailable("standard input is no terminal"));
            }
            let withdrawn = Withdrawn::default();
            let flag = Arc::clone(&withdrawn.0);
            let asked = tokio::task::spawn_blocking(move || ask(&card, &flag)).await;
            asked.unwrap_or_else(|error| Err(Error::unavailable(format!("the prompt ended: {error}"))))
        }
        .boxed()
    }
}

/// Tells the reading thread that nobody waits for the answer any more.
#[derive(Default)]
struct Withdrawn(Arc<AtomicBool>);

impl Drop for Withdrawn {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn ask(card: &Card, withdrawn: &AtomicBool) -> Result<Verdict, Error> {
    let gone = |error: std::io::Error| Error::unavailable(format!("the terminal cannot be used: {error}"));
    show(card).map_err(gone)?;
    loop {
        let Some(line) = read_line(withdrawn).map_err(gone)? else {
            return Err(Error::unavailable("nobody answered"));
        };
        match line.trim() {
            "1" => return Ok(Verdict::AllowOnce),
            "2" => return Ok(Verdict::AllowForRun),
            "3" => return Ok(Verdict::Deny { message: None }),
            words if words.starts_with("3 ") => {
                return Ok(Verdict::Deny { message: Some(words[2..].trim().to_owned()) });
            }
            _ => write!(std::io::stderr(), "type 1, 2 or 3 (3 and a reason denies with words): ")
                .map_err(gone)?,
        }
    }
}

fn show(card: &Card) -> std::io::Result<()> {
    let mut stderr = std::io::stderr().lock();
    writeln!(stderr, "allow `{}` ({})?", card.tool, card.tier)?;
    for line in card.arguments.lines().chain(card.preview.iter().flat_map(|text| text.lines())) {
        writeln!(stderr, "  {line}")?;
    }
    write!(stderr, "1 allow once  2 allow for this run  3 deny: ")?;
    stderr.flush()
}

/// One line, or `None` at the end of input or once the question is withdrawn.
fn read_line(withdrawn: &AtomicBool) -> std::io::Result<Option<String>> {
    let stdin = std::io::stdin();
    let tick = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        if withdrawn.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&tick)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => {
                let mut line = String::new();
                let read = stdin.read_line(&mut line)?;
                return Ok((read > 0).then_some(line));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
