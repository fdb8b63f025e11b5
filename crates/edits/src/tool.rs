//! The tool `resolve`: what becomes of a staged edit. Arguments in, dispatch, error out; it decides nothing that the
//! rooms behind it have not decided.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool::{About, Error, Output, TypedTool, WriteContext};

use crate::edits::Edits;
use crate::error::Error as EditError;
use crate::mismatch::Mismatch;
use crate::preview::Preview;
use crate::proposal::Staged;
use crate::render;

const DESCRIPTION: &str = "Decides about a staged edit, such as one that ast_edit proposed. `accept` writes it, all \
files or none: if any file differs from what it was when the edit was staged, nothing is written and every such file \
is named. `discard` drops it. `show` gives its diff, page by page. `check` says which new diagnostics it would \
introduce. Nothing but `accept` changes files.";

/// Arguments of `resolve`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct ResolveArgs {
    /// The id the proposal gave, such as `edit_1`.
    edit_id: String,
    /// What to do with it.
    action: Action,
    /// Only with `accept` of an edit that would not parse: accept it all the same.
    force: Option<bool>,
    /// Only with `show`: which page of the diff, from 1.
    page: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Accept,
    Discard,
    Show,
    Check,
}

impl Action {
    const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Discard => "discard",
            Self::Show => "show",
            Self::Check => "check",
        }
    }
}

/// The tool `resolve` over one store of staged edits.
pub struct Resolve {
    edits: Edits,
    preview: Option<Arc<dyn Preview>>,
}

impl Resolve {
    /// Without a preview: `check` is unavailable.
    pub fn new(edits: Edits) -> Self {
        Self { edits, preview: None }
    }

    /// With something that can judge a change before it is made.
    #[must_use]
    pub fn with_preview(mut self, preview: Arc<dyn Preview>) -> Self {
        self.preview = Some(preview);
        self
    }
}

impl std::fmt::Debug for Resolve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolve").field("edits", &self.edits).finish_non_exhaustive()
    }
}

impl TypedTool for Resolve {
    type Args = ResolveArgs;
    type Context = WriteContext;

    fn about(&self) -> About {
        let edits = self.edits.clone();
        About::new("resolve", DESCRIPTION).preview(move |args: &ResolveArgs| card(&edits, args))
    }

    async fn call(&self, args: ResolveArgs, cx: WriteContext) -> Result<Output, Error> {
        fitting(&args)?;
        let edits = self.edits.clone();
        if args.action == Action::Check {
            return self.check(args.edit_id, cx).await;
        }
        let context = cx.clone();
        cx.blocking(move || match args.action {
            Action::Accept => accept(&edits, &args, &context),
            Action::Discard => discard(&edits, &args.edit_id),
            _ => show(&edits, &args),
        })
        .await?
    }
}

impl Resolve {
    async fn check(&self, id: String, cx: WriteContext) -> Result<Output, Error> {
        let Some(preview) = &self.preview else {
            return Err(Error::unavailable(
                "`check` needs something that diagnoses files, and none is attached",
            )
            .with_hint("look at the edit with action \"show\""));
        };
        let edits = self.edits.clone();
        let files = cx
            .blocking(move || {
                let staged = edits.staged(&id)?;
                fits(&edits, &staged)?;
                Ok::<_, Error>(edits.proposed(&staged.change)?)
            })
            .await??;
        preview.preview(files, (*cx).clone()).await
    }
}

/// Arguments that belong to another action.
fn fitting(args: &ResolveArgs) -> Result<(), Error> {
    let only = |name: &str, action: &str| {
        Err(Error::bad_arguments(format!(
            "`{name}` goes with action \"{action}\" only, not with \"{}\"",
            args.action.name()
        )))
    };
    if args.force == Some(true) && args.action != Action::Accept {
        return only("force", "accept");
    }
    match args.page {
        Some(_) if args.action != Action::Show => only("page", "show"),
        Some(0) => Err(Error::bad_arguments("`page` counts from 1")),
        _ => Ok(()),
    }
}

fn accept(edits: &Edits, args: &ResolveArgs, cx: &WriteContext) -> Result<Output, Error> {
    let staged = edits.staged(&args.edit_id)?;
    match (staged.force.is_empty(), args.force == Some(true)) {
        (false, false) => return Err(render::needs_force(&staged)),
        (true, true) => {
            return Err(Error::bad_arguments(format!("`{}` does not need `force`", staged.id))
                .with_hint("accept it without"));
        }
        _ => {}
    }
    let permit = cx.permit(staged.change.paths())?;
    let committed = edits.accept(&staged, permit).map_err(|error| worded(&staged, error))?;
    Ok(render::accepted(&staged, &committed))
}

fn discard(edits: &Edits, id: &str) -> Result<Output, Error> {
    let staged = edits.staged(id)?;
    edits.discard(id)?;
    Ok(render::discarded(&staged))
}

fn show(edits: &Edits, args: &ResolveArgs) -> Result<Output, Error> {
    let staged = edits.staged(&args.edit_id)?;
    fits(edits, &staged)?;
    let page = args.page.map_or(1, |page| page as usize);
    let diff = edits.diff(&staged.change, page)?;
    if page > diff.pages {
        return Err(Error::bad_arguments(format!(
            "the diff of `{}` has {}; there is no page {page}",
            staged.id,
            render::counted(diff.pages, "page")
        )));
    }
    Ok(render::shown(&staged, &diff))
}

/// Whether every file still has the content that the edit is about; whether it may be written is not the question.
fn fits(edits: &Edits, staged: &Staged) -> Result<(), Error> {
    match edits.verify(staged) {
        Err(EditError::Mismatch { mismatches }) if mismatches.iter().all(Mismatch::is_permission) => Ok(()),
        Err(EditError::NoSpace { .. }) | Ok(()) => Ok(()),
        Err(error) => Err(worded(staged, error)),
    }
}

fn worded(staged: &Staged, error: EditError) -> Error {
    match error {
        EditError::Mismatch { mismatches } => render::conflict(staged, &mismatches),
        error => error.into(),
    }
}

fn card(edits: &Edits, args: &ResolveArgs) -> String {
    match edits.staged(&args.edit_id) {
        Ok(staged) => {
            let diff = edits.diff(&staged.change, 1).ok().filter(|_| args.action == Action::Accept);
            render::card(args.action.name(), &staged, diff.as_ref())
        }
        Err(error) => format!("{} `{}`: {error}", args.action.name(), args.edit_id),
    }
}
