//! Code inside macros, which a parser holds as raw tokens.

use expect_test::expect;
use serde_json::json;

use crate::bench::Bench;

const CALLS: &str = r#"
//- /m.rs
fn f() {
    old_name(1);
    let a = old_name(2) + 1;
    assert_eq!(old_name(3), 1);
    println!("{} {x}", old_name(4), x = other(1));
    let b = vec![old_name(5); 3];
    if old_name(6) > 2 { g(old_name(7)); }
    other(old_name(8));
}
"#;

#[tokio::test]
async fn calls_in_macros_are_rewritten_with_the_others() {
    let bench = Bench::new(CALLS);
    let arguments = json!({"pattern": "old_name($X)", "rewrite": "new_name($X)"});
    let data = bench.data("ast_edit", arguments).await;
    assert_eq!((&data["replacements"], &data["matches"]), (&json!(8), &json!(8)), "{data}");
    assert_eq!(data["unsearched_macro_bodies"]["count"], 0, "{data}");
    bench.call("resolve", json!({"edit_id": "edit_1", "action": "accept"})).await;
    let text = std::fs::read_to_string(bench.fixture.root().join("m.rs")).unwrap();
    assert_eq!(text.matches("new_name(").count(), 8, "{text}");
    assert!(!text.contains("old_name"), "{text}");
}

#[tokio::test]
async fn macro_bodies_that_are_no_code_are_counted_and_named() {
    let bench = Bench::new(
        "//- /m.rs\nmacro_rules! m {\n    () => { old_name(1) };\n    ($x:expr) => { old_name($x) };\n}\nfn f() {\n    \
         html! { <a>{ old_name(2) }</a> };\n    html! { <b>{ other(2) }</b> };\n    old_name(3);\n}\n",
    );
    bench
        .check(
            "ast_grep",
            json!({"pattern": "old_name($X)"}),
            expect![[r#"
                3 matches in 1 file
                m.rs:2:13: old_name(1)
                    $X = 1
                m.rs:3:20: old_name($x)
                    $X = $x
                m.rs:8:5: old_name(3)
                    $X = 3
                searched 1 rust file (read as `statement`) in the workspace
                not searched, not code by themselves though they hold the pattern's words: 1 macro body: m.rs:6
            "#]],
        )
        .await;
    bench
        .check(
            "ast_edit",
            json!({"pattern": "old_name($X)", "rewrite": "new_name($X)"}),
            expect![[r#"
                (proposed) 3 replacements in 1 file; nothing is written yet: call resolve with edit_id "edit_1"
                m.rs: 3 replacements
                searched 1 rust file (read as `statement`) in the workspace
                not searched, not code by themselves though they hold the pattern's words: 1 macro body: m.rs:6

                --- a/m.rs
                +++ b/m.rs
                @@ -1,9 +1,9 @@
                 macro_rules! m {
                -    () => { old_name(1) };
                -    ($x:expr) => { old_name($x) };
                +    () => { new_name(1) };
                +    ($x:expr) => { new_name($x) };
                 }
                 fn f() {
                     html! { <a>{ old_name(2) }</a> };
                     html! { <b>{ other(2) }</b> };
                -    old_name(3);
                +    new_name(3);
                 }
            "#]],
        )
        .await;
    let data = bench.data("ast_grep", json!({"pattern": "old_name($X)"})).await;
    assert_eq!(data["unsearched_macro_bodies"], json!({"count": 1, "first": ["m.rs:6"]}));
}
