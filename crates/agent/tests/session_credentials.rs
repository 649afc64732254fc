//! Things that belong to one session and to no other: the key and the servers a client lends it, the tools it was
//! opened with, the settings of its workspace.

use pollux_agent::{AgentRunner, AgentSettings, ClientPrograms, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    ApprovalMode, BlobRef, BoxFuture, CallOutcome, CallPhase, ClientCredentials, ClientMcpServer, Command, CommandId,
    ContextId, Event, Grant, OpenSessionRequest, Owner, PromptTarget, Refusal, Right, Rights, Roster, RosterError,
    Seat, SecretText, SendError, SessionId, SessionLookup, SessionOverrides, SessionSetting, SessionState, TaskStatus,
    TurnOutcome, Who,
};
use pollux_store::SessionStore;
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::script;
use pollux_tools::{
    FetchReach, OutputSpool, OutputStore, SearchAnswer, SearchSource, Toolbox, ToolboxSettings, UrlAnswer, UrlReader,
    WebSearch,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn me() -> Who {
    Who { owner: Owner("me".into()), principal: "me".into(), label: "client".into(), rights: Rights::all() }
}

/// A runner whose model is `name`, found with `env`.
fn runner(name: &str, env: &[(&'static str, &str)]) -> AgentRunner {
    AgentRunner::new(agent(name, env, Toolbox::standard(Arc::new(NoOutputStore))))
}

/// An agent for sessions anywhere.
fn agent(name: &str, env: &[(&'static str, &str)], tools: Toolbox) -> WorkspaceAgent {
    let env: Vec<(&str, String)> = env.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let read = move |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), read).with_attempts(1));
    let model = models.resolve(name).unwrap();
    let policies = Arc::new(WorkspacePolicies::new(PolicySources::default()));
    WorkspaceAgent::new(Path::new("/"), models, model, tools, policies, AgentSettings::default())
}

fn host(runner: AgentRunner) -> Host {
    let defaults = SessionOverrides { mode: Some(ApprovalMode::Yolo), ..SessionOverrides::default() };
    Host::new(SessionStore::in_memory().unwrap(), Arc::new(runner), NoticeBoard::default(), defaults, "test")
}

fn opening(workspace: &Path, overrides: SessionOverrides) -> OpenSessionRequest {
    OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides,
        once: None,
        edge: Value::Null,
    }
}

async fn open(host: &Host, workspace: &Path, overrides: SessionOverrides) -> Arc<dyn Seat> {
    host.open(&me(), opening(workspace, overrides)).await.unwrap()
}

/// Say something, wait until the session rests, and tell what happened.
async fn prompt(seat: &Arc<dyn Seat>, text: &str) -> (TurnOutcome, Vec<Event>) {
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let id = CommandId(uuid::Uuid::now_v7().to_string());
    let receipt = seat.send(id, Command::prompt(target, text)).await.unwrap();
    let (mut state, mut events) = (SessionState::default(), Vec::new());
    loop {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
            events.push(entry.event.clone());
        }
        if state.head >= receipt.seq
            && let TaskStatus::Resting(outcome) = state.session_status()
        {
            return (outcome, events);
        }
        seat.changed(state.head).await.unwrap();
    }
}

