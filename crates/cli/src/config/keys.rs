//! Every setting Pollux honours: one row each. docs/SETTINGS.md has the same table, and a test compares the two.

mod unused;

pub(crate) use unused::{UNUSED, is_missing_protection, is_unused};

use super::setting_kind::SettingKind;
use super::value::SettingValue;
use pollux_session::ApprovalMode;

/// One setting.
#[derive(Debug)]
pub(crate) struct SettingKey {
    /// Its dotted name, as Gemini CLI has it.
    pub(crate) name: &'static str,
    pub(crate) kind: SettingKind,
    pub(crate) default: SettingDefault,
    pub(crate) merge: LayerMerge,
    pub(crate) workspace: WorkspacePermission,
    /// The variables and the flag that set it as well, a later one over an earlier.
    pub(crate) aliases: &'static [SettingAlias],
    pub(crate) meaning: &'static str,
}

/// The default of a setting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SettingDefault {
    /// Nothing in particular.
    Unset,
    Flag(bool),
    Count(u64),
    Limit(Option<u64>),
    Ratio(f64),
    Text(&'static str),
    Names(&'static [&'static str]),
    Mode(ApprovalMode),
}

/// The effect of a higher layer on a lower one's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerMerge {
    Replaces,
    /// The lists of all layers together.
    Adds,
}

/// The permission of a trusted workspace to change a setting. Whatever is not listed as a way to narrow is left to the
/// person: a repository is other people's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkspacePermission {
    /// Nothing.
    Never,
    /// Add names to a list that forbids.
    Adds,
    /// Keep only some of a list that allows.
    Keeps,
    /// Make a number smaller.
    Lowers,
    /// Turn on a flag that forbids.
    TurnsOn,
    /// Name Markdown files: a plain name that ends in `.md`.
    NamesMarkdown,
    /// Add files that lie inside the workspace.
    AddsInside,
}

