//! Events of the dialect, a line each.

use crate::test_server::within_session;
use serde_json::Value;

/// The events of a stream, a line for each.
pub(crate) fn lines(events: &[Value]) -> Vec<String> {
    events.iter().map(line).collect()
}

fn line(event: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match event["kind"].as_str() {
        Some("task") => format!("task {}", text(&event["status"]["state"])),
        Some("artifact-update") => {
            let artifact = &event["artifact"];
            let (id, text) = (text(&artifact["artifactId"]), &artifact["parts"][0]["text"]);
            format!("tool-{} {text}", within_session(&id))
        }
        Some("status-update") => {
            let end = if event["final"] == true { " FINAL" } else { "" };
            let (state, kind) = (text(&event["status"]["state"]), text(&event["metadata"]["coderAgent"]["kind"]));
            let error = &event["metadata"]["error"];
            let error = if error.is_null() { String::new() } else { format!(" error={error}") };
            format!("{state} {kind}{end}{error}{}", said(&event["status"]["message"]["parts"][0]))
        }
        _ => event.to_string(),
    }
}

fn said(part: &Value) -> String {
    match (part["kind"].as_str(), &part["data"]["request"]) {
        (Some("text"), _) => format!(" {}", part["text"]),
        (Some("data"), Value::Null) => format!(" {}", part["data"]),
        (Some("data"), request) => {
            let data = &part["data"];
            let outcome = data["outcome"].as_str().map(|outcome| format!(" {outcome}")).unwrap_or_default();
            let status = data["status"].as_str().unwrap_or_default();
            format!(" {} {status}{outcome}", within_session(request["callId"].as_str().unwrap_or_default()))
        }
        _ => String::new(),
    }
}
