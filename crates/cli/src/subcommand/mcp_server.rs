//! `pollux mcp-server`: Pollux's own tools, and whole tasks, for one MCP client over standard input and output.

use crate::config::Config;
use crate::console::{self, LineStyle};
use crate::disk_sessions::{self, ResumableSession};
use crate::flags::{AgentFlags, BasicFlags, DataFlags, DebugFlags};
use crate::leftover_processes::end_leftover_processes;
use crate::program_environment::{ProgramEnvironment, current_dir};
use crate::runtime::{ModelSelection, OWNER, RuntimeBuilder, RuntimeKind, config_for, toolbox};
use crate::session_storage::{SessionSelection, SessionStart, SessionStorage, resolve_workspace};
use crate::settings::{GlobalSettings, UsageError};
use crate::signals::stop_on_signal;
use crate::{named_by_flags, system_prompt};
use anyhow::bail;
use clap::Args;
use pollux_agent::AgentRunner;
use pollux_host::{NoticeBoard, Runner};
use pollux_mcp_server::{HostedSession, McpServer, McpServerSettings, McpSessionHosting, RunnerWrapper};
use pollux_model::Model;
use pollux_session::{Owner, ToolInfo};
use pollux_store::BlobStore;
use pollux_tools::{BackgroundProcesses, ToolSpec};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux mcp-server --workspace ~/project              offer the tools and run_task there
  pollux mcp-server --tools read_file,glob --no-tasks  offer two tools and nothing else";

/// Flags of the MCP server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct McpServerFlags {
    /// The workspace of tools and tasks [default: the current directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Offer only these tools besides run_task, separated by commas
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Do not offer run_task
    #[arg(long)]
    pub(crate) no_tasks: bool,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl McpServerFlags {
    /// Answer the client until it has gone.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let McpServerFlags { workspace, tools: only_tools, no_tasks, agent, data, debug } = self;
        let directory = match workspace {
            Some(workspace) => workspace,
            None => current_dir()?,
        };
        let mut global_settings = environment.settings(BasicFlags { agent, data, debug, ..BasicFlags::default() })?;
        end_leftover_processes(&global_settings);
        console::start(global_settings.detail, LineStyle::Log, None);
        global_settings.system_prompt = system_prompt::read(&global_settings, &directory)?;
        let workspace = resolve_workspace(&directory)?;
        let config = config_for(&global_settings, &workspace);
        let ModelSelection { models: _, chosen } = ModelSelection::choose(&global_settings, &config)?;
        named_by_flags::check(&global_settings, &config, Path::new(&workspace), &chosen.model)?;
        if let Some(note) = &chosen.note {
            tracing::warn!("{note}");
        }
        let settings = McpServerSettings {
            owner: Owner(OWNER.into()),
            workspace: workspace.clone(),
            mode: config.preferences.mode,
            model: global_settings.model.clone().filter(|model| !model.starts_with("script:")),
            tools: list_tools(&global_settings, (&config, Path::new(&workspace)), &chosen.model)?,
            only_tools,
            tasks: !no_tasks,
        };
        let hosting = OwnSessions { global_settings: Arc::new(global_settings), config, workspace };
        let server = McpServer::new(settings, hosting).map_err(|error| UsageError(error.to_string()))?;
        let shutdown = CancellationToken::new();
        stop_on_signal(&shutdown)?;
        server.serve_stdio(shutdown).await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Pollux's own tools, as the settings have them. Their calls are run by the toolbox of their session.
fn list_tools(
    global_settings: &GlobalSettings,
    (config, workspace): (&Config, &Path),
    model: &Arc<dyn Model>,
) -> anyhow::Result<Vec<ToolInfo>> {
    let toolbox =
        toolbox(global_settings, (config, workspace), model, BlobStore::ephemeral()?, BackgroundProcesses::default());
    let info = |tool: ToolSpec| ToolInfo {
        name: tool.name,
        description: tool.description,
        schema: Arc::unwrap_or_clone(tool.parameters),
    };
    Ok(toolbox.declarations(config.preferences.mode).into_iter().map(info).collect())
}

/// The sessions of the client: each has a directory of its own, as those of terminals have.
struct OwnSessions {
    global_settings: Arc<GlobalSettings>,
    config: Config,
    workspace: String,
}

impl OwnSessions {
    fn host(
        &self,
        kind: RuntimeKind,
        earlier: Option<ResumableSession>,
        runner: impl FnOnce(AgentRunner) -> Arc<dyn Runner>,
    ) -> anyhow::Result<HostedSession> {
        let (settings, workspace) = (&self.global_settings, self.workspace.as_str());
        let (storage, start) =
            SessionStorage::for_terminal(settings, &SessionSelection::New, earlier, workspace, None)?;
        let SessionStorage { store, blobs, lock } = storage;
        let runtime = RuntimeBuilder {
            kind,
            global_settings: settings,
            config: &self.config,
            workspace,
            model_selection: ModelSelection::choose(settings, &self.config)?,
            store,
            blobs: blobs.clone(),
            board: NoticeBoard::default(),
        };
        let host = runtime.build_with_runner(runner).host;
        let (id, is_new) = match start {
            SessionStart::New(id) => (id, true),
            SessionStart::Resumed(id) => (id, false),
        };
        Ok(HostedSession { host, id, is_new, blobs, lock })
    }

    /// The session of an earlier task, if it works here.
    fn find_earlier(&self, id: &str) -> anyhow::Result<ResumableSession> {
        let found = disk_sessions::find_session(&self.global_settings.data_dir, id)?;
        if found.workspace != self.workspace {
            let ResumableSession { id, workspace, .. } = found;
            bail!("session {id} works in {workspace}, not here; start pollux mcp-server with --workspace {workspace}");
        }
        Ok(found)
    }
}

impl McpSessionHosting for OwnSessions {
    fn host_calls(&self, wrap: RunnerWrapper) -> anyhow::Result<HostedSession> {
        self.host(RuntimeKind::McpCalls, None, |agent| wrap(Arc::new(agent)))
    }

    fn host_task(&self, earlier: Option<&str>) -> anyhow::Result<HostedSession> {
        let earlier = earlier.map(|id| self.find_earlier(id)).transpose()?;
        self.host(RuntimeKind::McpTask, earlier, |agent| Arc::new(agent))
    }
}
