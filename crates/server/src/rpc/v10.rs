//! The methods of 1.0.

use super::{RpcAnswer, RpcRequest, result, unknown_method, v03};
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, read_typed};
use crate::ops::{PushConfigQuery, TaskListQuery};
use crate::task_snapshot::HistoryLength;
use pollux_wire::v1::{
    CancelTaskRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, PushConfigRequest, SendMessageResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use serde_json::{Value, json};

/// The methods of 1.0 that are answered.
pub const METHODS: [&str; 13] = [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
    "commands/get",
    "command/execute",
];

/// Those that answer with a stream.
pub(super) const STREAMING: [&str; 2] = ["SendStreamingMessage", "SubscribeToTask"];

impl RpcRequest<'_> {
    pub(super) async fn dispatch_v10(self) -> Result<RpcAnswer, RequestError> {
        let params = &self.request.params;
        no_tenant(params)?;
        match self.request.method.as_str() {
            "SendMessage" => {
                let inbound = InboundMessage::read_v10(params)?;
                let task = self.ops.send(&self.without_waiting(inbound)).await?;
                result(SendMessageResponse::from(task))
            }
            "SendStreamingMessage" => {
                let stream = self.ops.stream(&InboundMessage::read_v10(params)?, self.form()).await?;
                Ok(RpcAnswer::Stream(Box::new(stream)))
            }
            "GetTask" => {
                let GetTaskRequest { id, history_length, .. } = read_typed("params", params)?;
                let task = self.ops.get(&id, HistoryLength::from_v10(history_length)?).await?;
                result(Task::from(task))
            }
            "ListTasks" => {
                let request: ListTasksRequest = read_typed("params", params)?;
                let listed = self.ops.list(&TaskListQuery::try_from(request)?).await?;
                result(ListTasksResponse::from(listed))
            }
            "CancelTask" => {
                let CancelTaskRequest { id, .. } = read_typed("params", params)?;
                let task = self.ops.cancel(&id).await?;
                result(Task::from(task))
            }
            "SubscribeToTask" => {
                let SubscribeToTaskRequest { id, .. } = read_typed("params", params)?;
                let stream = self.ops.subscribe(&id, self.cursor().as_deref(), self.form()).await?;
                Ok(RpcAnswer::Stream(Box::new(stream)))
            }
            "CreateTaskPushNotificationConfig" => {
                let config: TaskPushNotificationConfig = read_typed("params", params)?;
                let config = self.ops.set_push(config.into()).await?;
                result(TaskPushNotificationConfig::from(config))
            }
            "GetTaskPushNotificationConfig" => {
                let PushConfigRequest { task_id, id, .. } = read_typed("params", params)?;
                let config = self.ops.get_push(&task_id, Some(&id)).await?;
                result(TaskPushNotificationConfig::from(config))
            }
            "ListTaskPushNotificationConfigs" => {
                let ListTaskPushNotificationConfigsRequest { task_id, page_size, page_token, .. } =
                    read_typed("params", params)?;
                let wish = PushConfigQuery { page_size, page_token: &page_token };
                let (configs, next_page_token) = self.ops.list_push_page(&task_id, wish).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                result(ListTaskPushNotificationConfigsResponse { configs, next_page_token })
            }
            "DeleteTaskPushNotificationConfig" => {
                let PushConfigRequest { task_id, id, .. } = read_typed("params", params)?;
                self.ops.delete_push(&task_id, &id).await?;
                result(json!({}))
            }
            "commands/get" => self.commands().await,
            "command/execute" => self.execute_command().await,
            "GetExtendedAgentCard" => result(self.ops.extended_card()?),
            method if v03::METHODS.contains(&method) => {
                Err(unknown_method(method, &METHODS, "; leave the header `A2A-Version` out to speak 0.3"))
            }
            method => Err(unknown_method(method, &METHODS, "")),
        }
    }
}

/// There are no tenants here, so none can be meant.
fn no_tenant(params: &Value) -> Result<(), RequestError> {
    match params.get("tenant") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(tenant)) if tenant.is_empty() => Ok(()),
        Some(_) => Err(RequestError::invalid_params("`params.tenant`: this server has no tenants; leave it out")),
    }
}
