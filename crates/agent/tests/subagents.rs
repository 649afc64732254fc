//! Work handed to agents: the real host, store, tools and policy, with a model that says its lines.

use futures_util::stream::{self, BoxStream, StreamExt};
use parking_lot::Mutex;
use pollux_agent::{AgentRunner, AgentSettings, AgentVariables, SubagentRegistry, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{
    MessagePart, MessageRole, Model, ModelCatalogue, ModelChunk, ModelError, ModelInfo, ModelMessage, ModelNature,
    ModelRegistry, ModelRequest, PartData,
};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, AskDetails, BlobRef, CallId, CallOutcome, CancelScope, Command, CommandId, ContextId, Entry, Event,
    ModelUsage, OpenSessionRequest, Owner, PromptTarget, Rights, Roster, Seat, SessionId, SessionOverrides,
    SessionState, TaskStatus, TurnOutcome, Who,
};
use pollux_store::SessionStore;
use pollux_tools::{OutputSpool, OutputStore, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use tempfile::TempDir;

/// Says the lines of whoever is asked: the main agent's, or those of the sub-agent whose job begins with the same word.
struct ScriptedModel {
    lines: Mutex<HashMap<String, Vec<Vec<MessagePart>>>>,
    requests: Mutex<Vec<ModelRequest>>,
}

impl Model for ScriptedModel {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            id: "cast".into(),
            label: "cast".into(),
            nature: ModelNature::Script,
            context_window: None,
            prices: None,
            profile: pollux_model::InstructionProfile::Full,
            media: &[],
            searches_web: false,
        }
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        let word = first_word(&request.contents);
        self.requests.lock().push(request);
        let mut lines = self.lines.lock();
        let Some(lines) = lines.get_mut(&word).filter(|lines| !lines.is_empty()) else {
            return stream::pending().boxed();
        };
        let usage = ModelUsage { prompt: 7, output: 1, ..ModelUsage::default() };
        let finish = ModelChunk::Finish { reason: "STOP".into() };
        stream::iter([Ok(ModelChunk::Parts(lines.remove(0))), Ok(ModelChunk::Usage(usage)), Ok(finish)]).boxed()
    }
}

fn first_word(contents: &[ModelMessage]) -> String {
    let PartData::Text(text) = &contents[0].parts[0].data else { panic!("a conversation begins with text") };
    text.split_whitespace().next().unwrap().to_owned()
}

/// No test here prints more than the log keeps.
struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(NoOutputSpool))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::Error::other("nothing is kept here"))
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

struct TestSession {
    dir: TempDir,
    seat: Arc<dyn Seat>,
    model: Arc<ScriptedModel>,
}

/// A session whose model says `lines`: who, and what they say one after the other.
async fn start_session(policy: &str, lines: &[(&str, Vec<Vec<MessagePart>>)]) -> TestSession {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    let policies = dir.path().join("policies");
    std::fs::create_dir(&workspace).unwrap();
    std::fs::create_dir(&policies).unwrap();
    std::fs::write(policies.join("own.toml"), policy).unwrap();
    std::fs::write(workspace.join("a.txt"), "apples\n").unwrap();
    let lines = lines.iter().map(|(word, lines)| ((*word).to_owned(), lines.clone())).collect();
    let cast = Arc::new(ScriptedModel { lines: Mutex::new(lines), requests: Mutex::default() });
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
    let sources = PolicySources { user_dir: Some(policies), ..PolicySources::default() };
    let toolbox = Toolbox::standard(Arc::new(NoOutputStore));
    let policies = Arc::new(WorkspacePolicies::new(sources));
    let agent = WorkspaceAgent::new(&workspace, models, cast.clone(), toolbox, policies, AgentSettings::default())
        .with_subagents(SubagentRegistry::new(Some(dir.path().join("agents")), AgentVariables::none()));
    let store = SessionStore::in_memory().unwrap();
    let host = Host::new(
        store,
        Arc::new(AgentRunner::new(agent)),
        NoticeBoard::default(),
        SessionOverrides::default(),
        "test",
    );
    let who =
        Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() };
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides { mode: Some(ApprovalMode::Default), ..SessionOverrides::default() },
        once: None,
        edge: serde_json::Value::Null,
    };
    let seat = host.open(&who, opening).await.unwrap();
    TestSession { dir, seat, model: cast }
}

