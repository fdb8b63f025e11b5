//! What a stopped program holds: frames of any thread, scopes, children, values. Every number that goes in is one of
//! ours and of this stop. It must never hand out what was read after the program had gone on.

use serde_json::{Value, json};

use crate::error::{Error, Refusal};
use crate::handles::{Raw, Sort};
use crate::limits;
use crate::protocol::{self, Evaluated, Scope, Variable};
use crate::report::{Report, Stack, Total};
use crate::session::Session;
use crate::state::{Phase, Stop};

/// A scope of a frame.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) reference: u64,
    pub(crate) count: Option<u64>,
    pub(crate) expensive: bool,
}

/// A child, or the value of an expression.
#[derive(Debug)]
pub(crate) struct Holding {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) kind: Option<String>,
    /// Where its children are, if it has any.
    pub(crate) reference: Option<u64>,
    pub(crate) count: Option<u64>,
}

/// A part of the children.
#[derive(Debug)]
pub(crate) struct Children {
    pub(crate) shown: Vec<Holding>,
    pub(crate) start: u64,
    pub(crate) total: u64,
}

impl Session {
    /// The frames of a thread, and how many there are in all.
    pub(crate) async fn stack(&self, thread: Option<i64>) -> Result<(Option<i64>, Stack), Error> {
        let stop = self.stop()?;
        let report = self.report(&stop).await;
        let its_own = thread.is_none() || thread == report.thread;
        let stack = if its_own && matches!(report.stack.total, Total::Exactly(_)) {
            report.stack.clone()
        } else {
            let levels = if self.adapter().counts_frames { limits::FRAMES } else { limits::COUNTED_FRAMES };
            self.frames(&stop, thread.or(report.thread), levels).await?
        };
        self.still(&stop)?;
        Ok((thread.or(report.thread), stack))
    }

    pub(crate) async fn scopes(&self, frame: u64) -> Result<Vec<Found>, Error> {
        let (stop, frame) = self.own_frame(frame)?;
        let body = self.ask("scopes", json!({"frameId": frame})).await?;
        self.still(&stop)?;
        let scopes: Vec<Scope> = protocol::items(&body["scopes"]);
        Ok(scopes
            .into_iter()
            .map(|scope| Found {
                reference: self.children_of(&stop, scope.variables_reference, scope.indexed_variables),
                count: scope.named_variables.map(|named| named + scope.indexed_variables.unwrap_or_default()),
                name: scope.name,
                expensive: scope.expensive,
            })
            .collect())
    }

    pub(crate) async fn variables(&self, reference: u64, start: u64) -> Result<Children, Error> {
        let (stop, reference, indexed) = self.own_children(reference)?;
        let paged = indexed.filter(|indexed| *indexed > limits::CHILDREN as u64);
        let arguments = match paged {
            Some(_) => json!({
                "variablesReference": reference,
                "filter": "indexed",
                "start": start,
                "count": limits::CHILDREN,
            }),
            None => json!({"variablesReference": reference}),
        };
        let body = self.ask("variables", arguments).await?;
        self.still(&stop)?;
        let mut children: Vec<Variable> = protocol::items(&body["variables"]);
        let row = self.adapter();
        children.sort_by_key(|child| row.last_children.iter().position(|last| *last == child.name));
        let counted = children.iter().find(|child| Some(&child.name) == row.count_child.as_ref());
        let counted = counted.and_then(|child| child.value.parse().ok());
        let total = paged.or(counted).unwrap_or(children.len() as u64);
        // An adapter that was asked for a part may still answer with the whole.
        let whole = paged.is_none() || children.len() > limits::CHILDREN;
        let skipped = if whole { usize::try_from(start).unwrap_or(usize::MAX) } else { 0 };
        let shown = children.into_iter().skip(skipped).take(limits::CHILDREN);
        let shown = shown.map(|child| self.holding(&stop, child)).collect();
        Ok(Children { shown, start, total })
    }

    pub(crate) async fn set_variable(
        &self,
        reference: u64,
        name: &str,
        value: &str,
    ) -> Result<Holding, Error> {
        let (stop, reference, _) = self.own_children(reference)?;
        if !self.shared().capabilities().has("supportsSetVariable") {
            let (adapter, what) = (self.adapter().id.clone(), "change variables".to_owned());
            return Err(Error::Unsupported { adapter, what });
        }
        let arguments = json!({"variablesReference": reference, "name": name, "value": value});
        let body = self.ask("setVariable", arguments).await?;
        self.still(&stop)?;
        Ok(self.evaluated(&stop, name, body))
    }

