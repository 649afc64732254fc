//! A session at the terminal, shared on a port when one is named; and the next one, when the person goes on with another.

use crate::bare_words;
use crate::console::{self, Console, LineStyle};
use crate::endpoint::{self, ReverseProxySettings};
use crate::endpoint_control::EndpointControl;
use crate::flags::{A2aFlags, AgentFlags, BasicFlags, DataFlags, DebugFlags, EndpointFlags, FormatFlag, sharing_flag};
use crate::folder_trust::hint;
use crate::frontend::{AfterSession, Frontend, FrontendContext};
use crate::help_text::{line_columns, wrap_lines};
use crate::host_environment::HostEnvironment;
use crate::leftover_processes::end_leftover_processes;
use crate::program_environment::{ProgramEnvironment, current_dir};
use crate::resumed_mode::{ResumedMode, read_state};
use crate::resumed_model::ResumedModel;
use crate::runtime::{
    ModelSelection, Runtime, RuntimeBuilder, RuntimeKind, commands_before_start, config_for, terminal_user,
};
use crate::session_storage::{SessionSelection, SessionStart, SessionStorage, resolve_workspace, unreadable};
use crate::settings::{GlobalSettings, UsageError};
use crate::startup_banner::{StartupBanner, endpoint_lines};
use crate::{disk_sessions, named_by_flags, resume_hint, system_prompt};
use clap::Args;
use pollux_agent::ServerStartup;
use pollux_host::NoticeBoard;
use pollux_session::{
    Command, CommandId, ContextId, Event, OpenSessionRequest, Roster, Seat, SendError, Seq, SessionId, SessionLookup,
    SessionOverrides, SessionSetting,
};
use pollux_tui::OutputFormat;
use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Where terminals keep their sessions, in the data directory.
const SESSIONS: &str = "sessions";
/// A script should not take the demo for a model.
const NO_MODEL: &str = "no API key found, so there is no model to answer the prompt: set GEMINI_API_KEY, \
                        ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model that needs none, such as -m ollama:NAME or \
                        -m demo (offline, not an AI)";

/// Flags of a session at the terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionFlags {
    /// The first prompt. At a terminal the session continues after it; without a terminal, Pollux prints the answer and
    /// exits
    #[arg(value_name = "PROMPT", conflicts_with_all = ["prompt", "prompt_interactive"])]
    pub(crate) words: Vec<String>,
    /// Answer one prompt and exit
    #[arg(short, long, value_name = "TEXT", conflicts_with = "prompt_interactive")]
    pub(crate) prompt: Option<String>,
    /// Start with this prompt and continue in the terminal
    #[arg(short = 'i', long, value_name = "TEXT")]
    pub(crate) prompt_interactive: Option<String>,
    /// Resume a session: the newest one of this directory, or the one with this id
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1)]
    pub(crate) resume: Option<Option<String>>,
    /// Resume the newest session of this directory
    #[arg(long = "continue", conflicts_with_all = ["resume", "ephemeral"])]
    pub(crate) go_on: bool,
    /// Output format of -p and of runs without a terminal
    #[arg(short, long, value_enum, default_value_t = FormatFlag::Text)]
    pub(crate) output_format: FormatFlag,
    /// Do not store the session on disk
    #[arg(long, conflicts_with = "resume")]
    pub(crate) ephemeral: bool,
    /// Print plain lines instead of drawing a screen (for screen readers, dumb terminals and pipes)
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

/// A session at the terminal.
pub(crate) struct InteractiveSettings {
    pub(crate) workspace: PathBuf,
    pub(crate) a2a_port: Option<u16>,
    pub(crate) a2a: A2aFlags,
    /// A flag that says how to share the session.
    pub(crate) sharing_flag: Option<&'static str>,
    pub(crate) prompt: Option<FirstPrompt>,
    pub(crate) session: SessionSelection,
    pub(crate) plain: bool,
    pub(crate) format: OutputFormat,
}

/// The prompt that a session begins with.
#[derive(Clone)]
pub(crate) enum FirstPrompt {
    /// It is answered, and that is all.
    Once(String),
    /// A person goes on after it.
    AtTerminal(String),
    /// At a terminal a person goes on after it; elsewhere that is all.
    Anywhere(String),
}

