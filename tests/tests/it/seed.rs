//! The examples of the product's own description, letter by letter, through a run as an embedder builds it.

use outrigger::{ErrorKind, Tier};
use serde_json::json;
use test_support::Fixture;

use crate::embedded::{data, run};

#[tokio::test]
async fn a_repeated_variable_must_capture_the_same_text() {
    let fixture = Fixture::new(
        "
//- /lib/close.dart
void close(Widget? a, Widget? b) {
  if (a != null) a.dispose();
  if (a != null) b.dispose();
  if (a!=null) a . dispose( ); // spaced otherwise
  final text = 'if (a != null) a.dispose();';
}
",
    );
    let run = run(&fixture);
    let arguments = json!({"pattern": "if ($X != null) $X.dispose()", "language": "dart"});
    let found = run.surface(Tier::Read).call("ast_grep", arguments).await.expect("an answer");
    let lines: Vec<u64> = data(&found)["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["range"]["start"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [2, 4], "{}", found.to_text());
    assert!(found.to_text().contains("lib/close.dart:2:3"), "{}", found.to_text());
}

fn twelve_in_four() -> Fixture {
    Fixture::new(
        "
//- /lib/a.dart
void a() { dispose(x); dispose( y ); dispose(z /* last */); }
//- /lib/b.dart
class B { void b() { dispose(one.two); dispose(three[0]); dispose(f()); } }
//- /lib/c.dart
final c = () { dispose(x); dispose(x); dispose(x); };
//- /lib/deep/d.dart
int d() { dispose(x); if (y) dispose(y); return dispose(z); }
//- /lib/none.dart
// dispose(comment)
final text = 'dispose(string)';
",
    )
}

#[tokio::test]
async fn a_rewrite_is_staged_refused_after_a_change_and_accepted_afresh() {
    let fixture = twelve_in_four();
    let run = run(&fixture);
    let surface = run.surface(Tier::Write);
    let rewrite = json!({"pattern": "dispose($X)", "rewrite": "$X.dispose()", "language": "dart"});
    let before = fixture.tree();
    let proposed = surface.call("ast_edit", rewrite.clone()).await.expect("a proposal");
    let text = proposed.to_text();
    assert!(text.starts_with("(proposed) 12 replacements in 4 files"), "{text}");
    assert!(text.contains("call resolve with edit_id \"edit_1\""), "{text}");
    assert_eq!(fixture.tree(), before, "nothing is written");

    fixture.write("lib/c.dart", "final c = () { dispose(x); };\n");
    let touched = fixture.tree();
    let accept = |id: &str| json!({"edit_id": id, "action": "accept"});
    let refused = surface.call("resolve", accept("edit_1")).await.expect_err("a conflict");
    assert_eq!(refused.kind, ErrorKind::Conflict);
    assert!(refused.message.contains("lib/c.dart"), "{refused}");
    assert_eq!(fixture.tree(), touched, "one mismatch refuses the whole");

    let afresh = surface.call("ast_edit", rewrite).await.expect("a proposal");
    assert!(afresh.to_text().starts_with("(proposed) 10 replacements in 4 files"), "{}", afresh.to_text());
    surface.call("resolve", accept("edit_2")).await.expect("accepted");
    assert_eq!(fixture.read("lib/a.dart"), "void a() { x.dispose(); y.dispose(); z.dispose(); }\n");
    assert_eq!(fixture.read("lib/c.dart"), "final c = () { x.dispose(); };\n");
    assert_eq!(fixture.bytes("lib/none.dart"), before["lib/none.dart"]);
    let left: Vec<String> = fixture.tree().into_keys().collect();
    assert_eq!(left, before.into_keys().collect::<Vec<_>>(), "no stray file");
}
