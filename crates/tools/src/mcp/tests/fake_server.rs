//! Servers made of a script for each connection.

use crate::mcp::client_handler::McpClientHandler;
use crate::mcp::config::McpServerConfig;
use crate::mcp::connection_error::McpConnectionError;
use crate::mcp::connector::{DisconnectCause, McpConnection, McpConnector, StartDeadline, initialize};
use crate::mcp::elicitation::ElicitationTool;
use crate::mcp::meter::{MeteredLines, TrafficMeter};
use crate::mcp::{McpLimits, McpServers, McpStatus};
use crate::output::{OutputSpool, OutputStore, ToolCallContext};
use crate::tool::{CallPreview, Tool, ToolRunOutcome};
use parking_lot::Mutex;
use pollux_session::{
    AnswerEdit, ApprovalMode, Ask, AskDetails, BlobRef, BoxFuture, CallError, CallId, CallOutcome, CallPhase,
    CallResult, CallState, ModelUsage, NewCall, Seq, SessionId, SessionSetting, TaskId, ToolKind,
};
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split};

/// The behaviour of a server towards one connection.
pub(super) type ServerScript = Box<dyn FnOnce(FakeServerConnection) -> BoxFuture<'static, ()> + Send>;

/// A script for one connection.
pub(super) fn script<F: Future<Output = ()> + Send + 'static>(
    script: impl FnOnce(FakeServerConnection) -> F + Send + 'static,
) -> ServerScript {
    Box::new(|wire| Box::pin(script(wire)))
}

/// Reaches scripts, one after the other; when there are no more, nobody answers.
struct ScriptedConnector {
    scripts: Mutex<VecDeque<ServerScript>>,
    limits: McpLimits,
}

impl McpConnector for ScriptedConnector {
    fn connect(
        &self,
        client: McpClientHandler,
        deadline: StartDeadline,
    ) -> BoxFuture<'_, Result<McpConnection, McpConnectionError>> {
        Box::pin(async move {
            let act = self.scripts.lock().pop_front().ok_or(McpConnectionError::Ended)?;
            let (ours, theirs) = duplex(1024 * 1024);
            tokio::spawn(act(FakeServerConnection::new(theirs)));
            let meter = TrafficMeter::new(&self.limits);
            let cause = DisconnectCause::new(meter.clone());
            let (read, write) = split(ours);
            let transport = AsyncRwTransport::<RoleClient, _, _>::new(MeteredLines::new(read, meter), write);
            match deadline.limit(initialize(client, transport)).await {
                Ok(running) => Ok(McpConnection { running, cause, _processes: None }),
                Err(failure) => Err(cause.explain(failure).await),
            }
        })
    }
}

/// A server's end of a connection.
pub(super) struct FakeServerConnection {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

impl FakeServerConnection {
    fn new(stream: DuplexStream) -> FakeServerConnection {
        let (read, write) = split(stream);
        FakeServerConnection { lines: BufReader::new(read).lines(), write }
    }

    /// The next message; `None` once the client is gone.
    pub(super) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Send a message. Nobody may be there to read it.
    pub(super) async fn send(&mut self, message: Value) {
        let _ = self.write.write_all(format!("{message}\n").as_bytes()).await;
    }

    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    /// Shake hands and list `offer` until something else is asked; `None` once the client is gone. A list that is
    /// `null` is left to the script.
    pub(super) async fn serve(&mut self, offer: &Value) -> Option<Value> {
        loop {
            let request = self.next().await?;
            let list = |key: &str| json!({ key: offer.get(key).unwrap_or(&json!([])) });
            let result = match request["method"].as_str() {
                Some("tools/list") if offer.get("tools").is_some_and(Value::is_null) => return Some(request),
                Some("initialize") => json!({
                    "protocolVersion": request["params"]["protocolVersion"],
                    "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
                    "serverInfo": { "name": "fake", "version": "1" },
                }),
                Some("tools/list") => list("tools"),
                Some("prompts/list") => list("prompts"),
                Some("resources/list") => list("resources"),
                Some("notifications/initialized") => continue,
                _ => return Some(request),
            };
            self.answer(&request, result).await;
        }
    }

    /// Be there until the client is gone, and answer no call.
    pub(super) async fn idle(mut self, offer: Value) {
        while self.serve(&offer).await.is_some() {}
    }
}

/// A tool called `say`.
pub(super) fn say_tool() -> Value {
    tool("say")
}

pub(super) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Says it.", "inputSchema": { "type": "object", "properties": {} } })
}

pub(super) fn tools(tools: &[Value]) -> Value {
    json!({ "tools": tools })
}

