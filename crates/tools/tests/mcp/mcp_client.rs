//! A client for tests with servers: it starts them, waits, calls their tools, answers their questions.

use pollux_session::{
    AnswerEdit, ApprovalMode, BoxFuture, CallId, CallOutcome, CallPhase, CallResult, CallState, ModelUsage, NewCall,
    Seq, SessionId, SessionSetting, TaskId, ToolKind,
};
use pollux_tools::{
    McpOptions, McpSamplingAnswer, McpServerConfig, McpServers, McpStatus, Tool, ToolCallContext, ToolRunOutcome,
    elicitation_tool,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the peers are installed, or a word on why the test is skipped.
pub(crate) fn peers() -> Option<PathBuf> {
    let peers = std::env::var_os("POLLUX_PEERS").map(PathBuf::from);
    if peers.is_none() {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
    }
    peers
}

/// One server called `peer`, ready or failed.
pub(crate) async fn start(config: McpServerConfig, options: McpOptions) -> Arc<McpServers> {
    let servers = Arc::new(McpServers::start(BTreeMap::from([("peer".to_owned(), config)]), options));
    servers.settled().await;
    servers
}

pub(crate) fn status(servers: &Arc<McpServers>) -> McpStatus {
    servers.status().borrow()["peer"].clone()
}

/// Why the server is not there.
pub(crate) fn failure_reason(servers: &Arc<McpServers>) -> String {
    match status(servers) {
        McpStatus::Failed { why } => why,
        other => panic!("the server is {other:?}"),
    }
}

pub(crate) async fn wait_until(servers: &Arc<McpServers>, wanted: impl Fn(&McpStatus) -> bool) {
    let mut all = servers.status();
    assert!(all.wait_for(|all| wanted(&all["peer"])).await.is_ok());
}

/// The tools a model is offered.
pub(crate) fn names(servers: &Arc<McpServers>) -> Vec<String> {
    let tools = servers.tools();
    let offered = tools.iter().filter(|tool| tool.offered_in(ApprovalMode::Default));
    offered.map(|tool| tool.declaration().name).collect()
}

fn find(servers: &Arc<McpServers>, name: &str) -> Arc<dyn Tool> {
    let tools: Vec<_> = servers.tools().into_iter().chain(elicitation_tool([servers].into_iter())).collect();
    let tool = tools.iter().find(|tool| tool.declaration().name == name);
    Arc::clone(tool.unwrap_or_else(|| panic!("{name} is not one of {:?}", names(servers))))
}

/// Run a call while nobody is there to be asked.
pub(crate) async fn run(servers: &Arc<McpServers>, name: &str, args: Value) -> CallOutcome {
    run_with(servers, name, args, &mut FakePerson::new(servers)).await
}

/// Run a call while nobody is there to be asked. Returns also its live output.
pub(crate) async fn run_shown(servers: &Arc<McpServers>, name: &str, args: Value) -> (CallOutcome, String) {
    let mut person = FakePerson::new(servers);
    let outcome = run_with(servers, name, args, &mut person).await;
    (outcome, person.shown)
}

/// Run a call that asks the model, which answers like this. Returns also what it was asked.
pub(crate) async fn run_sampling(
    servers: &Arc<McpServers>,
    name: &str,
    args: Value,
    answer: &str,
) -> (CallOutcome, Value) {
    let mut person = FakePerson { model: Some(answer.to_owned()), ..FakePerson::new(servers) };
    let outcome = run_with(servers, name, args, &mut person).await;
    (outcome, person.asked.remove(0))
}

/// Run a call with a person there who answers like this, or declines. Returns also what they were asked.
pub(crate) async fn run_asking(
    servers: &Arc<McpServers>,
    name: &str,
    args: Value,
    answers: Option<Value>,
) -> (CallOutcome, Vec<Value>) {
    let mut person = FakePerson { reply: Some(answers), ..FakePerson::new(servers) };
    let outcome = run_with(servers, name, args, &mut person).await;
    (outcome, person.asked)
}

async fn run_with(servers: &Arc<McpServers>, name: &str, args: Value, person: &mut FakePerson<'_>) -> CallOutcome {
    run_to_end(&find(servers, name), args, ToolKind::Fetch, None, person).await
}

async fn run_to_end(
    tool: &Arc<dyn Tool>,
    args: Value,
    kind: ToolKind,
    edit: Option<AnswerEdit>,
    out: &mut dyn ToolCallContext,
) -> CallOutcome {
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, tool_name, phase) = (CallId(Seq(1)), tool.declaration().name, CallPhase::Running);
    let call = CallState {
        id,
        task,
        parent: None,
        place: id,
        tool: tool_name,
        args,
        kind,
        ask: None,
        chosen: None,
        edit,
        plan: None,
        phase,
        response: None,
    };
    match tool.run(Path::new("/"), &call, out).await {
        Ok(ToolRunOutcome::Done(outcome)) => outcome,
        Ok(ToolRunOutcome::Stale) => CallOutcome::Superseded,
        Err(error) => error.into(),
    }
}

/// The text of a call that succeeded.
pub(crate) async fn text(servers: &Arc<McpServers>, name: &str, args: Value) -> String {
    succeeded(run(servers, name, args).await)
}

/// The text of what succeeded.
pub(crate) fn succeeded(outcome: CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { result } => result.text,
        other => panic!("it did not succeed: {other:?}"),
    }
}

/// The person at the other end of a call, and the session between them: it has the calls made that the call wants.
struct FakePerson<'a> {
    servers: &'a Arc<McpServers>,
    /// The reply to questions: `None` while nobody is there.
    reply: Option<Option<Value>>,
    /// The model's words, if it may be asked.
    model: Option<String>,
    asked: Vec<Value>,
    shown: String,
}

impl<'a> FakePerson<'a> {
    fn new(servers: &'a Arc<McpServers>) -> FakePerson<'a> {
        FakePerson { servers, reply: None, model: None, asked: Vec::new(), shown: String::new() }
    }
}

impl ToolCallContext for FakePerson<'_> {
    fn session(&self) -> SessionId {
        "00000000-0000-7000-8000-000000000002".parse().unwrap()
    }

    fn send<'a>(&'a mut self, text: String, _: u64) -> BoxFuture<'a, ()> {
        self.shown.push_str(&text);
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, call: NewCall) -> BoxFuture<'a, CallOutcome> {
        Box::pin(async move {
            if let Some(answer) = self.model.clone() {
                assert!(self.servers.sampling(&call.args).is_some(), "{:?}", call.args);
                self.asked.push(call.args);
                let answer = McpSamplingAnswer { model: "test-model".into(), text: answer, cut: false };
                let text = serde_json::to_string(&answer).unwrap();
                return CallOutcome::Succeeded { result: CallResult { text, ..CallResult::default() } };
            }
            let Some(says) = self.reply.clone() else { return CallOutcome::Denied { why: "nobody is here".into() } };
            self.asked.push(call.args.clone());
            let tool = find(self.servers, &call.tool);
            assert!(tool.preview(Path::new("/"), &call.args).await.is_ok(), "{:?}", call.args);
            let Some(answers) = says else { return CallOutcome::Declined };
            let edit = Some(AnswerEdit::Answers { answers });
            run_to_end(&tool, call.args, ToolKind::Converse, edit, self).await
        })
    }

    fn spend<'a>(&'a mut self, _: String, _: ModelUsage) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: SessionSetting) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}
