//! The operations of 0.3. Its clients in the wild speak the JSON of the `.proto`, its text describes that of JSON-RPC:
//! both are read, and a body is answered as it was written. What has no body gets the JSON of the `.proto`.

use super::Asked;
use super::route::Operation;
use crate::dialect::Form;
use crate::direct::Sent;
use crate::errors::Fault;
use crate::inbound::{Inbound, MessageRules, typed};
use crate::ops::Listed;
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

impl Asked {
    pub(super) async fn answer_v03(self) -> Result<Response, Fault> {
        let (task, config) = (&self.route.task, &self.route.config);
        match self.route.operation {
            Operation::Send => {
                let (inbound, form) = read(&self.object()?)?;
                let sent = self.ops.send(&inbound).await?;
                Ok(match (form, &sent) {
                    (Form::Wrapped03, Sent::Task(task)) => self.json(&json!({ "task": task })),
                    (Form::Wrapped03, Sent::Message(message)) => self.json(&json!({ "message": message })),
                    _ => self.json(&SendMessageResponse::from(sent)),
                })
            }
            Operation::Stream => {
                let (inbound, form) = read(&self.object()?)?;
                let stream = self.ops.stream(&inbound, form).await?;
                Ok(self.sse(stream))
            }
            Operation::List => {
                let listed = self.ops.list(&self.query.list_wish()?).await?;
                Ok(self.page(&listed))
            }
            Operation::Get => {
                let task = self.ops.get(task, self.query.history()?).await?;
                Ok(self.json(&Task::from(task)))
            }
            Operation::Cancel => {
                self.object()?;
                let task = self.ops.cancel(task).await?;
                Ok(self.json(&Task::from(task)))
            }
            Operation::Subscribe => self.subscribe(Form::ProtoJson03).await,
            Operation::SetPush => {
                let body = self.object()?;
                let inner = body.get("config").unwrap_or(&body);
                self.same_task(inner, &["taskId"])?;
                let is_plain = inner.get("taskId").is_some();
                let request: CreateTaskPushNotificationConfigRequest = typed("params", &body)?;
                let config = self.ops.set_push(request.for_task(task)).await?;
                Ok(if is_plain { self.json(&config) } else { self.json(&TaskPushNotificationConfig::from(config)) })
            }
            Operation::ListPush => {
                let (configs, next_page_token) = self.ops.page_of_push(task, self.query.push_wish()?).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                Ok(self.json(&ListTaskPushNotificationConfigResponse { configs, next_page_token }))
            }
            Operation::GetPush => {
                let config = self.ops.get_push(task, Some(config)).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            Operation::DeletePush => {
                self.ops.delete_push(task, config).await?;
                Ok(self.json(&json!({})))
            }
            Operation::Card => Ok(self.json(&self.ops.extended_card_v03()?)),
        }
    }

    /// The `.proto` has no list of tasks, so this is the one of the text: an array, whose other half is in headers.
    fn page(&self, listed: &Listed) -> Response {
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
fn read(body: &Value) -> Result<(Inbound, Form), Fault> {
    if is_plain(body) {
        return Ok((Inbound::read(body, MessageRules::A2a)?, Form::Wrapped03));
    }
    let request: SendMessageRequest = typed("params", body)?;
    let params = json!(MessageSendParams::from(request));
    Ok((Inbound::read(&params, MessageRules::A2a)?, Form::ProtoJson03))
}
