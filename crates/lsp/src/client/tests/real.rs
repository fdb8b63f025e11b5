//! Real servers: text in step with the disk, events, crash and stop.

use std::time::Instant;

use super::*;

const PYTHON: &str = "
//- /pyproject.toml
[project]
name = 'x'
version = '1'
//- /main.py
from util import compute

print(compute(1))
//- /util.py

def compute(x: int) -> int:
    return x
";

const TYPESCRIPT: &str = "
//- /package.json
{ \"name\": \"x\" }
//- /tsconfig.json
{ \"compilerOptions\": { \"strict\": true } }
//- /main.ts
import { compute } from './util';
console.log(compute(1));
//- /util.ts
export function compute(x: number) { return x; }
";

const C: &str = "
//- /compile_flags.txt
-Wall
//- /main.c
#include \"util.h\"
int main(void) { return compute(1); }
//- /util.h

int compute(int x);
";

const GO: &str = "
//- /go.mod
module example.com/x
go 1.21
//- /main.go
package main

func main() { println(compute(1)) }
//- /util.go
package main

func compute(x int) int { return x }
";

const DART: &str = "
//- /pubspec.yaml
name: x
environment:
  sdk: ^3.0.0
//- /lib/main.dart
import 'util.dart';
void main() { print(compute(1)); }
//- /lib/util.dart
int compute(int x) => x;
";

const RUST: &str = "
//- /Cargo.toml
[package]
name = \"x\"
version = \"0.1.0\"
edition = \"2021\"
//- /src/main.rs
mod util;
fn main() { println!(\"{}\", util::compute(1)); }
//- /src/util.rs
pub fn compute(x: i32) -> i32 { x }
";

/// A definition; then both files change on disk, and the new texts are the ones that count.
async fn follows_the_disk(bench: &Bench, main: &str, util: &str) {
    let id = &bench.client.server().id;
    let line = 1 + bench.fixture.read(util).lines().position(|line| line.contains("compute")).unwrap();
    let (places, asked) = bench.definition(main, "compute(1)").await.unwrap();
    assert_eq!((places, asked.readiness), (vec![format!("{util}:{line}")], Readiness::Ready), "{id}");
    bench.client.sync(&bench.path(util)).await.unwrap();
    // Without a pause: the old text must not be told apart by its time alone.
    bench.fixture.write(util, bench.fixture.read(util).replacen('\n', "\n\n", line.max(2) - 1));
    bench.fixture.write(main, bench.fixture.read(main).replace("compute(1)", "compute(22)"));
    let line = 1 + bench.fixture.read(util).lines().position(|line| line.contains("compute")).unwrap();
    let (_, again) = bench.definition(main, "compute(22)").await.unwrap();
    assert!(again.document.version > asked.document.version, "{id}");
    let place = format!("{util}:{line}");
    assert_eq!(bench.defined_at(main, "compute(22)", &place).await, [place], "{id}");
}

#[tokio::test]
async fn ty_follows_the_disk() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    assert_eq!(bench.client.encoding(), Encoding::Utf8);
    follows_the_disk(&bench, "main.py", "util.py").await;
    bench.stop().await;
}

#[tokio::test]
async fn tsc7_follows_the_disk() {
    let Some(program) = test_support::real("tsc7") else { return };
    let server = Table::built_in().servers(true).into_iter().find(|server| server.id == "tsc").unwrap();
    let mut server = Server::clone(&server);
    server.command[0] = program.display().to_string();
    let bench = Bench::start(Arc::new(server), Fixture::new(TYPESCRIPT)).await.unwrap();
    assert_eq!(bench.definition("main.ts", "compute(1)").await.unwrap().0, ["util.ts:1"]);
    bench.fixture.write("main.ts", "\n\nimport { compute } from './util';\nconsole.log('é', compute(2));\n");
    assert_eq!(bench.definition("main.ts", "compute(2)").await.unwrap().0, ["util.ts:1"]);
    bench.stop().await;
}

#[tokio::test]
async fn clangd_follows_the_disk() {
    let Some(bench) = Bench::of("clangd", "clangd", C).await else { return };
    assert_eq!(bench.client.encoding(), Encoding::Utf8);
    follows_the_disk(&bench, "main.c", "util.h").await;
    bench.stop().await;
}

#[tokio::test]
async fn gopls_follows_the_disk() {
    let Some(bench) = Bench::of("gopls", "gopls", GO).await else { return };
    assert_eq!(bench.client.encoding(), Encoding::Utf16);
    follows_the_disk(&bench, "main.go", "util.go").await;
    bench.stop().await;
}

#[tokio::test]
async fn dart_follows_the_disk_and_is_told_nothing_it_did_not_ask_for() {
    let Some(bench) = Bench::of("dart", "dart", DART).await else { return };
    assert_eq!(bench.definition("lib/main.dart", "compute(1)").await.unwrap().0, ["lib/util.dart:1"]);
    bench.fixture.write("lib/util.dart", "int more = 1;\nint compute(int x) => x;\n");
    let change = FileChange { path: bench.path("lib/util.dart"), kind: ChangeKind::Changed };
    bench.client.written(&[change], true).await;
    assert_eq!(bench.definition("lib/main.dart", "compute(1)").await.unwrap().0, ["lib/util.dart:2"]);
    assert_eq!(bench.client.messages(), Vec::<String>::new());
    bench.stop().await;
}

#[tokio::test]
async fn pyright_follows_the_disk() {
    let Some(bench) = Bench::of("pyright", "pyright", PYTHON).await else { return };
    assert_eq!(bench.client.encoding(), Encoding::Utf16);
    assert_eq!(bench.definition("main.py", "compute(1)").await.unwrap().0, ["util.py:2"]);
    bench.fixture.write("util.py", "\n\n\ndef compute(x: int) -> int:\n    return x\n");
    bench.client.outside_changes(&bench.tracked.look().await.unwrap()).await;
    assert_eq!(bench.defined_at("main.py", "compute(1)", "util.py:4").await, ["util.py:4"]);
    bench.stop().await;
}

#[tokio::test]
async fn typescript_language_server_follows_the_disk() {
    let Some(bench) = Bench::of("typescript-language-server", "typescript-language-server", TYPESCRIPT).await
    else {
        return;
    };
    assert_eq!(bench.definition("main.ts", "compute(1)").await.unwrap().0, ["util.ts:1"]);
    bench.definition("util.ts", "compute").await.unwrap();
    bench.fixture.write("util.ts", "\n\nexport function compute(x: number) { return x; }\n");
    assert_eq!(bench.definition("main.ts", "compute(1)").await.unwrap().0, ["util.ts:3"]);
    bench.stop().await;
}

#[tokio::test]
async fn rust_analyzer_is_waited_for_and_follows_the_disk() {
    let Some(bench) = Bench::of("rust-analyzer", "rust-analyzer", RUST).await else { return };
    assert!(!bench.client.readiness().is_ready(), "it has told nothing yet");
    let (places, asked) = bench.definition("src/main.rs", "compute(1)").await.unwrap();
    assert_eq!((places, asked.readiness), (vec!["src/util.rs:1".to_owned()], Readiness::Ready));
    bench.fixture.write("src/util.rs", "\n\n\npub fn compute(x: i32) -> i32 { x }\n");
    bench.client.outside_changes(&bench.tracked.look().await.unwrap()).await;
    assert_eq!(bench.defined_at("src/main.rs", "compute(1)", "src/util.rs:4").await, ["src/util.rs:4"]);
    bench.stop().await;
}

#[tokio::test]
async fn a_file_made_and_removed_by_others_is_announced() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    bench.fixture.write("main.py", "from late import thing\n\nthing()\n");
    assert_eq!(
        bench.definition("main.py", "thing()").await.unwrap().0,
        ["main.py:1"],
        "there is no such module yet"
    );
    bench.fixture.write("late.py", "\ndef thing(): ...\n");
    bench.client.outside_changes(&bench.tracked.look().await.unwrap()).await;
    assert_eq!(bench.defined_at("main.py", "thing()", "late.py:2").await, ["late.py:2"]);
    std::fs::remove_file(bench.path("late.py")).unwrap();
    bench.client.outside_changes(&bench.tracked.look().await.unwrap()).await;
    assert_eq!(bench.defined_at("main.py", "thing()", "main.py:1").await, ["main.py:1"]);
    bench.stop().await;
}

#[tokio::test]
async fn a_removed_document_is_closed_and_told_as_missing() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    bench.client.sync(&bench.path("util.py")).await.unwrap();
    bench.client.sync(&bench.path("main.py")).await.unwrap();
    assert_eq!(bench.client.open_documents(), 2);
    std::fs::remove_file(bench.path("util.py")).unwrap();
    bench.client.sync_all().await.unwrap();
    assert_eq!(bench.client.open_documents(), 1);
    assert!(matches!(bench.client.sync(&bench.path("util.py")).await, Err(Error::NoFile { .. })));
    bench.stop().await;
}

#[tokio::test]
async fn a_link_and_its_target_are_one_document() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    std::os::unix::fs::symlink(bench.path("util.py"), bench.path("link.py")).unwrap();
    let target = bench.client.sync(&bench.path("util.py")).await.unwrap();
    assert_eq!(bench.client.sync(&bench.path("link.py")).await.unwrap(), target);
    assert_eq!(bench.client.open_documents(), 1);
    bench.stop().await;
}

