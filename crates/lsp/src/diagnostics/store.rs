//! The last report of one server about each file, by the way it came. Reading is the union of the ways, but that an
//! answer about the sent text hides what was merely pushed, for servers that answer for all they know.
//! It must never grow with what a server sends, and never let an older version replace a newer one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::decode;
use crate::diagnostic::{Diagnostic, Stream};
use crate::limits;
use crate::servers::{Server, Settle};
use crate::uri;

/// What one server has reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    server: String,
    answers_hide_pushes: bool,
    files: BTreeMap<PathBuf, BTreeMap<Stream, Report>>,
    /// Reports and items beyond the limits: what is kept is not all there is.
    lost: usize,
}

#[derive(Clone, Debug)]
struct Report {
    version: Option<i32>,
    list: Vec<Diagnostic>,
}

impl Store {
    pub(crate) fn new(server: &Server) -> Self {
        Self {
            server: server.id.clone(),
            answers_hide_pushes: matches!(server.settle, Settle::Pull | Settle::Tsserver),
            ..Self::default()
        }
    }

    /// Reads `textDocument/publishDiagnostics`. The file it was about, where it was kept.
    pub(crate) fn published(&mut self, params: &Value) -> Option<PathBuf> {
        let path = uri::canonical_path(params["uri"].as_str()?)?;
        let items = params["diagnostics"].as_array()?;
        let version = params["version"].as_i64().and_then(|version| i32::try_from(version).ok());
        self.keep(&path, Stream::Push, version, items).then_some(path)
    }

    /// Reads the answer to `textDocument/diagnostic`. An `unchanged` report leaves what is held.
    ///
    /// # Errors
    /// What was wrong with it: it is no report then, and not an empty one.
    pub(crate) fn pulled(
        &mut self,
        path: &Path,
        identifier: Option<&str>,
        version: i32,
        report: &Value,
    ) -> Result<(), String> {
        let stream = Stream::Pull(identifier.map(str::to_owned));
        self.report(path, &stream, Some(version), report)?;
        let related = report["relatedDocuments"].as_object();
        for (uri, report) in related.into_iter().flatten() {
            if let Some(path) = uri::canonical_path(uri) {
                // One that cannot be read leaves what is held of that file.
                let _ = self.report(&path, &stream, None, report);
            }
        }
        Ok(())
    }

    fn report(
        &mut self,
        path: &Path,
        stream: &Stream,
        version: Option<i32>,
        report: &Value,
    ) -> Result<(), String> {
        if report["kind"] == "unchanged" {
            let held = self.files.get(path).is_some_and(|streams| streams.contains_key(stream));
            return if held {
                Ok(())
            } else {
                Err("`unchanged`, of a report that was never given".to_owned())
            };
        }
        // gopls leaves the kind of a full report empty.
        let Some(items) = report["items"].as_array() else { return Err("a report without items".to_owned()) };
        self.keep(path, stream.clone(), version, items);
        Ok(())
    }

    /// What the server answered to a question of its own protocol.
    pub(crate) fn asked(&mut self, path: &Path, list: Vec<Diagnostic>) {
        self.put(path, Stream::Asked, None, list);
    }

    fn keep(&mut self, path: &Path, stream: Stream, version: Option<i32>, items: &[Value]) -> bool {
        let held =
            self.files.get(path).and_then(|streams| streams.get(&stream)).and_then(|held| held.version);
        if let (Some(held), Some(version)) = (held, version)
            && version < held
        {
            return false;
        }
        let read = items.iter().take(limits::FILE_DIAGNOSTICS);
        let list = read.filter_map(|item| decode::one(item, &self.server, &stream, version)).collect();
        self.lost += items.len().saturating_sub(limits::FILE_DIAGNOSTICS);
        self.put(path, stream, version, list);
        true
    }

