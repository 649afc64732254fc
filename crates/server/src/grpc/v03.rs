//! The calls of 0.3. Its tasks and configurations go by resource names such as `tasks/{id}`.

use super::{GrpcRequest, unknown_method};
use crate::dialect::EventEncoding;
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, read_typed};
use crate::ops::PushConfigQuery;
use crate::task_snapshot::HistoryLength;
use axum::response::Response;
use pollux_wire::a2a::MessageSendParams;
use pollux_wire::v03_proto::{
    AgentCard, CreateTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigResponse, SendMessageRequest,
    SendMessageResponse, Task, TaskPushNotificationConfig, read_push_name, read_task_name,
};
use serde_json::{Value, json};

impl GrpcRequest {
    pub(super) async fn answer_v03(self, method: &str) -> Result<Response, RequestError> {
        match method {
            "SendMessage" => {
                let task = self.ops.send(&self.message_v03()?).await?;
                self.reply_message("SendMessageResponse", &SendMessageResponse::from(task))
            }
            "SendStreamingMessage" => {
                let stream = self.ops.stream(&self.message_v03()?, EventEncoding::Proto03).await?;
                Ok(self.reply_stream(stream))
            }
            "GetTask" => {
                let request = self.request("a2a.v1.GetTaskRequest")?;
                let task = self.ops.get(&task_in(&request)?, history(&request)?).await?;
                self.reply_message("Task", &Task::from(task))
            }
            "CancelTask" => {
                let task = task_in(&self.request("a2a.v1.CancelTaskRequest")?)?;
                let task = self.ops.cancel(&task).await?;
                self.reply_message("Task", &Task::from(task))
            }
            "TaskSubscription" => {
                let task = task_in(&self.request("a2a.v1.TaskSubscriptionRequest")?)?;
                let stream = self.ops.subscribe(&task, self.cursor(), EventEncoding::Proto03).await?;
                Ok(self.reply_stream(stream))
            }
            "CreateTaskPushNotificationConfig" => {
                let request = self.request("a2a.v1.CreateTaskPushNotificationConfigRequest")?;
                let request: CreateTaskPushNotificationConfigRequest = read_typed("params", &request)?;
                let task = request.task().ok_or_else(|| invalid_resource_name("parent", "tasks/{id}"))?.to_owned();
                let config = self.ops.set_push(request.for_task(&task)).await?;
                self.reply_message("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "GetTaskPushNotificationConfig" => {
                let (task, id) = config_in(&self.request("a2a.v1.GetTaskPushNotificationConfigRequest")?)?;
                let config = self.ops.get_push(&task, Some(&id)).await?;
                self.reply_message("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "ListTaskPushNotificationConfig" => {
                let request = self.request("a2a.v1.ListTaskPushNotificationConfigRequest")?;
                let (task, _) = text(&request, "parent")
                    .and_then(read_push_name)
                    .ok_or_else(|| invalid_resource_name("parent", "tasks/{id}"))?;
                let page_size = request.get("pageSize").and_then(Value::as_i64).unwrap_or_default();
                let page_size = i32::try_from(page_size).unwrap_or(i32::MAX);
                let wish = PushConfigQuery { page_size, page_token: text(&request, "pageToken").unwrap_or_default() };
                let (configs, next_page_token) = self.ops.list_push_page(task, wish).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                let response = ListTaskPushNotificationConfigResponse { configs, next_page_token };
                self.reply_message("ListTaskPushNotificationConfigResponse", &response)
            }
            "DeleteTaskPushNotificationConfig" => {
                let (task, id) = config_in(&self.request("a2a.v1.DeleteTaskPushNotificationConfigRequest")?)?;
                self.ops.delete_push(&task, &id).await?;
                Ok(self.reply_empty())
            }
            "GetAgentCard" => {
                self.request("a2a.v1.GetAgentCardRequest")?;
                let card = AgentCard::from(self.ops.extended_card_v03()?.into_v03());
                self.reply_message("AgentCard", &card)
            }
            method => Err(unknown_method(method)),
        }
    }

    fn message_v03(&self) -> Result<InboundMessage, RequestError> {
        let request: SendMessageRequest = read_typed("params", &self.request("a2a.v1.SendMessageRequest")?)?;
        InboundMessage::read(&json!(MessageSendParams::from(request)), MessageRules::A2a)
    }
}

fn text<'a>(request: &'a Value, field: &str) -> Option<&'a str> {
    request.get(field).and_then(Value::as_str)
}

fn task_in(request: &Value) -> Result<String, RequestError> {
    let task = text(request, "name").and_then(read_task_name);
    task.map(str::to_owned).ok_or_else(|| invalid_resource_name("name", "tasks/{id}"))
}

fn config_in(request: &Value) -> Result<(String, String), RequestError> {
    match text(request, "name").and_then(read_push_name) {
        Some((task, Some(id))) => Ok((task.to_owned(), id.to_owned())),
        Some((_, None)) | None => Err(invalid_resource_name("name", "tasks/{id}/pushNotificationConfigs/{id}")),
    }
}

/// The length of history that is wanted. The field has no absence, so none is no wish.
fn history(request: &Value) -> Result<HistoryLength, RequestError> {
    let length = request.get("historyLength").and_then(Value::as_i64).and_then(|length| i32::try_from(length).ok());
    HistoryLength::from_v10(length.filter(|length| *length != 0))
}

fn invalid_resource_name(field: &str, form: &str) -> RequestError {
    RequestError::invalid_params(format!("`{field}` must be a name such as {form}"))
}
