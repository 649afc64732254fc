//! Our side of a connection: who we say we are, and what we do when the server speaks first.

use super::elicit::{Elicitation, Elicited, Running};
use super::offer::checked;
use super::plain::{plain, plain_line};
use reqwest::Url;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, MetaObject, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::Notify;

/// The most characters of a question.
const QUESTION_CHARS: usize = 4_000;
/// The most characters of an address to visit.
const URL_CHARS: usize = 2_000;

/// Answers what a server asks of us. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Client {
    server: String,
    /// The calls its questions may belong to.
    running: Running,
    /// Told when the server offers something else than before.
    pub(super) changed: Arc<Notify>,
}

impl Client {
    pub(super) fn new(server: &str, running: Running) -> Client {
        Client { server: server.to_owned(), running, changed: Arc::default() }
    }

    /// Put a question to the person, through the oldest call of the server that runs.
    async fn ask(&self, request: ElicitRequestParams) -> ElicitResult {
        let (message, schema, url) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                match checked(serde_json::to_value(requested_schema).unwrap_or_default()) {
                    Ok(schema) => (message, Some(schema), None),
                    Err(problem) => return declined(&problem),
                }
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => match Url::parse(&url) {
                Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => {
                    (message, None, Some(plain_line(parsed.as_str(), URL_CHARS)))
                }
                _ => return declined("the address is not an http or https address"),
            },
            _ => return declined("this kind of question is not known here"),
        };
        let (server, message) = (self.server.clone(), plain(&message, QUESTION_CHARS));
        match self.running.ask(Elicitation { server, message, schema, url, problem: None }).await {
            Elicited::Accepted(Value::Null) => ElicitResult::new(ElicitationAction::Accept),
            Elicited::Accepted(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            Elicited::Declined(None) => ElicitResult::new(ElicitationAction::Decline),
            Elicited::Declined(Some(why)) => declined(&why),
            Elicited::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::default());
        let mut can = ClientCapabilities::default();
        can.elicitation = Some(forms.with_url(UrlElicitationCapability::default()));
        ClientConfig::new(can, Implementation::new("pollux", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            result = self.ask(request) => Ok(result),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
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
