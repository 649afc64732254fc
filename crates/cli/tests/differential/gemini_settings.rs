//! Gemini CLI, without anybody at the other end but the model.

use serde_json::{Value, json};

/// Settings under which Gemini CLI asks `model` and talks to nobody else.
pub(crate) fn settings(model: &str) -> Value {
    json!({
        "telemetry": {"enabled": false},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "model": {"name": model},
        // Its search is another one where ripgrep happens to be installed.
        "tools": {"useRipgrep": false},
    })
}
