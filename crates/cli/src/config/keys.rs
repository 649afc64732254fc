//! Every setting Pollux honours: one row each. docs/SETTINGS.md has the same table, and a test compares the two.

mod unused;

pub(crate) use unused::{UNUSED, is_missing_protection, is_unused};

use super::kind::Kind;
use super::value::Value;
use pollux_session::Mode;

/// One setting.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its dotted name, as Gemini CLI has it.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) preset: Preset,
    pub(crate) merge: Merge,
    pub(crate) workspace: FromWorkspace,
    /// The variables and the flag that set it as well, a later one over an earlier.
    pub(crate) elsewhere: &'static [Elsewhere],
    pub(crate) meaning: &'static str,
}

/// What holds when nobody sets it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Preset {
    /// Nothing in particular.
    Unset,
    Flag(bool),
    Count(u64),
    Limit(Option<u64>),
    Ratio(f64),
    Names(&'static [&'static str]),
    Mode(Mode),
}

/// What a higher layer does to a lower one's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    Replaces,
    /// The lists of all layers together.
    Adds,
}

/// What a trusted workspace may do with a setting. Whatever is not listed as a way to narrow is left to the person: a
/// repository is other people's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromWorkspace {
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
pub(crate) enum Elsewhere {
    Variable(&'static str),
    Flag(&'static str),
}

use Elsewhere::{Flag, Variable};

/// The rows.
pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "general.defaultApprovalMode",
        kind: Kind::Mode,
        preset: Preset::Mode(Mode::Default),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--approval-mode"), Flag("--yolo")],
        meaning: "how freely tools run in a session that this start begins or goes on with",
    },
    Key {
        name: "general.checkpointing.enabled",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("CHECKPOINTING"), Flag("--checkpointing")],
        meaning: "the workspace is saved before each call that changes it, so that `/restore` can go back",
    },
    Key {
        name: "general.maxAttempts",
        kind: Kind::Count { least: 1, most: 10 },
        preset: Preset::Count(10),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Lowers,
        elsewhere: &[],
        meaning: "how often a failing model request is sent in all",
    },
    Key {
        name: "model.name",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("GEMINI_MODEL"), Flag("--model")],
        meaning: "the model that answers",
    },
    Key {
        name: "model.maxSessionTurns",
        kind: Kind::Limit,
        preset: Preset::Limit(None),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Lowers,
        elsewhere: &[],
        meaning: "how many turns a session may have; one more fails, with exit code 53 in headless mode",
    },
    Key {
        name: "model.compressionThreshold",
        kind: Kind::Ratio,
        preset: Preset::Ratio(0.5),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "the share of the model's window at which the history is compacted",
    },
    Key {
        name: "model.disableLoopDetection",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "do not stop a model that repeats itself",
    },
    Key {
        name: "model.fallback",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "when a model cannot answer for long, the next one of its maker does",
    },
    Key {
        name: "model.cachedContent",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "have Google keep instructions and tools between calls, which it bills by the hour",
    },
    Key {
        name: "context.fileName",
        kind: Kind::NameOrNames,
        preset: Preset::Names(&["GEMINI.md", "AGENTS.md"]),
        merge: Merge::Replaces,
        workspace: FromWorkspace::NamesMarkdown,
        elsewhere: &[],
        meaning: "the names of memory files",
    },
    Key {
        name: "context.includeDirectories",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--include-directories")],
        meaning: "more directories that belong to the workspace; relative ones are the workspace's, `~/` is your home",
    },
    Key {
        name: "context.loadMemoryFromIncludeDirectories",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "memory files of those directories are read too",
    },
    Key {
        name: "context.fileFiltering.respectGitIgnore",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::TurnsOn,
        elsewhere: &[],
        meaning: "searches pass over what .gitignore names",
    },
    Key {
        name: "context.fileFiltering.respectGeminiIgnore",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::TurnsOn,
        elsewhere: &[],
        meaning: "searches pass over what .geminiignore names",
    },
    Key {
        name: "context.fileFiltering.customIgnoreFilePaths",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::AddsInside,
        elsewhere: &[],
        meaning: "more files in .gitignore's form, absolute or of the workspace",
    },
    Key {
        name: "tools.allowed",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--allowed-tools")],
        meaning: "tools that run without asking, like `run_shell_command(git status)`",
    },
    Key {
        name: "tools.autoAccept",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "tasks of `pollux serve` that name no mode start in auto_edit; at a terminal nothing changes, for reading never asks",
    },
    Key {
        name: "tools.confirmationRequired",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Adds,
        elsewhere: &[],
        meaning: "tools that always ask, whatever is allowed",
    },
    Key {
        name: "tools.exclude",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Adds,
        elsewhere: &[],
        meaning: "tools the model does not get",
    },
    Key {
        name: "tools.core",
        kind: Kind::Names,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Keeps,
        elsewhere: &[],
        meaning: "the only built-in tools the model gets; all of them when not set",
    },
    Key {
        name: "tools.shell.inactivityTimeout",
        kind: Kind::Limit,
        preset: Preset::Limit(Some(300)),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Lowers,
        elsewhere: &[],
        meaning: "seconds of silence after which a shell command is ended",
    },
    Key {
        name: "tools.shell.enableInteractiveShell",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "shell commands get a terminal of their own, not pipes",
    },
    Key {
        name: "tools.truncateToolOutputThreshold",
        kind: Kind::Limit,
        preset: Preset::Limit(Some(40_000)),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Lowers,
        elsewhere: &[],
        meaning: "characters of a tool's output that the model gets; the whole is kept",
    },
    Key {
        name: "mcp.allowed",
        kind: Kind::Names,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Keeps,
        elsewhere: &[Flag("--allowed-mcp-server-names")],
        meaning: "the only MCP servers that are used; all of them when not set",
    },
    Key {
        name: "mcp.excluded",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Adds,
        elsewhere: &[],
        meaning: "MCP servers that are not used",
    },
    Key {
        name: "policyPaths",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--policy")],
        meaning: "more files and directories with rules of yours: whole paths, or `~/`; one that cannot be read makes everything ask",
    },
    Key {
        name: "adminPolicyPaths",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Adds,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--admin-policy")],
        meaning: "the same for rules that no other rule overrules",
    },
    Key {
        name: "security.folderTrust.enabled",
        kind: Kind::Flag,
        preset: Preset::Flag(true),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "a workspace counts as yours only after you said so",
    },
    Key {
        name: "security.disableYoloMode",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::TurnsOn,
        elsewhere: &[],
        meaning: "yolo mode is refused, whoever asks for it",
    },
    Key {
        name: "security.disableAlwaysAllow",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::TurnsOn,
        elsewhere: &[],
        meaning: "asks offer no grant that lasts",
    },
    Key {
        name: "serve.port",
        kind: Kind::Count { least: 0, most: 65535 },
        preset: Preset::Count(41242),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("PORT"), Variable("CODER_AGENT_PORT"), Flag("--port")],
        meaning: "the port of `pollux serve`; 0 picks a free one",
    },
    Key {
        name: "serve.workspace",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("CODER_AGENT_WORKSPACE_PATH"), Flag("--workspace")],
        meaning: "the workspace of tasks that name none; where `pollux serve` was started when not set",
    },
    Key {
        name: "serve.workspaceRoots",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--workspace-root")],
        meaning: "directories that clients of `pollux serve` may name workspaces in, besides `serve.workspace` itself",
    },
    Key {
        name: "serve.bucket",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("A2A_GCS_BUCKET"), Variable("GCS_BUCKET_NAME"), Flag("--bucket")],
        meaning: "where `pollux serve` carries its tasks too: `gs://`, `s3://`, `az://` or `file://`, or a bare name on Google's; nowhere when not set",
    },
    Key {
        name: "serve.logLevel",
        kind: Kind::LogLevel,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Variable("LOG_LEVEL"), Flag("--debug")],
        meaning: "how much `pollux serve` says on standard error; warnings when not set",
    },
    Key {
        name: "a2a.userTier",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[],
        meaning: "the person's plan (`free-tier`, `standard-tier`), as every event tells A2A clients in `userTier` and `user_tier`; nothing is told when not set",
    },
    Key {
        name: "a2a.agentName",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--agent-name")],
        meaning: "the agent's name on its card; `Gemini CLI Agent` when not set",
    },
    Key {
        name: "a2a.requireExtension",
        kind: Kind::Flag,
        preset: Preset::Flag(false),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--require-extension")],
        meaning: "messages of clients that do not speak the `development-tool` extension are refused, and the card says so",
    },
    Key {
        name: "a2a.cardKey",
        kind: Kind::Text,
        preset: Preset::Unset,
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--card-key")],
        meaning: "the file with the key that signs the card (PKCS#8, readable by you alone); the card is not signed when not set",
    },
    Key {
        name: "a2a.pushHosts",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--push-host")],
        meaning: "hosts, with or without a port, that news of tasks may be pushed to although they are not on the public internet",
    },
    Key {
        name: "a2a.mcpHosts",
        kind: Kind::Names,
        preset: Preset::Names(&[]),
        merge: Merge::Replaces,
        workspace: FromWorkspace::Never,
        elsewhere: &[Flag("--mcp-host")],
        meaning: "hosts, with or without a port, where the tool servers of clients may be although they are not on the public internet",
    },
];

/// The one setting that is not a single value: MCP servers by name. A higher layer replaces a server whole.
pub(crate) const SERVERS: &str = "mcpServers";

/// The setting called `name`.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
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

impl Preset {
    /// The value, if there is one.
    pub(crate) fn value(self) -> Option<Value> {
        match self {
            Preset::Unset => None,
            Preset::Flag(flag) => Some(Value::Flag(flag)),
            Preset::Count(count) => Some(Value::Count(count)),
            Preset::Limit(limit) => Some(Value::Limit(limit)),
            Preset::Ratio(ratio) => Some(Value::Ratio(ratio)),
            Preset::Names(names) => Some(Value::Names(names.iter().map(|name| (*name).to_owned()).collect())),
            Preset::Mode(mode) => Some(Value::Mode(mode)),
        }
    }
}
