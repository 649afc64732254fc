//! The mark by which a session, or a task of one that others share, remembers that its clients speak this dialect, and
//! their settings.

use crate::inbound::unknown_members;
use pollux_session::SessionOpened;
use pollux_wire::coder::AGENT_SETTINGS;
use serde_json::{Map, Value, json};

/// Settings that are never written down: secrets, and what a client says of trust.
const NEVER_STORED: [&str; 7] = ["apiKey", "api_key", "mcpServers", "mcp_servers", "isTrusted", "is_trusted", "kind"];

/// A session or a task whose clients speak this dialect.
pub(crate) struct CoderClientSettings<'a> {
    settings: Option<&'a Map<String, Value>>,
    workspace: &'a str,
}

/// The edge with which a session or a task is opened, so that it is found to speak this dialect: the settings of its
/// first client, without secrets and trust.
pub(crate) fn client_settings_edge(settings: &Value) -> Value {
    let members = settings.as_object().into_iter().flatten();
    let kept = members.filter(|(name, _)| !NEVER_STORED.contains(&name.as_str()));
    let kept: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    json!({ "dialect": "coder", "agentSettings": kept })
}

impl<'a> CoderClientSettings<'a> {
    /// The settings of the part of the session whose edge is `own`, if its clients speak this dialect. A part without
    /// an edge of its own is as the session was opened.
    pub(crate) fn detect(opened: &'a SessionOpened, own: &'a Value) -> Option<CoderClientSettings<'a>> {
        let spoken = edge_of(opened, own).get("dialect").and_then(Value::as_str);
        (spoken == Some("coder")).then(|| CoderClientSettings::assume(opened, own))
    }

    /// The settings for a client that speaks this dialect whatever others do.
    pub(crate) fn assume(opened: &'a SessionOpened, own: &'a Value) -> CoderClientSettings<'a> {
        let settings = edge_of(opened, own).get("agentSettings").and_then(Value::as_object);
        CoderClientSettings { settings, workspace: &opened.workspace }
    }

    /// The settings as a task shows them. Nobody is trusted because they say so.
    pub(crate) fn settings(&self) -> Value {
        let mut shown = Map::new();
        shown.insert("kind".into(), AGENT_SETTINGS.into());
        shown.insert("workspacePath".into(), self.workspace.into());
        let others = self.settings.into_iter().flatten().filter(|(name, _)| !name.starts_with("workspace"));
        shown.extend(others.map(|(name, value)| (name.clone(), value.clone())));
        shown.insert("isTrusted".into(), false.into());
        Value::Object(shown)
    }

    /// The settings that are kept and shown but have no effect here, by their names.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let kept = self.settings.map(|settings| Value::Object(settings.clone()));
        kept.iter().flat_map(unknown_members).collect()
    }
}

fn edge_of<'a>(opened: &'a SessionOpened, own: &'a Value) -> &'a Value {
    if own.is_null() { &opened.edge } else { own }
}

#[cfg(test)]
mod tests;