impl TestSession {
    async fn send(&self, command: Command) {
        self.seat.send(CommandId(uuid::Uuid::now_v7().to_string()), command).await.unwrap();
    }

    async fn prompt(&self, text: &str) {
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        self.send(Command::prompt(target, text)).await;
    }

    async fn answer(&self, call: CallId, option: &str) {
        self.send(Command::Answer { call, option: option.into(), edit: None }).await;
    }

    async fn until(&self, done: impl Fn(&SessionState, &[Arc<Entry>]) -> bool) -> (SessionState, Vec<Arc<Entry>>) {
        let mut state = SessionState::default();
        let mut entries = Vec::new();
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                entries.push(entry);
            }
            if done(&state, &entries) {
                return (state, entries);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }

    async fn rest(&self) -> (SessionState, Vec<Arc<Entry>>) {
        self.until(|state, _| matches!(state.session_status(), TaskStatus::Resting(_))).await
    }

    /// The call that asks, once nothing else can go on.
    async fn ask(&self) -> CallId {
        let (state, _) = self.until(|state, _| state.only_asks_remain()).await;
        let asking = |call: &&pollux_session::CallState| matches!(call.phase, pollux_session::CallPhase::Asking { .. });
        state.turn.as_ref().unwrap().open_calls().find(asking).unwrap().id
    }

    fn requests_of(&self, word: &str) -> Vec<ModelRequest> {
        let asked = self.model.requests.lock();
        asked.iter().filter(|request| first_word(&request.contents) == word).cloned().collect()
    }
}

fn call(tool: &str, args: Value) -> MessagePart {
    PartData::FunctionCall { id: None, name: tool.into(), args }.into()
}

fn invoke_agent(agent: &str, prompt: &str) -> MessagePart {
    call("invoke_agent", json!({"agent_name": agent, "prompt": prompt}))
}

fn done(report: &str) -> Vec<MessagePart> {
    vec![call("complete_task", json!({ "result": report }))]
}

fn say(text: &str) -> Vec<MessagePart> {
    vec![MessagePart::text(text)]
}

/// Each call: what it was made for, its tool, how it ended.
fn calls(entries: &[Arc<Entry>]) -> Vec<(bool, String, String)> {
    let mut found: Vec<(CallId, (bool, String, String))> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Called { tool, parent, .. } => {
                found.push((CallId(entry.seq), (parent.is_some(), tool.clone(), String::new())));
            }
            Event::CallEnded { call, outcome } => {
                let end = match outcome {
                    CallOutcome::Succeeded { result } => result.text.trim().to_owned(),
                    CallOutcome::Failed { error, .. } => error.kind.clone(),
                    CallOutcome::Denied { why } => why.clone(),
                    other => format!("{other:?}"),
                };
                found.iter_mut().find(|(id, _)| id == call).unwrap().1.2 = end;
            }
            Event::Answered { call, allows: false, .. } => {
                found.iter_mut().find(|(id, _)| id == call).unwrap().1.2 = "declined".into();
            }
            _ => {}
        }
    }
    found.into_iter().map(|(_, call)| call).collect()
}

fn row(child: bool, tool: &str, end: &str) -> (bool, String, String) {
    (child, tool.into(), end.into())
}

