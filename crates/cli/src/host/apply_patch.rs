//! `apply_patch`: a unified diff over several files, all or nothing.
//! It must never apply a part, and a patch that does not fit must name every file and hunk that does not.

mod hunks;
mod parse;
mod path;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use outrigger::edits::{Digest, Edits, Effect, EffectKind, Plan};
use outrigger::tool::{About, Error, Output, TypedTool, WriteContext};
use outrigger::workspace::{Kind, Workspace, shown};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::commit::{commit, noted};
use super::load::{Source, load, target};
use hunks::{Patched, apply};
use parse::{FilePatch, Hunk, Malformed, Miscount, parse};

/// Files that do not fit and are named in one error.
const MAX_NAMED: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// A unified diff (`--- a/path`, `+++ b/path`, `@@ -1,3 +1,4 @@`), plain or git's, over one file or several.
    patch: String,
}

pub(super) struct ApplyPatch {
    pub(super) workspace: Workspace,
    pub(super) edits: Edits,
}

impl TypedTool for ApplyPatch {
    type Args = Args;
    type Context = WriteContext;

    fn about(&self) -> About {
        About::new(
            "apply_patch",
            "Applies a unified diff to files of the workspace, all or nothing. `/dev/null` as the old name creates a \
             file, as the new name deletes it; two different names rename it (a folder left empty stays). Context lines must be exact; line \
             numbers may be off, as long as a hunk fits at one place only.",
        )
        .preview(card)
    }

    async fn call(&self, args: Args, cx: WriteContext) -> Result<Output, Error> {
        let (workspace, edits, context) = (self.workspace.clone(), self.edits.clone(), cx.clone());
        cx.blocking(move || apply_patch(&workspace, &edits, &context, &args.patch)).await?
    }
}

fn apply_patch(
    workspace: &Workspace,
    edits: &Edits,
    cx: &WriteContext,
    patch: &str,
) -> Result<Output, Error> {
    let files = parse(patch).map_err(malformed)?;
    let mut draft = Draft { workspace, plan: Plan::new(), notes: Vec::new(), seen: BTreeMap::new() };
    let mut misfits = Vec::new();
    for file in files {
        if let Err(misfit) = draft.add(file) {
            misfits.push(misfit);
        }
    }
    if let Some(error) = together(misfits) {
        return Err(error);
    }
    let Draft { plan, mut notes, .. } = draft;
    let committed = commit(edits, cx, &plan)?;
    notes.extend(committed.notes);
    Ok(answer(&committed.effects, &notes))
}

/// The plan as it grows, file by file.
struct Draft<'a> {
    workspace: &'a Workspace,
    plan: Plan,
    notes: Vec<String>,
    /// The paths that were named, and as what; a second time is an error.
    seen: BTreeMap<String, Named>,
}

/// What a patch does at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Its content changes, appears or goes.
    Here,
    /// A file moves here, or away from here.
    Moved,
}

