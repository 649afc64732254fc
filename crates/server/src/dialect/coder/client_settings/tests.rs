//! The settings of a client that are kept, and those that never are.

use super::{CoderClientSettings, client_settings_edge};
use pollux_session::{ContextId, Owner, SessionId, SessionOpened, SessionOverrides};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use uuid::Uuid;

fn opened(edge: Value) -> SessionOpened {
    SessionOpened {
        main_task: SessionId(Uuid::nil()).main_task(),
        owner: Owner("me".into()),
        context: ContextId::new("c").expect("a label"),
        workspace: "/w".into(),
        overrides: SessionOverrides::default(),
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
    let kept = client_settings_edge(&sent);
    assert_eq!(
        kept,
        json!({"dialect": "coder", "agentSettings": {"workspacePath": "/w", "autoExecute": true, "more": 1}})
    );
    let opened = opened(kept);
    let shown = CoderClientSettings::detect(&opened, &Value::Null).map(|coder| coder.settings().to_string());
    assert_eq!(
        shown.as_deref(),
        Some(r#"{"kind":"agent-settings","workspacePath":"/w","autoExecute":true,"more":1,"isTrusted":false}"#)
    );
}

#[test]
fn a_session_that_remembers_something_else_does_not_speak_it() {
    for edge in [Value::Null, json!({"dialect": "other"}), json!("coder"), json!({"dialect": 1})] {
        assert!(CoderClientSettings::detect(&opened(edge.clone()), &Value::Null).is_none(), "{edge}");
    }
    let bare = opened(client_settings_edge(&Value::Null));
    let shown = CoderClientSettings::detect(&bare, &Value::Null).map(|coder| coder.settings());
    assert_eq!(shown, Some(json!({"kind": "agent-settings", "workspacePath": "/w", "isTrusted": false})));
}

#[test]
fn what_a_task_has_of_its_own_goes_before_its_session() {
    let (shared, own) = (opened(Value::Null), client_settings_edge(&json!({"more": 1})));
    let shown = CoderClientSettings::detect(&shared, &own).map(|coder| coder.settings());
    assert_eq!(shown, Some(json!({"kind": "agent-settings", "workspacePath": "/w", "more": 1, "isTrusted": false})));
    assert!(CoderClientSettings::detect(&opened(own), &json!({"dialect": "other"})).is_none());
}