#[tokio::test]
async fn a_job_has_a_context_of_its_own_and_its_calls_are_in_the_log() {
    let read = vec![call("read_file", json!({"file_path": "a.txt"}))];
    let scene = start_session(
        "",
        &[
            ("start", vec![vec![invoke_agent("codebase_investigator", "dig deep")], say("over")]),
            ("dig", vec![read, done("apples it is")]),
        ],
    )
    .await;
    scene.prompt("start with a secret").await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert_eq!(calls(&entries), [row(false, "invoke_agent", "apples it is"), row(true, "read_file", "apples")]);
    let jobs = scene.requests_of("dig");
    let told = serde_json::to_string(&jobs[1].contents).unwrap();
    assert!(told.contains("apples") && !told.contains("secret"), "{told}");
    let names: Vec<&str> = jobs[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["glob", "grep_search", "list_directory", "read_file", "complete_task"]);
    let parent = scene.requests_of("start");
    assert!(parent[0].tools.iter().any(|tool| tool.name == "invoke_agent"));
    assert!(!parent[0].tools.iter().any(|tool| tool.name == "remote_ask" || tool.name == "complete_task"));
    let last = parent[1].contents.last().unwrap();
    let [MessagePart { data: PartData::FunctionResponse { response, .. }, .. }] = &last.parts[..] else {
        panic!("{last:?}")
    };
    assert_eq!((last.role, response), (MessageRole::User, &json!({"output": "apples it is"})));
    let spent = entries.iter().filter(|entry| matches!(&entry.event, Event::Spent { model, .. } if model == "cast"));
    assert_eq!(spent.count(), 2);
    let printed: String = entries
        .iter()
        .filter_map(|entry| if let Event::Output { text, .. } = &entry.event { Some(text.as_str()) } else { None })
        .collect();
    assert!(!printed.contains("read_file"), "the call itself tells it: {printed}");
}

#[tokio::test]
async fn what_a_sub_agent_wants_to_change_is_asked_about_and_a_refusal_does_not_end_the_turn() {
    let write = |name: &str| vec![call("write_file", json!({"file_path": name, "content": "x\n"}))];
    let scene = start_session(
        "",
        &[
            ("start", vec![vec![invoke_agent("generalist", "edit things")], say("over")]),
            ("edit", vec![write("yes.txt"), write("no.txt"), done("half done")]),
        ],
    )
    .await;
    scene.prompt("start").await;
    let first = scene.ask().await;
    scene.answer(first, "proceed_once").await;
    scene.until(|state, entries| state.only_asks_remain() && calls(entries).len() == 3).await;
    let second = scene.ask().await;
    scene.answer(second, "cancel").await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    let workspace = scene.dir.path().join("workspace");
    assert!(workspace.join("yes.txt").exists() && !workspace.join("no.txt").exists());
    assert_eq!(calls(&entries)[0], row(false, "invoke_agent", "half done"));
    let told = serde_json::to_string(&scene.requests_of("edit")[2].contents).unwrap();
    assert!(told.contains("The user declined this call"), "{told}");
}

#[tokio::test]
async fn a_policy_may_speak_of_one_sub_agent() {
    let rule = "[[rule]]\ntoolName = \"read_file\"\nsubagent = \"generalist\"\ndecision = \"deny\"\npriority = 100\n\
                denyMessage = \"not for the generalist\"\n";
    let read = || vec![call("read_file", json!({"file_path": "a.txt"}))];
    let scene = start_session(
        rule,
        &[
            ("start", vec![read(), vec![invoke_agent("generalist", "dig")], say("over")]),
            ("dig", vec![read(), done("could not")]),
        ],
    )
    .await;
    scene.prompt("start").await;
    let (_, entries) = scene.rest().await;
    let ends = calls(&entries);
    assert_eq!(ends[0], row(false, "read_file", "apples"));
    assert!(ends[2].2.starts_with("not for the generalist"), "{ends:?}");
}

#[tokio::test]
async fn jobs_run_side_by_side_and_end_with_the_turn() {
    // The first job's model never answers; the second one gets through all the same.
    let hands = vec![invoke_agent("generalist", "hang around"), invoke_agent("codebase_investigator", "dig")];
    let scene = start_session("", &[("start", vec![hands]), ("dig", vec![done("quick")])]).await;
    scene.prompt("start").await;
    scene.until(|_, entries| calls(entries).iter().any(|call| call.2 == "quick")).await;
    scene.send(Command::Cancel { scope: CancelScope::Turn }).await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
    assert_eq!(calls(&entries)[0].2, "Cancelled");
}

