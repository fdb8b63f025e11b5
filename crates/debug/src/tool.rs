//! The tool `debug`: one action a call, one call at a time. Exec tier: it starts programs.
//!
//! A call that must not wait (`status`, `pause`, `terminate`) ends the wait of the one before it, so calls are put in
//! order here and not by a gate, which would keep them out until that wait is over. It must never answer for a program
//! that it has not looked at.

mod arguments;

use std::sync::Arc;

use serde_json::json;
use tool::{About, ExecContext, Output, TypedTool};
use workspace::Workspace;

use crate::adapters::Found;
use crate::error::Error;
use crate::launch::{Launch, Planned, Planner};
use crate::report::lines;
use crate::session::Session;
use crate::sessions::{Conversation, DebugSessions};
use crate::state::{Intent, Phase};
use crate::{render, start};

pub use arguments::{Action, DebugArgs, DetailedLine, LineArg, Variable};
use arguments::{needed, preview, wanted};

/// The tool `debug` of one conversation. When the last is dropped, its session ends with every process of it.
#[derive(Debug)]
pub struct Debugger {
    planner: Planner,
    conversation: Arc<Conversation>,
}

impl Debugger {
    /// Debugs programs of `workspace`, for the conversation of that id: two tools of one conversation share its session.
    pub fn new(workspace: Workspace, sessions: DebugSessions, conversation: &str) -> Self {
        let conversation = sessions.conversation(&workspace, conversation);
        let planner = Planner { sessions, common: Arc::clone(&conversation.common) };
        Self { planner, conversation }
    }
}

impl TypedTool for Debugger {
    type Args = DebugArgs;
    type Context = ExecContext;

    fn about(&self) -> About {
        About::new(
            "debug",
            "Runs a program of the workspace under its debugger: set `breakpoints`, `launch`, look around with `stack`, \
             `scopes`, `variables` and `evaluate`, go on with `continue` and the steps, end with `terminate`. One session \
             at a time; it ends by itself after a fixed life. `frame_id` and `reference` are good at the stop they were \
             given at, and refused after it.",
        )
        .preview(preview)
    }

    async fn call(&self, args: DebugArgs, _cx: ExecContext) -> Result<Output, tool::Error> {
        self.act(args).await.map_err(Into::into)
    }
}

impl Debugger {
    async fn act(&self, args: DebugArgs) -> Result<Output, Error> {
        match args.action {
            Action::Status | Action::Pause | Action::Terminate => {
                if let Some(answer) = self.without_turn(args.action).await {
                    return Ok(answer);
                }
                self.conversation.arrive();
            }
            _ => {}
        }
        let _turn = self.conversation.turn().await;
        match args.action {
            Action::Adapters => {
                let (standings, notes) = self.planner.clone().standings().await?;
                Ok(render::adapters(&standings, &notes))
            }
            Action::Status => self.status().await,
            Action::Breakpoints => self.breakpoints(args).await,
            Action::FunctionBreakpoints => self.functions(needed(args.names, "names", args.action)?).await,
            Action::ExceptionBreakpoints => {
                self.exceptions(needed(args.filters, "filters", args.action)?).await
            }
            Action::Launch => self.launch(args).await,
            Action::Attach => {
                let port = needed(args.port, "port", args.action)?;
                self.refuse_second().await?;
                self.begin(self.planner.clone().attach(port, args.adapter).await?).await
            }
            Action::Terminate => self.terminate().await,
            Action::Output => {
                let session = self.session()?;
                Ok(render::output(&session, &session.shared().output.take()))
            }
            _ => self.steer(args).await,
        }
    }

    /// While a program is being started its own call has the turn: what is asked then needs none.
    async fn without_turn(&self, action: Action) -> Option<Output> {
        if let Some((program, end)) = self.conversation.opening() {
            return match action {
                Action::Terminate => {
                    end.cancel();
                    drop(self.conversation.turn().await);
                    let text = format!("the start of `{program}` was ended");
                    Some(Output::text(text).with_data(json!({"state": "terminated", "program": program})))
                }
                Action::Status => Some(render::configuring(&program)),
                _ => None,
            };
        }
        let session = self.conversation.session()?;
        if session.state().phase != Phase::Configuring {
            return None;
        }
        match action {
            Action::Terminate => {
                session.terminate().await;
                Some(render::status(&session, None))
            }
            Action::Status => Some(render::status(&session, None)),
            _ => None,
        }
    }

