//! Our side of a connection: who we say we are, and what we do when the server speaks first.

use super::elicit::{Elicit, Elicitation, Elicited, Wanted};
use super::plain::plain;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, MetaObject, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::{Notify, Semaphore};

/// How many questions of one server may be open at once. More are declined.
const OPEN_QUESTIONS: usize = 4;
/// The most characters of a question.
const QUESTION_CHARS: usize = 4_000;

/// Answers what a server asks of us. Cloning is cheap, and clones count open questions together.
#[derive(Clone)]
pub(super) struct Client {
    server: String,
    elicit: Option<Arc<dyn Elicit>>,
    open: Arc<Semaphore>,
    /// Told when the server offers something else than before.
    pub(super) changed: Arc<Notify>,
}

impl Client {
    pub(super) fn new(server: &str, elicit: Option<Arc<dyn Elicit>>) -> Client {
        let open = Arc::new(Semaphore::new(OPEN_QUESTIONS));
        Client { server: server.to_owned(), elicit, open, changed: Arc::default() }
    }

    async fn ask(&self, request: ElicitRequestParams) -> ElicitResult {
        let Some(elicit) = &self.elicit else { return declined("nobody is here to answer") };
        let Ok(_open) = self.open.try_acquire() else { return declined("too many questions are open already") };
        let (message, wanted) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                (message, Wanted::Form { schema: serde_json::to_value(requested_schema).unwrap_or_default() })
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => (message, Wanted::Visit { url }),
            _ => return declined("this kind of question is not known here"),
        };
        let message = plain(&message, QUESTION_CHARS);
        match elicit.elicit(Elicitation { server: self.server.clone(), message, wanted }).await {
            Elicited::Accepted(Value::Null) => ElicitResult::new(ElicitationAction::Accept),
            Elicited::Accepted(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            Elicited::Declined => ElicitResult::new(ElicitationAction::Decline),
            Elicited::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut can = ClientCapabilities::default();
        if self.elicit.is_some() {
            let forms = ElicitationCapability::new().with_form(FormElicitationCapability::default());
            can.elicitation = Some(forms.with_url(UrlElicitationCapability::default()));
        }
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
