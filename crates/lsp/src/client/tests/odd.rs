//! Servers that misbehave, each a few lines of a script.

use super::*;

/// Reads and writes frames; `said(method)` holds what was heard.
const PRELUDE: &str = r#"
import json, os, sys, time
def read():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line: sys.exit(0)
        if line.strip() == b"": break
        name, value = line.split(b":")
        if name.lower() == b"content-length": length = int(value)
    return json.loads(sys.stdin.buffer.read(length))
def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body); sys.stdout.buffer.flush()
def answer(message, result): write({"id": message["id"], "result": result})
"#;

async fn start(script: &str, row: &str) -> Option<Result<Bench, Error>> {
    let python = test_support::real("python3")?;
    let fixture = Fixture::new("//- /a.py\none\n");
    let path = fixture.outside().join("server.py");
    std::fs::write(&path, format!("{PRELUDE}{script}")).unwrap();
    let row = format!(
        "id = 'odd'\ncommand = [{python:?}, {path:?}]\nmarkers = ['pyproject.toml']\nlanguages.python = ['*.py']\n\
         settle = 'pull'\n{row}"
    );
    Some(Bench::start(Arc::new(toml::from_str(&row).unwrap()), fixture).await)
}

const HOLDS: &str = "readiness = { signal = 'holds' }";

#[tokio::test]
async fn a_server_that_ends_at_once_is_told_with_its_last_words() {
    let script = "print('no such module: ghost', file=sys.stderr)\nsys.exit(3)\n";
    let Some(started) = start(script, HOLDS).await else { return };
    let error = started.err().unwrap().to_string();
    assert_eq!(
        error,
        "odd did not come up: exit code 3; the end of its error stream:\nno such module: ghost"
    );
}

#[tokio::test]
async fn an_output_that_ends_is_a_crash_though_the_process_lives() {
    let script = "answer(read(), {'capabilities': {}})\nread(); read()\nprint('lost it', file=sys.stderr, flush=True)\nos.close(1)\ntime.sleep(600)\n";
    let Some(started) = start(script, HOLDS).await else { return };
    let bench = started.unwrap();
    let error = bench.client.request("x", Value::Null).await.unwrap_err().to_string();
    assert!(error.contains("closed its output") && error.contains("lost it"), "{error}");
    assert_eq!(bench.client.stop().await, Stopped::Terminated);
    assert!(!Path::new(&format!("/proc/{}", bench.client.pid())).exists());
}

#[tokio::test]
async fn an_outdated_answer_is_asked_for_again_with_the_new_text() {
    let script = "
answer(read(), {'capabilities': {}})
said = []
while True:
    m = read()
    if m['method'] == 'textDocument/definition':
        said.append(m['params'])
        if len(said) < 3:
            with open('a.py', 'w') as f: f.write('two' * len(said))
            write({'id': m['id'], 'error': {'code': -32801, 'message': 'content modified'}})
        else: answer(m, said)
";
    let Some(started) = start(script, HOLDS).await else { return };
    let bench = started.unwrap();
    let params =
        |document: &Synced| Ok(json!({ "length": document.text.len(), "version": document.version }));
    let asked = bench.client.ask(&bench.path("a.py"), "textDocument/definition", params).await.unwrap();
    assert_eq!(
        asked.value,
        json!([
            { "length": 4, "version": 1 }, { "length": 3, "version": 2 }, { "length": 6, "version": 3 },
        ])
    );
}