impl FirstPrompt {
    /// The text.
    pub(crate) fn text(&self) -> &str {
        match self {
            FirstPrompt::Once(text) | FirstPrompt::AtTerminal(text) | FirstPrompt::Anywhere(text) => text,
        }
    }
}

impl SessionFlags {
    /// Begin the session, and go on until the person has had enough of them.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let SessionFlags { agent, endpoint, data, debug, .. } = &self;
        let common = BasicFlags {
            agent: agent.clone(),
            data: data.clone(),
            endpoint: endpoint.clone(),
            debug: *debug,
            ..BasicFlags::default()
        };
        let global_settings = environment.settings_with(common, self.a2a.overrides())?;
        run(global_settings, self.resolve()?).await
    }

    fn resolve(self) -> anyhow::Result<InteractiveSettings> {
        let keep = match (self.ephemeral, self.resume) {
            (true, _) => SessionSelection::Nothing,
            (false, None) if self.go_on => SessionSelection::Newest,
            (false, None) => SessionSelection::New,
            (false, Some(None)) => SessionSelection::Newest,
            (false, Some(Some(name))) if name == "latest" => SessionSelection::Newest,
            (false, Some(Some(name))) => SessionSelection::Named(name),
        };
        let is_blank = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().is_empty());
        if is_blank(&self.prompt) {
            return Err(UsageError("--prompt is empty; say what to do".into()).into());
        }
        if is_blank(&self.prompt_interactive) {
            return Err(UsageError("--prompt-interactive is empty; say what to do".into()).into());
        }
        let prompt = match (self.prompt, self.prompt_interactive) {
            (Some(text), _) => Some(FirstPrompt::Once(text)),
            (None, Some(text)) => Some(FirstPrompt::AtTerminal(text)),
            (None, None) => bare_words::read_prompt(&self.words)?.map(FirstPrompt::Anywhere),
        };
        Ok(InteractiveSettings {
            workspace: current_dir()?,
            a2a_port: self.a2a_port,
            sharing_flag: sharing_flag(&self.endpoint, &self.a2a),
            a2a: self.a2a,
            prompt,
            session: keep,
            plain: self.plain,
            format: self.output_format.format(),
        })
    }
}

async fn run(mut global_settings: GlobalSettings, mut settings: InteractiveSettings) -> anyhow::Result<ExitCode> {
    end_leftover_processes(&global_settings);
    global_settings.system_prompt = system_prompt::read(&global_settings, &settings.workspace)?;
    let (global_settings, board) = (Arc::new(global_settings), NoticeBoard::default());
    let console = console::start(global_settings.detail, LineStyle::Sentences, Some(board.clone()));
    loop {
        let came = run_session(&global_settings, &settings, &board, &console).await;
        console.release();
        match came? {
            AfterSession::Exit(code) => return Ok(code),
            AfterSession::Session(id) => {
                settings.session = SessionSelection::Named(id.to_string());
                // It was for the first one.
                settings.prompt = None;
            }
        }
    }
}