#[tokio::test]
async fn an_overlay_is_what_the_server_sees_until_it_ends() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    assert_eq!(bench.definition("main.py", "compute(1)").await.unwrap().0, ["util.py:2"]);
    let text = format!("\n\n{}", bench.fixture.read("util.py"));
    let overlay = bench.client.overlay(vec![(bench.path("util.py"), Some(text))]).await;
    let at = json!({ "textDocument": { "uri": uri(&bench, "main.py") }, "position": { "line": 2, "character": 7 } });
    let answer = bench.client.request("textDocument/definition", at).await.unwrap();
    assert_eq!(answer[0]["targetSelectionRange"]["start"]["line"], 3, "{answer}");
    overlay.end().await;
    assert_eq!(bench.definition("main.py", "compute(1)").await.unwrap().0, ["util.py:2"]);
    assert_eq!(bench.client.open_documents(), 1, "what was not open before is closed");
    bench.stop().await;
}

fn uri(bench: &Bench, name: &str) -> String {
    crate::uri::of(&bench.path(name))
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_request_is_told_as_one() {
    let Some(bench) = Bench::of("pyright", "pyright", PYTHON).await else { return };
    let client = Arc::clone(&bench.client);
    let path = bench.path("main.py");
    let pid = client.pid();
    let asking = tokio::spawn(async move {
        client.ask(&path, "textDocument/definition", |document| {
            Ok(json!({ "textDocument": { "uri": &*document.uri }, "position": { "line": 2, "character": 7 } }))
        }).await
    });
    while bench.client.pending() == 0 {
        tokio::task::yield_now().await;
    }
    kill(pid);
    let error = asking.await.unwrap().unwrap_err();
    assert!(matches!(&error, Error::Ended { how, .. } if how == "signal 9 (SIGKILL)"), "{error}");
    assert_eq!(bench.client.end().unwrap().how, "signal 9 (SIGKILL)");
    assert_eq!(bench.client.stop().await, Stopped::Itself);
    assert!(!Path::new(&format!("/proc/{pid}")).exists() && peer::descendants(pid).is_empty());
}

fn kill(pid: u32) {
    let status = std::process::Command::new("/bin/kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_dropped_client_takes_its_server_along() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    let pid = bench.client.pid();
    drop(bench);
    let gone = async {
        while Path::new(&format!("/proc/{pid}")).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.expect("the server is killed");
}

#[tokio::test]
#[ignore = "long"]
async fn long_a_warm_question_costs_little_above_the_bare_request() {
    let Some(bench) = Bench::of("ty", "ty", PYTHON).await else { return };
    bench.definition("main.py", "compute(1)").await.unwrap();
    // The file's stamp must have settled before it is trusted.
    tokio::time::sleep(crate::stamp::COARSEST_TICK * 2).await;
    bench.definition("main.py", "compute(1)").await.unwrap();
    let at = json!({ "textDocument": { "uri": uri(&bench, "main.py") }, "position": { "line": 2, "character": 7 } });
    let (mut bare, mut asked) = (Vec::new(), Vec::new());
    for _ in 0..300 {
        let begun = Instant::now();
        bench.client.request("textDocument/definition", at.clone()).await.unwrap();
        bare.push(begun.elapsed());
        let begun = Instant::now();
        bench.definition("main.py", "compute(1)").await.unwrap();
        asked.push(begun.elapsed());
    }
    bare.sort();
    asked.sort();
    println!("median bare {:?}, asked {:?}", bare[150], asked[150]);
    assert!(asked[150] < bare[150] + Duration::from_millis(1));
    bench.stop().await;
}