#[tokio::test]
async fn an_answer_while_progress_is_open_is_not_believed() {
    let script = "
answer(read(), {'capabilities': {}})
while True:
    m = read()
    if m['method'] == 'textDocument/didOpen':
        write({'method': '$/progress', 'params': {'token': 1, 'value': {'kind': 'begin', 'title': 'Indexing'}}})
    if m['method'] == 'textDocument/definition': answer(m, [])
    if m['method'] == 'end': write({'method': '$/progress', 'params': {'token': 1, 'value': {'kind': 'end'}}})
";
    let Some(started) = start(script, "readiness = { signal = 'progress' }").await else { return };
    let bench = started.unwrap();
    bench.client.sync(&bench.path("a.py")).await.unwrap();
    let loading = Readiness::Loading { waiting_for: "`Indexing`".to_owned() };
    while bench.client.readiness() != loading {
        bench.client.live().changes().changed().await.unwrap();
    }
    assert_eq!(bench.client.ready(Duration::from_millis(50)).await, loading);
    let params = |_: &Synced| Ok(Value::Null);
    let begun = std::time::Instant::now();
    let asked = bench.client.ask(&bench.path("a.py"), "textDocument/definition", params).await.unwrap();
    assert_eq!(asked.readiness, loading);
    assert!(begun.elapsed() < Duration::from_secs(5), "what was waited for in vain is not waited for again");
    bench.client.notify("end", Value::Null);
    let ready = bench.client.ready(Duration::from_secs(5));
    while !bench.client.readiness().is_ready() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ready.await, Readiness::Ready);
}

#[tokio::test]
async fn events_and_saves_are_told_only_where_they_were_asked_for() {
    let script = "
answer(read(), {'capabilities': {}})
heard = []
while True:
    m = read()
    if m['method'] == 'heard': answer(m, heard); heard = []
    elif m['method'] == 'register':
        write({'id': 1, 'method': 'client/registerCapability', 'params': {'registrations': [
            {'id': 'w', 'method': 'workspace/didChangeWatchedFiles', 'registerOptions': {'watchers': [{'globPattern': '**/*.py'}]}},
            {'id': 's', 'method': 'textDocument/didSave', 'registerOptions': {'includeText': True}}]}})
        assert read()['result'] is None
        answer(m, None)
    elif 'method' in m: heard.append([m['method'].split('/')[-1], m['params']])
";
    let Some(started) = start(script, HOLDS).await else { return };
    let bench = started.unwrap();
    let heard = async || bench.client.request("heard", Value::Null).await.unwrap();
    let methods = |heard: &Value| -> Vec<String> {
        heard.as_array().unwrap().iter().map(|one| one[0].as_str().unwrap().to_owned()).collect()
    };
    let changed = |name: &str| FileChange { path: bench.path(name), kind: ChangeKind::Changed };
    bench.client.written(&[changed("a.py")], true).await;
    assert_eq!(methods(&heard().await), ["initialized", "didChangeConfiguration", "didOpen"]);
    bench.client.request("register", Value::Null).await.unwrap();
    bench.fixture.write("a.py", "two\n");
    bench.fixture.write("b.txt", "");
    bench.fixture.write("pyproject.toml", "");
    bench.client.written(&[changed("a.py"), changed("b.txt"), changed("pyproject.toml")], true).await;
    let told = heard().await;
    assert_eq!(methods(&told), ["didChangeWatchedFiles", "didChange", "didSave"]);
    let names: Vec<&str> = told[0][1]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["uri"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(names, ["a.py", "pyproject.toml"]);
    assert_eq!(told[2][1]["text"], "two\n");
    std::fs::remove_file(bench.path("a.py")).unwrap();
    bench.client.written(&[FileChange { path: bench.path("a.py"), kind: ChangeKind::Deleted }], true).await;
    assert_eq!(methods(&heard().await), ["didChangeWatchedFiles", "didClose"]);
}

#[tokio::test]
async fn a_server_that_will_not_end_is_killed() {
    let script = "
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
answer(read(), {'capabilities': {}})
time.sleep(600)
";
    let Some(started) = start(script, HOLDS).await else { return };
    let bench = started.unwrap();
    let begun = std::time::Instant::now();
    assert_eq!(bench.client.stop().await, Stopped::Killed);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let error = bench.client.request("x", Value::Null).await.unwrap_err();
    assert!(matches!(error, Error::Closing { .. }), "{error}");
}

#[tokio::test]
async fn an_encoding_that_was_not_offered_is_refused() {
    let script = "answer(read(), {'capabilities': {'positionEncoding': 'utf-7'}})\nread()\n";
    let Some(started) = start(script, HOLDS).await else { return };
    let error = started.err().unwrap().to_string();
    assert!(error.contains("utf-7"), "{error}");
}
