//! The work a server says it is doing: `$/progress` from begin to end.
//! It must never take an end for success: servers end their progress when they crash, too.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::time::Instant;

/// Progress that has begun and not ended, by token.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    open: BTreeMap<String, Work>,
    /// Every title and token that has ever begun, for readers that ask whether a certain one has.
    begun: Vec<Work>,
    last_end: Option<Instant>,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) token: String,
    pub(crate) title: String,
    /// Somebody has waited for it in vain, and it has told nothing since.
    overdue: bool,
}

/// What a server said of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Begin,
    Report,
    End,
}

/// More different pieces of work than this are not remembered once they have ended.
const REMEMBERED: usize = 64;

impl Progress {
    /// Reads the parameters of `$/progress`. `None` when they are no work-done progress.
    pub(crate) fn hear(&mut self, params: &Value) -> Option<(String, Step)> {
        let token = token(&params["token"])?;
        let step = match params["value"]["kind"].as_str()? {
            "begin" => Step::Begin,
            "report" => Step::Report,
            "end" => Step::End,
            _ => return None,
        };
        match step {
            Step::Begin => {
                let title = params["value"]["title"].as_str().unwrap_or_default().to_owned();
                let work = Work { token: token.clone(), title, overdue: false };
                if !self.begun.contains(&work) && self.begun.len() < REMEMBERED {
                    self.begun.push(work.clone());
                }
                self.open.insert(token.clone(), work);
            }
            Step::Report => {
                if let Some(work) = self.open.get_mut(&token) {
                    work.overdue = false;
                }
            }
            Step::End => {
                self.open.remove(&token);
                self.last_end = Some(Instant::now());
            }
        }
        Some((token, step))
    }

    /// Open work that one of `of` is part of the token or title of; any work when `of` is empty.
    pub(crate) fn open<'a>(&'a self, of: &'a [String]) -> impl Iterator<Item = &'a Work> {
        self.open.values().filter(|work| work.is_of(of))
    }

    /// Notes that what is open was waited for in vain: it is waited for again only once it tells something.
    pub(crate) fn give_up(&mut self) {
        self.open.values_mut().for_each(|work| work.overdue = true);
    }

    /// When work last ended: another piece may follow it at once.
    pub(crate) fn last_end(&self) -> Option<Instant> {
        self.last_end
    }

    /// Whether such work has ever begun.
    pub(crate) fn has_begun(&self, of: &[String]) -> bool {
        self.begun.iter().any(|work| work.is_of(of))
    }
}

impl Work {
    fn is_of(&self, of: &[String]) -> bool {
        of.is_empty() || of.iter().any(|part| self.token.contains(part) || self.title.contains(part))
    }

    pub(crate) fn is_overdue(&self) -> bool {
        self.overdue
    }

    /// As a sentence names it.
    pub(crate) fn name(&self) -> &str {
        if self.title.is_empty() { &self.token } else { &self.title }
    }
}

/// A token as text: servers use strings and numbers.
pub(crate) fn token(token: &Value) -> Option<String> {
    match token {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(progress: &Progress, of: &[&str]) -> Vec<String> {
        let of: Vec<String> = of.iter().map(|part| (*part).to_owned()).collect();
        progress.open(&of).map(|work| work.name().to_owned()).collect()
    }

    #[test]
    fn work_is_open_from_its_begin_to_its_end() {
        let mut progress = Progress::default();
        let mut hear = |params: Value| progress.hear(&params);
        assert_eq!(
            hear(json!({ "token": 1, "value": { "kind": "report" } })),
            Some(("1".into(), Step::Report))
        );
        hear(json!({ "token": 1, "value": { "kind": "begin", "title": "Indexing" } }));
        hear(json!({ "token": "ANALYZING", "value": { "kind": "begin" } }));
        assert_eq!(hear(json!({ "token": "x", "value": { "partial": [] } })), None);
        assert_eq!(hear(json!({ "value": { "kind": "begin" } })), None);
        assert_eq!(names(&progress, &[]), ["Indexing", "ANALYZING"]);
        assert_eq!(names(&progress, &["ANALYZ"]), ["ANALYZING"]);
        progress.give_up();
        assert!(progress.open(&[]).all(Work::is_overdue));
        progress.hear(&json!({ "token": 1, "value": { "kind": "report" } }));
        assert!(progress.open(&["Indexing".to_owned()]).all(|work| !work.is_overdue()));
        progress.hear(&json!({ "token": 1, "value": { "kind": "end" } }));
        assert_eq!(names(&progress, &[]), ["ANALYZING"]);
        assert!(progress.has_begun(&["Indexing".to_owned()]) && !progress.has_begun(&["other".to_owned()]));
    }
}
