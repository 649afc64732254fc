//! The layers above the files: the environment and the flags of this run.

use super::keys;
use super::layer::{SettingEntry, SettingsLayer};
use super::origin::SettingOrigin;
use super::value::SettingValue;
use super::variables::ConfigVariables;
use pollux_session::ApprovalMode;
use std::path::PathBuf;

/// Settings by the flags of this run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOverrides {
    /// `--model`
    pub(crate) model: Option<String>,
    /// `--approval-mode` or `--yolo`
    pub(crate) mode: Option<ApprovalMode>,
    /// `--checkpointing`
    pub(crate) checkpointing: Option<bool>,
    /// `--allowed-tools`; empty when not given.
    pub(crate) allowed_tools: Vec<String>,
    /// `--include-directories`; empty when not given.
    pub(crate) include_directories: Vec<String>,
    /// `--allowed-mcp-server-names`; empty when not given.
    pub(crate) allowed_servers: Vec<String>,
    /// `--policy`; empty when not given.
    pub(crate) policies: Vec<String>,
    /// `--admin-policy`; empty when not given.
    pub(crate) admin_policies: Vec<String>,
    /// `--port` of `pollux serve`
    pub(crate) port: Option<u16>,
    /// `--workspace` of `pollux serve`
    pub(crate) serve_workspace: Option<PathBuf>,
    /// `--workspace-root` of `pollux serve`; empty when not given.
    pub(crate) workspace_roots: Vec<String>,
    /// `--bucket` of `pollux serve`
    pub(crate) bucket: Option<String>,
    /// `--debug`
    pub(crate) debug: bool,
    /// `--agent-name`
    pub(crate) agent_name: Option<String>,
    /// `--require-extension`
    pub(crate) require_extension: bool,
    /// `--card-key`
    pub(crate) card_key: Option<PathBuf>,
    /// `--push-host`; empty when not given.
    pub(crate) push_hosts: Vec<String>,
    /// `--mcp-host`; empty when not given.
    pub(crate) mcp_hosts: Vec<String>,
}

/// A variable with a value that its setting cannot have. The value is not kept: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidVariable {
    /// The setting.
    pub(crate) key: &'static str,
    /// The problem, in a sentence.
    pub(crate) text: String,
}

/// Settings by the environment, by the names in the table of keys, and the variables that make no sense.
pub(super) fn environment_layer(variables: &ConfigVariables) -> (SettingsLayer, Vec<InvalidVariable>) {
    let (mut entries, mut misset) = (Vec::new(), Vec::new());
    for key in keys::KEYS {
        // The last variable that is set is the one that is meant, good or bad.
        let set = key.aliases.iter().rev().find_map(|elsewhere| match elsewhere {
            keys::SettingAlias::Variable(name) => variables.get(name).zip(variables.origin(name)),
            keys::SettingAlias::Flag(_) => None,
        });
        let Some((text, origin)) = set else { continue };
        match key.kind.read_text(&text) {
            Some(value) => entries.push(SettingEntry { key, value, origin }),
            None => {
                let text =
                    format!("{origin}: {} must be {}; correct it or unset it", key.name, key.kind.describe_expected());
                misset.push(InvalidVariable { key: key.name, text });
            }
        }
    }
    (SettingsLayer { entries, ..SettingsLayer::default() }, misset)
}

/// Settings by the flags.
pub(super) fn flags_layer(given: RunOverrides) -> SettingsLayer {
    let names = |names: Vec<String>| (!names.is_empty()).then_some(SettingValue::Names(names));
    let mode_flag = if given.mode == Some(ApprovalMode::Yolo) { "--yolo" } else { "--approval-mode" };
    let set = [
        ("model.name", "--model", given.model.map(SettingValue::Text)),
        ("general.defaultApprovalMode", mode_flag, given.mode.map(SettingValue::Mode)),
        ("general.checkpointing.enabled", "--checkpointing", given.checkpointing.map(SettingValue::Flag)),
        ("tools.allowed", "--allowed-tools", names(given.allowed_tools)),
        ("context.includeDirectories", "--include-directories", names(given.include_directories)),
        ("mcp.allowed", "--allowed-mcp-server-names", names(given.allowed_servers)),
        ("policyPaths", "--policy", names(given.policies)),
        ("adminPolicyPaths", "--admin-policy", names(given.admin_policies)),
        ("serve.port", "--port", given.port.map(|port| SettingValue::Count(port.into()))),
        (
            "serve.workspace",
            "--workspace",
            given.serve_workspace.map(|path| SettingValue::Text(path.display().to_string())),
        ),
        ("serve.workspaceRoots", "--workspace-root", names(given.workspace_roots)),
        ("serve.bucket", "--bucket", given.bucket.map(SettingValue::Text)),
        ("serve.logLevel", "--debug", given.debug.then(|| SettingValue::Text("debug".into()))),
        ("a2a.agentName", "--agent-name", given.agent_name.map(SettingValue::Text)),
        ("a2a.requireExtension", "--require-extension", given.require_extension.then_some(SettingValue::Flag(true))),
        ("a2a.cardKey", "--card-key", given.card_key.map(|path| SettingValue::Text(path.display().to_string()))),
        ("a2a.pushHosts", "--push-host", names(given.push_hosts)),
        ("a2a.mcpHosts", "--mcp-host", names(given.mcp_hosts)),
    ];
    let entry = |(name, flag, value): (&str, &'static str, Option<SettingValue>)| {
        Some(SettingEntry { key: keys::find_key(name)?, value: value?, origin: SettingOrigin::Flag(flag) })
    };
    SettingsLayer { entries: set.into_iter().filter_map(entry).collect(), ..SettingsLayer::default() }
}