pub(super) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// One server called `fake` that follows these scripts.
pub(super) fn start(acts: Vec<ServerScript>) -> McpServers {
    start_with(acts, McpServerConfig::default(), McpLimits::default(), None)
}

pub(super) fn start_with(
    acts: Vec<ServerScript>,
    config: McpServerConfig,
    limits: McpLimits,
    keeper: Option<&Arc<dyn OutputStore>>,
) -> McpServers {
    let scripts = ScriptedConnector { scripts: Mutex::new(acts.into()), limits };
    McpServers::assemble(vec![("fake".into(), config, Box::new(scripts))], limits, keeper, None).started()
}

/// One server called `fake` that is told of these directories.
pub(super) fn start_in(acts: Vec<ServerScript>, roots: Vec<PathBuf>) -> McpServers {
    let (config, limits) = (McpServerConfig::default(), McpLimits::default());
    let scripts = ScriptedConnector { scripts: Mutex::new(acts.into()), limits };
    McpServers::assemble(vec![("fake".into(), config, Box::new(scripts))], limits, None, Some(roots)).started()
}

/// Servers that each follow one script, by name.
pub(super) fn start_all(servers: Vec<(&str, ServerScript)>) -> McpServers {
    let limits = McpLimits::default();
    let entries = servers.into_iter().map(|(name, act)| {
        let scripts = ScriptedConnector { scripts: Mutex::new([act].into()), limits };
        (name.to_owned(), McpServerConfig::default(), Box::new(scripts) as Box<dyn McpConnector>)
    });
    McpServers::assemble(entries.collect(), limits, None, None).started()
}

pub(super) fn ready(tools: usize) -> McpStatus {
    McpStatus::Ready { tools, prompts: 0, resources: 0, left_out: vec![] }
}

pub(super) fn failed(why: &str) -> McpStatus {
    McpStatus::Failed { why: why.into() }
}

/// Waits until `fake` is as wanted.
pub(super) async fn until(servers: &McpServers, status: McpStatus) {
    let mut all = servers.status();
    if all.wait_for(|all| all["fake"] == status).await.is_err() {
        panic!("the board is gone");
    }
}

pub(super) fn find(servers: &McpServers, name: &str) -> Arc<dyn Tool> {
    let mut tools = servers.tools();
    tools.push(Arc::new(ElicitationTool(vec![servers.questions.clone()])));
    let names: Vec<String> = tools.iter().map(|tool| tool.declaration().name).collect();
    let found = names.iter().position(|known| known == name);
    Arc::clone(&tools[found.unwrap_or_else(|| panic!("{name} is not one of {names:?}"))])
}

/// The tools a model is offered.
pub(super) fn names(servers: &McpServers) -> Vec<String> {
    let tools = servers.tools();
    let offered = tools.iter().filter(|tool| tool.offered_in(ApprovalMode::Default));
    offered.map(|tool| tool.declaration().name).collect()
}

pub(super) async fn preview(tool: &Arc<dyn Tool>, args: Value) -> Result<CallPreview, CallError> {
    tool.preview(Path::new("/"), &args).await.map_err(|error| failure(error.into()))
}

/// Run a call of the tool.
pub(super) async fn run(tool: &Arc<dyn Tool>, args: Value) -> CallOutcome {
    run_as(tool, args, ToolKind::Fetch).await
}

pub(super) async fn run_as(tool: &Arc<dyn Tool>, args: Value, kind: ToolKind) -> CallOutcome {
    run_with(tool, args, kind, None, &mut ScriptedPerson::absent()).await
}

/// Run a call of the tool with a person there.
pub(super) async fn run_with(
    tool: &Arc<dyn Tool>,
    args: Value,
    kind: ToolKind,
    edit: Option<AnswerEdit>,
    person: &mut ScriptedPerson,
) -> CallOutcome {
    run_call(tool, CallState { args, kind, edit, ..call_of(tool) }, person).await
}

/// Run a call of the tool that was allowed after these details were shown.
pub(super) async fn run_shown(tool: &Arc<dyn Tool>, details: AskDetails) -> CallOutcome {
    let ask = Some(Ask::new(details, vec![]));
    run_call(tool, CallState { ask, kind: ToolKind::Fetch, ..call_of(tool) }, &mut ScriptedPerson::absent()).await
}

fn call_of(tool: &Arc<dyn Tool>) -> CallState {
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, name, phase) = (CallId(Seq(1)), tool.declaration().name, CallPhase::Running);
    CallState {
        id,
        task,
        parent: None,
        place: id,
        tool: name,
        args: json!({}),
        kind: ToolKind::default(),
        ask: None,
        chosen: None,
        edit: None,
        plan: None,
        phase,
        response: None,
    }
}

