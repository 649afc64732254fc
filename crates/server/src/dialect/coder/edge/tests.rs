//! What is kept of a client's settings, and what never is.

use super::{Coder, edge};
use pollux_session::{Context, Opened, Overrides, Owner, SessionId};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use uuid::Uuid;

fn opened(edge: Value) -> Opened {
    Opened {
        main_task: SessionId(Uuid::nil()).main_task(),
        owner: Owner("me".into()),
        context: Context::new("c").expect("a label"),
        workspace: "/w".into(),
        overrides: Overrides::default(),
        release: "test".into(),
        edge,
    }
}

#[test]
fn secrets_and_claims_of_trust_are_not_kept() {
    let sent = json!({
        "kind": "agent-settings", "workspacePath": "/w", "autoExecute": true, "isTrusted": true,
        "apiKey": "secret", "mcp_servers": {"s": {"headers": {"authorization": "secret"}}}, "more": 1,
    });
    let kept = edge(&sent);
    assert_eq!(
        kept,
        json!({"dialect": "coder", "agentSettings": {"workspacePath": "/w", "autoExecute": true, "more": 1}})
    );
    let opened = opened(kept);
    let shown = Coder::of(&opened, &Value::Null).map(|coder| coder.settings().to_string());
    assert_eq!(
        shown.as_deref(),
        Some(r#"{"kind":"agent-settings","workspacePath":"/w","autoExecute":true,"more":1,"isTrusted":false}"#)
    );
}

#[test]
fn a_session_that_remembers_something_else_does_not_speak_it() {
    for edge in [Value::Null, json!({"dialect": "other"}), json!("coder"), json!({"dialect": 1})] {
        assert!(Coder::of(&opened(edge.clone()), &Value::Null).is_none(), "{edge}");
    }
    let bare = opened(edge(&Value::Null));
    let shown = Coder::of(&bare, &Value::Null).map(|coder| coder.settings());
    assert_eq!(shown, Some(json!({"kind": "agent-settings", "workspacePath": "/w", "isTrusted": false})));
}

#[test]
fn what_a_task_has_of_its_own_goes_before_its_session() {
    let (shared, own) = (opened(Value::Null), edge(&json!({"more": 1})));
    let shown = Coder::of(&shared, &own).map(|coder| coder.settings());
    assert_eq!(shown, Some(json!({"kind": "agent-settings", "workspacePath": "/w", "more": 1, "isTrusted": false})));
    assert!(Coder::of(&opened(own), &json!({"dialect": "other"})).is_none());
}