fn outcomes(events: &[Event]) -> Vec<CallOutcome> {
    let ended = events.iter().filter_map(|event| match event {
        Event::CallEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    ended.collect()
}

fn key(key: &str) -> ClientCredentials {
    ClientCredentials { api_key: Some(SecretText::new(key)), servers: BTreeMap::new() }
}

fn keys_received(google: &FakeGemini) -> Vec<String> {
    let requests = google.requests();
    requests.iter().map(|request| request.headers["x-goog-api-key"].to_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_lent_key_pays_for_its_session_alone() {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("hi"))]).await.unwrap();
    let env = [("GOOGLE_GEMINI_BASE_URL", google.base_url.as_str()), ("GEMINI_API_KEY", "operator")];
    let host = host(runner("gemini-2.5-flash", &env));
    let dir = tempfile::tempdir().unwrap();
    let lent = SessionOverrides { lent: true, ..SessionOverrides::default() };
    let (one, other) =
        (open(&host, dir.path(), lent).await, open(&host, dir.path(), SessionOverrides::default()).await);
    host.entrust(&me(), one.session(), key("lent")).await.unwrap();
    for seat in [&one, &other, &one] {
        assert_eq!(prompt(seat, "hello").await.0, TurnOutcome::Rested);
    }
    assert_eq!(keys_received(&google), ["lent", "operator", "lent"]);
}

#[tokio::test]
async fn with_a_lent_key_a_real_model_answers_where_only_the_demo_would() {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("hi"))]).await.unwrap();
    // The address is the test's; without any the demo is chosen, and that is what stands in here.
    let env = [("GOOGLE_GEMINI_BASE_URL", google.base_url.as_str())];
    let host = host(runner("demo", &env));
    let dir = tempfile::tempdir().unwrap();
    let seat = open(&host, dir.path(), SessionOverrides { lent: true, ..SessionOverrides::default() }).await;
    host.entrust(&me(), seat.session(), key("lent")).await.unwrap();
    let (outcome, events) = prompt(&seat, "hello").await;
    assert_eq!((outcome, keys_received(&google)), (TurnOutcome::Rested, vec!["lent".to_owned()]));
    assert_eq!(models_named(&events), models_requested(&google), "the log names the model that was asked");

    // Another one that only the loan pays for can be chosen here, and where nothing was lent it cannot.
    let other = || Command::Set { setting: SessionSetting::Model("anthropic:claude-sonnet-4-5".into()) };
    let id = || CommandId(uuid::Uuid::now_v7().to_string());
    seat.send(id(), other()).await.unwrap();
    let unpaid = open(&host, dir.path(), SessionOverrides::default()).await;
    assert!(matches!(unpaid.send(id(), other()).await, Err(SendError::Refused(Refusal::UnknownModel { .. }))));
}

/// The models that the turns of a log began with.
fn models_named(events: &[Event]) -> Vec<String> {
    let named = events.iter().filter_map(|event| match event {
        Event::TurnStarted { model, .. } => Some(model.clone()),
        _ => None,
    });
    named.collect()
}

/// The models that Google was asked for.
fn models_requested(google: &FakeGemini) -> Vec<String> {
    let requests = google.requests().into_iter();
    let model = |target: &str| target.split_once("/models/")?.1.split_once(':').map(|(model, _)| model.to_owned());
    requests.filter_map(|request| model(&request.target)).collect()
}

#[tokio::test]
async fn a_session_whose_loan_is_gone_says_so_and_goes_on_when_it_is_lent_again() {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("hi"))]).await.unwrap();
    let env = [("GOOGLE_GEMINI_BASE_URL", google.base_url.as_str()), ("GEMINI_API_KEY", "operator")];
    let host = host(runner("gemini-2.5-flash", &env));
    let dir = tempfile::tempdir().unwrap();
    // As after a restart: the log says that something was lent, and nobody has it.
    let seat = open(&host, dir.path(), SessionOverrides { lent: true, ..SessionOverrides::default() }).await;
    let (outcome, _) = prompt(&seat, "hello").await;
    let TurnOutcome::Failed { failure } = outcome else { panic!("{outcome:?}") };
    assert_eq!(failure.kind, "lent_gone");
    assert!(failure.message.contains("send them again with the next message"), "{}", failure.message);
    assert_eq!(keys_received(&google), Vec::<String>::new(), "the operator does not pay instead");
    host.entrust(&me(), seat.session(), key("again")).await.unwrap();
    assert_eq!(prompt(&seat, "hello").await.0, TurnOutcome::Rested);
    assert_eq!(keys_received(&google), ["again"]);
}

