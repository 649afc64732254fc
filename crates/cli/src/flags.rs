//! What was typed, before it means anything.

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use pollux_server::read_push_host;
use pollux_tui::Format;
use std::ffi::OsString;
use std::path::PathBuf;

/// One coding-agent session that your terminal, your browser, your editor and other agents share.
#[derive(Debug, Parser)]
#[command(name = "pollux", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Flags {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) session: SessionFlags,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// Everything else Pollux does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Sit down at a session that runs already: this terminal and the others share it
    Attach(AttachFlags),
    /// Serve many sessions to A2A clients
    Serve(ServeFlags),
    /// Give Pollux's tools, and whole tasks, to an MCP client over standard input and output
    McpServer(McpServerFlags),
    /// See to the MCP servers of your settings, and sign in to them
    #[command(subcommand)]
    Mcp(McpCommand),
    /// List the sessions of terminals on this machine
    Sessions(BasicFlags),
    /// Say what policy makes of a shell command, and why
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Show the settings in force and where each comes from
    #[command(subcommand)]
    Settings(SettingsCommand),
    /// List extensions, switch them on and off
    #[command(subcommand)]
    Extensions(ExtensionsCommand),
    /// Check that everything Pollux needs is there
    Doctor(BasicFlags),
    /// Ask a server whether it is well; exit code 1: it is not, or nobody answers
    Health {
        /// The server, such as http://127.0.0.1:41242; else the one that `pollux serve` would be on this machine
        url: Option<String>,
        #[command(flatten)]
        basics: BasicFlags,
    },
    /// Trust a folder: its settings, its .env, its commands and agents then count
    Trust(TrustFlags),
}

/// Which session to sit down at.
#[derive(Debug, Args)]
pub(crate) struct AttachFlags {
    /// Its address (http://127.0.0.1:PORT, with #token=… where one is needed), its process id or its session id; else the
    /// only one that runs here
    #[arg(value_name = "URL|PID|SESSION")]
    pub(crate) target: Option<String>,
    /// Plain lines instead of a full screen: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// What can be done with MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Start every server and tell how it is doing and what it offers; exit code 1: one of them is not ready
    List(BasicFlags),
    /// Sign in to a server: prints the page to open and waits for the answer
    Login {
        /// The server, by its name in the settings
        name: String,
        #[command(flatten)]
        basics: BasicFlags,
    },
    /// Forget the sign-in to a server
    Logout {
        /// The server, by its name in the settings
        name: String,
        #[command(flatten)]
        basics: BasicFlags,
    },
}

/// What can be asked of policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Judge a command, part by part; exit code 0: it runs, 3: it asks, 4: it is denied
    Check {
        /// The shell command
        command: String,
        #[command(flatten)]
        basics: BasicFlags,
    },
}

/// What can be done with extensions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionsCommand {
    /// List the extensions of this folder, with their versions, and whether they are on
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        basics: BasicFlags,
    },
    /// Switch an extension on
    Enable(SwitchFlags),
    /// Switch an extension off
    Disable(SwitchFlags),
}

/// Which extension is switched, and where.
#[derive(Debug, Args)]
pub(crate) struct SwitchFlags {
    /// The extension, by its name
    pub(crate) name: String,
    /// For you everywhere, or in this folder and what is in it
    #[arg(long, value_enum, default_value_t = ScopeFlag::User)]
    pub(crate) scope: ScopeFlag,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// How far a switch reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeFlag {
    /// Everywhere
    User,
    /// In this folder
    Workspace,
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum SettingsCommand {
    /// Print every setting with its origin
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        basics: BasicFlags,
    },
}

