//! A client with a person at it: the server as its child, elicitation answered as the test says.
#![expect(deprecated, reason = "log messages are part of what the server sends today")]

use super::POLLUX;
use anyhow::{Context as _, Result, bail};
use parking_lot::Mutex;
use pollux_testkit::program::{TIMEOUT, TestHome};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability,
    Implementation, JsonObject, LoggingMessageNotificationParam, ProgressNotificationParam, ServerResult,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService, ServiceError, serve_client,
};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::Child;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// The person's answers, and what they have seen.
#[derive(Clone)]
pub(crate) struct ScriptedAnswers {
    /// `None`: the client cannot ask.
    replies: Option<Arc<Mutex<VecDeque<String>>>>,
    /// One permit an answer.
    may_answer: Arc<Semaphore>,
    seen: watch::Sender<SeenMessages>,
}

#[derive(Clone, Default)]
struct SeenMessages {
    questions: Vec<(String, Value)>,
    taken_back: usize,
    progress: Vec<String>,
    logs: Vec<String>,
}

impl ScriptedAnswers {
    /// A client that cannot ask.
    pub(crate) fn none() -> ScriptedAnswers {
        ScriptedAnswers { replies: None, may_answer: Arc::new(Semaphore::new(0)), seen: watch::Sender::default() }
    }

    /// These decisions, one after the other; `(decline)` turns the whole form down.
    pub(crate) fn new(replies: &[&str]) -> ScriptedAnswers {
        let replies = replies.iter().map(|&reply| reply.to_owned()).collect();
        let replies = Some(Arc::new(Mutex::new(replies)));
        ScriptedAnswers { replies, may_answer: Arc::new(Semaphore::new(1_000)), ..ScriptedAnswers::none() }
    }

    /// One decision, once it is released.
    pub(crate) fn held(reply: &str) -> ScriptedAnswers {
        ScriptedAnswers { may_answer: Arc::new(Semaphore::new(0)), ..ScriptedAnswers::new(&[reply]) }
    }

    /// Let one held decision go.
    pub(crate) fn release(&self) {
        self.may_answer.add_permits(1);
    }

    /// Messages and schemas of what was asked.
    pub(crate) fn questions(&self) -> Vec<(String, Value)> {
        self.seen.borrow().questions.clone()
    }

    /// Log messages so far.
    pub(crate) fn logs(&self) -> Vec<String> {
        self.seen.borrow().logs.clone()
    }

    /// Until something was asked.
    pub(crate) async fn wait_for_question(&self) {
        self.until(|seen| !seen.questions.is_empty()).await;
    }

    /// Until a question was taken back.
    pub(crate) async fn wait_for_cancellation(&self) {
        self.until(|seen| seen.taken_back > 0).await;
    }

    /// Until a progress message holds `text`.
    pub(crate) async fn wait_for_progress(&self, text: &str) {
        self.until(|seen| seen.progress.iter().any(|told| told.contains(text))).await;
    }

    async fn until(&self, wanted: impl Fn(&SeenMessages) -> bool) {
        let mut seen = self.seen.subscribe();
        let found = timeout(TIMEOUT, seen.wait_for(|seen| wanted(seen))).await;
        assert!(found.is_ok_and(|found| found.is_ok()), "it did not happen");
    }
}

impl ClientHandler for ScriptedAnswers {
    fn get_info(&self) -> ClientConfig {
        let mut can = ClientCapabilities::default();
        if self.replies.is_some() {
            can.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::default()));
        }
        ClientConfig::new(can, Implementation::new("tester", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        self.seen.send_modify(|seen| seen.questions.push((message, schema)));
        tokio::select! {
            permit = self.may_answer.acquire() => permit.map_err(|_| wrong("closed"))?.forget(),
            () = context.ct.cancelled() => {
                self.seen.send_modify(|seen| seen.taken_back += 1);
                return Ok(ElicitResult::new(ElicitationAction::Cancel));
            }
        }
        let replies = self.replies.as_ref().ok_or_else(|| wrong("a client that cannot ask was asked"))?;
        let reply = replies.lock().pop_front();
        match reply.as_deref() {
            None => Err(wrong("a question too many")),
            Some("(decline)") => Ok(ElicitResult::new(ElicitationAction::Decline)),
            Some(id) => Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "decision": id }))),
        }
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.send_modify(|seen| seen.progress.push(told.message.unwrap_or_default()));
    }

    async fn on_logging_message(&self, told: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let text = told.data.as_str().map(str::to_owned).unwrap_or_else(|| told.data.to_string());
        self.seen.send_modify(|seen| seen.logs.push(text));
    }
}

/// A connection to a server of its own.
pub(crate) struct McpTestClient {
    pub(crate) home: TestHome,
    pub(crate) client: RunningService<RoleClient, ScriptedAnswers>,
    pub(crate) answers: ScriptedAnswers,
    child: Child,
}

impl McpTestClient {
    /// Start the server with `args` and the demo model.
    pub(crate) async fn open(args: &[&str], answers: ScriptedAnswers) -> Result<McpTestClient> {
        McpTestClient::open_at(TestHome::new(POLLUX)?, "demo", args, answers).await
    }

    pub(crate) async fn open_at(
        home: TestHome,
        model: &str,
        args: &[&str],
        answers: ScriptedAnswers,
    ) -> Result<McpTestClient> {
        let mut command = home.command(&[&["mcp-server", "-m", model], args].concat());
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let pipes = (child.stdout.take().context("piped")?, child.stdin.take().context("piped")?);
        let client = timeout(TIMEOUT, serve_client(answers.clone(), pipes)).await.context("no hello")??;
        Ok(McpTestClient { home, client, answers, child })
    }

    /// Call a tool and wait for its result.
    pub(crate) async fn call(&self, tool: &'static str, args: Value) -> Result<CallToolResult> {
        result(timeout(TIMEOUT, self.start(tool, args).await?.await_response()).await.context("no result")??)
    }

    /// Begin a call that reports its progress.
    pub(crate) async fn start(
        &self,
        tool: &'static str,
        args: Value,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let mut params = CallToolRequestParams::new(tool);
        params.arguments = serde_json::from_value::<JsonObject>(args).ok();
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.client.send_cancellable_request(request, PeerRequestOptions::default()).await
    }

    /// Hang up; the server has to end well.
    pub(crate) async fn close(mut self) -> Result<TestHome> {
        self.client.cancel().await?;
        let status = timeout(TIMEOUT, self.child.wait()).await.context("the server does not end")??;
        assert_eq!(status.code(), Some(0));
        Ok(self.home)
    }
}

pub(crate) fn result(result: ServerResult) -> Result<CallToolResult> {
    match result {
        ServerResult::CallToolResult(result) => Ok(result),
        other => bail!("no result of a call: {other:?}"),
    }
}

fn wrong(what: &'static str) -> ErrorData {
    ErrorData::internal_error(what, None)
}

/// The text of a result.
pub(crate) fn result_text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}