#[tokio::test]
async fn nobody_lends_to_a_session_that_is_not_theirs_or_beyond_their_rights() {
    let host = host(runner("demo", &[]).with_client_hosts(&["127.0.0.1".into()]));
    let dir = tempfile::tempdir().unwrap();
    let seat = open(&host, dir.path(), SessionOverrides::default()).await;
    let stranger = Who { owner: Owner("you".into()), ..me() };
    let told = host.entrust(&stranger, seat.session(), key("k")).await;
    assert_eq!(told, Err(format!("there is no session {}", seat.session())));
    let reader = Who { rights: Rights::of([Right::Observe]), ..me() };
    assert!(host.entrust(&reader, seat.session(), key("k")).await.is_err_and(|why| why.contains("prompt")));
    let prompter = Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..me() };
    let server = ClientMcpServer::Http { url: "http://127.0.0.1:9/".into(), headers: BTreeMap::new() };
    let servers = ClientCredentials { api_key: None, servers: [("s".to_owned(), server)].into() };
    assert!(host.entrust(&prompter, seat.session(), servers).await.is_err_and(|why| why.contains("approve")));
    let lent = open(&host, dir.path(), SessionOverrides { lent: true, ..SessionOverrides::default() }).await;
    assert_eq!(host.entrust(&prompter, lent.session(), key("k")).await, Ok(()));
}

#[tokio::test]
async fn a_key_is_lent_only_to_a_session_that_was_opened_with_a_loan() {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("hi"))]).await.unwrap();
    let env = [("GOOGLE_GEMINI_BASE_URL", google.base_url.as_str()), ("GEMINI_API_KEY", "operator")];
    let host = host(runner("gemini-2.5-flash", &env));
    let dir = tempfile::tempdir().unwrap();
    let seat = open(&host, dir.path(), SessionOverrides::default()).await;
    let why = "this session was opened without anything lent, so it cannot be lent an API key; open a new task with it";
    assert_eq!(host.entrust(&me(), seat.session(), key("late")).await, Err(why.to_owned()));
    assert_eq!(prompt(&seat, "hello").await.0, TurnOutcome::Rested);
    assert_eq!(keys_received(&google), ["operator"]);
}

/// The operator's model, as it searches and reads the web.
struct OperatorWeb;

impl WebSearch for OperatorWeb {
    fn search<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<SearchAnswer, String>> {
        Box::pin(async { Ok(SearchAnswer { text: "the operator paid".into(), ..SearchAnswer::default() }) })
    }
}

impl UrlReader for OperatorWeb {
    fn read<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<UrlAnswer, String>> {
        let source = SearchSource { title: "T".into(), uri: "http://127.0.0.1/".into() };
        let text = "the operator paid".to_owned();
        Box::pin(async { Ok(UrlAnswer { text, sources: vec![source], ..UrlAnswer::default() }) })
    }
}

#[tokio::test]
async fn the_operators_model_neither_searches_nor_reads_for_a_session_with_a_lent_key() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let calls = [
        script::call_answer("google_web_search", &json!({"query": "q"})),
        script::call_answer("web_fetch", &json!({"prompt": format!("what does http://{nowhere}/ say?")})),
        script::text_answer("done"),
    ];
    let model = script::write(&dir.path().join("script.jsonl"), &[calls.clone(), calls].concat()).unwrap();
    let tools = Toolbox::new(ToolboxSettings {
        search: Some(Arc::new(OperatorWeb)),
        url_reader: Some(Arc::new(OperatorWeb)),
        fetch: FetchReach::PublicAndLoopback,
        ..ToolboxSettings::new(Arc::new(NoOutputStore))
    });
    let host = host(AgentRunner::new(agent(&model, &[], tools)));
    let usual = open(&host, dir.path(), SessionOverrides::default()).await;
    let paid = outcomes(&prompt(&usual, "go").await.1);
    let by_operator = |end: &CallOutcome| end.result().is_some_and(|result| result.text.contains("the operator paid"));
    assert!(paid.len() == 2 && paid.iter().all(by_operator), "{paid:?}");
    let lent = open(&host, dir.path(), SessionOverrides { lent: true, ..SessionOverrides::default() }).await;
    host.entrust(&me(), lent.session(), key("lent")).await.unwrap();
    let unpaid = outcomes(&prompt(&lent, "go").await.1);
    let kinds: Vec<&str> = unpaid
        .iter()
        .map(|end| match end {
            CallOutcome::Failed { error, .. } => error.kind.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["tool_not_registered", "web_fetch_processing_error"]);
}