/// Flags of a session at the terminal.
#[derive(Debug, Args)]
pub(crate) struct SessionFlags {
    /// Share this session on 127.0.0.1:PORT over A2A and a WebSocket (0 picks a free port)
    #[arg(long, value_name = "PORT")]
    pub(crate) a2a_port: Option<u16>,
    /// Answer one prompt and exit
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Go on with an earlier session: the newest one of this directory, or the one named
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1)]
    pub(crate) resume: Option<Option<String>>,
    /// Go on with the newest session of this directory
    #[arg(long = "continue", conflicts_with_all = ["resume", "ephemeral"])]
    pub(crate) go_on: bool,
    /// How the answer to --prompt is printed
    #[arg(short, long, value_enum, default_value_t = FormatFlag::Text)]
    pub(crate) output_format: FormatFlag,
    /// Keep nothing on disk
    #[arg(long, conflicts_with = "resume")]
    pub(crate) ephemeral: bool,
    /// Plain lines instead of a full screen: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) door: DoorFlags,
}

/// What is to be trusted, or no more.
#[derive(Debug, Args)]
pub(crate) struct TrustFlags {
    /// The folder; the current directory by default
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Forget what was said of the folder
    #[arg(long, conflicts_with = "list")]
    pub(crate) remove: bool,
    /// List what is trusted and what is not
    #[arg(long, conflicts_with = "folder")]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// Flags of the server.
#[derive(Debug, Args)]
pub(crate) struct ServeFlags {
    /// The address to listen on; anything but loopback needs --token-file and --tls-in-front
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// The port to listen on (0 picks a free one); else what CODER_AGENT_PORT or PORT says, else 41242
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Says that a proxy in front of this server speaks TLS
    #[arg(long)]
    pub(crate) tls_in_front: bool,
    /// A host name, with its port, that requests may carry besides the loopback ones
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) allow_host: Vec<String>,
    /// The workspace of tasks that name none; else what CODER_AGENT_WORKSPACE_PATH says, else the current directory
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// A directory that clients may name workspaces in, besides the workspace itself; repeat it for several
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace_root: Vec<PathBuf>,
    /// How long turns that run may go on after SIGTERM; what is not done by then goes on at the next start
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) drain: u64,
    /// Carry tasks to a bucket too: gs://, s3://, az:// or file://, or a bare name on Google's storage
    #[arg(long, value_name = "BUCKET")]
    pub(crate) bucket: Option<String>,
    /// Keep nothing on disk: all tasks are gone when the server ends
    #[arg(long)]
    pub(crate) ephemeral: bool,
    /// Let clients name programs to start as tool servers of their own tasks; without it only addresses
    #[arg(long)]
    pub(crate) clients_may_start_programs: bool,
    #[command(flatten)]
    pub(crate) door: DoorFlags,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// Flags of the MCP server.
#[derive(Debug, Args)]
pub(crate) struct McpServerFlags {
    /// Where tools and tasks work; the current directory by default
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The only tools to offer beside run_task, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Offer no run_task
    #[arg(long)]
    pub(crate) no_tasks: bool,
    #[command(flatten)]
    pub(crate) basics: BasicFlags,
}

/// Flags of everything.
#[derive(Debug, Args)]
pub(crate) struct BasicFlags {
    /// The model: its name, with its provider where that is not plain (`gemini-2.5-pro`, `ollama:qwen3`,
    /// `anthropic:NAME`, `openai:NAME`), `demo`, or `script:FILE`
    #[arg(short, long)]
    pub(crate) model: Option<String>,
    /// How freely tools run
    #[arg(long, value_enum, conflicts_with = "yolo")]
    pub(crate) approval_mode: Option<ModeFlag>,
    /// Run every tool without asking
    #[arg(short, long)]
    pub(crate) yolo: bool,
    /// Save the workspace before each call that changes it, for /restore; on unless settings say otherwise
    #[arg(long, value_name = "YES", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) checkpointing: Option<bool>,
    /// Tools that run without asking, separated by commas: a name, or `run_shell_command(git status)`
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) allowed_tools: Vec<String>,
    /// More directories that belong to the workspace, separated by commas
    #[arg(long, value_name = "DIRS", value_delimiter = ',')]
    pub(crate) include_directories: Vec<String>,
    /// The only MCP servers to use, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) allowed_mcp_server_names: Vec<String>,
    /// More files or directories with rules of yours
    #[arg(long, value_name = "PATHS", value_delimiter = ',', value_parser = from_here())]
    pub(crate) policy: Vec<PathBuf>,
    /// More files or directories with rules that no other rule overrules
    #[arg(long, value_name = "PATHS", value_delimiter = ',', value_parser = from_here())]
    pub(crate) admin_policy: Vec<PathBuf>,
    /// Where sessions are kept
    #[arg(long, value_name = "DIR", value_parser = from_here())]
    pub(crate) data_dir: Option<PathBuf>,
    /// Demand the bearer token in this file (readable by you alone) from every client
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How many connections may be open at once
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_connections: usize,
    /// Say what happens inside, on standard error
    #[arg(short, long)]
    pub(crate) debug: bool,
}

