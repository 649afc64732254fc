//! What was typed, before it means anything.

mod examples;
mod groups;
mod reading;

pub(crate) use groups::{
    A2aFlags, AgentFlags, DataFlags, DebugFlags, EndpointFlags, ModeFlag, ModelFlags, RuleFlags, TokenFlags,
    agent_name, sharing_flag,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pollux_tui::{OutputFormat, SessionFolders};
use std::ffi::OsString;
use std::path::PathBuf;

/// One coding-agent session that your terminal, your scripts and other agents share.
#[derive(Debug, Parser)]
#[command(name = "pollux", version, args_conflicts_with_subcommands = true, after_help = examples::POLLUX)]
pub(crate) struct CliFlags {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
    #[command(flatten)]
    pub(crate) session: SessionFlags,
}

/// Everything else Pollux does.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Join a session that runs already: this terminal and the others share it
    #[command(after_help = examples::ATTACH)]
    Attach(AttachFlags),
    /// Serve many sessions to A2A clients
    #[command(after_help = examples::SERVE)]
    Serve(Box<ServeFlags>),
    /// Give Pollux's tools, and whole tasks, to an MCP client over standard input and output
    #[command(after_help = examples::MCP_SERVER)]
    McpServer(Box<McpServerFlags>),
    /// List the MCP servers of your settings, and sign in to them
    #[command(subcommand, after_help = examples::MCP)]
    Mcp(McpSubcommand),
    /// List the sessions of this folder or of all, or delete one
    #[command(after_help = examples::SESSIONS)]
    Sessions(StoredSessionsFlags),
    /// Say what policy makes of a shell command, and why
    #[command(subcommand, after_help = examples::POLICY)]
    Policy(PolicySubcommand),
    /// Show the settings in force and where each comes from
    #[command(subcommand, after_help = examples::SETTINGS)]
    Settings(SettingsSubcommand),
    /// List extensions, switch them on and off
    #[command(subcommand, after_help = examples::EXTENSIONS)]
    Extensions(ExtensionsSubcommand),
    /// Check that everything Pollux needs is there
    #[command(after_help = examples::DOCTOR)]
    Doctor {
        #[command(flatten)]
        model: ModelFlags,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Ask a server whether it is well; exit code 1: it is not, or nobody answers
    #[command(after_help = examples::HEALTH)]
    Health {
        /// The server: a port of this machine, HOST:PORT or an address such as http://127.0.0.1:41242; else the one that `pollux serve` would be on this machine
        #[arg(value_name = "PORT|URL")]
        url: Option<String>,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Trust a folder: its settings, its .env, its commands and agents then count
    #[command(after_help = examples::TRUST)]
    Trust(TrustFlags),
    /// Print what your shell needs to complete commands and flags
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, in the form that `man` reads: `pollux man | man -l -`
    #[command(after_help = examples::MAN)]
    Man {
        /// The command that the page is about; without it, Pollux itself
        command: Option<String>,
    },
}

/// Which session to sit down at.
#[derive(Debug, Args)]
pub(crate) struct AttachFlags {
    /// Its process id, its port, HOST:PORT, its address (http://127.0.0.1:PORT, with #token=… where one is needed) or its
    /// session id; else the only one that runs here
    #[arg(value_name = "PID|PORT|URL|SESSION")]
    pub(crate) target: Option<String>,
    /// Plain lines instead of a full screen: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) token: TokenFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// What can be done with sessions that are kept: without a subcommand they are listed.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct StoredSessionsFlags {
    #[command(subcommand)]
    pub(crate) command: Option<StoredSessionsSubcommand>,
    #[command(flatten)]
    pub(crate) folders: SessionFolderFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// Of which folders sessions are listed.
#[derive(Debug, Args)]
pub(crate) struct SessionFolderFlags {
    /// List the sessions of every folder, not of this one only
    #[arg(long)]
    all: bool,
}

impl From<SessionFolderFlags> for SessionFolders {
    fn from(flags: SessionFolderFlags) -> SessionFolders {
        if flags.all { SessionFolders::All } else { SessionFolders::This }
    }
}

/// What can be done with one session that is kept.
#[derive(Debug, Subcommand)]
pub(crate) enum StoredSessionsSubcommand {
    /// List them, as `pollux sessions` alone does
    List {
        #[command(flatten)]
        folders: SessionFolderFlags,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Delete a session for good: its conversation, its files and its checkpoints
    Delete {
        /// The session, by its id or the beginning of it
        #[arg(value_name = "SESSION")]
        session: String,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

/// What can be done with MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpSubcommand {
    /// Start every server and tell how it is doing and what it offers; exit code 1: one of them is not ready
    List {
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Sign in to a server: prints the page to open and waits for the answer
    Login {
        /// The server, by its name in the settings
        name: String,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Forget the sign-in to a server
    Logout {
        /// The server, by its name in the settings
        name: String,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

/// What can be asked of policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicySubcommand {
    /// Judge a command, part by part; exit code 0: it runs, 3: it asks, 4: it is denied
    Check {
        /// The shell command
        command: String,
        #[command(flatten)]
        rules: RuleFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

/// What can be done with extensions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionsSubcommand {
    /// List the extensions of this folder, with their versions, and whether they are on
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        debug: DebugFlags,
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
    pub(crate) debug: DebugFlags,
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
pub(crate) enum SettingsSubcommand {
    /// Print every setting with its origin
    #[command(visible_alias = "list")]
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        agent: Box<AgentFlags>,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

/// Flags of a session at the terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionFlags {
    /// The prompt to begin with. At a terminal the session goes on after it; elsewhere, the answer is printed
    #[arg(value_name = "PROMPT", conflicts_with_all = ["prompt", "prompt_interactive"])]
    pub(crate) words: Vec<String>,
    /// Answer one prompt and exit
    #[arg(short, long, value_name = "TEXT", conflicts_with = "prompt_interactive")]
    pub(crate) prompt: Option<String>,
    /// Begin with this prompt and go on in the terminal
    #[arg(short = 'i', long, value_name = "TEXT")]
    pub(crate) prompt_interactive: Option<String>,
    /// Go on with an earlier session: the newest one of this directory, or the one named
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1)]
    pub(crate) resume: Option<Option<String>>,
    /// Go on with the newest session of this directory
    #[arg(long = "continue", conflicts_with_all = ["resume", "ephemeral"])]
    pub(crate) go_on: bool,
    /// How the answer is printed when nobody is at the terminal
    #[arg(short, long, value_enum, default_value_t = FormatFlag::Text)]
    pub(crate) output_format: FormatFlag,
    /// Keep nothing on disk
    #[arg(long, conflicts_with = "resume")]
    pub(crate) ephemeral: bool,
    /// Plain lines instead of a full screen: for screen readers, dumb terminals and pipes
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    /// Share this session on 127.0.0.1:PORT over A2A and a WebSocket (0 picks a free port)
    #[arg(long, value_name = "PORT", help_heading = "Sharing")]
    pub(crate) a2a_port: Option<u16>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointFlags,
    #[command(flatten)]
    pub(crate) a2a: A2aFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// What is to be trusted, or no more.
#[derive(Debug, Args)]
pub(crate) struct TrustFlags {
    /// The folder; the current directory by default. `list` lists what is trusted and what is not
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Forget what was said of the folder
    #[arg(long, conflicts_with = "list")]
    pub(crate) remove: bool,
    /// List what is trusted and what is not
    #[arg(long, conflicts_with = "folder")]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// Flags of the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
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
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) endpoint: EndpointFlags,
    #[command(flatten)]
    pub(crate) a2a: A2aFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// Flags of the MCP server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
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
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// Flags that mean the same wherever they are taken. Where a command does not take one, it is as if nobody gave it.
#[derive(Debug, Default)]
pub(crate) struct BasicFlags {
    pub(crate) agent: AgentFlags,
    pub(crate) data: DataFlags,
    pub(crate) endpoint: EndpointFlags,
    pub(crate) debug: DebugFlags,
    pub(crate) broken_settings: BrokenSettings,
}

/// What a settings file of the person's that is broken does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BrokenSettings {
    /// It stops the program: it may be what forbids things.
    #[default]
    Stop,
    /// It is left out and told of.
    LeaveOut,
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
    pub(crate) fn format(self) -> OutputFormat {
        match self {
            FormatFlag::Text => OutputFormat::Text,
            FormatFlag::Json => OutputFormat::Json,
            FormatFlag::StreamJson => OutputFormat::StreamJson,
        }
    }

    /// The format that arguments name which are wrong elsewhere: whoever reads JSON is told in JSON.
    pub(crate) fn find_in_arguments(args: impl IntoIterator<Item = OsString>) -> OutputFormat {
        let args: Vec<String> = args.into_iter().filter_map(|arg| arg.into_string().ok()).collect();
        let named = args.iter().enumerate().find_map(|(at, arg)| match arg.as_str() {
            "-o" | "--output-format" => args.get(at + 1).map(String::as_str),
            arg => arg.strip_prefix("--output-format=").or_else(|| arg.strip_prefix("-o")),
        });
        named.and_then(|name| FormatFlag::from_str(name, false).ok()).map_or(OutputFormat::Text, FormatFlag::format)
    }
}

#[cfg(test)]
mod tests;
