//! What is known of one stop: the frames at the top, the exception, the lines around. Asked in one exchange.
//! It must never hold anything of another stop.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join;
use serde_json::json;

use crate::error::{Error, Refusal};
use crate::handles::Raw;
use crate::limits;
use crate::protocol::{self, ExceptionInfo, StackFrame, Thread};
use crate::session::Session;
use crate::state::{Reason, Stop};

/// Lines shown before and after the one the program is at.
const AROUND: u64 = 2;

#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) stop: Arc<Stop>,
    pub(crate) thread: Option<i64>,
    pub(crate) stack: Stack,
    pub(crate) exception: Option<Exception>,
    /// The lines around the first frame whose file is the workspace's: that frame's place among the frames, and the
    /// lines by number.
    pub(crate) lines: Option<(usize, Vec<(u64, String)>)>,
}

/// The frames of a thread from the top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) frames: Vec<Frame>,
    pub(crate) total: Total,
    /// Why there are none.
    pub(crate) lack: Option<String>,
}

/// How many frames there are in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Total {
    Exactly(usize),
    AtLeast(usize),
    #[default]
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Our number.
    pub(crate) id: u64,
    /// The adapter's.
    pub(crate) raw: i64,
    pub(crate) function: String,
    pub(crate) path: Option<PathBuf>,
    /// The path as an answer shows it.
    pub(crate) shown: Option<String>,
    pub(crate) line: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Exception {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Session {
    /// Asks what there is to know of a stop.
    pub(crate) async fn look(&self, stop: &Arc<Stop>) -> Report {
        let thread = match stop.thread {
            Some(thread) => Some(thread),
            None => self.current_thread().await,
        };
        let (stack, exception) =
            join(self.frames(stop, thread, limits::FRAMES), self.exception(stop, thread)).await;
        let stack = stack.unwrap_or_else(|error| Stack { lack: Some(error.to_string()), ..Stack::default() });
        let root = self.common.workspace.root();
        let ours = |frame: &Frame| frame.path.as_ref().is_some_and(|path| path.starts_with(root));
        let own = stack.frames.iter().position(ours);
        let lines = match own.map(|at| (at, &stack.frames[at])) {
            Some((at, Frame { path: Some(path), line, .. })) => {
                around(path.clone(), *line).await.map(|lines| (at, lines))
            }
            _ => None,
        };
        Report { stop: Arc::clone(stop), thread, stack, exception, lines }
    }

    /// The thread that a stop is about when the adapter does not say: the one it marks, else the first.
    async fn current_thread(&self) -> Option<i64> {
        let threads = self.threads().await.ok()?;
        let marked = threads.iter().find(|thread| thread.name.starts_with('*'));
        marked.or(threads.first()).map(|thread| thread.id)
    }

    pub(crate) async fn threads(&self) -> Result<Vec<Thread>, Error> {
        let body = self.ask("threads", json!({})).await?;
        Ok(protocol::items(&body["threads"]))
    }

    /// At most `levels` frames of a thread.
    pub(crate) async fn frames(
        &self,
        stop: &Stop,
        thread: Option<i64>,
        levels: usize,
    ) -> Result<Stack, Error> {
        let Some(thread) = thread else {
            let why = Refusal::Answered("the adapter names no thread".to_owned());
            return Err(self.refused("threads", why));
        };
        let arguments = json!({"threadId": thread, "startFrame": 0, "levels": levels});
        let body = self.ask("stackTrace", arguments).await?;
        let raw: Vec<StackFrame> = protocol::items(&body["stackFrames"]);
        let said = body["totalFrames"].as_u64().and_then(|total| usize::try_from(total).ok());
        let total = match said {
            Some(total) if self.adapter().counts_frames => Total::Exactly(total.max(raw.len())),
            _ if raw.len() < levels => Total::Exactly(raw.len()),
            _ => Total::AtLeast(raw.len()),
        };
        let frames = raw.into_iter().take(limits::FRAMES).map(|frame| self.frame(stop, frame)).collect();
        Ok(Stack { frames, total, lack: None })
    }

    fn frame(&self, stop: &Stop, frame: StackFrame) -> Frame {
        let source = frame.source.unwrap_or_default();
        let path = source.path.map(PathBuf::from).filter(|path| path.is_absolute());
        let shown = match &path {
            Some(path) => Some(self.shown(path)),
            None => source.name,
        };
        Frame {
            id: self.common.handles.give(stop.number, Raw::Frame(frame.id)),
            raw: frame.id,
            function: without_hash(&frame.name).to_owned(),
            path,
            shown,
            line: frame.line,
        }
    }

    /// A path as an answer shows it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let text = self.common.workspace.relative(path);
        workspace::shown(&text.unwrap_or_else(|| path.to_string_lossy().into_owned())).into_owned()
    }

    async fn exception(&self, stop: &Stop, thread: Option<i64>) -> Option<Exception> {
        if stop.reason != Reason::Exception {
            return None;
        }
        let said = Exception { name: String::new(), text: stop.text.clone() };
        if !self.shared().capabilities().has("supportsExceptionInfoRequest") {
            return Some(said);
        }
        let Ok(body) = self.ask("exceptionInfo", json!({"threadId": thread})).await else {
            return Some(said);
        };
        let info: ExceptionInfo = protocol::read(body).unwrap_or_default();
        let text = info.description.filter(|text| !text.is_empty()).unwrap_or(said.text);
        Some(Exception { name: info.exception_id, text })
    }
}

/// Rust's symbols end in a hash that says nothing to a reader.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => path,
        _ => name,
    }
}

async fn around(path: PathBuf, line: u64) -> Option<Vec<(u64, String)>> {
    let lines = tokio::task::spawn_blocking(move || lines(&path)).await.ok()??;
    let first = line.saturating_sub(AROUND).max(1);
    let shown = (first..=line + AROUND).filter_map(|number| {
        let text = lines.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some((number, text.clone()))
    });
    (line > 0 && line <= lines.len() as u64).then(|| shown.collect())
}

/// The lines of a source file. Reads the file system.
pub(crate) fn lines(path: &Path) -> Option<Vec<String>> {
    let bytes = workspace::read_source(path, limits::SOURCE).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbols_hash_is_left_out_and_nothing_else() {
        assert_eq!(without_hash("demo::add::h0123456789abcdef"), "demo::add");
        assert_eq!(without_hash("demo::hello"), "demo::hello");
        assert_eq!(without_hash("std::hash::hasher"), "std::hash::hasher");
    }
}
