//! A session at which commands are typed.

use futures_util::stream::{self, BoxStream, StreamExt};
use pollux_agent::{Agent, AgentSettings, CommandSources, ExtensionNote, MemorySettings};
use pollux_host::{Board, Host};
use pollux_model::{Catalogue, Chunk, Model, ModelError, ModelInfo, Models, Nature, Part, PartData, Request};
use pollux_policy::{Policies, Sources};
use pollux_session::{
    BlobRef, CallId, Command, CommandId, Context, Entry, Event, Mode, Opening, Overrides, Owner, PromptTarget, Rights,
    Roster, Seat, SessionId, State, TaskStatus, TurnOutcome, Usage, Who,
};
use pollux_store::SqliteLog;
use pollux_tools::{OutputKeeper, OutputSpool, ToolSettings, Toolbox};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Says "ok" to everything, at length when it is asked to, and remembers what it was told.
#[derive(Default)]
struct Listener {
    told: Mutex<Vec<String>>,
}

impl Model for Listener {
    fn info(&self) -> ModelInfo {
        ModelInfo::unlimited("listener".into(), "listener, not an AI".into(), Nature::Script)
    }

    fn generate(&self, request: Request) -> BoxStream<'static, Result<Chunk, ModelError>> {
        let parts = request.contents.iter().flat_map(|content| &content.parts);
        let texts = parts.filter_map(|part| match &part.data {
            PartData::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let told = texts.collect::<Vec<_>>().join("\n");
        let answer = "ok".repeat(if told.ends_with("at length") { 4000 } else { 1 });
        self.told.lock().unwrap().push(told);
        let usage = Usage { prompt: 7, output: 1, ..Usage::default() };
        let finish = Chunk::Finish { reason: "STOP".into() };
        stream::iter([Ok(Chunk::Parts(vec![Part::text(answer)])), Ok(Chunk::Usage(usage)), Ok(finish)]).boxed()
    }
}

struct NoKeeper;

impl OutputKeeper for NoKeeper {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// A session, and what is around it.
pub(crate) struct Stage {
    pub(crate) dir: TempDir,
    pub(crate) agent: Agent,
    host: Host,
    pub(crate) seat: Arc<dyn Seat>,
    listener: Arc<Listener>,
    /// What was looked at so far.
    seen: Mutex<State>,
    /// Entries that nobody was told of yet.
    heard: Mutex<Vec<Arc<Entry>>>,
}

/// What came of a prompt.
#[derive(Debug, PartialEq)]
pub(crate) struct Came {
    /// The command that answered it.
    pub(crate) command: Option<String>,
    /// What was said, by whomever.
    pub(crate) said: String,
    pub(crate) outcome: TurnOutcome,
}

impl Came {
    /// What a command said that did what it should.
    pub(crate) fn by(self, command: &str) -> String {
        assert_eq!((self.command.as_deref(), &self.outcome), (Some(command), &TurnOutcome::Rested), "{self:?}");
        self.said
    }

    /// Why a command could not do what it should.
    pub(crate) fn why_not(self) -> String {
        match self.outcome {
            TurnOutcome::Failed { failure } if failure.kind == "command_failed" => failure.message,
            other => panic!("{other:?}, {}", self.said),
        }
    }
}

impl Stage {
    pub(crate) async fn new() -> Stage {
        Stage::in_mode(Mode::Default).await
    }

    pub(crate) async fn in_mode(mode: Mode) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["workspace", "own", "policies"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let listener = Arc::new(Listener::default());
        let models = Arc::new(Models::new(Catalogue::load(None).unwrap(), |_| None));
        let policies = Arc::new(Policies::new(Sources { user_dir: Some(at("policies")), ..Sources::default() }));
        let toolbox =
            Toolbox::new(ToolSettings { memory: Some(at("own/GEMINI.md")), ..ToolSettings::new(Arc::new(NoKeeper)) });
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
            settings: Some(Arc::new(|workspace: &Path| vec![format!("model.name = x ({})", workspace.display())])),
            extensions: Some(Arc::new(move |_: &Path| vec![extension.clone(), idle.clone()])),
        };
        let agent = Agent::new(models, listener.clone(), toolbox, policies, settings).with_commands(sources);
        let log = Arc::new(SqliteLog::in_memory().unwrap());
        let defaults = Overrides { mode: Some(mode), ..Overrides::default() };
        let host = Host::new(log, Arc::new(agent.clone()), Board::default(), defaults, "test");
        let seat = open(&host, &at("workspace")).await;
        Stage { dir, agent, host, seat, listener, seen: Mutex::default(), heard: Mutex::default() }
    }

    /// Another session in the same workspace.
    pub(crate) async fn move_on(&mut self) {
        self.seat = open(&self.host, &self.dir.path().join("workspace")).await;
        self.seen = Mutex::default();
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
    pub(crate) async fn types(&self, text: &str) -> Came {
        self.prompt(text).await;
        self.rests().await
    }

    /// Wait for the end of the running turn.
    pub(crate) async fn rests(&self) -> Came {
        self.until(|state| state.turn.is_none() && state.queue.is_empty()).await;
        let entries = std::mem::take(&mut *self.heard.lock().unwrap());
        let mut came = Came { command: None, said: String::new(), outcome: TurnOutcome::Cancelled };
        for entry in entries {
            match &entry.event {
                Event::Commanded { name } => came.command = Some(name.clone()),
                Event::Said { text, .. } | Event::Piece { text, .. } => came.said.push_str(text),
                Event::TurnEnded { outcome } => came.outcome = outcome.clone(),
                _ => {}
            }
        }
        came
    }

    /// Wait for an open ask.
    pub(crate) async fn asks(&self) -> (CallId, pollux_session::Call) {
        let asking = |state: &State| {
            state.turn.as_ref().and_then(|turn| turn.open_calls().find(|call| call.ask.is_some()).cloned())
        };
        self.until(|state| asking(state).is_some()).await;
        let call = asking(&self.seen.lock().unwrap()).unwrap();
        (call.id, call)
    }

    pub(crate) async fn answer(&self, call: CallId, option: &str) {
        self.send(Command::Answer { call, option: option.into(), edit: None }).await;
    }

    pub(crate) fn state(&self) -> State {
        self.seen.lock().unwrap().clone()
    }

    /// Listen until `done`.
    async fn until(&self, done: impl Fn(&State) -> bool) {
        let (mut state, mut new) = (self.state(), Vec::new());
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                new.push(entry);
            }
            if !new.is_empty() && done(&state) {
                *self.seen.lock().unwrap() = state;
                return self.heard.lock().unwrap().extend(new);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }

    /// What the model was told each time it was asked.
    pub(crate) fn told(&self) -> Vec<String> {
        self.listener.told.lock().unwrap().clone()
    }

    pub(crate) fn last_told(&self) -> String {
        self.told().pop().unwrap_or_default()
    }
}

async fn open(host: &Host, workspace: &Path) -> Arc<dyn Seat> {
    let (owner, rights) = (Owner("me".into()), Rights::all());
    let who = Who { owner, principal: "me".into(), label: "terminal".into(), rights };
    let opening = Opening {
        id: SessionId(uuid::Uuid::now_v7()),
        context: Context::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: Overrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    host.open(&who, opening).await.unwrap()
}

/// Whether a session only rests.
pub(crate) fn is_resting(state: &State) -> bool {
    matches!(state.session_status(), TaskStatus::Resting(_))
}
