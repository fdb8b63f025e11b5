//! The adapter of the Dart SDK.

use serde_json::json;
use tool::ErrorKind;

use crate::desk::{Desk, Running, found, listens, port};

const DART: &str = "\
//- /pubspec.yaml
name: demo
environment:
  sdk: '>=2.12.0 <4.0.0'
//- /main.dart
import 'dart:io';

int add(int a, int b) {
  final sum = a + b;
  return sum;
}

void main() {
  var total = 0;
  for (var i = 0; i < 5; i++) {
    total = add(total, i);
  }
  print('total $total');
  stderr.writeln('warned');
  exitCode = 3;
}
//- /broken.dart
void main() {
  undefinedName();
}
";

#[tokio::test]
async fn a_script_from_its_breakpoints_to_its_exit() {
    if found("dart").is_none() {
        return;
    }
    let desk = Desk::new(DART);
    let first = desk.launch_at("main.dart", "main.dart", &[5]).await;
    first.is_stopped("breakpoint", "main.dart", 5);
    assert_eq!(desk.value("a + b").await, "0");
    let locals = desk.locals().await;
    assert!(locals.iter().any(|(name, value)| name == "sum" && value == "0"), "{locals:?}");
    desk.call("breakpoints", json!({"file": "main.dart", "lines": []})).await;
    desk.call("step_out", json!({})).await.is_state("stopped");
    desk.call("continue", json!({})).await.has_exited(3);
    assert!(desk.output("stdout").await.contains("total 10\n"));
    assert!(desk.output("stderr").await.contains("warned"));
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_broken_script_and_an_entry_that_cannot_be_stopped_at() {
    if found("dart").is_none() {
        return;
    }
    let desk = Desk::new(DART);
    let launch = json!({"program": "main.dart", "stop_on_entry": true});
    let (kind, said) = desk.refused("launch", launch).await;
    assert_eq!(kind, ErrorKind::Refused, "{said}");
    let end = desk.call("launch", json!({"program": "broken.dart"})).await;
    end.is_state("exited");
    assert_ne!(end.data["exit_code"], 0);
    assert!(desk.output("stderr").await.contains("undefinedName"));
    desk.is_deserted().await;
}

#[tokio::test]
async fn a_flutter_project_is_not_its_own() {
    if found("dart").is_none() {
        return;
    }
    let desk = Desk::new(
        "//- /pubspec.yaml\nname: a\ndependencies:\n  flutter:\n    sdk: flutter\n//- /main.dart\nvoid main() {}\n",
    );
    let (kind, said) = desk.refused("launch", json!({"program": "main.dart"})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(said.contains("it is a Flutter project"), "{said}");
}

#[tokio::test]
async fn a_program_with_an_open_service_is_joined_by_its_port() {
    let Some(dart) = found("dart") else { return };
    let desk = Desk::new(
        "//- /pubspec.yaml\nname: a\n//- /loop.dart\nimport 'dart:async';\n\nvar n = 0;\n\nvoid main() {\n  Timer.periodic(Duration(milliseconds: 20), (_) {\n    n += 1;\n  });\n}\n",
    );
    let port = port();
    let service = format!("--enable-vm-service={port}");
    let mut program = Running::start(&desk, &dart, &[&service, "--disable-service-auth-codes", "loop.dart"]);
    listens(port).await;
    desk.call("breakpoints", json!({"file": "loop.dart", "lines": [7]})).await;
    let attached = desk.call("attach", json!({"port": port})).await;
    attached.is_stopped("breakpoint", "loop.dart", 7);
    desk.call("terminate", json!({})).await.says("runs on");
    assert!(program.lives());
}
