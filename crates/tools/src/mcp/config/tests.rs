use super::*;
use pretty_assertions::assert_eq;
use serde_json::Value;

fn config(entry: Value) -> McpServerConfig {
    serde_json::from_value(entry).unwrap()
}

#[test]
fn an_entry_is_read_as_gemini_cli_writes_it() {
    let entry = config(json!({
        "command": "npx",
        "args": ["-y", "server"],
        "env": { "TOKEN": "secret" },
        "cwd": "/srv",
        "timeout": 1500,
        "trust": true,
        "description": "a server",
        "includeTools": ["a", "b(x)"],
        "excludeTools": ["b"],
        "oauth": { "enabled": true },
    }));
    assert_eq!(entry.transport(), Ok(McpTransport::Command("npx")));
    assert_eq!(entry.args, ["-y", "server"]);
    assert_eq!(entry.env, BTreeMap::from([("TOKEN".into(), "secret".into())]));
    assert_eq!(entry.cwd, Some("/srv".into()));
    assert_eq!(entry.call_timeout(Duration::ZERO), Duration::from_millis(1500));
    assert!(entry.trust);
    assert_eq!(entry.description.as_deref(), Some("a server"));
    assert_eq!(["a", "b", "c"].map(|tool| entry.offers(tool)), [true, false, false]);
}

#[test]
fn http_wins_over_url_and_url_over_command() {
    let entry = json!({ "httpUrl": "http://a", "url": "http://b", "command": "c" });
    assert_eq!(config(entry).transport(), Ok(McpTransport::Http("http://a")));
    assert_eq!(
        config(json!({ "url": "http://b", "command": "c" })).transport(),
        Ok(McpTransport::HttpOrSse("http://b"))
    );
    assert_eq!(config(json!({})).transport(), Err(McpConnectionError::NoTransport));
}

#[test]
fn the_lists_name_tools_exactly() {
    let all = config(json!({ "excludeTools": ["rm (everything)"] }));
    assert_eq!(["rm", "rmdir"].map(|tool| all.offers(tool)), [false, true]);
    assert!(!config(json!({ "includeTools": [] })).offers("rm"));
}

#[test]
fn the_fingerprint_is_of_what_runs() {
    let first = config(json!({ "command": "a", "args": ["b"], "timeout": 1 }));
    let same = config(json!({ "command": "a", "args": ["b"], "trust": true, "includeTools": ["c"] }));
    let others = [
        json!({ "command": "a", "args": ["c"] }),
        json!({ "command": "a", "args": ["b"], "env": { "X": "1" } }),
        json!({ "command": "a", "args": ["b"], "cwd": "/" }),
        json!({ "command": "a", "args": ["b"], "url": "http://a" }),
        json!({ "command": "a", "args": ["b"], "headers": { "X": "1" } }),
    ];
    assert_eq!(first.fingerprint(), same.fingerprint());
    assert_eq!(first.fingerprint().len(), 64);
    for other in others {
        assert_ne!(first.fingerprint(), config(other.clone()).fingerprint(), "{other}");
    }
}
