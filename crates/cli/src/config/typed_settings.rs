//! The settings as the rest of the program wants them: plain values.

use super::effective::EffectiveSettings;
use super::value::SettingValue;
use pollux_session::ApprovalMode;
use pollux_tui::NotificationMethod;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every honoured setting but the MCP servers. See docs/SETTINGS.md for what each means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypedSettings {
    pub(crate) mode: ApprovalMode,
    pub(crate) checkpointing: bool,
    pub(crate) max_attempts: u64,
    pub(crate) notifies: bool,
    pub(crate) notification_method: NotificationMethod,
    pub(crate) model: Option<String>,
    pub(crate) max_session_turns: Option<u64>,
    pub(crate) max_requests_per_turn: Option<u64>,
    pub(crate) compression_threshold: f64,
    pub(crate) disable_loop_detection: bool,
    pub(crate) fallback: bool,
    pub(crate) cached_content: bool,
    pub(crate) memory_files: Vec<String>,
    /// Absolute once a workspace is known.
    pub(crate) include_directories: Vec<PathBuf>,
    pub(crate) memory_from_included: bool,
    pub(crate) file_filtering: FileFiltering,
    pub(crate) auto_accept: bool,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) confirmed_tools: Vec<String>,
    pub(crate) excluded_tools: Vec<String>,
    /// The only built-in tools; all of them when `None`.
    pub(crate) core_tools: Option<Vec<String>>,
    pub(crate) shell_inactivity: Option<Duration>,
    pub(crate) interactive_shell: bool,
    pub(crate) output_threshold: Option<u64>,
    /// The only MCP servers; all of them when `None`.
    pub(crate) allowed_servers: Option<Vec<String>>,
    pub(crate) excluded_servers: Vec<String>,
    pub(crate) folder_trust: bool,
    /// More files and directories of rules, of the person's and of the machine's tier.
    pub(crate) policy_paths: Vec<PathBuf>,
    pub(crate) admin_policy_paths: Vec<PathBuf>,
    pub(crate) disable_yolo: bool,
    pub(crate) disable_always_allow: bool,
    /// The port of `pollux serve`.
    pub(crate) port: u16,
    /// The workspace of tasks that name none.
    pub(crate) serve_workspace: Option<PathBuf>,
    /// Where clients of `pollux serve` may name workspaces, besides its own.
    pub(crate) workspace_roots: Vec<PathBuf>,
    /// Where `pollux serve` carries its tasks too: an address with its scheme, or a bare name on Google's storage.
    pub(crate) bucket: Option<String>,
    /// The log level of `pollux serve`.
    pub(crate) log_level: Option<String>,
    /// The person's plan, in events for A2A clients.
    pub(crate) user_tier: Option<String>,
    /// The agent's name on its card.
    pub(crate) agent_name: Option<String>,
    /// True if clients must speak the `development-tool` extension.
    pub(crate) require_extension: bool,
    /// The key that signs the card.
    pub(crate) card_key: Option<PathBuf>,
    /// Where news of tasks may be pushed to beside the public internet.
    pub(crate) push_hosts: Vec<String>,
    /// Hosts of the operator's own where the tool servers of clients may be.
    pub(crate) mcp_hosts: Vec<String>,
}

/// Which files searches see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileFiltering {
    pub(crate) respect_git_ignore: bool,
    pub(crate) respect_gemini_ignore: bool,
    /// Absolute, or of whichever workspace is searched.
    pub(crate) custom_ignore_files: Vec<PathBuf>,
}

