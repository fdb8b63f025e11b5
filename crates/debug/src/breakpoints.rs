//! The breakpoints of a conversation: kept before, between and after sessions, and what the adapter made of each.
//! It must never call a breakpoint bound that the adapter has not, and never lose a line because an event names none.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use crate::protocol::{self, Breakpoint, Capabilities};

/// What is asked for on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) line: u64,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
    pub(crate) log_message: Option<String>,
}

/// What has become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// No session, or the adapter waits for its code to be loaded.
    Pending,
    /// At this line; 0 where there are no lines.
    At(u64),
    Rejected(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) wanted: Wanted,
    pub(crate) bound: Bound,
    id: Option<i64>,
    /// Refused before any adapter was asked.
    refused: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) bound: Bound,
    id: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct Breakpoints {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    files: BTreeMap<PathBuf, Vec<Point>>,
    functions: Vec<Function>,
    filters: Option<Vec<String>>,
    /// Events about breakpoints whose numbers are not known yet.
    early: HashMap<i64, Breakpoint>,
}

impl Breakpoints {
    /// Replaces the list of a file that has `lines` lines.
    pub(crate) fn set(&self, file: &Path, lines: u64, wanted: Vec<Wanted>) {
        let point = |wanted: Wanted| {
            let refused = wanted.line > lines;
            let bound =
                if refused { Bound::Rejected(format!("the file has {lines} lines")) } else { Bound::Pending };
            Point { wanted, bound, id: None, refused }
        };
        let points: Vec<Point> = wanted.into_iter().map(point).collect();
        let mut inner = self.lock();
        // An emptied file stays until its session has been told.
        inner.files.insert(file.to_owned(), points);
    }

    pub(crate) fn set_functions(&self, names: Vec<String>) {
        let function = |name| Function { name, bound: Bound::Pending, id: None };
        self.lock().functions = names.into_iter().map(function).collect();
    }

    pub(crate) fn set_filters(&self, filters: Vec<String>) {
        self.lock().filters = Some(filters);
    }

