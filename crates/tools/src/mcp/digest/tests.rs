use super::*;
use std::sync::Arc;

fn offered(description: &str, parameters: Value) -> OfferedTool {
    OfferedTool {
        own_name: "say".into(),
        name: "mcp_s_say".into(),
        description: description.into(),
        parameters: Arc::new(parameters),
        claims_to_read: false,
        digest: String::new(),
    }
}

fn config(entry: Value) -> McpServerConfig {
    serde_json::from_value(entry).unwrap()
}

#[test]
fn whatever_decides_what_a_tool_does_is_in_its_digest() {
    let ours = config(json!({ "command": "serve", "args": ["--safe"] }));
    let tool = || offered("Says it.", json!({ "type": "object", "properties": { "a": {}, "b": {} } }));
    let digest = tool_digest("s", &ours, &tool());
    assert_eq!(digest.len(), 64);
    let reordered = offered("Says it.", json!({ "properties": { "b": {}, "a": {} }, "type": "object" }));
    assert_eq!(tool_digest("s", &ours, &reordered), digest, "the order of members means nothing");
    for (what, other) in [
        ("the server's name", tool_digest("t", &ours, &tool())),
        ("its arguments", tool_digest("s", &config(json!({ "command": "serve" })), &tool())),
        ("its program", tool_digest("s", &config(json!({ "command": "evil", "args": ["--safe"] })), &tool())),
        ("its address", tool_digest("s", &config(json!({ "url": "https://a.example/" })), &tool())),
        ("the description", tool_digest("s", &ours, &offered("Says it!", tool().parameters.as_ref().clone()))),
        ("the schema", tool_digest("s", &ours, &offered("Says it.", json!({ "type": "object" })))),
        ("the tool's name", tool_digest("s", &ours, &OfferedTool { own_name: "sing".into(), ..tool() })),
        ("that it only looks", tool_digest("s", &ours, &OfferedTool { claims_to_read: true, ..tool() })),
    ] {
        assert_ne!(other, digest, "{what}");
    }
}

#[test]
fn secrets_are_in_no_digest() {
    let with = |key: &str| config(json!({ "url": "https://a.example/", "headers": { "Authorization": key } }));
    let tool = offered("Says it.", json!({}));
    assert_eq!(tool_digest("s", &with("Bearer 1"), &tool), tool_digest("s", &with("Bearer 2"), &tool));
    let with = |key: &str| config(json!({ "command": "serve", "env": { "TOKEN": key } }));
    assert_eq!(tool_digest("s", &with("1"), &tool), tool_digest("s", &with("2"), &tool));
}

#[test]
fn a_server_is_its_tools_in_any_order() {
    let config = McpServerConfig::default();
    let tool = |digest: &str| OfferedTool { digest: digest.into(), ..offered("", json!({})) };
    let digest = server_digest("s", &config, &[tool("1"), tool("2")]);
    assert_eq!(server_digest("s", &config, &[tool("2"), tool("1")]), digest);
    assert_ne!(server_digest("s", &config, &[tool("1")]), digest);
    assert_ne!(server_digest("s", &config, &[tool("1"), tool("2"), tool("3")]), digest);
    assert_ne!(server_digest("s", &config, &[tool("1"), tool("4")]), digest);
}