    fn put(&mut self, path: &Path, stream: Stream, version: Option<i32>, list: Vec<Diagnostic>) {
        if self.files.len() >= limits::DIAGNOSED_FILES && !self.files.contains_key(path) {
            let empty =
                |streams: &BTreeMap<Stream, Report>| streams.values().all(|held| held.list.is_empty());
            let clean = self.files.iter().find(|(_, streams)| empty(streams)).map(|(path, _)| path.clone());
            let Some(clean) = clean else {
                self.lost += 1;
                return;
            };
            self.files.remove(&clean);
        }
        self.files.entry(path.to_owned()).or_default().insert(stream, Report { version, list });
    }

    /// What is known of `path`, exact repetitions once: compilers repeat themselves for each target.
    pub(crate) fn of(&self, path: &Path) -> Vec<Diagnostic> {
        self.files.get(path).map(|streams| self.union(streams)).unwrap_or_default()
    }

    /// Every file something is known of, clean ones included.
    pub(crate) fn all(&self) -> Vec<(PathBuf, Vec<Diagnostic>)> {
        self.files.iter().map(|(path, streams)| (path.clone(), self.union(streams))).collect()
    }

    /// Whether more was reported than is kept.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// The document is closed: answers about its text are answers no more. What was pushed is the server's to change.
    pub(crate) fn closed(&mut self, path: &Path) {
        if let Some(streams) = self.files.get_mut(path) {
            streams.retain(|stream, _| matches!(stream, Stream::Push));
            if streams.is_empty() {
                self.files.remove(path);
            }
        }
    }

    /// The file is gone.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    fn union(&self, streams: &BTreeMap<Stream, Report>) -> Vec<Diagnostic> {
        let answered = streams.keys().any(|stream| matches!(stream, Stream::Pull(_) | Stream::Asked));
        let hidden = |stream: &Stream| self.answers_hide_pushes && answered && *stream == Stream::Push;
        let mut union: Vec<Diagnostic> = Vec::new();
        for (_, report) in streams.iter().filter(|(stream, _)| !hidden(stream)) {
            for diagnostic in &report.list {
                if !union.iter().any(|seen| seen.repeats(diagnostic)) {
                    union.push(diagnostic.clone());
                }
            }
        }
        union.sort_by(|a, b| (a.start, a.severity, &a.message).cmp(&(b.start, b.severity, &b.message)));
        union
    }
}

