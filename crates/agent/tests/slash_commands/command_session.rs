//! A session at which commands are typed.

use futures_util::stream::{self, BoxStream, StreamExt};
use parking_lot::Mutex;
use pollux_agent::{AgentRunner, AgentSettings, CommandSources, ExtensionNote, MemorySettings, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{
    MessagePart, Model, ModelCatalogue, ModelChunk, ModelError, ModelInfo, ModelNature, ModelRegistry, ModelRequest,
    PartData,
};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, BlobRef, CallId, Command, CommandId, ContextId, Entry, Event, ModelUsage, OpenSessionRequest, Owner,
    PromptTarget, Rights, Roster, Seat, SessionId, SessionOverrides, SessionState, TaskStatus, TurnOutcome, Who,
};
use pollux_store::SessionStore;
use pollux_tools::{OutputSpool, OutputStore, Toolbox, ToolboxSettings};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Says "ok" to everything, at length when it is asked to, and remembers what it was told.
#[derive(Default)]
struct RecordingModel {
    inputs: Mutex<Vec<String>>,
}

impl Model for RecordingModel {
    fn info(&self) -> ModelInfo {
        ModelInfo::unlimited("listener".into(), "listener, not an AI".into(), ModelNature::Script)
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let parts = request.contents.iter().flat_map(|content| &content.parts);
        let texts = parts.filter_map(|part| match &part.data {
            PartData::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let told = texts.collect::<Vec<_>>().join("\n");
        let answer = "ok".repeat(if told.ends_with("at length") { 4000 } else { 1 });
        self.inputs.lock().push(told);
        let usage = ModelUsage { prompt: 7, output: 1, ..ModelUsage::default() };
        let finish = ModelChunk::Finish { reason: "STOP".into() };
        stream::iter([Ok(ModelChunk::Parts(vec![MessagePart::text(answer)])), Ok(ModelChunk::Usage(usage)), Ok(finish)])
            .boxed()
    }
}

struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// A session, and what is around it.
pub(crate) struct CommandTestSession {
    pub(crate) dir: TempDir,
    pub(crate) agent: AgentRunner,
    host: Host,
    pub(crate) seat: Arc<dyn Seat>,
    listener: Arc<RecordingModel>,
    /// What was looked at so far.
    state: Mutex<SessionState>,
    /// Entries that nobody was told of yet.
    entries: Mutex<Vec<Arc<Entry>>>,
}

/// What came of a prompt.
#[derive(Debug, PartialEq)]
pub(crate) struct PromptResult {
    /// The command that answered it.
    pub(crate) command: Option<String>,
    /// What was said, by whomever.
    pub(crate) text: String,
    pub(crate) outcome: TurnOutcome,
}

impl PromptResult {
    /// What a command said that did what it should.
    pub(crate) fn expect_command(self, command: &str) -> String {
        assert_eq!((self.command.as_deref(), &self.outcome), (Some(command), &TurnOutcome::Rested), "{self:?}");
        self.text
    }

    /// Why a command could not do what it should.
    pub(crate) fn expect_failure(self) -> String {
        match self.outcome {
            TurnOutcome::Failed { failure } if failure.kind == "command_failed" => failure.message,
            other => panic!("{other:?}, {}", self.text),
        }
    }
}

impl CommandTestSession {
    pub(crate) async fn new() -> CommandTestSession {
        CommandTestSession::in_mode(ApprovalMode::Default).await
    }

    pub(crate) async fn in_mode(mode: ApprovalMode) -> CommandTestSession {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["workspace", "own", "policies"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let listener = Arc::new(RecordingModel::default());
        let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
        let policies = Arc::new(WorkspacePolicies::new(PolicySources {
            user_dir: Some(at("policies")),
            ..PolicySources::default()
        }));
        let toolbox = Toolbox::new(ToolboxSettings {
            memory: Some(at("own/GEMINI.md")),
            ..ToolboxSettings::new(Arc::new(NoOutputStore))
        });
        let settings = AgentSettings {
            memory: MemorySettings { own_dir: Some(at("own")), ..MemorySettings::default() },
            trust_file: Some(at("own/trust.json")),
            ..AgentSettings::default()
        };
        let extension = ExtensionNote {
            name: "cloud".into(),
            version: "1.2.0".into(),
            active: true,
            commands: Some(at("extension/commands")),
        };
        let idle = ExtensionNote { name: "idle".into(), version: "0.1".into(), ..ExtensionNote::default() };
        let sources = CommandSources {
            own_dir: Some(at("own/commands")),
            chats_dir: Some(at("chats")),
            version: "9.9.9".into(),
            started: None,
            settings: Some(Arc::new(|workspace: &Path, selection| {
                vec![format!("model.name = x ({}, {selection:?})", workspace.display())]
            })),
            extensions: Some(Arc::new(move |_: &Path| vec![extension.clone(), idle.clone()])),
        };
        let agent = WorkspaceAgent::new(&at("workspace"), models, listener.clone(), toolbox, policies, settings);
        let agent = AgentRunner::new(agent).with_commands(sources);
        let store = SessionStore::in_memory().unwrap();
        let defaults = SessionOverrides { mode: Some(mode), ..SessionOverrides::default() };
        let host = Host::new(store, Arc::new(agent.clone()), NoticeBoard::default(), defaults, "test");
        let seat = open(&host, &at("workspace")).await;
        CommandTestSession { dir, agent, host, seat, listener, state: Mutex::default(), entries: Mutex::default() }
    }

    /// Another session in the same workspace.
    pub(crate) async fn open_next_session(&mut self) {
        self.seat = open(&self.host, &self.dir.path().join("workspace")).await;
        self.state = Mutex::default();
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.dir.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(crate) fn trust_workspace(&self) {
        let workspace = self.dir.path().join("workspace");
        let trust = serde_json::json!({ workspace.to_str().unwrap(): "TRUST_FOLDER" });
        self.write("own/trust.json", &trust.to_string());
    }

    pub(crate) async fn send(&self, command: Command) {
        self.seat.send(CommandId(uuid::Uuid::now_v7().to_string()), command).await.unwrap();
    }

    pub(crate) async fn prompt(&self, text: &str) {
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        self.send(Command::prompt(target, text)).await;
    }

    /// Prompt, and see what comes of it.
    pub(crate) async fn run_prompt(&self, text: &str) -> PromptResult {
        self.prompt(text).await;
        self.wait_for_rest().await
    }

    /// Wait for the end of the running turn.
    pub(crate) async fn wait_for_rest(&self) -> PromptResult {
        self.until(|state| state.turn.is_none() && state.queue.is_empty()).await;
        let entries = std::mem::take(&mut *self.entries.lock());
        let mut came = PromptResult { command: None, text: String::new(), outcome: TurnOutcome::Cancelled };
        for entry in entries {
            match &entry.event {
                Event::Commanded { name } => came.command = Some(name.clone()),
                Event::Said { text, .. } | Event::Piece { text, .. } => came.text.push_str(text),
                Event::TurnEnded { outcome } => came.outcome = outcome.clone(),
                _ => {}
            }
        }
        came
    }

    /// Wait for an open ask.
    pub(crate) async fn wait_for_ask(&self) -> (CallId, pollux_session::CallState) {
        let asking = |state: &SessionState| {
            state.turn.as_ref().and_then(|turn| turn.open_calls().find(|call| call.ask.is_some()).cloned())
        };
        self.until(|state| asking(state).is_some()).await;
        let call = asking(&self.state.lock()).unwrap();
        (call.id, call)
    }

    pub(crate) async fn answer(&self, call: CallId, option: &str) {
        self.send(Command::Answer { call, option: option.into(), edit: None }).await;
    }

    pub(crate) fn state(&self) -> SessionState {
        self.state.lock().clone()
    }

    /// Listen until `done`.
    async fn until(&self, done: impl Fn(&SessionState) -> bool) {
        let (mut state, mut new) = (self.state(), Vec::new());
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                new.push(entry);
            }
            if !new.is_empty() && done(&state) {
                *self.state.lock() = state;
                return self.entries.lock().extend(new);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }

    /// What the model was told each time it was asked.
    pub(crate) fn model_inputs(&self) -> Vec<String> {
        self.listener.inputs.lock().clone()
    }

    pub(crate) fn last_model_input(&self) -> String {
        self.model_inputs().pop().unwrap_or_default()
    }
}

async fn open(host: &Host, workspace: &Path) -> Arc<dyn Seat> {
    let (owner, rights) = (Owner("me".into()), Rights::all());
    let who = Who { owner, principal: "me".into(), label: "terminal".into(), rights };
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    host.open(&who, opening).await.unwrap()
}

/// Whether a session only rests.
pub(crate) fn is_resting(state: &SessionState) -> bool {
    matches!(state.session_status(), TaskStatus::Resting(_))
}