    pub(crate) fn filters(&self) -> Option<Vec<String>> {
        self.lock().filters.clone()
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.lock()
            .files
            .iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(file, _)| file.clone())
            .collect()
    }

    pub(crate) fn of(&self, file: &Path) -> Vec<Point> {
        self.lock().files.get(file).cloned().unwrap_or_default()
    }

    pub(crate) fn functions(&self) -> Vec<Function> {
        self.lock().functions.clone()
    }

    /// Whether one of them writes instead of stopping.
    pub(crate) fn has_logs(&self) -> bool {
        self.lock().files.values().flatten().any(|point| point.wanted.log_message.is_some())
    }

    /// Whether an adapter's number stands for one of these.
    pub(crate) fn knows(&self, id: i64) -> bool {
        let inner = self.lock();
        let points = inner.files.values().flatten().map(|point| point.id);
        points.chain(inner.functions.iter().map(|function| function.id)).any(|known| known == Some(id))
    }

    /// The file and line that an adapter's number stands for.
    pub(crate) fn place(&self, id: i64) -> Option<(PathBuf, u64)> {
        self.lock().files.iter().find_map(|(file, points)| {
            let point = points.iter().find(|point| point.id == Some(id))?;
            let line = match point.bound {
                Bound::At(line) => line,
                _ => point.wanted.line,
            };
            Some((file.clone(), line))
        })
    }

    /// A session begins: nothing is bound.
    pub(crate) fn unbind(&self) {
        let mut inner = self.lock();
        inner.early.clear();
        for point in inner.files.values_mut().flatten().filter(|point| !point.refused) {
            (point.bound, point.id) = (Bound::Pending, None);
        }
        for function in &mut inner.functions {
            (function.bound, function.id) = (Bound::Pending, None);
        }
    }

    /// The arguments of `setBreakpoints` for a file. What this adapter cannot do is refused, not set without it.
    pub(crate) fn request(&self, file: &Path, capabilities: &Capabilities) -> Value {
        let mut inner = self.lock();
        let points = inner.files.entry(file.to_owned()).or_default();
        for point in points.iter_mut() {
            if let Some(what) = unsupported(&point.wanted, capabilities) {
                point.bound = Bound::Rejected(format!("this adapter has no {what}"));
            } else if !point.refused {
                point.bound = Bound::Pending;
            }
        }
        let sent = points.iter().filter(|point| is_sent(point));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        json!({
            "source": {"path": file, "name": name},
            "breakpoints": sent.clone().map(|point| line_fields(&point.wanted)).collect::<Vec<_>>(),
            "lines": sent.map(|point| point.wanted.line).collect::<Vec<_>>(),
            "sourceModified": false,
        })
    }

    pub(crate) fn function_request(&self) -> Value {
        let names =
            self.lock().functions.iter().map(|function| json!({"name": function.name})).collect::<Vec<_>>();
        json!({ "breakpoints": names })
    }

    /// The adapter's answer to [`request`](Self::request), matched by place.
    pub(crate) fn answered(&self, file: &Path, answer: Result<Value, String>) {
        let mut inner = self.lock();
        let Inner { files, early, .. } = &mut *inner;
        let points = files.get_mut(file).into_iter().flatten().filter(|point| is_sent(point));
        let mut answers = read(answer);
        for point in points {
            let line = point.wanted.line;
            settle(&mut point.bound, &mut point.id, line, answers.next(), early);
        }
    }

    pub(crate) fn functions_answered(&self, answer: Result<Value, String>) {
        let mut inner = self.lock();
        let Inner { functions, early, .. } = &mut *inner;
        let mut answers = read(answer);
        for function in functions {
            settle(&mut function.bound, &mut function.id, 0, answers.next(), early);
        }
    }

    /// The adapter has changed its mind about one. What the event leaves out stays as it was.
    pub(crate) fn changed(&self, event: Breakpoint) {
        let Some(id) = event.id else { return };
        let mut inner = self.lock();
        let Inner { files, functions, early, .. } = &mut *inner;
        let points =
            files.values_mut().flatten().map(|point| (&mut point.bound, point.id, point.wanted.line));
        let functions = functions.iter_mut().map(|function| (&mut function.bound, function.id, 0));
        match points.chain(functions).find(|(_, known, _)| *known == Some(id)) {
            Some((bound, _, line)) => apply(bound, line, &event),
            None => {
                early.insert(id, event);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_sent(point: &Point) -> bool {
    !matches!(point.bound, Bound::Rejected(_))
}

fn line_fields(wanted: &Wanted) -> Value {
    let more = [
        ("condition", &wanted.condition),
        ("hitCondition", &wanted.hit_condition),
        ("logMessage", &wanted.log_message),
    ];
    let mut fields = Map::from_iter([("line".to_owned(), Value::from(wanted.line))]);
    fields
        .extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?.into()))));
    Value::Object(fields)
}

fn unsupported(wanted: &Wanted, capabilities: &Capabilities) -> Option<&'static str> {
    [
        (&wanted.condition, "supportsConditionalBreakpoints", "conditions"),
        (&wanted.hit_condition, "supportsHitConditionalBreakpoints", "hit conditions"),
        (&wanted.log_message, "supportsLogPoints", "log messages"),
    ]
    .into_iter()
    .find(|(asked, flag, _)| asked.is_some() && !capabilities.has(flag))
    .map(|(_, _, what)| what)
}