/// Speaks just enough MCP to offer the tool `greet`.
const GREETER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"g","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"greet","description":"Says hello.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"hello from the loan"}]}}\n' "$id" ;;
  esac
done
"#;

#[tokio::test]
async fn a_lent_server_is_its_sessions_alone() {
    let dir = tempfile::tempdir().unwrap();
    let lines = [
        script::call_answer("mcp_greeter_greet", &json!({})),
        script::text_answer("done"),
        script::call_answer("mcp_greeter_greet", &json!({})),
        script::text_answer("done"),
    ];
    let model = script::write(&dir.path().join("script.jsonl"), &lines).unwrap();
    let host = host(runner(&model, &[]).with_client_programs(ClientPrograms::Allowed));
    let lent = SessionOverrides { lent: true, ..SessionOverrides::default() };
    let (one, other) =
        (open(&host, dir.path(), lent).await, open(&host, dir.path(), SessionOverrides::default()).await);
    let args = vec!["-c".to_owned(), GREETER.to_owned()];
    let server = ClientMcpServer::Program { command: "bash".into(), args, env: BTreeMap::new() };
    let servers = ClientCredentials { api_key: None, servers: [("greeter".to_owned(), server)].into() };
    host.entrust(&me(), one.session(), servers).await.unwrap();
    let with = outcomes(&prompt(&one, "go").await.1);
    assert!(
        matches!(with.as_slice(), [CallOutcome::Succeeded { result }] if result.text.contains("hello from the loan")),
        "{with:?}"
    );
    let without = outcomes(&prompt(&other, "go").await.1);
    assert!(matches!(without.as_slice(), [CallOutcome::Failed { .. }]), "{without:?}");
}

#[tokio::test]
async fn a_call_that_was_asked_about_before_a_restart_is_not_paid_by_the_operator() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let args = json!({"prompt": format!("what does http://{nowhere}/ say?")});
    let lines = [script::call_answer("web_fetch", &args), script::text_answer("done")];
    let model = script::write(&dir.path().join("script.jsonl"), &lines).unwrap();
    let store = SessionStore::in_memory().unwrap();
    let start = || {
        let settings = ToolboxSettings {
            url_reader: Some(Arc::new(OperatorWeb)),
            fetch: FetchReach::PublicAndLoopback,
            ..ToolboxSettings::new(Arc::new(NoOutputStore))
        };
        let runner =
            AgentRunner::new(agent(&model, &[], Toolbox::new(settings))).with_client_hosts(&["127.0.0.1".into()]);
        Host::new(store.clone(), Arc::new(runner), NoticeBoard::default(), SessionOverrides::default(), "test")
    };
    let first = start();
    let seat = open(&first, dir.path(), SessionOverrides { lent: true, ..SessionOverrides::default() }).await;
    // A server is enough of a loan for the model to be asked, and the reader stays.
    let server = ClientMcpServer::Http { url: "http://127.0.0.1:9/".into(), headers: BTreeMap::new() };
    let servers = ClientCredentials { api_key: None, servers: [("s".to_owned(), server)].into() };
    first.entrust(&me(), seat.session(), servers).await.unwrap();
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let id = || CommandId(uuid::Uuid::now_v7().to_string());
    seat.send(id(), Command::prompt(target, "go")).await.unwrap();
    let mut state = SessionState::default();
    let call = loop {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
        }
        let mut calls = state.turn.iter().flat_map(|turn| turn.calls.values());
        if let Some(call) = calls.find(|call| matches!(call.phase, CallPhase::Asking { .. })) {
            break call.id;
        }
        seat.changed(state.head).await.unwrap();
    };
    let session = seat.session();
    drop(seat);
    first.stop().await;
    let second = start();
    let seat = second.find(&me(), &SessionLookup::Id(session.0)).await.unwrap().unwrap().seat;
    seat.send(id(), Command::Answer { call, option: "proceed_once".into(), edit: None }).await.unwrap();
    let mut events = Vec::new();
    while outcomes(&events).is_empty() {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
            events.push(entry.event.clone());
        }
        if outcomes(&events).is_empty() {
            seat.changed(state.head).await.unwrap();
        }
    }
    let ended = outcomes(&events);
    assert!(
        matches!(ended.as_slice(), [CallOutcome::Failed { error, .. }] if error.kind == "web_fetch_processing_error"),
        "{ended:?}"
    );
}

