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

/// What holds when nobody sets it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SettingDefault {
    /// Nothing in particular.
    Unset,
    Flag(bool),
    Count(u64),
    Limit(Option<u64>),
    Ratio(f64),
    Names(&'static [&'static str]),
    Mode(ApprovalMode),
}

/// What a higher layer does to a lower one's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerMerge {
    Replaces,
    /// The lists of all layers together.
    Adds,
}

/// What a trusted workspace may do with a setting. Whatever is not listed as a way to narrow is left to the person: a
/// repository is other people's text.
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
        meaning: "how freely tools run in a session that this start begins or goes on with",
    },
    SettingKey {
        name: "general.checkpointing.enabled",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("CHECKPOINTING"), Flag("--checkpointing")],
        meaning: "the workspace is saved before each call that changes it, so that `/restore` can go back",
    },
    SettingKey {
        name: "general.maxAttempts",
        kind: SettingKind::Count { least: 1, most: 10 },
        default: SettingDefault::Count(10),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "how often a failing model request is sent in all",
    },
    SettingKey {
        name: "model.name",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("GEMINI_MODEL"), Flag("--model")],
        meaning: "the model that answers",
    },
    SettingKey {
        name: "model.maxSessionTurns",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(None),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "how many turns a session may have; one more fails, with exit code 53 in headless mode",
    },
    SettingKey {
        name: "model.compressionThreshold",
        kind: SettingKind::Ratio,
        default: SettingDefault::Ratio(0.5),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "the share of the model's window at which the history is compacted",
    },
    SettingKey {
        name: "model.disableLoopDetection",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "do not stop a model that repeats itself",
    },
    SettingKey {
        name: "model.fallback",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "when a model cannot answer for long, the next one of its maker does",
    },
    SettingKey {
        name: "model.cachedContent",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "have Google keep instructions and tools between calls, which it bills by the hour",
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
        meaning: "more directories that belong to the workspace; relative ones are the workspace's, `~/` is your home",
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
        meaning: "searches pass over what .gitignore names",
    },
    SettingKey {
        name: "context.fileFiltering.respectGeminiIgnore",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "searches pass over what .geminiignore names",
    },
    SettingKey {
        name: "context.fileFiltering.customIgnoreFilePaths",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::AddsInside,
        aliases: &[],
        meaning: "more files in .gitignore's form, absolute or of the workspace",
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
        meaning: "tasks of `pollux serve` that name no mode start in auto_edit; at a terminal nothing changes, for reading never asks",
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
        meaning: "tools the model does not get",
    },
    SettingKey {
        name: "tools.core",
        kind: SettingKind::Names,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Keeps,
        aliases: &[],
        meaning: "the only built-in tools the model gets; all of them when not set",
    },
    SettingKey {
        name: "tools.shell.inactivityTimeout",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(Some(300)),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "seconds of silence after which a shell command is ended",
    },
    SettingKey {
        name: "tools.shell.enableInteractiveShell",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "shell commands get a terminal of their own, not pipes",
    },
    SettingKey {
        name: "tools.truncateToolOutputThreshold",
        kind: SettingKind::Limit,
        default: SettingDefault::Limit(Some(40_000)),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Lowers,
        aliases: &[],
        meaning: "characters of a tool's output that the model gets; the whole is kept",
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
        meaning: "more files and directories with rules of yours: whole paths, or `~/`; one that cannot be read makes everything ask",
    },
    SettingKey {
        name: "adminPolicyPaths",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Adds,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--admin-policy")],
        meaning: "the same for rules that no other rule overrules",
    },
    SettingKey {
        name: "security.folderTrust.enabled",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(true),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "a workspace counts as yours only after you said so",
    },
    SettingKey {
        name: "security.disableYoloMode",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "yolo mode is refused, whoever asks for it",
    },
    SettingKey {
        name: "security.disableAlwaysAllow",
        kind: SettingKind::Flag,
        default: SettingDefault::Flag(false),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::TurnsOn,
        aliases: &[],
        meaning: "asks offer no grant that lasts",
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
        meaning: "the workspace of tasks that name none; where `pollux serve` was started when not set",
    },
    SettingKey {
        name: "serve.workspaceRoots",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--workspace-root")],
        meaning: "directories that clients of `pollux serve` may name workspaces in, besides `serve.workspace` itself",
    },
    SettingKey {
        name: "serve.bucket",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("A2A_GCS_BUCKET"), Variable("GCS_BUCKET_NAME"), Flag("--bucket")],
        meaning: "where `pollux serve` carries its tasks too: `gs://`, `s3://`, `az://` or `file://`, or a bare name on Google's; nowhere when not set",
    },
    SettingKey {
        name: "serve.logLevel",
        kind: SettingKind::LogLevel,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Variable("LOG_LEVEL"), Flag("--debug")],
        meaning: "how much `pollux serve` says on standard error; warnings when not set",
    },
    SettingKey {
        name: "a2a.userTier",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[],
        meaning: "the person's plan (`free-tier`, `standard-tier`), as every event tells A2A clients in `userTier` and `user_tier`; nothing is told when not set",
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
        meaning: "messages of clients that do not speak the `development-tool` extension are refused, and the card says so",
    },
    SettingKey {
        name: "a2a.cardKey",
        kind: SettingKind::Text,
        default: SettingDefault::Unset,
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--card-key")],
        meaning: "the file with the key that signs the card (PKCS#8, readable by you alone); the card is not signed when not set",
    },
    SettingKey {
        name: "a2a.pushHosts",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--push-host")],
        meaning: "hosts, with or without a port, that news of tasks may be pushed to although they are not on the public internet",
    },
    SettingKey {
        name: "a2a.mcpHosts",
        kind: SettingKind::Names,
        default: SettingDefault::Names(&[]),
        merge: LayerMerge::Replaces,
        workspace: WorkspacePermission::Never,
        aliases: &[Flag("--mcp-host")],
        meaning: "hosts, with or without a port, where the tool servers of clients may be although they are not on the public internet",
    },
];

/// The one setting that is not a single value: MCP servers by name. A higher layer replaces a server whole.
pub(crate) const SERVERS: &str = "mcpServers";

/// The setting called `name`.
pub(crate) fn find_key(name: &str) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether settings lie below `group`.
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
            SettingDefault::Names(names) => {
                Some(SettingValue::Names(names.iter().map(|name| (*name).to_owned()).collect()))
            }
            SettingDefault::Mode(mode) => Some(SettingValue::Mode(mode)),
        }
    }
}