impl TypedSettings {
    /// The settings in `effective`. `home` is what `~` means; relative directories are `workspace`'s.
    pub(crate) fn from_effective(
        effective: &EffectiveSettings,
        home: Option<&Path>,
        workspace: Option<&Path>,
    ) -> TypedSettings {
        let read = TypedSettingsReader { effective, home, workspace };
        TypedSettings {
            mode: match effective.value("general.defaultApprovalMode") {
                Some(SettingValue::Mode(mode)) => *mode,
                _ => ApprovalMode::Default,
            },
            checkpointing: read.flag("general.checkpointing.enabled"),
            max_attempts: match effective.value("general.maxAttempts") {
                Some(SettingValue::Count(count)) => *count,
                _ => 1,
            },
            notifies: read.flag("general.enableNotifications"),
            notification_method: read
                .text("general.notificationMethod")
                .and_then(|name| NotificationMethod::from_name(&name))
                .unwrap_or(NotificationMethod::Auto),
            model: read.text("model.name"),
            max_session_turns: read.limit("model.maxSessionTurns"),
            max_requests_per_turn: read.limit("model.maxRequestsPerTurn"),
            compression_threshold: match effective.value("model.compressionThreshold") {
                Some(SettingValue::Ratio(ratio)) => *ratio,
                _ => 1.0,
            },
            disable_loop_detection: read.flag("model.disableLoopDetection"),
            fallback: read.flag("model.fallback"),
            cached_content: read.flag("model.cachedContent"),
            memory_files: read.names("context.fileName"),
            include_directories: read.paths("context.includeDirectories"),
            memory_from_included: read.flag("context.loadMemoryFromIncludeDirectories"),
            file_filtering: FileFiltering {
                respect_git_ignore: read.flag("context.fileFiltering.respectGitIgnore"),
                respect_gemini_ignore: read.flag("context.fileFiltering.respectGeminiIgnore"),
                custom_ignore_files: TypedSettingsReader { workspace: None, ..read }
                    .paths("context.fileFiltering.customIgnoreFilePaths"),
            },
            auto_accept: read.flag("tools.autoAccept"),
            allowed_tools: read.names("tools.allowed"),
            confirmed_tools: read.names("tools.confirmationRequired"),
            excluded_tools: read.names("tools.exclude"),
            core_tools: read.some_names("tools.core"),
            shell_inactivity: read.limit("tools.shell.inactivityTimeout").map(Duration::from_secs),
            interactive_shell: read.flag("tools.shell.enableInteractiveShell"),
            output_threshold: read.limit("tools.truncateToolOutputThreshold"),
            allowed_servers: read.some_names("mcp.allowed"),
            excluded_servers: read.names("mcp.excluded"),
            policy_paths: TypedSettingsReader { workspace: None, ..read }.paths("policyPaths"),
            admin_policy_paths: TypedSettingsReader { workspace: None, ..read }.paths("adminPolicyPaths"),
            folder_trust: read.flag("security.folderTrust.enabled"),
            disable_yolo: read.flag("security.disableYoloMode"),
            disable_always_allow: read.flag("security.disableAlwaysAllow"),
            port: match effective.value("serve.port") {
                Some(SettingValue::Count(port)) => u16::try_from(*port).unwrap_or(0),
                _ => 0,
            },
            serve_workspace: read
                .text("serve.workspace")
                .map(|path| TypedSettingsReader { workspace: None, ..read }.path(&path)),
            workspace_roots: TypedSettingsReader { workspace: None, ..read }.paths("serve.workspaceRoots"),
            bucket: read.text("serve.bucket"),
            log_level: read.text("serve.logLevel"),
            user_tier: read.text("a2a.userTier"),
            agent_name: read.text("a2a.agentName"),
            require_extension: read.flag("a2a.requireExtension"),
            card_key: read.text("a2a.cardKey").map(|path| TypedSettingsReader { workspace: None, ..read }.path(&path)),
            push_hosts: read.names("a2a.pushHosts"),
            mcp_hosts: read.names("a2a.mcpHosts"),
        }
    }

    /// How the person is called when they look elsewhere; `None` for not at all.
    pub(crate) fn notifications(&self) -> Option<NotificationMethod> {
        self.notifies.then_some(self.notification_method)
    }
}

/// Reads values whose kind the table has already seen to.
#[derive(Clone, Copy)]
pub(super) struct TypedSettingsReader<'a> {
    pub(super) effective: &'a EffectiveSettings,
    pub(super) home: Option<&'a Path>,
    pub(super) workspace: Option<&'a Path>,
}

impl TypedSettingsReader<'_> {
    fn flag(&self, name: &str) -> bool {
        matches!(self.effective.value(name), Some(SettingValue::Flag(true)))
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.effective.value(name) {
            Some(SettingValue::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn limit(&self, name: &str) -> Option<u64> {
        match self.effective.value(name) {
            Some(SettingValue::Limit(limit)) => *limit,
            _ => None,
        }
    }

    fn some_names(&self, name: &str) -> Option<Vec<String>> {
        match self.effective.value(name) {
            Some(SettingValue::Names(names)) => Some(names.clone()),
            _ => None,
        }
    }

    fn names(&self, name: &str) -> Vec<String> {
        self.some_names(name).unwrap_or_default()
    }

    fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.names(name).iter().map(|path| self.path(path)).collect()
    }

    pub(super) fn path(&self, text: &str) -> PathBuf {
        let of_home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (of_home, self.home, self.workspace) {
            (Some(rest), Some(home), _) => home.join(rest.trim_start_matches('/')),
            (_, _, Some(workspace)) => workspace.join(text),
            (_, _, None) => text.into(),
        }
    }
}
