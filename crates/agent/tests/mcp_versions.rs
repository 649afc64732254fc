//! A server changes its tool after somebody allowed it: the real host and agent, with a server that is a shell script.

use pollux_agent::{AgentRunner, AgentSettings, WorkspaceAgent};
use pollux_host::{EffectJob, EffectWork, Host, NoticeBoard, Reporter, Runner};
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    AskDetails, BlobRef, BoxFuture, CallId, CallOutcome, CallPhase, Command, CommandId, ContextId, Event,
    McpToolVersion, OpenSessionRequest, Owner, PolicyVerdict, PromptTarget, Report, Rights, Roster, RuntimeDescription,
    Seat, SessionId, SessionLookup, SessionOverrides, SessionState, TaskStatus, ToolKind, Who,
};
use pollux_store::SessionStore;
use pollux_testkit::script;
use pollux_tools::{McpOptions, McpServerConfig, McpServers, OutputSpool, OutputStore, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Offers the tool `say`, with the description that the file `about` holds when it starts.
const SERVER: &str = r#"
about=$(cat about)
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]} || continue
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"say","description":"'$about'","inputSchema":{"type":"object"}}]}';;
    *) result='{"content":[{"type":"text","text":"'$about'"}]}';;
  esac
  printf '%s\n' '{"jsonrpc":"2.0","id":'$id',"result":'"$result"'}'
done
"#;

struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// A workspace with a server in it, which the agent of `host` has.
struct McpWorkspace {
    dir: tempfile::TempDir,
    servers: Arc<McpServers>,
    agent: AgentRunner,
    log: SessionStore,
}

impl McpWorkspace {
    /// The model calls the tool as often as it is prompted.
    async fn new() -> McpWorkspace {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("about"), "first").unwrap();
        let turn = || [script::call_answer("mcp_s_say", &json!({})), script::text_answer("done")];
        let lines: Vec<_> = (0..4).flat_map(|_| turn()).collect();
        let model = script::write(&dir.path().join("script.jsonl"), &lines).unwrap();
        let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
        let model = models.resolve(&model).unwrap();
        let args = vec!["-c".to_owned(), SERVER.to_owned()];
        let entry = McpServerConfig { command: Some("bash".into()), args, ..McpServerConfig::default() };
        let options = McpOptions { directory: dir.path().to_owned(), ..McpOptions::default() };
        let servers = Arc::new(McpServers::start(BTreeMap::from([("s".to_owned(), entry)]), options));
        servers.settled().await;
        let policies = Arc::new(WorkspacePolicies::new(PolicySources::default()));
        let toolbox = Toolbox::standard(Arc::new(NoOutputStore));
        let agent = WorkspaceAgent::new(dir.path(), models, model, toolbox, policies, AgentSettings::default())
            .with_servers(servers.clone());
        McpWorkspace { dir, servers, agent: AgentRunner::new(agent), log: SessionStore::in_memory().unwrap() }
    }

    fn host(&self, runner: impl Runner) -> Host {
        Host::new(self.log.clone(), Arc::new(runner), NoticeBoard::default(), SessionOverrides::default(), "test")
    }

    /// The server starts again and says something else of its tool.
    async fn change_tool(&self, about: &str) {
        std::fs::write(self.dir.path().join("about"), about).unwrap();
        self.servers.restart("s");
        self.servers.settled().await;
    }
}

fn me() -> Who {
    Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() }
}

async fn open(host: &Host, workspace: &Path) -> Arc<dyn Seat> {
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    host.open(&me(), opening).await.unwrap()
}

async fn send(seat: &Arc<dyn Seat>, command: Command) {
    seat.send(CommandId(uuid::Uuid::now_v7().to_string()), command).await.unwrap();
}

async fn prompt(seat: &Arc<dyn Seat>) {
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    send(seat, Command::prompt(target, "go")).await;
}

async fn answer(seat: &Arc<dyn Seat>, call: CallId, option: &str) {
    send(seat, Command::Answer { call, option: option.into(), edit: None }).await;
}

/// The first thing that `find` finds in the session's state once `turns` turns have ended; and all that happened.
async fn wait_after<T>(
    turns: usize,
    seat: &Arc<dyn Seat>,
    find: impl Fn(&SessionState) -> Option<T>,
) -> (T, Vec<Event>) {
    let (mut state, mut events) = (SessionState::default(), Vec::new());
    loop {
        for entry in seat.read(state.head, 500).await.unwrap() {
            state.apply(&entry);
            events.push(entry.event.clone());
        }
        let ended = events.iter().filter(|event| matches!(event, Event::TurnEnded { .. })).count();
        if ended == turns
            && let Some(found) = find(&state)
        {
            return (found, events);
        }
        seat.changed(state.head).await.unwrap();
    }
}

