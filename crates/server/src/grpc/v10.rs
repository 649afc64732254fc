//! The calls of 1.0.

use super::{Asked, needed, unknown_method};
use crate::dialect::Form;
use crate::errors::Fault;
use crate::inbound::{Inbound, typed};
use crate::ops::{ListWish, PushWish};
use crate::rest::no_such_tenant;
use crate::snapshot::History;
use axum::response::Response;
use pollux_wire::v1::{
    CancelTaskRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, PushConfigRequest, SendMessageResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Asked {
    pub(super) async fn answer_v10(self, method: &str) -> Result<Response, Fault> {
        match method {
            "SendMessage" => {
                let task = self.ops.send(&self.message_v10()?).await?;
                self.one("SendMessageResponse", &SendMessageResponse::from(task))
            }
            "SendStreamingMessage" => {
                let stream = self.ops.stream(&self.message_v10()?, Form::Proto10).await?;
                Ok(self.many(stream))
            }
            "GetTask" => {
                let GetTaskRequest { id, history_length, .. } = self.typed_v10("GetTaskRequest")?;
                let task = self.ops.get(needed("id", &id)?, History::of(history_length)?).await?;
                self.one("Task", &Task::from(task))
            }
            "ListTasks" => {
                let request: ListTasksRequest = self.typed_v10("ListTasksRequest")?;
                let listed = self.ops.list(&ListWish::try_from(request)?).await?;
                self.one("ListTasksResponse", &ListTasksResponse::from(listed))
            }
            "CancelTask" => {
                let CancelTaskRequest { id, .. } = self.typed_v10("CancelTaskRequest")?;
                let task = self.ops.cancel(needed("id", &id)?).await?;
                self.one("Task", &Task::from(task))
            }
            "SubscribeToTask" => {
                let SubscribeToTaskRequest { id, .. } = self.typed_v10("SubscribeToTaskRequest")?;
                let stream = self.ops.follow(needed("id", &id)?, self.cursor(), Form::Proto10).await?;
                Ok(self.many(stream))
            }
            "CreateTaskPushNotificationConfig" => {
                let config: TaskPushNotificationConfig = self.typed_v10("TaskPushNotificationConfig")?;
                needed("task_id", &config.task_id)?;
                let config = self.ops.set_push(config.into()).await?;
                self.one("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "GetTaskPushNotificationConfig" => {
                let request: PushConfigRequest = self.typed_v10("GetTaskPushNotificationConfigRequest")?;
                let (task, id) = (needed("task_id", &request.task_id)?, needed("id", &request.id)?);
                let config = self.ops.get_push(task, Some(id)).await?;
                self.one("TaskPushNotificationConfig", &TaskPushNotificationConfig::from(config))
            }
            "ListTaskPushNotificationConfigs" => {
                let request: ListTaskPushNotificationConfigsRequest =
                    self.typed_v10("ListTaskPushNotificationConfigsRequest")?;
                let wish = PushWish { page_size: request.page_size, page_token: &request.page_token };
                let task = needed("task_id", &request.task_id)?;
                let (configs, next_page_token) = self.ops.page_of_push(task, wish).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                let response = ListTaskPushNotificationConfigsResponse { configs, next_page_token };
                self.one("ListTaskPushNotificationConfigsResponse", &response)
            }
            "DeleteTaskPushNotificationConfig" => {
                let request: PushConfigRequest = self.typed_v10("DeleteTaskPushNotificationConfigRequest")?;
                let (task, id) = (needed("task_id", &request.task_id)?, needed("id", &request.id)?);
                self.ops.delete_push(task, id).await?;
                Ok(self.nothing())
            }
            "GetExtendedAgentCard" => {
                self.request_v10("GetExtendedAgentCardRequest")?;
                let card = self.ops.extended_card()?;
                self.one("AgentCard", &card)
            }
            method => Err(unknown_method(method)),
        }
    }

    fn message_v10(&self) -> Result<Inbound, Fault> {
        Inbound::read_v10(&self.request_v10("SendMessageRequest")?)
    }

    fn typed_v10<T: DeserializeOwned>(&self, name: &str) -> Result<T, Fault> {
        typed("params", &self.request_v10(name)?)
    }

    /// The request. No card of ours names a tenant, so no client has one to send.
    fn request_v10(&self, name: &str) -> Result<Value, Fault> {
        let request = self.request(&format!("lf.a2a.v1.{name}"))?;
        match request.get("tenant").and_then(Value::as_str) {
            None | Some("") => Ok(request),
            Some(tenant) => Err(no_such_tenant(tenant)),
        }
    }
}
