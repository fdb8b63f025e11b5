//! That a name which is hidden, was detached, or never existed gets one and the same answer, byte for byte.

use outrigger_tool::{ErrorKind, ExecContext, ReadContext, Tier, WriteContext};
use serde_json::json;

use crate::scripted::{bytes, kind, plain, registry, scripted, text};

#[tokio::test]
async fn a_surface_lists_and_serves_its_tier_and_those_below() {
    let registry =
        registry(vec![plain::<ExecContext>("c"), plain::<ReadContext>("a"), plain::<WriteContext>("b")]);
    for (tier, names) in [(Tier::Read, "a"), (Tier::Write, "ab"), (Tier::Exec, "abc")] {
        let surface = registry.surface(tier);
        assert_eq!(surface.ceiling(), tier);
        assert_eq!(surface.specs().iter().map(|spec| spec.name.as_str()).collect::<String>(), names);
        for name in ["a", "b", "c"] {
            let answer = surface.call(name, json!({})).await;
            if names.contains(name) {
                assert_eq!(text(&answer), name);
            } else {
                assert_eq!(kind(&answer), ErrorKind::UnknownTool);
            }
        }
    }
    let narrow = registry.surface(Tier::Exec).only(|spec| spec.name != "a").only(|spec| spec.name != "c");
    assert_eq!(narrow.specs().iter().map(|spec| spec.name.as_str()).collect::<String>(), "b");
    assert_eq!(kind(&narrow.call("a", json!({})).await), ErrorKind::UnknownTool);
}

/// The answers to one name, at the surface and from inside a call, of two registries that differ in a tool.
#[tokio::test]
async fn a_hidden_name_is_answered_as_one_that_never_existed() {
    let through = || {
        scripted("through", |cx: ReadContext| async move {
            cx.dispatch().call("resolve", json!({"text": "x"})).await
        })
    };
    let with = registry(vec![plain::<ReadContext>("resolver"), through(), plain::<WriteContext>("resolve")]);
    let without = registry(vec![plain::<ReadContext>("resolver"), through()]);
    for arguments in [json!({}), json!({"text": 3}), json!(null), json!([1])] {
        let hidden = with.surface(Tier::Read).call("resolve", arguments.clone()).await;
        let absent = without.surface(Tier::Read).call("resolve", arguments).await;
        assert_eq!(bytes(&hidden), bytes(&absent));
        assert_eq!(
            bytes(&hidden),
            r#"{"kind":"unknown_tool","message":"there is no tool named `resolve`","hint":"did you mean `resolver`?"}"#
        );
    }
    // From inside a read call, even on a surface that shows the write tool.
    let hidden = with.surface(Tier::Exec).call("through", json!({})).await;
    let absent = without.surface(Tier::Exec).call("through", json!({})).await;
    assert_eq!(bytes(&hidden), bytes(&absent));
    // Outside a view.
    let hidden =
        with.surface(Tier::Exec).only(|spec| spec.tier == Tier::Read).call("resolve", json!({})).await;
    assert_eq!(bytes(&hidden), bytes(&absent));
    // After it was detached.
    let leaving = registry(vec![plain::<ReadContext>("resolver")]);
    leaving.attach("edits", vec![plain::<ReadContext>("resolve"), through()]).unwrap();
    assert_eq!(text(&leaving.surface(Tier::Read).call("resolve", json!({})).await), "resolve");
    assert!(leaving.detach("edits"));
    let alone = registry(vec![plain::<ReadContext>("resolver")]);
    for name in ["resolve", "through", "nothing_like_it"] {
        let detached = leaving.surface(Tier::Read).call(name, json!({})).await;
        let absent = alone.surface(Tier::Read).call(name, json!({})).await;
        assert_eq!(bytes(&detached), bytes(&absent));
    }
}

#[tokio::test]
async fn near_names_are_visible_ones_and_depend_on_the_name_asked_alone() {
    let registry = registry(vec![
        plain::<ReadContext>("ast_grep"),
        plain::<ReadContext>("ask_user"),
        plain::<WriteContext>("ast_edit"),
    ]);
    let hint = async |tier, name: &str, arguments| {
        registry.surface(tier).call(name, arguments).await.unwrap_err().hint.unwrap()
    };
    assert_eq!(hint(Tier::Read, "ast_edti", json!({})).await, "the tools here are `ask_user`, `ast_grep`");
    assert_eq!(hint(Tier::Write, "ast_edti", json!({})).await, "did you mean `ast_edit`?");
    assert_eq!(hint(Tier::Read, "ast_gerp", json!({"text": "ask_user"})).await, "did you mean `ast_grep`?");
    let empty = crate::scripted::registry(vec![plain::<WriteContext>("ast_edit")]);
    let error = empty.surface(Tier::Read).call("ast_edit", json!({})).await.unwrap_err();
    assert_eq!(error.hint.unwrap(), "no tool is attached here");
}