#[tokio::test]
async fn an_agent_that_does_not_exist_and_a_question_that_is_nobodys_are_refused() {
    let scene = start_session(
        "",
        &[(
            "start",
            vec![
                vec![
                    invoke_agent("nobody", "dig"),
                    call("remote_ask", json!({"agent_name": "x", "description": "key?"})),
                ],
                say("over"),
            ],
        )],
    )
    .await;
    scene.prompt("start").await;
    let (_, entries) = scene.rest().await;
    let ends = calls(&entries);
    assert_eq!(ends[0], row(false, "invoke_agent", "invalid_tool_params"));
    assert_eq!(ends[1], row(false, "remote_ask", "there is no tool `remote_ask`"));
}

impl TestSession {
    /// Write the person's file of the remote agent `far`. Nobody listens at any of these ports.
    fn write_remote_agent(&self, port: u16) {
        self.write_agent("far", &format!("kind: remote\nagent_card_url: http://127.0.0.1:{port}"), "");
    }

    /// Write the person's file of the agent `name`.
    fn write_agent(&self, name: &str, head: &str, prompt: &str) {
        let agents = self.dir.path().join("agents");
        std::fs::create_dir_all(&agents).unwrap();
        std::fs::write(agents.join(format!("{name}.md")), format!("---\nname: {name}\n{head}\n---\n{prompt}")).unwrap();
    }

    /// The details of the ask that waits now.
    async fn shown(&self, ask: CallId) -> String {
        let (state, _) = self.until(|state, _| state.only_asks_remain()).await;
        let call = state.turn.as_ref().unwrap().open_calls().find(|call| call.id == ask).unwrap().clone();
        match call.ask.unwrap().details {
            AskDetails::Generic { description, .. } => description,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_allowed_for_an_agent_holds_until_its_file_changes_also_while_its_ask_is_open() {
    let job = || vec![invoke_agent("far", "dig")];
    let scene = start_session("", &[("start", vec![job(), job(), say("over"), job(), say("over again")])]).await;
    scene.write_remote_agent(1);
    scene.prompt("start").await;
    let ask = scene.ask().await;
    assert_eq!(scene.shown(ask).await, "send to the agent far at http://127.0.0.1:1:\ndig");
    scene.answer(ask, "proceed_always").await;
    let (_, entries) = scene.rest().await;
    // The second one did not ask.
    let unreachable = || row(false, "invoke_agent", "agent_unreachable");
    assert_eq!(calls(&entries), [unreachable(), unreachable()]);

    scene.write_remote_agent(22);
    scene.prompt("go on").await;
    let first = scene.ask().await;
    assert_eq!(scene.shown(first).await, "send to the agent far at http://127.0.0.1:22:\ndig");
    scene.write_remote_agent(333);
    scene.answer(first, "proceed_once").await;
    scene.until(|state, entries| state.only_asks_remain() && calls(entries).len() == 4).await;
    let second = scene.ask().await;
    assert_eq!(scene.shown(second).await, "send to the agent far at http://127.0.0.1:333:\ndig");
    scene.answer(second, "cancel").await;
    let (_, entries) = scene.rest().await;
    assert_eq!(calls(&entries)[2].2, "Superseded");
}

#[tokio::test]
async fn an_agent_of_this_machine_whose_file_changes_while_its_ask_is_open_asks_again() {
    let rule = "[[rule]]\ntoolName = \"invoke_agent\"\ndecision = \"ask_user\"\npriority = 100\n";
    let scene = start_session(rule, &[("start", vec![vec![invoke_agent("digger", "dig")], say("over")])]).await;
    scene.write_agent("digger", "description: digs\ntools: [read_file]", "Dig.");
    scene.prompt("start").await;
    let first = scene.ask().await;
    scene.write_agent("digger", "description: digs\ntools: [read_file, run_shell_command]", "Dig with everything.");
    scene.answer(first, "proceed_once").await;
    scene.until(|state, entries| state.only_asks_remain() && calls(entries).len() == 2).await;
    let second = scene.ask().await;
    scene.answer(second, "cancel").await;
    let (_, entries) = scene.rest().await;
    assert_eq!(calls(&entries)[0].2, "Superseded");
    assert!(scene.requests_of("dig").is_empty());
}