#[tokio::test]
async fn what_was_asked_about_is_what_runs() {
    let dir = tempfile::tempdir().unwrap();
    let lines = [script::call_answer("mcp_greeter_greet", &json!({})), script::text_answer("done")];
    let model = script::write(&dir.path().join("script.jsonl"), &lines).unwrap();
    let host = host(runner(&model, &[]).with_client_programs(ClientPrograms::Allowed));
    let careful = SessionOverrides { lent: true, mode: Some(ApprovalMode::Default), ..SessionOverrides::default() };
    let seat = open(&host, dir.path(), careful).await;
    let greeter = |before: &str| {
        let args = vec!["-c".to_owned(), format!("{before}\n{GREETER}")];
        ClientMcpServer::Program { command: "bash".into(), args, env: BTreeMap::new() }
    };
    let lend = |name: &str, server, key: Option<&str>| {
        let lent = ClientCredentials { api_key: key.map(SecretText::new), servers: [(name.to_owned(), server)].into() };
        let (host, session) = (host.clone(), seat.session());
        async move { host.entrust(&me(), session, lent).await }
    };
    lend("greeter", greeter("echo A >> started"), None).await.unwrap();
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let send = |command| seat.send(CommandId(uuid::Uuid::now_v7().to_string()), command);
    send(Command::prompt(target, "go")).await.unwrap();
    let (mut state, mut events, mut has_answered) = (SessionState::default(), Vec::new(), false);
    loop {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
            events.push(entry.event.clone());
        }
        let calls = state.turn.iter().flat_map(|turn| turn.calls.values());
        let asking = calls.into_iter().find(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|call| call.id);
        if let Some(call) = asking.filter(|_| !has_answered) {
            has_answered = true;
            let other = lend("greeter", greeter("echo B >> started"), None).await;
            assert!(other.is_err_and(|why| why.contains("another tool server as \"greeter\"")));
            // The same again with another key, and one more: neither stops the one that the ask is about.
            lend("greeter", greeter("echo A >> started"), Some("k")).await.unwrap();
            lend("more", greeter("echo C >> started"), None).await.unwrap();
            send(Command::Answer { call, option: "proceed_once".into(), edit: None }).await.unwrap();
        }
        if has_answered && matches!(state.session_status(), TaskStatus::Resting(_)) {
            break;
        }
        seat.changed(state.head).await.unwrap();
    }
    let ended = outcomes(&events);
    assert!(
        matches!(ended.as_slice(), [CallOutcome::Succeeded { result }] if result.text.contains("hello from the loan")),
        "{ended:?}"
    );
    let started = std::fs::read_to_string(dir.path().join("started")).unwrap();
    assert_eq!(started.matches('A').count(), 1, "{started}");
    assert!(!started.contains('B'), "{started}");
}

#[tokio::test]
async fn a_session_has_only_the_tools_it_was_opened_with() {
    let google = FakeGemini::start([
        script::call_answer("write_file", &json!({"file_path": "a", "content": "b"})),
        script::text_answer("no"),
    ])
    .await
    .unwrap();
    let env = [("GOOGLE_GEMINI_BASE_URL", google.base_url.as_str())];
    let host = host(runner("gemini-2.5-flash", &env));
    let dir = tempfile::tempdir().unwrap();
    // The tool of a server that is not there yet is taken at its word.
    let only = Some(vec!["read_file".to_owned(), "glob".to_owned(), "mcp_docs_find".to_owned()]);
    let seat = open(&host, dir.path(), SessionOverrides { only_tools: only, ..SessionOverrides::default() }).await;
    let ended = outcomes(&prompt(&seat, "go").await.1);
    let why = "this session was opened without the tool `write_file`; the tools it has: read_file, glob, mcp_docs_find";
    assert_eq!(ended, [CallOutcome::Denied { why: why.into() }]);
    assert!(!dir.path().join("a").exists());
    let offered = google.requests()[0].body["tools"][0]["functionDeclarations"].clone();
    let names: Vec<&str> = offered.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["glob", "read_file"]);
}

