use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

const ANOTHER_VERSION: &str =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0.2/spec.md";
const ANOTHER_HOST: &str = "https://example.com/a2a/developer-profile/v1/spec.md";
const SAME_VERSION: &str =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0.0.0/spec.md";

fn read(params: &Value) -> Result<GivenSettings, String> {
    let message = params["message"].as_object().cloned().unwrap_or_default();
    message_settings(params, &message).map_err(|fault| fault.message)
}

fn workspace_of(params: &Value) -> Option<String> {
    read(params).unwrap_or_else(|why| panic!("{params} is refused: {why}")).settings.workspace_path
}

#[test]
fn every_place_that_is_read_is_read() {
    let settings = json!({"workspace_path": "/w"});
    for params in [
        json!({"message": {"metadata": {URI: settings}}}),
        json!({"message": {}, "metadata": {URI: settings}}),
        json!({"message": {"metadata": {URI: settings}}, "metadata": {URI: settings}}),
        json!({"message": {"metadata": {SAME_VERSION: settings}}}),
        json!({"message": {"metadata": {"coderAgent": {"kind": "agent-settings", "workspacePath": "/w"}}}}),
        json!({"message": {"metadata": {URI: {"kind": "agent-settings", "workspaceRoot": "/w"}}}}),
    ] {
        assert_eq!(workspace_of(&params).as_deref(), Some("/w"), "{params}");
    }
    assert_eq!(read(&json!({"message": {"metadata": {"traceparent": "x"}}})), Ok(GivenSettings::default()));
}

#[test]
fn what_is_not_read_is_refused_with_the_place_where_it_would_be() {
    let settings = json!({"workspace_path": "/w"});
    for (params, why) in [
        (json!({"message": {"metadata": {ANOTHER_VERSION: settings}}}), "of a version that is not spoken here"),
        (json!({"message": {}, "metadata": {ANOTHER_VERSION: settings}}), "in `params.metadata`"),
        (json!({"message": {"metadata": {ANOTHER_HOST: settings}}}), URI),
        (json!({"message": {"metadata": {"agentSettings": settings}}}), "`params.message.metadata.agentSettings`"),
        (json!({"message": {"agent_settings": settings}}), "`params.message.agent_settings` is not read"),
        (json!({"message": {}, "agent-settings": settings}), "`params.agent-settings` is not read"),
        (json!({"message": {}, "metadata": {"coderAgent": settings}}), "put it into `params.message.metadata`"),
        (json!({"message": {"metadata": {"coderAgent": "agent-settings"}}}), "must be an object"),
        (
            json!({"message": {"metadata": {URI: settings}}, "metadata": {URI: {"workspace_path": "/other"}}}),
            "give them once",
        ),
        (json!({"message": {"metadata": {URI: settings, "coderAgent": {"kind": "agent-settings"}}}}), "give them once"),
        (json!({"message": {"metadata": {URI: {"approval_mode": "plan"}}}}), "\"approval_mode\", which is no setting"),
        (json!({"message": {"metadata": {URI: {"agent_settings": settings}}}}), "known are workspace_path, model,"),
        (json!({"message": {"metadata": {URI: {"kind": "AgentSettings"}}}}), "not \"agent-settings\""),
    ] {
        let refused = read(&params).expect_err("it is refused");
        assert!(refused.contains(why), "{params}: {refused}");
    }
}

#[test]
fn googles_clients_are_told_what_has_no_effect() {
    let of = |settings: Value| {
        let given = read(&json!({"message": {"metadata": {"coderAgent": settings}}})).expect("it is understood");
        (given.settings.workspace_path, given.ignored)
    };
    let known = "known are workspace_path, model, auto_execute, allowed_tools, api_key, mcp_servers, isTrusted";
    let unknown = |name| {
        format!(
            "`params.message.metadata.coderAgent` holds {name:?}, which is no setting here; {known}. It was ignored."
        )
    };
    assert_eq!(
        of(json!({"kind": "agent-settings", "workspacePath": "/w", "approval_mode": "plan", "sandbox": true})),
        (Some("/w".into()), vec![unknown("approval_mode"), unknown("sandbox")])
    );
    let other_kind = "`params.message.metadata.coderAgent.kind` is not \"agent-settings\", so nothing of it was set.";
    assert_eq!(of(json!({"kind": "AgentSettings", "workspacePath": "/w"})), (None, vec![other_kind.into()]));
    assert_eq!(of(json!({"workspacePath": "/w"})), (None, vec![other_kind.into()]));
    assert_eq!(of(json!({})), (None, Vec::new()));
    let long = format!("{}\n", "x".repeat(100));
    let (_, ignored) = of(json!({"kind": "agent-settings", long: 1}));
    assert_eq!(ignored, [unknown(&"x".repeat(64))]);
}

#[test]
fn every_spelling_that_is_read_is_known() {
    let spellings = [
        ("workspace_path", json!("/")),
        ("workspacePath", json!("/")),
        ("workspaceRoot", json!("/")),
        ("model", json!("m")),
        ("auto_execute", json!(true)),
        ("autoExecute", json!(true)),
        ("allowed_tools", json!([])),
        ("allowedTools", json!([])),
        ("api_key", json!("k")),
        ("apiKey", json!("k")),
        ("mcp_servers", json!({"a": {"url": "https://a"}})),
        ("mcpServers", json!({"a": {"url": "https://a"}})),
        ("isTrusted", json!(true)),
        ("is_trusted", json!(true)),
    ];
    for (name, value) in spellings {
        let given = settings_of("s", &json!({ name: value }), UnknownMembers::Refused).expect("it is known");
        assert_ne!(given.settings, AgentSettings::default(), "{name} is known and read");
    }
}