    async fn status(&self) -> Result<Output, Error> {
        let Some(session) = self.conversation.session() else {
            let files = self.conversation.common.breakpoints.files().len();
            let text = format!("no session; breakpoints wait in {files} files");
            return Ok(Output::text(text).with_data(json!({"state": "none"})));
        };
        let report = match session.shared().standing.stop() {
            Some(stop) => Some(session.report(&stop).await),
            None => None,
        };
        Ok(render::status(&session, report.as_deref()))
    }

    /// The last session, ended or not.
    fn session(&self) -> Result<Arc<Session>, Error> {
        self.conversation.session().ok_or_else(|| Error::NoSession { because: String::new() })
    }

    /// The session that lives.
    fn live(&self) -> Result<Arc<Session>, Error> {
        let session = self.session()?;
        if session.has_ended() { Err(Error::NoSession { because: session.because() }) } else { Ok(session) }
    }

    async fn refuse_second(&self) -> Result<(), Error> {
        let Ok(session) = self.live() else { return Ok(()) };
        let standing = match session.state().phase {
            Phase::Stopped(stop) => {
                let report = session.report(&stop).await;
                render::standing(&report)
            }
            Phase::Configuring => "it is being started".to_owned(),
            _ => "it is running".to_owned(),
        };
        Err(Error::Busy { program: session.program.clone(), standing })
    }

    async fn launch(&self, args: DebugArgs) -> Result<Output, Error> {
        let program = needed(args.program, "program", args.action)?;
        self.refuse_second().await?;
        let env = args.env.unwrap_or_default();
        let launch = Launch {
            program,
            args: args.args.unwrap_or_default(),
            adapter: args.adapter,
            cwd: args.cwd,
            env: env.into_iter().map(|variable| (variable.name, variable.value)).collect(),
            enters: args.stop_on_entry.unwrap_or(false),
        };
        self.begin(self.planner.clone().launch(launch).await?).await
    }

    /// Starts what is planned and waits for the first stop. Dropped on the way, it leaves nothing.
    async fn begin(&self, planned: Planned) -> Result<Output, Error> {
        if let Some(last) = self.conversation.session() {
            last.gone().await;
        }
        let Planned { mut plan, found } = planned;
        let patience = self.conversation.patience(self.planner.sessions.wait);
        let sessions = &self.planner.sessions;
        let common = Arc::clone(&self.conversation.common);
        let opening = self.conversation.opens(&plan.program);
        let opened = tokio::select! {
            biased;
            () = opening.end.cancelled() => Err(Error::Abandoned { program: plan.program.clone() }),
            opened = plan.open(&*sessions.spawn, &sessions.environment, common) => opened,
        };
        let starting = Starting(Some(&self.conversation));
        let started = match opened {
            Ok(session) => {
                self.conversation.keep(Arc::clone(&session));
                let end = opening.end.clone();
                drop(opening);
                if end.is_cancelled() {
                    session.terminate().await;
                }
                plan.configure(&session).await.map(|()| session)
            }
            Err(error) => Err(error),
        };
        let session = match started {
            Ok(session) => session,
            Err(error @ Error::Abandoned { .. }) => {
                starting.lives();
                return Err(error);
            }
            Err(error) => {
                drop(starting);
                return Err(self.explained(error, &plan.program, found).await);
            }
        };
        let outcome = session.wait(patience).await;
        starting.lives();
        let answer = render::outcome(&session, &outcome);
        let unmet = render::unmet(&session);
        Ok(if unmet.is_empty() { answer } else { answer.and_text(unmet) })
    }

    /// Why a start failed: what the adapter lacks, if it does.
    async fn explained(&self, error: Error, program: &str, found: Option<Found>) -> Error {
        let Some(found) = found else { return error };
        match self.planner.explain(&found).await {
            Some(lacks) => Error::NoAdapter {
                message: format!("`{program}` did not start: {lacks}"),
                hint: "call `adapters` to see which are usable here".to_owned(),
            },
            None => error,
        }
    }

    async fn terminate(&self) -> Result<Output, Error> {
        let session = self.session()?;
        session.terminate().await;
        Ok(render::status(&session, None))
    }

