//! A2A 0.3 at `/` in the coder dialect, as clients of Google's a2a-server speak it.

mod both;
mod document;
mod faults;
mod line;
mod tasks;
mod turns;

use crate::test_server::client::{TestClient, many_sessions};
use crate::test_server::{TestRoster, who};
use serde_json::{Value, json};
use std::sync::Arc;

fn client() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("ide"));
    (roster, client)
}

/// A message that begins a task.
fn begin(text: &str) -> Value {
    json!({"message": {
        "kind": "message", "role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}],
        "metadata": {"coderAgent": {"kind": "agent-settings", "workspacePath": "/"}},
    }})
}

/// A message to a task.
fn go_on(task: &Value, id: &str, parts: Value) -> Value {
    let mut params = json!({"message": {"kind": "message", "role": "user", "messageId": id, "taskId": task}});
    params["message"]["parts"] = parts;
    params
}

fn choice(call: &str, outcome: &str) -> Value {
    json!({"kind": "data", "data": {"callId": call, "outcome": outcome}})
}