impl Diagnostic {
    /// Whether it says the same of the same place.
    fn repeats(&self, other: &Self) -> bool {
        (self.start, self.end, self.severity) == (other.start, other.end, other.severity)
            && (&self.code, &self.source, &self.message) == (&other.code, &other.source, &other.message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use test_support::Fixture;

    use super::*;

    fn store(settle: &str) -> Store {
        let row = format!(
            "id = 'x'\ncommand = ['x']\nmarkers = []\nlanguages = {{}}\nsettle = '{settle}'\nreadiness = {{ signal = 'holds' }}"
        );
        Store::new(&toml::from_str(&row).unwrap())
    }

    fn items(messages: &[&str]) -> Value {
        messages.iter().map(|message| json!({ "message": message, "source": "s" })).collect()
    }

    fn push(store: &mut Store, uri: &str, version: impl Into<Value>, messages: &[&str]) -> Option<PathBuf> {
        store.published(&json!({ "uri": uri, "version": version.into(), "diagnostics": items(messages) }))
    }

    fn messages(store: &Store, path: &str) -> Vec<String> {
        store.of(Path::new(path)).into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    const FILE: &str = "/nowhere/a b.rs";
    const URI: &str = "file:///nowhere/a%20b.rs";

    #[test]
    fn each_way_replaces_only_itself_and_reading_is_the_union() {
        let mut store = store("flycheck");
        push(&mut store, URI, 1, &["rustc"]);
        store
            .pulled(Path::new(FILE), Some("ra"), 1, &json!({ "kind": "full", "items": items(&["native"]) }))
            .unwrap();
        assert_eq!(messages(&store, FILE), ["native", "rustc"]);
        store.pulled(Path::new(FILE), Some("ra"), 2, &json!({ "kind": "full", "items": [] })).unwrap();
        assert_eq!(messages(&store, FILE), ["rustc"]);
        push(&mut store, URI, 2, &[]);
        assert!(messages(&store, FILE).is_empty() && store.files.contains_key(Path::new(FILE)));
    }

    #[test]
    fn an_answer_hides_what_was_pushed_by_a_server_that_answers_for_all() {
        let mut store = store("pull");
        push(&mut store, URI, 1, &["stale"]);
        assert_eq!(messages(&store, FILE), ["stale"]);
        store.pulled(Path::new(FILE), None, 2, &json!({ "kind": "", "items": [] })).unwrap();
        assert!(messages(&store, FILE).is_empty());
        store.closed(Path::new(FILE));
        assert_eq!(messages(&store, FILE), ["stale"], "the answer was about a text that is no longer sent");
    }

    #[test]
    fn an_older_version_never_replaces_a_newer_one() {
        let mut store = store("flycheck");
        assert!(push(&mut store, URI, 5, &["new"]).is_some());
        assert!(push(&mut store, URI, 4, &["old"]).is_none());
        assert_eq!(messages(&store, FILE), ["new"]);
        push(&mut store, URI, Value::Null, &["unversioned"]);
        assert_eq!(messages(&store, FILE), ["unversioned"]);
    }

    #[test]
    fn other_spellings_and_real_paths_are_one_file() {
        let fixture = Fixture::new("//- /real/é.rs\n");
        std::os::unix::fs::symlink(fixture.path("real"), fixture.path("link")).unwrap();
        let real = fixture.path("real/é.rs");
        let mut store = store("flycheck");
        let spelled =
            format!("file://{}/link/%c3%a9.rs", fixture.path("").to_string_lossy().trim_end_matches('/'));
        assert_eq!(push(&mut store, &spelled, 1, &["m"]), Some(real.clone()));
        push(&mut store, &uri::of(&real), 2, &["n"]);
        assert_eq!(store.all().len(), 1);
        assert_eq!(store.of(&real)[0].message, "n");
    }

    #[test]
    fn exact_repetitions_are_one_and_another_place_is_another() {
        let mut store = store("flycheck");
        let at = |line: u32| json!({ "message": "m", "range": { "start": { "line": line }, "end": { "line": line } } });
        store.published(&json!({ "uri": URI, "diagnostics": [at(1), at(1), at(2)] }));
        assert_eq!(messages(&store, FILE), ["m", "m"]);
    }

    #[test]
    fn what_is_no_report_is_no_empty_report() {
        let mut store = store("pull");
        let path = Path::new(FILE);
        assert!(store.pulled(path, None, 1, &Value::Null).is_err());
        assert!(store.pulled(path, None, 1, &json!({ "kind": "unchanged", "resultId": "1" })).is_err());
        assert!(!store.files.contains_key(path));
        store.pulled(path, None, 1, &json!({ "items": items(&["m"]) })).unwrap();
        store.pulled(path, None, 1, &json!({ "kind": "unchanged", "resultId": "1" })).unwrap();
        assert_eq!(messages(&store, FILE), ["m"]);
        let related =
            json!({ "items": [], "relatedDocuments": { "file:///nowhere/b": { "items": items(&["r"]) } } });
        store.pulled(path, None, 2, &related).unwrap();
        assert_eq!(messages(&store, "/nowhere/b"), ["r"]);
    }

    #[test]
    fn it_is_bounded_and_says_so() {
        let mut store = store("flycheck");
        for file in 0..limits::DIAGNOSED_FILES + 10 {
            push(&mut store, &format!("file:///nowhere/{file}"), 1, &[]);
        }
        assert!(store.all().len() <= limits::DIAGNOSED_FILES && !store.has_lost(), "clean files make room");
        let many = vec!["m"; limits::FILE_DIAGNOSTICS + 1];
        push(&mut store, URI, 1, &many);
        assert!(store.has_lost());
    }
}