    async fn breakpoints(&self, args: DebugArgs) -> Result<Output, Error> {
        let file = needed(args.file, "file", args.action)?;
        let asked = needed(args.lines, "lines", args.action)?;
        let located = self.conversation.common.workspace.resolve(&file)?;
        let shown = workspace::shown(&located.relative).into_owned();
        let path = located.absolute.clone();
        let text = tokio::task::spawn_blocking(move || lines(&path)).await.ok().flatten();
        let text = text.ok_or_else(|| Error::Arguments(format!("`{shown}` cannot be read as source")))?;
        let wanted = wanted(asked)?;
        let breakpoints = &self.conversation.common.breakpoints;
        breakpoints.set(&located.absolute, text.len() as u64, wanted);
        let live = self.live().ok();
        if let Some(session) = &live {
            start::set_file(session.connection(), session.shared(), &located.absolute).await;
        }
        let points = breakpoints.of(&located.absolute);
        Ok(render::breakpoints(&shown, &points, &text, live.as_deref()))
    }

    async fn functions(&self, names: Vec<String>) -> Result<Output, Error> {
        let breakpoints = &self.conversation.common.breakpoints;
        breakpoints.set_functions(names);
        if let Ok(session) = self.live() {
            start::set_functions(session.connection(), session.shared()).await;
        }
        Ok(render::functions(&breakpoints.functions()))
    }

    async fn exceptions(&self, filters: Vec<String>) -> Result<Output, Error> {
        let breakpoints = &self.conversation.common.breakpoints;
        let Ok(session) = self.live() else {
            breakpoints.set_filters(filters.clone());
            return Ok(render::filters(&filters, None));
        };
        let offered = session.shared().capabilities().exception_filters();
        let offered: Vec<String> = offered.into_iter().map(|filter| filter.filter).collect();
        if let Some(unknown) = filters.iter().find(|filter| !offered.contains(filter)) {
            let known = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
            return Err(Error::Arguments(format!(
                "`{}` has no exception filter `{unknown}`; it has: {known}",
                session.adapter().id
            )));
        }
        breakpoints.set_filters(filters);
        let told = start::set_filters(session.connection(), session.shared()).await;
        told.map_err(|why| session.refused("setExceptionBreakpoints", why))?;
        Ok(render::filters(&start::filters(session.shared()), Some(&offered)))
    }

    /// What is asked of a program that is there.
    async fn steer(&self, args: DebugArgs) -> Result<Output, Error> {
        let session = self.live()?;
        let patience = || self.conversation.patience(self.planner.sessions.wait);
        let (action, thread) = (args.action, args.thread_id);
        let outcome = match action {
            Action::Continue if session.shared().standing.stop().is_none() => session.wait(patience()).await,
            Action::Continue => session.resume("continue", Intent::Run, thread, patience()).await?,
            Action::StepOver => session.resume("next", Intent::Step, thread, patience()).await?,
            Action::StepIn => session.resume("stepIn", Intent::Step, thread, patience()).await?,
            Action::StepOut => session.resume("stepOut", Intent::Step, thread, patience()).await?,
            Action::Pause => session.pause(thread, patience()).await?,
            _ => return self.look(&session, args).await,
        };
        Ok(render::outcome(&session, &outcome))
    }

    async fn look(&self, session: &Session, args: DebugArgs) -> Result<Output, Error> {
        let action = args.action;
        Ok(match action {
            Action::Threads => {
                let stopped = session.shared().standing.stop().and_then(|stop| stop.thread);
                render::threads(&session.threads().await?, stopped)
            }
            Action::Scopes => {
                let frame = needed(args.frame_id, "frame_id", action)?;
                render::scopes(&session.scopes(frame).await?)
            }
            Action::Variables => {
                let reference = needed(args.reference, "reference", action)?;
                render::variables(&session.variables(reference, args.start.unwrap_or_default()).await?)
            }
            Action::SetVariable => {
                let reference = needed(args.reference, "reference", action)?;
                let (name, value) =
                    (needed(args.name, "name", action)?, needed(args.value, "value", action)?);
                let set = session.set_variable(reference, &name, &value).await?;
                render::value(&set, session.adapter().set_note.as_deref())
            }
            Action::Evaluate => {
                let expression = needed(args.expression, "expression", action)?;
                render::value(&session.evaluate(&expression, args.frame_id).await?, None)
            }
            _ => {
                let (thread, stack) = session.stack(args.thread_id).await?;
                render::stack(thread, &stack)
            }
        })
    }
}

/// A session whose launch has not been answered: dropped before it lives, it ends.
struct Starting<'a>(Option<&'a Conversation>);

impl Starting<'_> {
    fn lives(mut self) {
        self.0 = None;
    }
}

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        if let Some(conversation) = self.0 {
            conversation.drop_session();
        }
    }
}
