//! The operations of 0.3. Its clients in the wild speak the JSON of the `.proto`, its text describes that of JSON-RPC:
//! both are read, and a body is answered as it was written. What has no body gets the JSON of the `.proto`.

use super::RestRequest;
use super::route::RestOperation;
use crate::dialect::EventEncoding;
use crate::direct::SendMessageResult;
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, read_typed};
use crate::ops::TaskListPage;
use axum::http::HeaderValue;
use axum::response::Response;
use pollux_wire::a2a::MessageSendParams;
use pollux_wire::v03_proto::{
    CreateTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigResponse, SendMessageRequest,
    SendMessageResponse, Task, TaskPushNotificationConfig, is_plain,
};
use serde_json::{Value, json};

/// Where a client of 0.3 finds what its list of tasks has no place for.
const NEXT_PAGE: &str = "x-next-page-token";
const TOTAL: &str = "x-total-count";

impl RestRequest {
    pub(super) async fn answer_v03(self) -> Result<Response, RequestError> {
        let (task, config) = (&self.route.task, &self.route.config);
        match self.route.operation {
            RestOperation::Send => {
                let (inbound, form) = read(&self.object()?)?;
                let sent = self.ops.send(&inbound).await?;
                Ok(match (form, &sent) {
                    (EventEncoding::Wrapped03, SendMessageResult::Task(task)) => self.json(&json!({ "task": task })),
                    (EventEncoding::Wrapped03, SendMessageResult::Message(message)) => {
                        self.json(&json!({ "message": message }))
                    }
                    _ => self.json(&SendMessageResponse::from(sent)),
                })
            }
            RestOperation::Stream => {
                let (inbound, form) = read(&self.object()?)?;
                let stream = self.ops.stream(&inbound, form).await?;
                Ok(self.sse(stream))
            }
            RestOperation::List => {
                let listed = self.ops.list(&self.query.task_list_query()?).await?;
                Ok(self.page(&listed))
            }
            RestOperation::Get => {
                let task = self.ops.get(task, self.query.history()?).await?;
                Ok(self.json(&Task::from(task)))
            }
            RestOperation::Cancel => {
                self.object()?;
                let task = self.ops.cancel(task).await?;
                Ok(self.json(&Task::from(task)))
            }
            RestOperation::Subscribe => self.subscribe(EventEncoding::ProtoJson03).await,
            RestOperation::SetPush => {
                let body = self.object()?;
                let inner = body.get("config").unwrap_or(&body);
                self.same_task(inner, &["taskId"])?;
                let is_plain = inner.get("taskId").is_some();
                let request: CreateTaskPushNotificationConfigRequest = read_typed("params", &body)?;
                let config = self.ops.set_push(request.for_task(task)).await?;
                Ok(if is_plain { self.json(&config) } else { self.json(&TaskPushNotificationConfig::from(config)) })
            }
            RestOperation::ListPush => {
                let (configs, next_page_token) = self.ops.list_push_page(task, self.query.push_config_query()?).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                Ok(self.json(&ListTaskPushNotificationConfigResponse { configs, next_page_token }))
            }
            RestOperation::GetPush => {
                let config = self.ops.get_push(task, Some(config)).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            RestOperation::DeletePush => {
                self.ops.delete_push(task, config).await?;
                Ok(self.json(&json!({})))
            }
            RestOperation::Card => Ok(self.json(&self.ops.extended_card_v03()?)),
        }
    }

    /// The `.proto` has no list of tasks, so this is the one of the text: an array, whose other half is in headers.
    fn page(&self, listed: &TaskListPage) -> Response {
        let mut response = self.json(&listed.tasks);
        response.headers_mut().insert(TOTAL, HeaderValue::from(listed.total));
        if let Ok(token) = HeaderValue::from_str(&listed.next_page_token)
            && !token.is_empty()
        {
            response.headers_mut().insert(NEXT_PAGE, token);
        }
        response
    }
}

/// A message, and the form in which its sender wants to be answered.
fn read(body: &Value) -> Result<(InboundMessage, EventEncoding), RequestError> {
    if is_plain(body) {
        return Ok((InboundMessage::read(body, MessageRules::A2a)?, EventEncoding::Wrapped03));
    }
    let request: SendMessageRequest = read_typed("params", body)?;
    let params = json!(MessageSendParams::from(request));
    Ok((InboundMessage::read(&params, MessageRules::A2a)?, EventEncoding::ProtoJson03))
}
