//! Flags that several commands share, in the groups in which the help lists them.

use crate::config::RunOverrides;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use pollux_server::read_push_host;
use std::path::PathBuf;

/// The most connections that may be open at once, unless somebody says otherwise.
const CONNECTIONS: usize = 1024;

/// Which rules tools run by.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tools")]
pub(crate) struct RuleFlags {
    /// The approval mode: which tools run without asking
    #[arg(long, value_name = "MODE", value_enum, conflicts_with = "yolo")]
    pub(crate) approval_mode: Option<ModeFlag>,
    /// Run every tool without asking (same as --approval-mode yolo)
    #[arg(short, long)]
    pub(crate) yolo: bool,
    /// Tools that run without asking, separated by commas: a name, or `run_shell_command(git status)`
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) allowed_tools: Vec<String>,
    /// Additional workspace directories, separated by commas
    #[arg(long, value_name = "DIRS", value_delimiter = ',')]
    pub(crate) include_directories: Vec<String>,
    /// Additional policy files or directories, separated by commas
    #[arg(long, value_name = "PATHS", value_delimiter = ',', value_parser = from_here())]
    pub(crate) policy: Vec<PathBuf>,
    /// Additional policy files or directories whose rules no other rule overrides, separated by commas
    #[arg(long, value_name = "PATHS", value_delimiter = ',', value_parser = from_here())]
    pub(crate) admin_policy: Vec<PathBuf>,
}

/// Which model answers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelFlags {
    /// The model's name, with a provider prefix if needed (`gemini-2.5-pro`, `ollama:qwen3`, `anthropic:NAME`,
    /// `openai:NAME`), `demo`, or `script:FILE`
    #[arg(short, long)]
    pub(crate) model: Option<String>,
}

/// What an agent works with.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AgentFlags {
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
    /// Save a checkpoint of the workspace before each call that changes it, for /restore [default: true, unless your
    /// settings say otherwise]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    #[arg(help_heading = "Tools")]
    pub(crate) checkpointing: Option<bool>,
    /// Use only these MCP servers, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Tools")]
    pub(crate) allowed_mcp_server_names: Vec<String>,
}

/// Where things are kept.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Other")]
pub(crate) struct DataFlags {
    /// The directory that stores sessions
    #[arg(long, value_name = "DIR", value_parser = from_here())]
    pub(crate) data_dir: Option<PathBuf>,
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Other")]
pub(crate) struct DebugFlags {
    /// Print debug messages to standard error
    #[arg(short, long)]
    pub(crate) debug: bool,
}

/// The token of an endpoint.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Sharing")]
pub(crate) struct TokenFlags {
    /// A file with the bearer token that every client must send; only you may be able to read it
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Who may connect to an endpoint.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sharing")]
pub(crate) struct EndpointFlags {
    #[command(flatten)]
    pub(crate) token: TokenFlags,
    /// The maximum number of open connections
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS)]
    pub(crate) max_connections: usize,
}

impl Default for EndpointFlags {
    fn default() -> Self {
        EndpointFlags { token: TokenFlags::default(), max_connections: CONNECTIONS }
    }
}

/// What the agent shows and offers to those who come over the network.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sharing")]
pub(crate) struct A2aFlags {
    /// Also serve A2A over gRPC on this port; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) grpc_port: Option<u16>,
    /// The public address of gRPC behind a TLS proxy, for the agent card
    #[arg(long, value_name = "HOST:PORT", requires = "grpc_port")]
    pub(crate) grpc_outside: Option<String>,
    /// Allow push notifications to this host (example.com or example.com:8080) although it is not on the public internet
    #[arg(long, value_name = "HOST", value_parser = read_push_host)]
    pub(crate) push_host: Vec<String>,
    /// Allow MCP servers of clients on this host (example.com or example.com:8080) although it is not on the public
    /// internet
    #[arg(long, value_name = "HOST", value_parser = read_push_host)]
    pub(crate) mcp_host: Vec<String>,
    /// The agent's name on its card [default: Gemini CLI Agent]
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub(crate) agent_name: Option<String>,
    /// Refuse messages from clients that do not use the development-tool extension
    #[arg(long)]
    pub(crate) require_extension: bool,
    /// Sign the card with the key in this file (PKCS#8, readable only by you); the file name becomes the key id
    #[arg(long, value_name = "FILE")]
    pub(crate) card_key: Option<PathBuf>,
}

impl A2aFlags {
    /// Settings by these flags that settings files may have too.
    pub(crate) fn overrides(&self) -> RunOverrides {
        RunOverrides {
            agent_name: self.agent_name.clone(),
            require_extension: self.require_extension,
            card_key: self.card_key.clone(),
            push_hosts: self.push_host.clone(),
            mcp_hosts: self.mcp_host.clone(),
            ..RunOverrides::default()
        }
    }
}

/// The first flag that was given about sharing, which means nothing where nothing is shared.
pub(crate) fn sharing_flag(endpoint: &EndpointFlags, door: &A2aFlags) -> Option<&'static str> {
    let given = [
        ("--token-file", endpoint.token.token_file.is_some()),
        ("--max-connections", endpoint.max_connections != CONNECTIONS),
        ("--grpc-port", door.grpc_port.is_some()),
        ("--push-host", !door.push_host.is_empty()),
        ("--mcp-host", !door.mcp_host.is_empty()),
        ("--agent-name", door.agent_name.is_some()),
        ("--require-extension", door.require_extension),
        ("--card-key", door.card_key.is_some()),
    ];
    given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
}

pub(crate) fn agent_name(name: &str) -> Result<String, &'static str> {
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("a name is a non-empty line of text");
    }
    Ok(name.to_owned())
}

/// The approval modes by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ModeFlag {
    /// Reading is allowed; edits, and commands that are not known to be read-only, ask first
    Default,
    /// Editing files in the workspace is allowed, too
    #[value(alias = "auto-edit", alias = "autoEdit")]
    AutoEdit,
    /// Nothing may be changed
    Plan,
    /// Everything runs without asking, except what your own rules ask about or deny
    Yolo,
}

/// A path, seen from the directory that the program was started in: what it starts may run elsewhere.
fn from_here() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(std::path::absolute::<PathBuf>)
}