impl Draft<'_> {
    fn add(&mut self, file: FilePatch) -> Result<(), Error> {
        let FilePatch { old, new, hunks, executable } = file;
        let plan = std::mem::take(&mut self.plan);
        self.plan = match (old, new) {
            (None, Some(new)) => {
                self.once(&new, Named::Here)?;
                let located = target(self.workspace, &new)?;
                if located.kind == Kind::File {
                    return Err(Error::conflict(format!(
                        "`{}` exists already; the patch creates it",
                        shown(&located.relative)
                    )));
                }
                let Patched { bytes, moved } = patched(&located.relative, &[], &hunks)?;
                self.note(&located.relative, &moved, &hunks);
                if executable {
                    self.notes.push(format!(
                        "`{}` is created without the executable bit the patch gives it",
                        shown(&new)
                    ));
                }
                plan.create(new, bytes)
            }
            (Some(old), None) => {
                self.once(&old, Named::Here)?;
                let Source { relative, bytes } = load(self.workspace, &old)?;
                let Patched { bytes: rest, moved } = patched(&relative, &bytes, &hunks)?;
                self.note(&relative, &moved, &hunks);
                if !rest.is_empty() {
                    let message = format!(
                        "`{}` has lines that the patch, which deletes it, does not have",
                        shown(&relative)
                    );
                    return Err(Error::conflict(message));
                }
                plan.edit(&old, Digest::of(&bytes), Vec::new()).delete(old)
            }
            // Nothing to read: what only moves need not be text.
            (Some(old), Some(new)) if hunks.is_empty() => {
                self.once(&old, Named::Moved)?;
                self.once(&new, Named::Moved)?;
                plan.rename(old, new)
            }
            (Some(old), Some(new)) => {
                self.once(&old, if old == new { Named::Here } else { Named::Moved })?;
                let Source { relative, bytes } = load(self.workspace, &old)?;
                let Patched { bytes: changed, moved } = patched(&relative, &bytes, &hunks)?;
                self.note(&relative, &moved, &hunks);
                let plan = if old == new {
                    plan
                } else {
                    self.once(&new, Named::Moved)?;
                    plan.rename(&old, &new)
                };
                plan.replace(new, Some(Digest::of(&bytes)), changed)
            }
            (None, None) => plan,
        };
        Ok(())
    }

    fn note(&mut self, relative: &str, moved: &[(usize, usize)], hunks: &[Hunk]) {
        let path = shown(relative);
        for (hunk, line) in moved {
            self.notes.push(format!("`{path}`: hunk {hunk} was applied at line {line}"));
        }
        for (number, hunk) in (1..).zip(hunks) {
            let Some(Miscount { said, found }) = hunk.miscount else { continue };
            self.notes.push(format!(
                "`{path}`: hunk {number} counts {} old and {} new lines but has {} and {}; it was applied as it is",
                said.old, said.new, found.old, found.new
            ));
        }
    }

    fn once(&mut self, path: &str, named: Named) -> Result<(), Error> {
        let key =
            self.workspace.resolve_new(path).map_or_else(|_| path.to_owned(), |located| located.relative);
        let error = |message: &str| Error::bad_arguments(format!("`{}` {message}", shown(path)));
        match (self.seen.insert(key, named), named) {
            (None, _) => Ok(()),
            (Some(Named::Here), Named::Here) => {
                Err(error("occurs twice in the patch").with_hint("put all hunks of a file under one header"))
            }
            _ => Err(error(
                "is renamed in the patch and named once more: one patch does one thing with a name",
            )
            .with_hint(
                "send what comes after the rename as a patch of its own; two files swap their names in \
                            three patches, by way of a third name",
            )),
        }
    }
}

fn patched(relative: &str, bytes: &[u8], hunks: &[Hunk]) -> Result<Patched, Error> {
    apply(bytes, hunks).map_err(|misfit| {
        Error::conflict(format!("`{}`: {misfit}", shown(relative)))
            .with_hint("read the file and make the patch anew")
    })
}

fn malformed(Malformed { line, what }: Malformed) -> Error {
    Error::bad_arguments(format!("line {line} of `patch`: {what}"))
}

/// One error for all files that do not fit.
fn together(mut misfits: Vec<Error>) -> Option<Error> {
    if misfits.len() < 2 {
        return misfits.pop();
    }
    let count = misfits.len();
    let mut message = format!("{count} files do not fit; nothing was written");
    for misfit in misfits.iter().take(MAX_NAMED) {
        message.push_str(&format!("\n- {}", misfit.message));
    }
    if count > MAX_NAMED {
        message.push_str(&format!("\n- … and {} more", count - MAX_NAMED));
    }
    let first = misfits.swap_remove(0);
    let error = Error::new(first.kind, message);
    Some(match first.hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    })
}

fn answer(effects: &[Effect], notes: &[String]) -> Output {
    let mut text = effects.iter().map(told).collect::<Vec<_>>().join("\n");
    noted(&mut text, notes);
    Output::text(text).with_data(json!({"files": effects, "notes": notes}))
}

fn told(effect: &Effect) -> String {
    let path = shown(&effect.path);
    match &effect.kind {
        EffectKind::Created => format!("created `{path}`"),
        EffectKind::Deleted => format!("deleted `{path}`"),
        EffectKind::Renamed { from } => format!("renamed `{}` to `{path}`", shown(from)),
        _ => format!("patched `{path}`"),
    }
}

fn card(args: &Args) -> String {
    let Ok(files) = parse(&args.patch) else { return "applies a patch that cannot be read".to_owned() };
    let each: Vec<String> = files
        .iter()
        .map(|file| match (&file.old, &file.new) {
            (None, Some(new)) => format!("creates `{}`", shown(new)),
            (Some(old), None) => format!("deletes `{}`", shown(old)),
            (Some(old), Some(new)) if old != new => format!("renames `{}` to `{}`", shown(old), shown(new)),
            (old, new) => {
                format!("patches `{}`", shown(old.as_ref().or(new.as_ref()).map_or("", String::as_str)))
            }
        })
        .collect();
    each.join("\n")
}