async fn run_call(tool: &Arc<dyn Tool>, call: CallState, person: &mut ScriptedPerson) -> CallOutcome {
    match tool.run(Path::new("/"), &call, person).await {
        Ok(ToolRunOutcome::Done(outcome)) => outcome,
        Ok(ToolRunOutcome::Stale) => CallOutcome::Superseded,
        Err(error) => error.into(),
    }
}

pub(super) fn text_outcome(text: &str) -> CallOutcome {
    CallOutcome::Succeeded { result: CallResult { text: text.into(), ..CallResult::default() } }
}

pub(super) fn failure(outcome: CallOutcome) -> CallError {
    match outcome {
        CallOutcome::Failed { error, .. } => error,
        other => panic!("the call did not fail: {other:?}"),
    }
}

pub(super) fn mcp_error(message: &str) -> CallError {
    CallError { kind: "mcp_tool_error".into(), message: message.into() }
}

/// The reaction of a person to a question.
pub(super) enum ScriptedAnswer {
    Answers(Value),
    /// The call that asks ends like this.
    Ends(Box<CallOutcome>),
}

/// A person who does with questions what the script says, and remembers what they were shown.
pub(in crate::mcp) struct ScriptedPerson {
    /// Where the questions are put.
    tool: Option<Arc<dyn Tool>>,
    script: VecDeque<ScriptedAnswer>,
    pub(super) seen: Vec<CallPreview>,
    /// The requests that servers made to their model.
    pub(super) sampled: Vec<Value>,
    /// The live output of their call.
    pub(in crate::mcp) shown: String,
    pub(super) session: SessionId,
}

impl ScriptedPerson {
    /// Nobody: whoever asks breaks the test.
    pub(in crate::mcp) fn absent() -> ScriptedPerson {
        let session = "00000000-0000-7000-8000-000000000002".parse().unwrap();
        ScriptedPerson {
            tool: None,
            script: VecDeque::new(),
            seen: Vec::new(),
            sampled: Vec::new(),
            shown: String::new(),
            session,
        }
    }

    pub(super) fn with_script(servers: &McpServers, script: Vec<ScriptedAnswer>) -> ScriptedPerson {
        ScriptedPerson { tool: Some(find(servers, "elicitation")), script: script.into(), ..ScriptedPerson::absent() }
    }
}

impl ToolCallContext for ScriptedPerson {
    fn session(&self) -> SessionId {
        self.session
    }

    fn send<'a>(&'a mut self, text: String, _: u64) -> BoxFuture<'a, ()> {
        self.shown.push_str(&text);
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, call: NewCall) -> BoxFuture<'a, CallOutcome> {
        Box::pin(async move {
            if call.tool == "sampling" {
                self.sampled.push(call.args);
                let Some(ScriptedAnswer::Ends(outcome)) = self.script.pop_front() else {
                    panic!("the script says nothing")
                };
                return *outcome;
            }
            assert_eq!(call.tool, "elicitation");
            let tool = Arc::clone(self.tool.as_ref().unwrap());
            self.seen.push(preview(&tool, call.args.clone()).await.unwrap());
            match self.script.pop_front() {
                Some(ScriptedAnswer::Answers(answers)) => {
                    let edit = Some(AnswerEdit::Answers { answers });
                    run_with(&tool, call.args, ToolKind::Converse, edit, &mut ScriptedPerson::absent()).await
                }
                Some(ScriptedAnswer::Ends(outcome)) => *outcome,
                None => std::future::pending().await,
            }
        })
    }

    fn spend<'a>(&'a mut self, _: String, _: ModelUsage) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: SessionSetting) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Keeps everything in memory.
#[derive(Default)]
pub(super) struct InMemoryOutputStore(Arc<Mutex<Vec<Vec<u8>>>>);

struct InMemoryOutputSpool(Arc<Mutex<Vec<Vec<u8>>>>, Vec<u8>);

impl OutputStore for InMemoryOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Ok(Box::new(InMemoryOutputSpool(Arc::clone(&self.0), Vec::new())))
    }

    fn read(&self, blob: &BlobRef) -> std::io::Result<Vec<u8>> {
        Ok(self.0.lock()[blob.sha256.parse::<usize>().unwrap()].clone())
    }
}

impl OutputSpool for InMemoryOutputSpool {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.1.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, media: &str) -> std::io::Result<BlobRef> {
        let mut shelf = self.0.lock();
        shelf.push(self.1.clone());
        let sha256 = (shelf.len() - 1).to_string();
        Ok(BlobRef { sha256, len: self.1.len() as u64, media: media.into() })
    }
}