/// Another way to set something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingAlias {
    Variable(&'static str),
    Flag(&'static str),
}

use SettingAlias::{Flag, Variable};

/// The rows.
pub(crate) const KEYS: &[SettingKey] = &[
    SettingKey {
        name: "general.defaultApprovalMode",
        kind: SettingKind::Mode,
        default: SettingDefault::Mode(ApprovalMode::Default),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--approval-mode"), Flag("--yolo")],
        meaning: "the approval mode of a session that this run starts or resumes",
    },
    SettingKey {
        name: "general.checkpointing.enabled",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("CHECKPOINTING"), Flag("--checkpointing")],
        meaning: "save a checkpoint before each call that changes the workspace, for `/restore`",
    },
    SettingKey {
        name: "general.maxAttempts",
        kind: SettingKind::Count { least: 1, most: 10 },
        default: SettingDefault::Count(10),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "the maximum number of attempts for a failing model request",
    },
    SettingKey {
        name: "general.enableNotifications",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "notify you when an ask opens or a turn ends while another window has the focus",
    },
    SettingKey {
        name: "general.notificationMethod",
        kind: SettingKind::Notification,
        default: SettingDefault::Text("auto"),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "how: a desktop notification in the form that the terminal knows and a bell, only OSC 9, only OSC 777, \
                  or only a bell",
    },
    SettingKey {
        name: "model.name",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("GEMINI_MODEL"), Flag("--model")],
        meaning: "the model",
    },
    SettingKey {
        name: "model.maxSessionTurns",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(None),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "the maximum number of turns of a session; a further turn fails (exit code 53 in headless mode)",
    },
    SettingKey {
        name: "model.maxRequestsPerTurn",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(Some(100)),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "the maximum number of model calls of a turn; then it stops, and \"go on\" continues. \
                  In headless mode there is no limit unless this is set",
    },
    SettingKey {
        name: "model.compressionThreshold",
        kind: SettingKind::Ratio,
        default: SettingDefault::Ratio(0.5),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "the fraction of the context window at which the history is compacted",
    },
    SettingKey {
        name: "model.disableLoopDetection",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "do not stop a model that is in a loop",
    },
    SettingKey {
        name: "model.fallback",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "switch to the provider's next model if a model is unavailable for a longer time",
    },
    SettingKey {
        name: "model.cachedContent",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "let Google cache instructions and tools between calls, billed by the hour",
    },
    SettingKey {
        name: "context.fileName",
        kind: SettingKind::NameOrNames,
        default: SettingDefault::Names(&["GEMINI.md", "AGENTS.md"]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::NamesMarkdown,
        aliases: &[],
        meaning: "the names of memory files",
    },
    SettingKey {
        name: "context.includeDirectories",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--include-directories")],
        meaning: "additional workspace directories; relative to the workspace, or with `~/` to your home",
    },
    SettingKey {
        name: "context.loadMemoryFromIncludeDirectories",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "memory files of those directories are read too",
    },
    SettingKey {
        name: "context.fileFiltering.respectGitIgnore",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "searches skip what .gitignore lists",
    },
    SettingKey {
        name: "context.fileFiltering.respectGeminiIgnore",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "searches skip what .geminiignore lists",
    },
    SettingKey {
        name: "context.fileFiltering.customIgnoreFilePaths",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::AddsInside,
        aliases: &[],
        meaning: "additional ignore files in .gitignore's format; absolute, or relative to the workspace",
    },
    SettingKey {
        name: "tools.allowed",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--allowed-tools")],
        meaning: "tools that run without asking, like `run_shell_command(git status)`",
    },
    SettingKey {
        name: "tools.autoAccept",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "start tasks of `pollux serve` that name no mode in auto_edit; no effect at a terminal",
    },
    SettingKey {
        name: "tools.confirmationRequired",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Adds,
        aliases: &[],
        meaning: "tools that always ask, whatever is allowed",
    },
    SettingKey {
        name: "tools.exclude",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Adds,
        aliases: &[],
        meaning: "tools that the model is not offered",
    },
    SettingKey {
        name: "tools.core",
        kind: SettingKind::Names,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Keeps,
        aliases: &[],
        meaning: "offer the model only these built-in tools; all if not set",
    },
    SettingKey {
        name: "tools.shell.inactivityTimeout",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(Some(300)),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "seconds without output after which a shell command is killed",
    },
    SettingKey {
        name: "tools.shell.enableInteractiveShell",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "run shell commands in a pseudo-terminal instead of with pipes",
    },
    SettingKey {
        name: "tools.truncateToolOutputThreshold",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(Some(40_000)),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "how many characters of a tool's output the model sees; the full output is stored",
    },
    SettingKey {
        name: "mcp.allowed",
        kind: SettingKind::Names,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Keeps,
        aliases: &[Flag("--allowed-mcp-server-names")],
        meaning: "the only MCP servers that are used; all of them when not set",
    },
    SettingKey {
        name: "mcp.excluded",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Adds,
        aliases: &[],
        meaning: "MCP servers that are not used",
    },
    SettingKey {
        name: "policyPaths",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--policy")],
        meaning: "additional policy files and directories, absolute or with `~/`; if one cannot be read, everything asks",
    },
    SettingKey {
        name: "adminPolicyPaths",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--admin-policy")],
        meaning: "the same, for rules that no other rule overrides",
    },
    SettingKey {
        name: "security.folderTrust.enabled",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "a workspace's settings, commands and agents take effect only after you trust it",
    },
    SettingKey {
        name: "security.disableYoloMode",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "refuse yolo mode",
    },
    SettingKey {
        name: "security.disableAlwaysAllow",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "offer no grants beyond the session",
    },
    SettingKey {
        name: "serve.port",
        kind: SettingKind::Count { least: 0, most: 65535 },
        default: SettingDefault::Count(41242),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("PORT"), Variable("CODER_AGENT_PORT"), Flag("--port")],
        meaning: "the port of `pollux serve`; 0 picks a free one",
    },
    SettingKey {
        name: "serve.workspace",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("CODER_AGENT_WORKSPACE_PATH"), Flag("--workspace")],
        meaning: "the workspace for tasks that name none; if not set, the directory in which `pollux serve` was started",
    },
    SettingKey {
        name: "serve.workspaceRoots",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--workspace-root")],
        meaning: "directories in which clients of `pollux serve` may name workspaces, besides `serve.workspace`",
    },
    SettingKey {
        name: "serve.bucket",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("A2A_GCS_BUCKET"), Variable("GCS_BUCKET_NAME"), Flag("--bucket")],
        meaning: "the bucket in which `pollux serve` also stores its tasks: a `gs://`, `s3://`, `az://` or `file://` URL, or the bare name of a Google Cloud Storage bucket; none if not set",
    },
    SettingKey {
        name: "serve.logLevel",
        kind: SettingKind::LogLevel,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("LOG_LEVEL"), Flag("--debug")],
        meaning: "the log level of `pollux serve`; `warn` if not set",
    },
    SettingKey {
        name: "a2a.userTier",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "the user's plan (`free-tier`, `standard-tier`), sent to A2A clients in every event as `userTier` and `user_tier`; omitted if not set",
    },
    SettingKey {
        name: "a2a.agentName",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--agent-name")],
        meaning: "the agent's name on its card; `Gemini CLI Agent` when not set",
    },
    SettingKey {
        name: "a2a.requireExtension",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--require-extension")],
        meaning: "refuse messages from clients that do not use the `development-tool` extension, and say so on the card",
    },
    SettingKey {
        name: "a2a.cardKey",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--card-key")],
        meaning: "the key file that signs the card (PKCS#8, readable only by you); if not set, the card is not signed",
    },
    SettingKey {
        name: "a2a.pushHosts",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--push-host")],
        meaning: "hosts, with or without a port, to which push notifications may go although they are not on the public internet",
    },
    SettingKey {
        name: "a2a.mcpHosts",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--mcp-host")],
        meaning: "hosts, with or without a port, on which MCP servers of clients may run although they are not on the public internet",
    },
];

/// The one setting that is not a single value: MCP servers by name. A higher layer replaces a server whole.
pub(crate) const SERVERS: &str = "mcpServers";

/// The setting called `name`.
pub(crate) fn find_key(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// True if settings lie below `group`.
pub(crate) fn is_group(group: &str) -> bool {
    let below = |name: &&str| name.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'));
    KEYS.iter().map(|key| key.name).chain(UNUSED.iter().copied()).any(|name| below(&name))
}

/// Every name a settings file may use.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name).chain(UNUSED.iter().copied()).chain([SERVERS])
}

impl SettingDefault {
    /// The value, if there is one.
    pub(crate) fn value(self) -> Option<SettingValue> {
        match self {
            SettingDefault::Unset => None,
            SettingDefault::Flag(flag) => Some(SettingValue::Flag(flag)),
            SettingDefault::Count(count) => Some(SettingValue::Count(count)),
            SettingDefault::Limit(limit) => Some(SettingValue::Limit(limit)),
            SettingDefault::Ratio(ratio) => Some(SettingValue::Ratio(ratio)),
            SettingDefault::Text(text) => Some(SettingValue::Text(text.to_owned())),
            SettingDefault::Names(names) => {
                Some(SettingValue::Names(names.iter().map(|name| (*name).to_owned()).collect()))
            }
            SettingDefault::Mode(mode) => Some(SettingValue::Mode(mode)),
        }
    }
}
