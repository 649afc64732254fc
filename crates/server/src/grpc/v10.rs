//! The calls of 1.0.

use super::{GrpcRequest, required_field, unknown_method};
use crate::dialect::EventEncoding;
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, read_typed};
use crate::ops::{PushConfigQuery, TaskListQuery};
use crate::rest::no_such_tenant;
use crate::task_snapshot::HistoryLength;
use axum::response::Response;
use pollux_wire::v1::{
    CancelTaskRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, PushConfigRequest, SendMessageResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl GrpcRequest {
    pub(super) async fn answer_v10(self, method: &str) -> Result<Response, RequestError> {
        match method {
            "SendMessage" => {
                let task = self.ops.send(&self.message_v10()?).await?;
                self.reply_message("SendMessageResponse", &SendMessageResponse::from(task))
            }
            "SendStreamingMessage" => {
                let stream = self.ops.stream(&self.message_v10()?, EventEncoding::Proto10).await?;
                Ok(self.reply_stream(stream))
            }
            "GetTask" => {
                let GetTaskRequest { id, history_length, .. } = self.typed_v10("GetTaskRequest")?;
                let task = self.ops.get(required_field("id", &id)?, HistoryLength::from_v10(history_length)?).await?;
                self.reply_message("Task", &Task::from(task))
            }
            "ListTasks" => {
                let request: ListTasksRequest = self.typed_v10("ListTasksRequest")?;
                let listed = self.ops.list(&TaskListQuery::try_from(request)?).await?;
                self.reply_message("ListTasksResponse", &ListTasksResponse::from(listed))
            }
            "CancelTask" => {
                let CancelTaskRequest { id, .. } = self.typed_v10("CancelTaskRequest")?;
                let task = self.ops.cancel(required_field("id", &id)?).await?;
                self.reply_message("Task", &Task::from(task))
            }
            "SubscribeToTask" => {
                let SubscribeToTaskRequest { id, .. } = self.typed_v10("SubscribeToTaskRequest")?;
                let stream =
                    self.ops.subscribe(required_field("id", &id)?, self.cursor(), EventEncoding::Proto10).await?;
                Ok(self.reply_stream(stream))
            }
            "CreateTaskPushNotificationConfig" => {
                let config: TaskPushNotificationConfig = self.typed_v10("TaskPushNotificationConfig")?;
                required_field("task_id", &config.task_id)?;
                let config = self.ops.set_push(config.into()).await?;
                self.reply_message("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "GetTaskPushNotificationConfig" => {
                let request: PushConfigRequest = self.typed_v10("GetTaskPushNotificationConfigRequest")?;
                let (task, id) = (required_field("task_id", &request.task_id)?, required_field("id", &request.id)?);
                let config = self.ops.get_push(task, Some(id)).await?;
                self.reply_message("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "ListTaskPushNotificationConfigs" => {
                let request: ListTaskPushNotificationConfigsRequest =
                    self.typed_v10("ListTaskPushNotificationConfigsRequest")?;
                let wish = PushConfigQuery { page_size: request.page_size, page_token: &request.page_token };
                let task = required_field("task_id", &request.task_id)?;
                let (configs, next_page_token) = self.ops.list_push_page(task, wish).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                let response = ListTaskPushNotificationConfigsResponse { configs, next_page_token };
                self.reply_message("ListTaskPushNotificationConfigsResponse", &response)
            }
            "DeleteTaskPushNotificationConfig" => {
                let request: PushConfigRequest = self.typed_v10("DeleteTaskPushNotificationConfigRequest")?;
                let (task, id) = (required_field("task_id", &request.task_id)?, required_field("id", &request.id)?);
                self.ops.delete_push(task, id).await?;
                Ok(self.reply_empty())
            }
            "GetExtendedAgentCard" => {
                self.request_v10("GetExtendedAgentCardRequest")?;
                let card = self.ops.extended_card()?;
                self.reply_message("AgentCard", &card)
            }
            method => Err(unknown_method(method)),
        }
    }

    fn message_v10(&self) -> Result<InboundMessage, RequestError> {
        InboundMessage::read_v10(&self.request_v10("SendMessageRequest")?)
    }

    fn typed_v10<T: DeserializeOwned>(&self, name: &str) -> Result<T, RequestError> {
        read_typed("params", &self.request_v10(name)?)
    }

    /// The request. No card of ours names a tenant, so no client has one to send.
    fn request_v10(&self, name: &str) -> Result<Value, RequestError> {
        let request = self.request(&format!("lf.a2a.v1.{name}"))?;
        match request.get("tenant").and_then(Value::as_str) {
            None | Some("") => Ok(request),
            Some(tenant) => Err(no_such_tenant(tenant)),
        }
    }
}