async fn run_session(
    global_settings: &Arc<GlobalSettings>,
    settings: &InteractiveSettings,
    board: &NoticeBoard,
    console: &Console,
) -> anyhow::Result<AfterSession> {
    let earlier = match &settings.session {
        SessionSelection::Nothing | SessionSelection::New => None,
        SessionSelection::Newest => {
            Some(disk_sessions::newest_session(&global_settings.data_dir, &resolve_workspace(&settings.workspace)?)?)
        }
        SessionSelection::Named(name) => Some(disk_sessions::find_session(&global_settings.data_dir, name)?),
    };
    let workspace = match &earlier {
        Some(earlier) => earlier.workspace.clone(),
        None => resolve_workspace(&settings.workspace)?,
    };
    let front = Frontend::choose(settings)?;
    // A person at a terminal reads it in the banner.
    if matches!(front, Frontend::Prompt { .. })
        && resolve_workspace(&settings.workspace).ok().as_ref() != Some(&workspace)
    {
        tracing::warn!("the session that is resumed works in {workspace}, not in the current folder");
    }
    // At the screen, /a2a open shares the session as these flags say.
    if let Some(flag) =
        settings.sharing_flag.filter(|_| settings.a2a_port.is_none() && !matches!(front, Frontend::Screen))
    {
        return Err(UsageError(format!("{flag} has no effect without --a2a-port")).into());
    }
    if matches!(front, Frontend::Screen) && std::io::stderr().is_terminal() {
        console.hold();
    }
    let mut config = config_for(global_settings, &workspace);
    // A session that keeps nothing keeps no workspace either.
    config.preferences.checkpointing &= !matches!(settings.session, SessionSelection::Nothing);
    // At the screen, a dialog asks.
    if let Some(hint) = hint(global_settings, Path::new(&workspace)).filter(|_| !matches!(front, Frontend::Screen)) {
        tracing::warn!("{hint}");
    }
    let model_selection = ModelSelection::choose(global_settings, &config)?;
    named_by_flags::check(global_settings, &config, Path::new(&workspace), &model_selection.chosen.model)?;
    if let Frontend::Prompt { prompt, .. } = &front
        && prompt.piped_len == 0
        && prompt.text.starts_with('/')
    {
        let commands = commands_before_start(global_settings, &config, model_selection.clone(), &workspace)?;
        if let Some(sentence) = commands.explain_unanswerable(&prompt.text).await {
            return Err(UsageError(sentence).into());
        }
    }
    let lacks_model = matches!(front, Frontend::Prompt { .. }) && model_selection.chosen.note.is_some();
    if lacks_model && earlier.is_none() {
        return Err(UsageError(NO_MODEL.into()).into());
    }
    let bound = match settings.a2a_port {
        Some(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            Some(endpoint::bind(global_settings, address, ReverseProxySettings::default(), settings.a2a.clone()).await?)
        }
        None => None,
    };
    let address = bound.as_ref().map(|bound| bound.address);
    let is_first_start =
        matches!(settings.session, SessionSelection::New) && !global_settings.data_dir.join(SESSIONS).exists();
    let (place, begin) =
        SessionStorage::for_terminal(global_settings, &settings.session, earlier, &workspace, address)?;
    let SessionStorage { store, blobs, lock } = place;
    let (id, left) = match begin {
        SessionStart::New(id) => (id, None),
        SessionStart::Resumed(id) => (id, Some(read_state(&store, id).await.map_err(unreadable)?)),
    };
    let model_selection = match &left {
        None => model_selection,
        Some(left) => {
            let resumed = ResumedModel::choose(&model_selection, global_settings.model.is_some(), left)?;
            if lacks_model && !resumed.is_own {
                return Err(UsageError(NO_MODEL.into()).into());
            }
            if let Some(note) = resumed.note {
                tracing::warn!("{note}");
            }
            resumed.selection
        }
    };
    let startup = if front.is_person() { ServerStartup::InBackground } else { ServerStartup::Awaited };
    let runtime = RuntimeBuilder {
        kind: RuntimeKind::Terminal { startup, attendance: front.attendance() },
        global_settings,
        config: &config,
        workspace: &workspace,
        model_selection,
        store,
        blobs,
        board: board.clone(),
    };
    let equipped = Arc::new(runtime.build());
    check_server_tools(global_settings, &equipped, &front).await?;
    let left_turn = left.as_ref().and_then(|left| Some(left.turn.as_ref()?.prompt));
    let seat = match left {
        None => open_seat(&equipped, id, &workspace).await?,
        Some(left) => {
            let mode = ResumedMode::choose(&config, left.mode);
            resume_seat(&equipped, id, mode, global_settings.model.as_deref()).await?
        }
    };

    let shutdown = CancellationToken::new();
    let endpoint = bound.as_ref().map(|bound| endpoint_lines(global_settings, bound)).unwrap_or_default();
    let tips = if is_first_start { front.tips() } else { &[] };
    let greeting =
        StartupBanner { workspace: workspace.clone(), endpoint_lines: endpoint, note: equipped.note.clone(), tips };
    let flags = settings.a2a.clone();
    let keeper = EndpointControl::new(global_settings.clone(), equipped.clone(), id, workspace.clone(), flags, lock);
    let keeper = Arc::new(keeper);
    if let Some(bound) = bound {
        keeper.serve_bound(bound).await?;
    }
    let around = HostEnvironment::new(global_settings.clone(), equipped.clone(), id, &workspace, keeper.clone());
    let around = match settings.session {
        SessionSelection::Nothing => around.without_history(),
        SessionSelection::New | SessionSelection::Newest | SessionSelection::Named(_) => around,
    };
    let around = Arc::new(around);
    let first_prompt = settings.prompt.as_ref().map(|prompt| prompt.text().to_owned());
    let frontend = FrontendContext {
        seat: seat.clone(),
        basics: global_settings,
        runtime: &equipped,
        banner: greeting,
        first_prompt,
        left_turn,
        console,
        environment: around,
    };
    let next = front.run(frontend, &shutdown).await;
    shutdown.cancel();
    if keeper.info().is_some() {
        keeper.close().await.map_err(anyhow::Error::msg)?;
    }
    let is_worth_resuming = !matches!(settings.session, SessionSelection::Nothing) && holds_prompt(&*seat).await;
    let ending = equipped.agent.background_commands(id);
    equipped.host.stop().await;
    let columns = line_columns(&std::io::stderr());
    if front.is_person() {
        for line in resume_hint::describe_ended_commands(&ending) {
            let line = columns.map_or_else(|| line.clone(), |columns| wrap_lines(&line, columns));
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
    if front.is_person() && is_worth_resuming && !matches!(next, Ok(AfterSession::Session(_))) {
        // A person who has closed the terminal does not read it, and that is no fault.
        let _ = writeln!(std::io::stderr(), "{}", resume_hint::format_hint(id, global_settings));
    }
    next
}

/// True if anything was said in a session. `--continue` passes over one in which nothing was.
async fn holds_prompt(seat: &dyn Seat) -> bool {
    // What is set when a session is opened comes before the first prompt, and is less than this.
    let first = seat.read(Seq::START, 1024).await.unwrap_or_default();
    first.iter().any(|entry| matches!(entry.event, Event::Prompted { .. }))
}

/// Check what `--allowed-tools` says of MCP servers' tools: before a prompt that nobody watches, else beside the session.
async fn check_server_tools(
    global_settings: &GlobalSettings,
    equipped: &Runtime,
    front: &Frontend,
) -> anyhow::Result<()> {
    let Some(servers) = equipped.agent.servers() else { return Ok(()) };
    match front {
        Frontend::Prompt { .. } => {
            let unknown = named_by_flags::find_unknown_server_tool(&global_settings.named, servers).await;
            unknown.map_or(Ok(()), |sentence| Err(UsageError(sentence).into()))
        }
        Frontend::Screen | Frontend::Lines(_) | Frontend::PortOnly => {
            named_by_flags::warn_of_unknown_server_tool(global_settings.named.clone(), servers.clone());
            Ok(())
        }
    }
}

/// Open a new session.
async fn open_seat(equipped: &Runtime, id: SessionId, workspace: &str) -> anyhow::Result<Arc<dyn Seat>> {
    let context = ContextId::new(&id.to_string()).ok_or_else(|| UsageError("the session id is no label".into()))?;
    let opening = OpenSessionRequest {
        id,
        context,
        workspace: workspace.to_owned(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    Ok(equipped.host.open(&terminal_user(), opening).await?)
}

/// Go on with an earlier session, in this mode and with the model that a flag names.
async fn resume_seat(
    equipped: &Runtime,
    id: SessionId,
    ResumedMode { mode, note }: ResumedMode,
    model: Option<&str>,
) -> anyhow::Result<Arc<dyn Seat>> {
    let found = equipped.host.find(&terminal_user(), &SessionLookup::Id(id.0)).await?;
    let seat = found.ok_or_else(|| UsageError(format!("session {id} belongs to somebody else")))?.seat;
    seat.send(fresh_id(), Command::Set { setting: SessionSetting::Mode(mode) }).await?;
    if let Some(note) = note {
        tracing::warn!("{note}");
    }
    if let Some(model) = model.filter(|model| !model.starts_with("script:")) {
        let set = seat.send(fresh_id(), Command::Set { setting: SessionSetting::Model(model.to_owned()) }).await;
        set.map_err(|error| match error {
            SendError::Refused(refusal) => anyhow::Error::from(UsageError(refusal.to_string())),
            lost @ SendError::Lost(_) => lost.into(),
        })?;
    }
    equipped.host.wake(id);
    Ok(seat)
}

fn fresh_id() -> CommandId {
    CommandId::from(Uuid::now_v7())
}
