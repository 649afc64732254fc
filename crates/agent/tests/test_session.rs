//! A session under test: the real host, store, tools and policy, with scripted answers.

use pollux_agent::{AgentRunner, AgentSettings, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, BlobRef, CallOutcome, Command, CommandId, ContextId, Entry, Event, OpenSessionRequest, Owner,
    PromptTarget, Rights, Roster, Seat, SessionId, SessionOverrides, SessionState, TaskStatus, Who,
};
use pollux_store::SessionStore;
use pollux_tools::{OutputSpool, OutputStore, Toolbox};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) struct TestSession {
    pub(crate) dir: TempDir,
    pub(crate) seat: Arc<dyn Seat>,
}

/// No test here prints more than the log keeps.
struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(NoOutputSpool))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

struct NoOutputSpool;

impl OutputSpool for NoOutputSpool {
    fn write(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>, _: &str) -> std::io::Result<BlobRef> {
        Err(std::io::Error::other("nothing is kept here"))
    }
}

pub(crate) async fn start_session(mode: ApprovalMode, answers: &[Value]) -> TestSession {
    start_session_with_policy("", mode, answers).await
}

/// A session with the person's own rules `policy`.
pub(crate) async fn start_session_with_policy(policy: &str, mode: ApprovalMode, answers: &[Value]) -> TestSession {
    start_session_with(AgentSettings::default(), policy, mode, answers).await
}

/// A session with the person's own `settings` and rules.
pub(crate) async fn start_session_with(
    settings: AgentSettings,
    policy: &str,
    mode: ApprovalMode,
    answers: &[Value],
) -> TestSession {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script.responses");
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    std::fs::write(&script, lines.join("\n")).unwrap();
    let workspace = dir.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
    let model = models.resolve(&format!("script:{}", script.display())).unwrap();
    let rules = dir.path().join("policies");
    std::fs::create_dir(&rules).unwrap();
    std::fs::write(rules.join("own.toml"), policy).unwrap();
    let policies =
        Arc::new(WorkspacePolicies::new(PolicySources { user_dir: Some(rules), ..PolicySources::default() }));
    let toolbox = Toolbox::standard(Arc::new(NoOutputStore));
    let agent = WorkspaceAgent::new(&workspace, models, model, toolbox, policies, settings);
    let store = SessionStore::in_memory().unwrap();
    let defaults = SessionOverrides { mode: Some(mode), ..SessionOverrides::default() };
    let host = Host::new(store, Arc::new(AgentRunner::new(agent)), NoticeBoard::default(), defaults, "test");
    let who =
        Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() };
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    let seat = host.open(&who, opening).await.unwrap();
    TestSession { dir, seat }
}

impl TestSession {
    pub(crate) fn workspace(&self) -> std::path::PathBuf {
        self.dir.path().join("workspace")
    }

    pub(crate) async fn send(&self, command: Command) {
        let id = CommandId(uuid::Uuid::now_v7().to_string());
        self.seat.send(id, command).await.unwrap();
    }

    pub(crate) async fn prompt(&self, text: &str) {
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        self.send(Command::prompt(target, text)).await;
    }

    pub(crate) async fn until(&self, done: impl Fn(&SessionState) -> bool) -> (SessionState, Vec<Arc<Entry>>) {
        let mut state = SessionState::default();
        let mut entries = Vec::new();
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                entries.push(entry);
            }
            if done(&state) {
                return (state, entries);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }

    pub(crate) async fn rest(&self) -> (SessionState, Vec<Arc<Entry>>) {
        self.until(|state| matches!(state.session_status(), TaskStatus::Resting(_))).await
    }
}

pub(crate) fn answer(parts: &Value) -> Value {
    json!({"method": "generateContentStream", "response": [{"candidates": [
        {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}]}]})
}

pub(crate) fn call(name: &str, args: &Value) -> Value {
    json!([{"functionCall": {"name": name, "args": args}}])
}

pub(crate) fn outcomes(entries: &[Arc<Entry>]) -> Vec<CallOutcome> {
    let ended = |entry: &Arc<Entry>| match &entry.event {
        Event::CallEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    };
    entries.iter().filter_map(ended).collect()
}

pub(crate) fn open_call(state: &SessionState) -> pollux_session::CallId {
    state.turn.as_ref().unwrap().open_calls().next().unwrap().id
}