/// The call that asks, and which version of the tool it shows.
fn asking(state: &SessionState) -> Option<(CallId, McpToolVersion)> {
    let calls = state.turn.iter().flat_map(|turn| turn.calls.values());
    let call = calls.into_iter().find(|call| matches!(call.phase, CallPhase::Asking { .. }))?;
    match &call.ask.as_ref()?.details {
        AskDetails::Mcp { version, .. } => Some((call.id, version.clone())),
        other => panic!("{other:?}"),
    }
}

fn rests(state: &SessionState) -> Option<()> {
    matches!(state.session_status(), TaskStatus::Resting(_)).then_some(())
}

/// The tool's results, call by call; other ends by their names.
fn ends(events: &[Event]) -> Vec<String> {
    let ends = events.iter().filter_map(|event| match event {
        Event::CallEnded { outcome: CallOutcome::Succeeded { result }, .. } => Some(result.text.clone()),
        Event::CallEnded { outcome: CallOutcome::Superseded, .. } => Some("superseded".into()),
        Event::CallEnded { outcome, .. } => Some(format!("{outcome:?}")),
        _ => None,
    });
    ends.collect()
}

#[tokio::test]
async fn a_tool_that_changes_while_its_ask_is_open_asks_again() {
    let workspace = McpWorkspace::new().await;
    let host = workspace.host(workspace.agent.clone());
    let seat = open(&host, workspace.dir.path()).await;
    prompt(&seat).await;
    let ((first, shown), _) = wait_after(0, &seat, asking).await;
    workspace.change_tool("second").await;
    answer(&seat, first, "proceed_once").await;
    let ((again, shown_again), _) =
        wait_after(0, &seat, |state| asking(state).filter(|(call, _)| *call != first)).await;
    assert_ne!(shown.tool_digest, shown_again.tool_digest);
    answer(&seat, again, "proceed_once").await;
    let ((), events) = wait_after(1, &seat, rests).await;
    assert_eq!(ends(&events), ["superseded", "second"]);
}

#[tokio::test]
async fn a_grant_covers_the_tool_as_it_was() {
    for option in ["proceed_always_tool", "proceed_always_server"] {
        let workspace = McpWorkspace::new().await;
        let host = workspace.host(workspace.agent.clone());
        let seat = open(&host, workspace.dir.path()).await;
        prompt(&seat).await;
        let ((call, version), _) = wait_after(0, &seat, asking).await;
        assert!(!version.changed);
        answer(&seat, call, option).await;
        wait_after(1, &seat, rests).await;
        prompt(&seat).await;
        wait_after(2, &seat, rests).await;

        workspace.change_tool("second").await;
        prompt(&seat).await;
        let ((call, version), events) = wait_after(2, &seat, asking).await;
        assert_eq!((version.changed, ends(&events)), (true, vec!["first".to_owned(); 2]), "{option}");
        answer(&seat, call, option).await;
        wait_after(3, &seat, rests).await;
        prompt(&seat).await;
        let ((), events) = wait_after(4, &seat, rests).await;
        assert_eq!(ends(&events), ["first", "first", "second", "second"], "{option}");
    }
}

/// Lets every call run without a question, and then never gets to it.
struct PermissiveRunner(AgentRunner);

impl Runner for PermissiveRunner {
    fn equipment(&self) -> RuntimeDescription {
        self.0.equipment()
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        match job.work {
            EffectWork::Vet { .. } => Box::pin(async move {
                let verdict = PolicyVerdict::allow("it was allowed then");
                let _ = reporter.report(Report::Vetted { kind: ToolKind::Fetch, verdict }).await;
            }),
            EffectWork::Run { .. } => Box::pin(std::future::pending()),
            EffectWork::Think { .. } | EffectWork::Compact { .. } | EffectWork::Keep { .. } => {
                self.0.run(job, reporter)
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_would_ask_by_the_time_it_starts_asks() {
    let workspace = McpWorkspace::new().await;
    let first = workspace.host(PermissiveRunner(workspace.agent.clone()));
    let seat = open(&first, workspace.dir.path()).await;
    prompt(&seat).await;
    let ready = |state: &SessionState| {
        let mut calls = state.turn.iter().flat_map(|turn| turn.calls.values());
        calls.find(|call| call.phase == CallPhase::Ready).map(|call| call.id)
    };
    let (allowed, _) = wait_after(0, &seat, ready).await;
    let session = seat.session();
    drop(seat);
    first.stop().await;

    let second = workspace.host(workspace.agent.clone());
    let seat = second.find(&me(), &SessionLookup::Id(session.0)).await.unwrap().unwrap().seat;
    // A session that is only watched is not worked on.
    prompt(&seat).await;
    let ((asks, _), events) = wait_after(0, &seat, asking).await;
    assert_eq!((asks != allowed, ends(&events)), (true, vec!["superseded".to_owned()]));
    answer(&seat, asks, "proceed_once").await;
    let (_, events) = wait_after(1, &seat, asking).await;
    assert_eq!(ends(&events), ["superseded", "first"]);
}