#[tokio::test]
async fn a_session_is_not_narrowed_to_a_tool_there_is_not() {
    let host = host(runner("demo", &[]));
    let dir = tempfile::tempdir().unwrap();
    let overrides =
        SessionOverrides { only_tools: Some(vec!["glob".into(), "reed_file".into()]), ..SessionOverrides::default() };
    let opened = host.open(&me(), opening(dir.path(), overrides)).await;
    let Err(RosterError::Tools(why)) = opened.map(|seat| seat.session()) else { panic!("it is refused") };
    assert!(why.starts_with("there is no tool \"reed_file\" here to narrow a session to; there are "), "{why}");
    assert!(why.contains("glob, ") && why.contains("read_file"), "{why}");
    assert_eq!(host.list(&me(), 9).await.unwrap(), []);
}

#[tokio::test]
async fn what_was_granted_when_a_session_was_opened_runs_without_asking_and_nothing_else_does() {
    let dir = tempfile::tempdir().unwrap();
    let shell = |command: &str| script::call_answer("run_shell_command", &json!({ "command": command }));
    let lines = [shell("touch made"), script::text_answer("done"), shell("mkdir made.d")];
    let model = script::write(&dir.path().join("script.jsonl"), &lines).unwrap();
    let host = host(runner(&model, &[]));
    let grants = vec![Grant::Prefix { words: vec!["touch".into()], options: Vec::new(), directory: Some(".".into()) }];
    let seat = open(
        &host,
        dir.path(),
        SessionOverrides { mode: Some(ApprovalMode::Default), grants, ..SessionOverrides::default() },
    )
    .await;
    let (outcome, events) = prompt(&seat, "go").await;
    assert!(outcome == TurnOutcome::Rested && dir.path().join("made").exists());
    let whys = events.iter().filter_map(|event| match event {
        Event::Allowed { why, .. } => Some(why.as_str()),
        _ => None,
    });
    let why = "client allowed every command that begins with `touch` (with another option it asks) in this session";
    assert_eq!(whys.collect::<Vec<_>>(), [why]);

    let target = PromptTarget::Existing { task: seat.session().main_task() };
    seat.send(CommandId("again".into()), Command::prompt(target, "go")).await.unwrap();
    let mut state = SessionState::default();
    while state.session_status() != TaskStatus::InputRequired {
        seat.changed(state.head).await.unwrap();
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
        }
    }
    assert!(!dir.path().join("made.d").exists());
}

#[tokio::test]
async fn every_workspace_has_an_agent_of_its_own() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let line = |name: &str| script::repeat_forever(script::text_answer(name));
    let made = |dir: &Path, name: &str| {
        let script = script::write(&dir.join("script.jsonl"), &[line(name)]).unwrap();
        agent(&script, &[], Toolbox::standard(Arc::new(NoOutputStore)))
    };
    let (first, second) = (made(one.path(), "first"), made(other.path(), "second"));
    let of_one = one.path().canonicalize().unwrap();
    let base = AgentRunner::new(first.clone()).with_workspaces(move |workspace, _| match workspace == of_one {
        true => first.clone(),
        false => second.clone(),
    });
    let host = host(base);
    for (dir, wanted) in [(&one, "first"), (&other, "second"), (&one, "first")] {
        let seat = open(&host, dir.path(), SessionOverrides::default()).await;
        let (_, events) = prompt(&seat, "who are you").await;
        let said = events.iter().any(|event| matches!(event, Event::Said { text, .. } if text == wanted));
        assert!(said, "{wanted}: {events:?}");
    }
}