/// What the agent shows and offers to those who come over the network.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoorFlags {
    /// Speak A2A over gRPC too, on this port of the same address (0 picks a free one)
    #[arg(long, value_name = "PORT")]
    pub(crate) grpc_port: Option<u16>,
    /// Where others reach gRPC, behind the proxy that speaks TLS to them; the card then says so
    #[arg(long, value_name = "HOST:PORT", requires = "grpc_port")]
    pub(crate) grpc_outside: Option<String>,
    /// A host (example.com or example.com:8080) that news of tasks may be pushed to although it is not on the public
    /// internet
    #[arg(long, value_name = "HOST", value_parser = read_push_host)]
    pub(crate) push_host: Vec<String>,
    /// A host (example.com or example.com:8080) where the tool servers of clients may be although it is not on the public
    /// internet
    #[arg(long, value_name = "HOST", value_parser = read_push_host)]
    pub(crate) mcp_host: Vec<String>,
    /// The agent's name on its card (Gemini CLI Agent when nobody says)
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub(crate) agent_name: Option<String>,
    /// Refuse messages of clients that do not speak the development-tool extension
    #[arg(long)]
    pub(crate) require_extension: bool,
    /// Sign the card with the key in this file (PKCS#8, readable by you alone); the file's name names the key
    #[arg(long, value_name = "FILE")]
    pub(crate) card_key: Option<PathBuf>,
}

pub(crate) fn agent_name(name: &str) -> Result<String, &'static str> {
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("a name is a line of text that is not empty");
    }
    Ok(name.to_owned())
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum FormatFlag {
    /// The answer alone
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object for each thing that happens
    StreamJson,
}

impl FormatFlag {
    /// What it means.
    pub(crate) fn format(self) -> Format {
        match self {
            FormatFlag::Text => Format::Text,
            FormatFlag::Json => Format::Json,
            FormatFlag::StreamJson => Format::StreamJson,
        }
    }

    /// The format that arguments name which are wrong elsewhere: whoever reads JSON is told in JSON.
    pub(crate) fn among(args: impl IntoIterator<Item = OsString>) -> Format {
        let args: Vec<String> = args.into_iter().filter_map(|arg| arg.into_string().ok()).collect();
        let named = args.iter().enumerate().find_map(|(at, arg)| match arg.as_str() {
            "-o" | "--output-format" => args.get(at + 1).map(String::as_str),
            arg => arg.strip_prefix("--output-format=").or_else(|| arg.strip_prefix("-o")),
        });
        named.and_then(|name| FormatFlag::from_str(name, false).ok()).map_or(Format::Text, FormatFlag::format)
    }
}

/// The approval modes by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ModeFlag {
    /// Reading is allowed, everything else asks
    Default,
    /// Changing files in the workspace is allowed too
    AutoEdit,
    /// Nothing may be changed
    Plan,
    /// Nothing asks
    Yolo,
}

/// A path, seen from the directory that the program was started in: what it starts may run elsewhere.
fn from_here() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(std::path::absolute::<PathBuf>)
}

#[cfg(test)]
mod tests;
