//! Our side of a connection: who we say we are, and what we do when the server speaks first.
#![expect(deprecated, reason = "a later protocol drops roots and sampling; the servers of today use them")]

use super::elicitation::McpElicitationRequest;
use super::offer::checked;
use super::plain_text::{to_plain, to_plain_line};
use super::questions::{QuestionOutcome, ServerQuestion, one};
use super::running_calls::RunningCalls;
use super::sampling;
use reqwest::Url;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ListRootsResult, MetaObject, ProgressNotificationParam, Root, RootsCapabilities, SamplingCapability,
    UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Notify, watch};

/// The most characters of a question.
const QUESTION_CHARS: usize = 4_000;
/// The most characters of an address to visit.
const URL_CHARS: usize = 2_000;

/// Answers what a server asks of us. Cloning is cheap.
#[derive(Clone)]
pub(super) struct McpClientHandler {
    server: String,
    /// The calls its questions may belong to.
    running: RunningCalls,
    /// The directories it may know of; `None` for a server that is told of none.
    roots: Option<watch::Receiver<Vec<PathBuf>>>,
    /// Told when the server offers something else than before.
    pub(super) changed: Arc<Notify>,
}

impl McpClientHandler {
    pub(super) fn new(
        server: &str,
        running: RunningCalls,
        roots: Option<watch::Receiver<Vec<PathBuf>>>,
    ) -> McpClientHandler {
        McpClientHandler { server: server.to_owned(), running, roots, changed: Arc::default() }
    }

    /// Put a question to the person, through the call that it belongs to.
    async fn ask(&self, request: ElicitRequestParams, origin: Option<&InboundStreamOrigin>) -> ElicitResult {
        let (message, schema, url) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                match checked(serde_json::to_value(requested_schema).unwrap_or_default()) {
                    Ok(schema) => (message, Some(schema), None),
                    Err(problem) => return declined(&problem),
                }
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => match Url::parse(&url) {
                Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => {
                    (message, None, Some(to_plain_line(parsed.as_str(), URL_CHARS)))
                }
                _ => return declined("the address is not an http or https address"),
            },
            _ => return declined("this kind of question is not known here"),
        };
        let (server, message) = (self.server.clone(), to_plain(&message, QUESTION_CHARS));
        let question = McpElicitationRequest { server, message, schema, url, problem: None, calls: one() };
        match self.running.ask(ServerQuestion::Elicitation(question), origin).await {
            QuestionOutcome::Accepted(Value::Null) => ElicitResult::new(ElicitationAction::Accept),
            QuestionOutcome::Accepted(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            QuestionOutcome::Declined(None) => ElicitResult::new(ElicitationAction::Decline),
            QuestionOutcome::Declined(Some(why)) => declined(&why),
            QuestionOutcome::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

/// A directory as servers are told of it.
fn root(directory: &Path) -> Option<Root> {
    let uri = Url::from_directory_path(directory).ok()?;
    let root = Root::new(uri.as_str().trim_end_matches('/'));
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    Some(name.into_iter().fold(root, Root::with_name))
}

impl ClientHandler for McpClientHandler {
    fn get_info(&self) -> ClientConfig {
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::default());
        let mut can = ClientCapabilities::default();
        can.elicitation = Some(forms.with_url(UrlElicitationCapability::default()));
        can.sampling = Some(SamplingCapability::default());
        can.roots = self.roots.as_ref().map(|_| {
            let mut roots = RootsCapabilities::default();
            roots.list_changed = Some(true);
            roots
        });
        ClientConfig::new(can, Implementation::new("pollux", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            result = self.ask(request, context.extensions.get()) => Ok(result),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let request = ServerQuestion::Sampling(sampling::read_request(&self.server, request)?);
        tokio::select! {
            outcome = self.running.ask(request, context.extensions.get()) => sampling::to_sampling_result(outcome),
            () = context.ct.cancelled() => sampling::to_sampling_result(QuestionOutcome::Cancelled),
        }
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let directories = self.roots.as_ref().map(|roots| roots.borrow().clone()).unwrap_or_default();
        Ok(ListRootsResult::new(directories.iter().filter_map(|directory| root(directory)).collect()))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.running.forward_progress(progress).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

/// The protocol has no place for a reason, so it goes along as metadata.
fn declined(reason: &str) -> ElicitResult {
    let mut result = ElicitResult::new(ElicitationAction::Decline);
    result.meta = Some(MetaObject(Map::from_iter([("pollux/reason".to_owned(), Value::from(reason))])));
    result
}
