//! One text as a settings file in each of its forms, for the fuzzer. It asserts nothing itself: `fuzz/targets/settings.rs` does.

use super::effective::EffectiveSettings;
use super::jsonc::{NodeContent, NodeField, SettingsFlaw, SettingsNode};
use super::layer::{FileOwner, SettingsLayer};
use super::{env_file, jsonc, yaml};
use serde_json::{Map, Value};
use std::path::Path;

/// The person's own settings, so that a workspace has something to narrow.
const OWN: &str = r#"{
    "general": { "maxAttempts": 5, "defaultApprovalMode": "default" },
    "model": { "maxSessionTurns": 50 },
    "tools": { "allowed": ["read_file"], "core": ["read_file", "glob"], "exclude": ["web_fetch"] },
    "mcp": { "allowed": ["one", "two"], "excluded": ["three"] },
    "context": { "fileFiltering": { "respectGitIgnore": false } }
}"#;

/// The settings in one text.
pub struct FuzzedSettings {
    /// As JSON with comments, or what is wrong with it.
    pub json: Result<Value, String>,
    /// As YAML, or what is wrong with it.
    pub yaml: Result<Value, String>,
    /// As an `.env` file.
    pub variables: Vec<(String, String)>,
    /// Lines of an `.env` file that are passed over.
    pub bad_lines: usize,
    /// The changes that it makes as the settings of a trusted workspace.
    pub narrowed: Vec<NarrowedSetting>,
    /// The number of MCP servers that it adds as the settings of a trusted workspace.
    pub servers: usize,
}

/// A setting that is another one since a workspace had its say.
pub struct NarrowedSetting {
    /// Its dotted name.
    pub name: &'static str,
    /// The value in the person's own settings.
    pub before: Value,
    /// The value that holds in the workspace.
    pub after: Value,
}

impl FuzzedSettings {
    /// Read `text`.
    pub fn read(text: &str) -> FuzzedSettings {
        let as_value = |fields: Result<Vec<NodeField>, SettingsFlaw>| fields.map(object).map_err(|flaw| flaw.what);
        let env_file::EnvFile { assignments, bad_lines } = env_file::parse(text);
        let read_as =
            |text: &str, name: &str, whose: FileOwner| SettingsLayer::parse(text, Path::new(name), whose, &|_| None);
        let mut narrowed = Vec::new();
        let mut servers = 0;
        for name in ["settings.json", "config.yaml"] {
            let mut effective = EffectiveSettings::defaults();
            if let Ok(own) = read_as(OWN, "settings.json", FileOwner::Own) {
                own.entries.into_iter().for_each(|entry| effective.set(entry));
            }
            let before = effective.clone();
            let Ok(theirs) = read_as(text, name, FileOwner::Workspace) else { continue };
            servers += theirs.servers.len();
            for entry in theirs.entries {
                let _ = effective.narrow(entry);
            }
            for (key, settled) in effective.all() {
                let value =
                    |value: Option<&super::value::SettingValue>| serde_json::to_value(value).unwrap_or_default();
                let (before, after) = (value(before.value(key.name)), value(settled.value.as_ref()));
                if before != after {
                    narrowed.push(NarrowedSetting { name: key.name, before, after });
                }
            }
        }
        FuzzedSettings {
            json: as_value(jsonc::parse(text)),
            yaml: as_value(yaml::parse(text)),
            variables: assignments.into_iter().map(|assignment| (assignment.name, assignment.value)).collect(),
            bad_lines: bad_lines.len(),
            narrowed,
            servers,
        }
    }
}

fn object(fields: Vec<NodeField>) -> Value {
    Value::Object(fields.into_iter().map(|field| (field.name, value(field.value))).collect::<Map<_, _>>())
}

fn value(node: SettingsNode) -> Value {
    match node.content {
        NodeContent::Null => Value::Null,
        NodeContent::Flag(flag) => Value::Bool(flag),
        // JSON numbers as they are written; some of YAML's are none.
        NodeContent::Number(number) => serde_json::from_str(&number).unwrap_or(Value::String(number)),
        NodeContent::Text(text) => Value::String(text),
        NodeContent::List(nodes) => Value::Array(nodes.into_iter().map(value).collect()),
        NodeContent::Object(fields) => object(fields),
    }
}