/// The breakpoints of an answer, in order; an answer that is an error is that of each.
fn read(answer: Result<Value, String>) -> impl Iterator<Item = Breakpoint> {
    let (list, error) = match answer {
        Ok(body) => (protocol::each(&body["breakpoints"]), None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let failed = error.map(|error| Breakpoint {
        verified: Some(false),
        reason: Some("failed".to_owned()),
        message: Some(error),
        ..Breakpoint::default()
    });
    list.into_iter().chain(failed.into_iter().cycle())
}

fn settle(
    bound: &mut Bound,
    id: &mut Option<i64>,
    line: u64,
    answer: Option<Breakpoint>,
    early: &mut HashMap<i64, Breakpoint>,
) {
    let Some(answer) = answer else {
        *bound = Bound::Rejected("the adapter did not answer for it".to_owned());
        return;
    };
    *id = answer.id;
    apply(bound, line, &answer);
    if let Some(event) = answer.id.and_then(|id| early.remove(&id)) {
        apply(bound, line, &event);
    }
}

fn apply(bound: &mut Bound, wanted: u64, said: &Breakpoint) {
    let held = match bound {
        Bound::At(line) => *line,
        _ => wanted,
    };
    let message = said.message.as_deref().unwrap_or_default();
    let waits = said.reason.as_deref() == Some("pending")
        || ["pending", "not yet", "not been resolved"].iter().any(|words| message.contains(words));
    *bound = match said.verified {
        // Some events name no more than what has changed.
        None => return,
        // A line of 0 is what some adapters send for none.
        Some(true) => Bound::At(said.line.filter(|line| *line > 0).unwrap_or(held)),
        Some(false) if waits => Bound::Pending,
        Some(false) if said.reason.as_deref() == Some("failed") || !message.is_empty() => Bound::Rejected(
            if message.is_empty() { "the adapter gave no reason" } else { message }.to_owned(),
        ),
        Some(false) => Bound::Pending,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/w/a.c";

    fn wanted(line: u64) -> Wanted {
        Wanted { line, condition: None, hit_condition: None, log_message: None }
    }

    fn bound(points: &Breakpoints) -> Vec<Bound> {
        points.of(Path::new(FILE)).into_iter().map(|point| point.bound).collect()
    }

    fn event(value: Value) -> Breakpoint {
        protocol::read(value).unwrap()
    }

    fn some() -> (Breakpoints, Capabilities) {
        let mut capabilities = Capabilities::default();
        capabilities.add(&json!({"supportsConditionalBreakpoints": true}));
        (Breakpoints::default(), capabilities)
    }

    #[test]
    fn answers_belong_to_what_was_sent_and_the_rest_says_why_it_was_not() {
        let (points, capabilities) = some();
        let conditional = Wanted { condition: Some("x".to_owned()), ..wanted(2) };
        let logged = Wanted { log_message: Some("x".to_owned()), ..wanted(3) };
        points.set(Path::new(FILE), 20, vec![wanted(99), conditional, logged, wanted(12)]);
        let request = points.request(Path::new(FILE), &capabilities);
        assert_eq!(request["breakpoints"], json!([{"line": 2, "condition": "x"}, {"line": 12}]));
        points.answered(
            Path::new(FILE),
            Ok(json!({"breakpoints": [{"id": 1, "verified": false, "message": "no code"}, {"id": 2, "verified": true, "line": 14}]})),
        );
        let rejected = |text: &str| Bound::Rejected(text.to_owned());
        let expected = [
            rejected("the file has 20 lines"),
            rejected("no code"),
            rejected("this adapter has no log messages"),
            Bound::At(14),
        ];
        assert_eq!(bound(&points), expected);
        assert_eq!(points.place(2), Some((PathBuf::from(FILE), 14)));
        points.unbind();
        assert_eq!(bound(&points)[3], Bound::Pending);
    }

    #[test]
    fn an_event_adds_to_what_is_known_whenever_it_comes() {
        let (points, capabilities) = some();
        points.set(Path::new(FILE), 20, vec![wanted(5), wanted(6)]);
        points.request(Path::new(FILE), &capabilities);
        points.changed(event(json!({"id": 2, "verified": true, "line": 7})));
        let pending = json!({"breakpoints": [
            {"id": 1, "verified": false, "reason": "pending"}, {"id": 2, "verified": false, "message": "pending"}]});
        points.answered(Path::new(FILE), Ok(pending));
        assert_eq!(bound(&points), [Bound::Pending, Bound::At(7)]);
        points.changed(event(json!({"id": 1, "verified": true})));
        points.changed(event(json!({"id": 2, "verified": true, "line": 0})));
        points.changed(event(json!({"verified": false})));
        assert_eq!(bound(&points), [Bound::At(5), Bound::At(7)], "an event without a line moves nothing");
    }

    #[test]
    fn an_answer_that_is_missing_or_an_error_binds_nothing() {
        let (points, capabilities) = some();
        points.set(Path::new(FILE), 20, vec![wanted(5), wanted(6)]);
        points.request(Path::new(FILE), &capabilities);
        points.answered(Path::new(FILE), Ok(json!({"breakpoints": [{"verified": true}]})));
        assert_eq!(bound(&points)[1], Bound::Rejected("the adapter did not answer for it".to_owned()));
        points.answered(Path::new(FILE), Err("no".to_owned()));
        assert_eq!(bound(&points)[0], Bound::Rejected("no".to_owned()));
    }
}