    /// The value of an expression in a frame; never a command of the debugger.
    pub(crate) async fn evaluate(&self, expression: &str, frame: Option<u64>) -> Result<Holding, Error> {
        let (stop, frame) = if let Some(frame) = frame {
            self.own_frame(frame)?
        } else {
            let stop = self.stop()?;
            let report = self.report(&stop).await;
            let Some(top) = report.stack.frames.first() else {
                let why = report.stack.lack.clone().unwrap_or_else(|| "it has no frames".to_owned());
                return Err(self.refused("stackTrace", Refusal::Answered(why)));
            };
            (stop, top.raw)
        };
        let arguments = json!({"expression": expression, "frameId": frame, "context": "watch"});
        let answer = self.connection().request("evaluate", arguments, limits::REQUEST).await;
        let body = match answer {
            Ok(body) => body,
            Err(why) => {
                let report = self.report(&stop).await;
                let hint = self.evaluate_hint(&report, frame);
                let what = format!("`{expression}` could not be evaluated");
                return Err(Error::Adapter { what, why, hint });
            }
        };
        self.still(&stop)?;
        Ok(self.evaluated(&stop, expression, body))
    }

    fn evaluate_hint(&self, report: &Report, frame: i64) -> Option<String> {
        let frame = report.stack.frames.iter().find(|known| known.raw == frame)?;
        let extension = frame.path.as_ref()?.extension()?.to_str()?;
        self.adapter().evaluate_hint.get(extension).cloned()
    }

    fn own_frame(&self, frame: u64) -> Result<(std::sync::Arc<Stop>, i64), Error> {
        match self.own(Sort::Frame, frame)? {
            (stop, Raw::Frame(frame)) => Ok((stop, frame)),
            (_, Raw::Children { .. }) => Err(Error::Stale(format!("there is no frame {frame}"))),
        }
    }

    fn own_children(&self, number: u64) -> Result<(std::sync::Arc<Stop>, i64, Option<u64>), Error> {
        match self.own(Sort::Reference, number)? {
            (stop, Raw::Children { reference, indexed }) => Ok((stop, reference, indexed)),
            (_, Raw::Frame(_)) => Err(Error::Stale(format!("there is no reference {number}"))),
        }
    }

    /// What the adapter knows a number of ours by, at the stop the program is at.
    fn own(&self, sort: Sort, number: u64) -> Result<(std::sync::Arc<Stop>, Raw), Error> {
        let phase = self.state().phase;
        if let Phase::Ended(_) = phase {
            return Err(Error::NoSession { because: self.because() });
        }
        let stop = self.shared().standing.stop();
        let raw = self.common.handles.raw(sort, number, stop.as_ref().map(|stop| stop.number))?;
        // A number that was found belongs to a stop.
        stop.map(|stop| (stop, raw)).ok_or(Error::Running)
    }

    /// What was read belongs to the stop, which the program may have left meanwhile.
    fn still(&self, stop: &Stop) -> Result<(), Error> {
        match self.shared().standing.stop() {
            Some(now) if now.number == stop.number => Ok(()),
            _ => Err(Error::Stale(format!(
                "the program has left stop #{} while it was looked at",
                stop.number
            ))),
        }
    }

    fn children_of(&self, stop: &Stop, reference: i64, indexed: Option<u64>) -> u64 {
        self.common.handles.give(stop.number, Raw::Children { reference, indexed })
    }

    fn holding(&self, stop: &Stop, child: Variable) -> Holding {
        let has_children = child.variables_reference > 0;
        Holding {
            reference: has_children
                .then(|| self.children_of(stop, child.variables_reference, child.indexed_variables)),
            name: child.name,
            value: child.value,
            kind: child.kind.filter(|kind| !kind.is_empty()),
            count: child.indexed_variables.filter(|count| *count > 0),
        }
    }

    fn evaluated(&self, stop: &Stop, name: &str, body: Value) -> Holding {
        let Evaluated { result, kind, variables_reference, indexed_variables } =
            protocol::read(body).unwrap_or_default();
        let child =
            Variable { name: name.to_owned(), value: result, kind, variables_reference, indexed_variables };
        self.holding(stop, child)
    }
}
